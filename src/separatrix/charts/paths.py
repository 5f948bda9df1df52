"""Held-out performance along a parameter: shrinkage, the strength of a penalty, the number of rows."""

from __future__ import annotations

import numpy as np

from ..argument_types import is_listed
from ..array_types import Floats
from ..errors import InputError, short_text
from ..evaluation.learning_curve import LearningCurve
from ..evaluation.shrinkage_path import ShrinkagePath
from ..selection.penalty_path import RegularisationPath
from .grammar import Layers, Rows, alt, data, layered, titled
from .palette import FIRST, QUIET, SECOND, colours, dashes
from .sampling import first_drawn
from .text import distinct_plain

MOST_LINES = 8


def learning(found: LearningCurve) -> Layers:
    """Return the held-out score against the number of rows trained on, with its band, beside the score of these rows themselves.

    Parameters
    ----------
    found : LearningCurve
    """
    names, m = ["held-out rows", "rows trained on"], len(found.sizes)
    nothing = np.full(m, np.nan)
    rows = data(
        rows=np.tile(found.sizes, 2),
        y=np.concatenate([found.scores, found.training]),
        low=np.concatenate([found.intervals[:, 0], nothing]),
        high=np.concatenate([found.intervals[:, 1], nothing]),
        line=np.repeat(names, m).tolist(),
    )
    band = alt.Chart(data(rows=found.sizes, low=found.intervals[:, 0], high=found.intervals[:, 1]))
    scale, legend = alt.Scale(domain=names, range=[FIRST, SECOND]), alt.Legend(title=None, orient="bottom")
    x = alt.X("rows:Q", title="rows trained on", scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("y:Q", title=found.metric, scale=alt.Scale(zero=False))
    tips = [alt.Tooltip("line:N"), alt.Tooltip("rows:Q", format=","), alt.Tooltip("y:Q", title=found.metric, format=".4f")]
    tips += [alt.Tooltip("low:Q", title="95 % from", format=".4f"), alt.Tooltip("high:Q", title="to", format=".4f")]
    base = alt.Chart(rows).encode(x=x)
    colour = alt.Color("line:N", scale=scale, legend=legend)
    layers = [
        band.mark_area(opacity=0.18, color=FIRST).encode(
            x=x, y=alt.Y("low:Q", title=found.metric, scale=alt.Scale(zero=False)), y2="high:Q"
        ),
        base.mark_line().encode(
            y=y, color=colour, strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes(2)), legend=legend)
        ),
        base.mark_point(size=45, opacity=1).encode(y=y, color=colour, tooltip=tips),
    ]
    folds = found.per_fold.shape[1]
    caption = f"All {m} sizes drawn, up to {int(found.sizes.max()):,} rows; {folds} folds, 95 % band."
    return layered(layers, "Learning curve", caption)


def shrinkage(found: ShrinkagePath) -> Rows:
    """Return held-out log-loss and error along shrinkages; the best of each is marked.

    Parameters
    ----------
    found : ShrinkagePath
    """
    parts = [
        _line(found.shrinkages, getattr(found, by), "shrinkage", title, found.best(by))  # type: ignore[arg-type]
        for by, title in (("log_loss", "held-out log-loss"), ("error", "held-out error"))
    ]
    caption = f"Dashed: the best, {found.best():.3g} by log-loss and {found.best('error'):.3g} by error. "
    caption += f"All {len(found.shrinkages)} values drawn."
    return Rows(vconcat=parts, title=titled("Along the shrinkage", caption), spacing=14)


def penalty(found: RegularisationPath, names: list[str] | None = None) -> Rows:
    """Return coefficients and leave-one-out log-loss of logistic regression along C; the best C is marked.

    Parameters
    ----------
    found : RegularisationPath
    names : of the columns, optional
    """
    m, R, p = found.coef.shape
    if names is not None and (not is_listed(names) or len(names) != p):
        raise InputError(f"names={short_text(names)} must be a list of {p} names, one for each column.")
    lines = found.coef.reshape(m, R * p)
    called = [f"x{j}" for j in range(p)] if names is None else distinct_plain(names)
    labels = [called[j] if R == 1 else f"{called[j]}, row {r}" for r in range(R) for j in range(p)]
    order = np.argsort(-np.abs(lines).max(axis=0), kind="stable")[:MOST_LINES]
    shown = [labels[j] for j in order]
    rows = data(C=np.tile(found.Cs, len(order)), y=lines[:, order].T.ravel(), column=np.repeat(shown, m).tolist())
    x = alt.X("C:Q", title="C", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="~g", tickCount=6))
    legend = alt.Legend(title="column", orient="right")
    paths = alt.Chart(rows).mark_line(strokeWidth=1.6).encode(
        x=x,
        y=alt.Y("y:Q", title="coefficient"),
        color=alt.Color("column:N", scale=alt.Scale(domain=shown, range=colours(len(shown))), legend=legend),
        strokeDash=alt.StrokeDash("column:N", scale=alt.Scale(domain=shown, range=dashes(len(shown))), legend=legend),
        tooltip=[alt.Tooltip("column:N"), alt.Tooltip("C:Q", format=".4g"), alt.Tooltip("y:Q", title="coefficient", format=".4g")],
    )  # fmt: skip
    best = alt.Chart(data(C=[found.best()])).mark_rule(color=QUIET, strokeDash=[5, 4]).encode(x=x)
    upper = alt.LayerChart(layer=[paths, best], width=360, height=220)
    lower = _line(found.Cs, found.leave_one_out, "C", "leave-one-out log-loss", found.best(), log=True)
    caption = f"Dashed: the best C, {found.best():.3g}. {first_drawn(len(order), R * p, 'coefficients', 'the largest')}"
    return Rows(vconcat=[upper, lower], title=titled("Logistic regression along C", caption), spacing=14)


def _line(x: Floats, y: Floats, across: str, up: str, best: float, log: bool = False) -> alt.LayerChart:
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    axis = alt.X("x:Q", title=across, scale=scale, axis=alt.Axis(format="~g", tickCount=6))
    base = alt.Chart(data(x=x, y=y)).encode(x=axis, y=alt.Y("y:Q", title=up, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)))
    tips = [alt.Tooltip("x:Q", title=across, format=".4g"), alt.Tooltip("y:Q", title=up, format=".5g")]
    rule = alt.Chart(data(x=[best])).mark_rule(color=SECOND, strokeDash=[5, 4]).encode(x=axis)
    layers = [base.mark_line(color=FIRST), base.mark_point(size=70, opacity=0).encode(tooltip=tips), rule]
    return alt.LayerChart(layer=layers, width=360, height=130)

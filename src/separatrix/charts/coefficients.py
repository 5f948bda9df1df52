"""Coefficients with their intervals."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..explaining.model_explanation import ModelExplanation
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, colours, shapes
from .sampling import first_drawn, require_most
from .text import distinct_plain, plain

MOST = 25


def coefficients(found: ModelExplanation, most: int = MOST) -> Layers:
    """Return the coefficients with their intervals, the largest first: per standard deviation where spreads are known.

    Parameters
    ----------
    found : ModelExplanation
        Of `explain(model, X, y=y)`.
    most : int
        Columns drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LogisticRegression, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> chart = coefficients(explain(LogisticRegression().fit(X, y), X, y=y, folds=0, resamples=20))
    >>> chart.to_dict()["title"]["text"]
    'Coefficients per standard deviation, against class 0'
    """
    table = found.coefficients
    if table is None:
        raise InputError(
            "The scores are not linear in the columns: there are no coefficients; column_effects(model, X).chart() draws what columns do."
        )
    most = require_most(most)
    classes = found.classes[1:]
    m = len(table) // len(classes)
    names = [str(row).removeprefix(f"{classes[0]}: ") if len(classes) > 1 else str(row) for row in table["coefficient"][:m]]
    columns = table.to_dict()
    estimate = _numbers(columns["estimate"], m)
    per_sd = _numbers(columns["per std. dev."], m) if "per std. dev." in columns else None
    values = estimate if per_sd is None else per_sd
    ends = [_numbers(values_, m) for name, values_ in columns.items() if name.startswith(("lower ", "upper "))]
    factor = np.ones(m) if per_sd is None else _factor(per_sd, estimate)
    low, high = (end * factor for end in ends) if ends else (np.full_like(values, np.nan),) * 2
    order = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:most]
    return _drawn(
        found, [names[j] for j in order], values[:, order], estimate[:, order], low[:, order], high[:, order], m, per_sd is not None
    )


def _numbers(values: list[float], m: int) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64).reshape(-1, m)


def _factor(per_sd: np.ndarray, estimate: np.ndarray) -> np.ndarray:
    """Return the spread of each column, from the class where its estimate says it best; 1 where all estimates are 0."""
    k = np.abs(estimate).argmax(axis=0)
    own = np.take_along_axis(estimate, k[None], axis=0)[0]
    return np.where(own != 0, np.take_along_axis(per_sd, k[None], axis=0)[0] / np.where(own != 0, own, 1.0), 1.0)


def _drawn(
    found: ModelExplanation, names: list[str], values: np.ndarray, raw: np.ndarray, low: np.ndarray, high: np.ndarray, m: int, scaled: bool
) -> Layers:
    classes, names = distinct_plain(found.classes[1:]), distinct_plain(names)
    several, K = len(classes) > 1, len(classes)
    rows = data(
        column=names * K,
        label=np.repeat(classes, len(names)).tolist(),
        value=values.ravel(),
        raw=raw.ravel(),
        low=low.ravel(),
        high=high.ravel(),
    )
    title = "change of the score per standard deviation" if scaled else "change of the score per unit"
    x = alt.X("value:Q", title=title)
    tips = [alt.Tooltip("column:N"), *([alt.Tooltip("label:N", title="class")] if several else [])]
    tips += [
        alt.Tooltip("value:Q", title="per std. dev." if scaled else "per unit", format=".4g"),
        alt.Tooltip("raw:Q", title="per unit", format=".4g"),
    ]
    tips += [alt.Tooltip("low:Q", title="interval from", format=".4g"), alt.Tooltip("high:Q", title="to", format=".4g")]
    y = alt.Y("column:N", sort=names, title=None)
    scale = alt.Scale(domain=classes, range=colours(K))
    colour = alt.Color("label:N", scale=scale, legend=alt.Legend(title="class", orient="bottom")) if several else alt.value(FIRST)
    marks = alt.Shape("label:N", scale=alt.Scale(domain=classes, range=shapes(K)), legend=alt.Legend(title="class", orient="bottom"))
    base = alt.Chart(rows).encode(y=y, color=colour, **({"yOffset": alt.YOffset("label:N", sort=classes)} if several else {}))
    layers = [
        alt.Chart(data(x=[0.0])).mark_rule(color=QUIET).encode(x="x:Q"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
        base.mark_point(size=50, opacity=1).encode(x=x, tooltip=tips, **({"shape": marks} if several else {})),
    ]
    against = plain(found.classes[0])
    head = "Coefficients per standard deviation" if scaled else "Coefficients"
    head += f", against class {against}" if several else f": {classes[0]} against {against}"
    caption = f"{found.intervals} {first_drawn(len(names), m, 'columns', 'those with the largest coefficients')}"
    return layered(layers, head, caption.strip(), height=alt.Step(max(16, 11 * K)))

"""The path of a search for columns, and how often columns were chosen."""

from __future__ import annotations

import numpy as np

from ..inference.tables import Table
from ..selection.history import History
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, SECOND
from .sampling import first_drawn
from .text import plain

MOST_MOVES = 60
MOST_COLUMNS = 40


def selection_path(history: History) -> Layers:
    """Return the score after each move of a search, with its interval and the column that moved; the best set is marked.

    Parameters
    ----------
    history : History
        `ForwardSelection(…).fit(X, y).history_` and those of the other searches.
    """
    moves = history.moves[:MOST_MOVES]
    best = history.best()
    sign = {"in": "+ ", "out": "− ", "start": ""}
    names = [f"{m.step}  {sign.get(m.action, '')}{plain(m.name, 36)}" if m.name else f"{m.step}  {m.action}" for m in moves]
    ends = np.array([m.interval for m in moves], dtype=np.float64).reshape(-1, 2)
    kinds = ["best set" if m is best else "move" for m in moves]
    rows = data(
        move=names, step=[m.step for m in moves], score=np.array([m.score for m in moves]), low=ends[:, 0], high=ends[:, 1],
        size=[m.size for m in moves], kind=kinds,
    )  # fmt: skip
    y = alt.Y("move:N", sort=names, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("score:Q", title=history.metric, scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("move:N"),
        alt.Tooltip("score:Q", title=history.metric, format=".4f"),
        alt.Tooltip("low:Q", title="95 % from", format=".4f"),
    ]
    tips += [alt.Tooltip("high:Q", title="to", format=".4f"), alt.Tooltip("size:Q", title="columns")]
    base = alt.Chart(rows).encode(y=y)
    shown = [kind for kind in ("move", "best set") if kind in kinds]
    colour = {"move": FIRST, "best set": SECOND}
    legend = alt.Legend(title=None, orient="bottom")
    layers = [
        base.mark_line(color=QUIET, strokeWidth=1).encode(x=x, order="step:Q"),
        base.mark_rule(strokeWidth=2, color=FIRST, opacity=0.6).encode(
            x=alt.X("low:Q", title=history.metric, scale=alt.Scale(zero=False)), x2="high:Q"
        ),
        base.mark_point(size=70, opacity=1).encode(
            x=x,
            color=alt.Color("kind:N", scale=alt.Scale(domain=shown, range=[colour[k] for k in shown]), legend=legend),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=shown, range=["circle", "diamond"][: len(shown)]), legend=legend),
            tooltip=tips,
        ),
    ]
    direction = "More is better." if history.sign > 0 else "Less is better."
    caption = f"{direction} The best set has {best.size} columns. {first_drawn(len(moves), len(history.moves), 'moves', 'the first')}"
    return layered(layers, f"Search by {plain(history.metric)}", caption, height=alt.Step(20))


def frequencies(table: Table, threshold: float) -> Layers:
    """Return how often each column was chosen over subsamples, beside the threshold above which it is kept.

    Parameters
    ----------
    table : of `StabilitySelection.table()`
    threshold : float
    """
    shown = min(len(table), MOST_COLUMNS)
    names = [plain(name, 40) for name in table["column"][:shown]]
    names = [name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names)]
    rows = data(column=names, frequency=np.array(table["frequency"][:shown]), kept=table["kept"][:shown])
    colour = alt.condition("datum.kept == 'yes'", alt.value(FIRST), alt.value(QUIET))
    bars = (
        alt.Chart(rows)
        .mark_bar(height=11)
        .encode(
            y=alt.Y("column:N", sort=names, title=None),
            x=alt.X("frequency:Q", title="share of subsamples that chose it", scale=alt.Scale(domain=[0, 1])),
            color=colour,
            tooltip=[alt.Tooltip("column:N"), alt.Tooltip("frequency:Q", format=".3f"), alt.Tooltip("kept:N")],
        )
    )
    line = alt.Chart(data(x=[threshold])).mark_rule(color=SECOND, strokeDash=[5, 4], strokeWidth=2).encode(x="x:Q")
    caption = f"Dashed: the threshold {threshold:g}. {first_drawn(shown, len(table), 'columns', 'the most frequent')}"
    return layered([bars, line], table.title, caption, height=alt.Step(17))

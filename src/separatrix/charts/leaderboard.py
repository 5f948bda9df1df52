"""Models side by side: value, interval, and who is tied with the best."""

from __future__ import annotations

import numpy as np

from ..selection.board import Board
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, SECOND
from .text import distinct_plain

GROUPS = {"picked": SECOND, "tied with the best": FIRST, "significantly worse": QUIET, "outside the contest": QUIET}
SHAPES = ("diamond", "circle", "square", "triangle-up")


def leaderboard(board: Board) -> Layers:
    """Return the models of a comparison, best first, with 95 % intervals; colours and shapes say which are tied.

    Parameters
    ----------
    board : Board

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import GaussianNB, LinearDiscriminantAnalysis, compare
    >>> board = compare(*load_iris(return_X_y=True), models=[GaussianNB(), LinearDiscriminantAnalysis()], random_state=0)
    >>> leaderboard(board).to_dict()["encoding"]["y"]["field"]
    'model'
    """
    entries, metric = board.entries, board.setting.metric.name
    names = distinct_plain([entry.name for entry in entries])
    groups = [_group(board, i) for i in range(len(entries))]
    ends = np.array([entry.interval for entry in entries], dtype=np.float64)
    values = np.array([entry.value for entry in entries], dtype=np.float64)
    p = [np.nan if entry.difference is None else entry.difference.p for entry in entries]
    rows = data(model=names, value=values, low=ends[:, 0], high=ends[:, 1], group=groups, p=np.array(p), chosen=[e.chosen for e in entries])
    shown = [group for group in GROUPS if group in groups]
    scale = alt.Scale(domain=shown, range=[GROUPS[g] for g in shown])
    marks = alt.Scale(domain=shown, range=[SHAPES[list(GROUPS).index(g)] for g in shown])
    legend = alt.Legend(title=None, orient="bottom", columns=2)
    x = alt.X("value:Q", title=f"held-out {metric}", scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("value:Q", title=metric, format=".4f"),
        alt.Tooltip("low:Q", title="95 % from", format=".4f"),
    ]
    tips += [alt.Tooltip("high:Q", title="to", format=".4f"), alt.Tooltip("p:Q", title="p against the best", format=".3g")]
    tips += [alt.Tooltip("chosen:N"), alt.Tooltip("group:N")]
    base = alt.Chart().encode(color=alt.Color("group:N", scale=scale, legend=legend))
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=x["title"], scale=x["scale"]), x2="high:Q"),
        base.mark_point(size=80, opacity=1).encode(x=x, shape=alt.Shape("group:N", scale=marks, legend=legend), tooltip=tips),
    ]
    rows_in_all = board.setting.rows.n
    caption = f"{_better(board)} 95 % intervals; {len(entries)} models on all {rows_in_all:,} rows, each row held out."
    y = alt.Y("model:N", sort=names, title=None)
    return layered(
        layers,
        f"Models by held-out {metric}",
        caption,
        data=rows,
        encoding=alt.LayerChart(layer=[]).encode(y=y).encoding,
        height=alt.Step(26),
    )


def _group(board: Board, i: int) -> str:
    entry = board.entries[i]
    if entry is board.picked:
        return "picked"
    if entry.candidate.is_reference or entry.is_baseline:
        return "outside the contest"
    return "tied with the best" if entry.is_tie or entry is board.best else "significantly worse"


def _better(board: Board) -> str:
    best, last = board.best, board.entries[-1]
    return "Left is better." if best.value <= last.value else "Right is better."

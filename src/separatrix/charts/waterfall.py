"""How the columns of one row add up to its score."""

from __future__ import annotations

import numpy as np

from ..explaining.row_explanation import RowExplanation, is_gap
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, SECOND
from .sampling import first_drawn, require_most
from .text import distinct_plain, plain

MOST = 12


def waterfall(found: RowExplanation, most: int = MOST) -> Layers:
    """Return the score of a row as steps: where it begins, what each column adds, where it ends.

    Parameters
    ----------
    found : RowExplanation
        Of `explain(model, X, row)`.
    most : int
        Columns drawn, those that add most; the others are one step together.

    Examples
    --------
    >>> from separatrix import FisherDiscriminant, explain
    >>> model = FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], ["low", "low", "high", "high"])
    >>> waterfall(explain(model, [[3, 2]], 0)).to_dict()["title"]["text"]
    'Row 0: low rather than high'
    """
    most = require_most(most)
    order = np.argsort(-np.abs(found.contributions), kind="stable")
    order = order[[found.names[j] not in found.unused for j in order]]
    shown, rest = order[:most], order[most:]
    steps = [("start: " + found.origin, found.base)]
    steps += [(f"{plain(found.names[j], 34)} = {_value(found.values[j])}", float(found.contributions[j])) for j in shown]
    if len(rest):
        steps.append((f"{len(rest)} other columns", float(found.contributions[rest].sum())))
    names = distinct_plain([name for name, _ in steps] + [f"{found.unit} of {plain(found.predicted, 20)}"])
    adds = np.array([add for _, add in steps])
    ends = np.append(np.cumsum(adds), 0.0)
    starts = np.append(0.0, ends[:-2]) if len(adds) > 1 else np.zeros(len(adds))
    starts, ends, adds = np.append(starts, 0.0), np.append(ends[:-1], found.score), np.append(adds, found.score)
    labels = {"for": plain(found.predicted), "against": plain(found.against)}
    kinds = ["total", *(f"for {labels['for']}" if add >= 0 else f"for {labels['against']}" for add in adds[1:-1]), "total"]
    rows = data(step=names, begin=starts, end=ends, add=adds, kind=kinds, text=[f"{add:+.3g}".replace("-", "−") for add in adds])
    return _drawn(found, rows, names, kinds, len(shown), len(order))


def _value(value: object) -> str:
    if is_gap(value):
        return "missing"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else plain(value, 24)


def _drawn(found: RowExplanation, rows: alt.Data, names: list[str], kinds: list[str], drawn: int, count: int) -> Layers:
    order = [f"for {plain(found.predicted)}", f"for {plain(found.against)}", "total"]
    palette = dict(zip(order, (FIRST, SECOND, QUIET)))
    shown = [kind for kind in order if kind in kinds]
    y = alt.Y("step:N", sort=names, title=None, axis=alt.Axis(labelLimit=300))
    x = alt.X("begin:Q", title=f"{found.unit} of {plain(found.predicted)} against {plain(found.against)}")
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=shown, range=[palette[k] for k in shown]), legend=alt.Legend(title=None, orient="bottom")
    )
    tips = [
        alt.Tooltip("step:N"),
        alt.Tooltip("add:Q", title="adds", format="+.4f"),
        alt.Tooltip("end:Q", title="score so far", format=".4f"),
    ]
    base = alt.Chart(rows).encode(y=y)
    layers = [
        alt.Chart(data(x=[0.0])).mark_rule(color=QUIET).encode(x="x:Q"),
        base.mark_bar(height=14).encode(x=x, x2="end:Q", color=colour, tooltip=tips),
        base.transform_calculate(right="max(datum.begin, datum.end)").mark_text(align="left", dx=4).encode(x="right:Q", text="text:N"),
    ]
    called = f"Row {found.row}" if found.label is None else f"Row {found.row} ({plain(found.label, 30)})"
    caption = f"The boundary is at 0. {first_drawn(drawn, count, 'columns', 'those that add most')}"
    return layered(layers, f"{called}: {plain(found.predicted)} rather than {plain(found.against)}", caption, height=alt.Step(24))

"""Fields of the what-if form: a column, what is done with it, where it starts, and what can be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.columns import ColumnBatch
from ..prepare.outputs import side_by_side
from ..prepare.recipe_json import to_plain
from ..prepare.steps import Category, Dates, Numbers, Ordered, Step, TargetStatistics, Words
from ..prepare.steps.base import date_text

MOST_OPTIONS = 300
"""Levels that can be chosen from a list."""
FEWEST_ROWS = 10.0
"""Rows that a level of many needs to be shown in a page: rarer ones may name a person."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A column of the form.

    Attributes
    ----------
    name : of the column
    kind : "number", "category", "ordered", "date", "text", "levels" or "fixed"
    step : what is done with it, as plain values; of a fixed one the numbers it has in a typical row
    width : number of outputs
    start : value that the form begins with; None for missing
    options : what can be chosen; empty where anything can be typed
    hint : a few words below the field
    """

    name: str
    kind: str
    step: dict[str, Any]
    width: int
    start: float | str | None
    options: tuple[str, ...] = ()
    hint: str = ""


def field_of(step: Step, rows: ColumnBatch) -> FormField:
    """Return the field for a step of a recipe; `rows` are some rows, for steps that the page does not apply itself.

    Examples
    --------
    >>> field_of(Category("plan", "basic", ("plus", "pro"), missing=True), None).options
    ('basic', 'plus', 'pro')
    """
    width = len(step.outputs)
    if isinstance(step, Numbers):
        kept = ("fill", "indicator", "flat", "transform", "centre", "scale", "shape", "knots", "spikes", "per")
        return FormField(step.column, "number", _some(step, kept), width, float(f"{step.fill:.4g}"), hint=step.unit)
    if isinstance(step, Category):
        # The levels grouped as rare stay out of the page: any level that is not listed is treated alike.
        plain = _some(step, ("reference", "levels", "missing", "shared")) | {"grouped": bool(step.grouped)}
        return FormField(step.column, "category", plain, width, step.reference, (step.reference, *step.levels, *step.shared))
    if isinstance(step, Ordered):
        plain = _some(step, ("levels", "fill", "indicator"))
        return FormField(step.column, "ordered", plain, width, step.levels[int(step.fill)], step.levels)
    if isinstance(step, Dates):
        plain = _some(step, ("parts", "origin", "fill", "indicator"))
        return FormField(step.column, "date", plain, width, date_text(float(np.floor(step.fill))))
    if isinstance(step, Words):
        return FormField(step.column, "text", _some(step, ("vocabulary", "idf")), width, "", hint=f"{width:,} words and pairs are known")
    if isinstance(step, TargetStatistics):
        return _many_levels(step)
    typical = np.asarray(side_by_side([step.encode(_of(rows, step.column))], rows.n_rows, sparse=False)).mean(axis=0)
    return FormField(step.column, "fixed", {"outputs": typical.tolist()}, width, None, hint="held at its mean: the page cannot hash")


def _some(step: Step, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: to_plain(getattr(step, name)) for name in names}


def _of(rows: ColumnBatch, name: str) -> Any:
    return next(rows.column(j) for j in range(rows.n_features) if rows.column(j).name == name)


def _many_levels(step: TargetStatistics) -> FormField:
    counts = step.counts.sum(axis=(0, 2))
    shares = step.shares()
    order = [int(i) for i in np.argsort(-counts, kind="stable")[:MOST_OPTIONS] if counts[i] >= FEWEST_ROWS]
    known = {step.levels[i]: shares[i, 1:].tolist() for i in order}
    plain = {"shares": known, "prior": shares[-1, 1:].tolist()}
    start = step.levels[order[0]] if order else None
    hint = f"{len(known):,} of {len(step.levels):,} levels; others count as unknown"
    return FormField(step.column, "levels", plain, len(step.outputs), start, tuple(known), hint)

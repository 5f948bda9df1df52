"""Levels that stand in exactly the same rows as a level of another column: "no internet" in seven columns is one fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data.columns import Column
from ..data.row_hash import row_hash
from ..summaries.table_summary import TableSummary
from .steps import Category, Dates, Numbers, Ordered, Step
from .steps.base import text_codes


def told_by_others(steps: Sequence[Step], table: TableSummary) -> list[Step]:
    """Return the steps, with columns of categories that leave out levels, and gaps, which a column before them tells."""
    first: set[float] = set()
    found: list[Step] = []
    place = row_hash(0, table.sample.rows.n_rows).astype(np.float64)
    for j, step in enumerate(steps):
        if isinstance(step, Category):
            marks = _marks(table.sample.column(j), place)
            repeated = [level for level in step.levels if marks.get(level) in first]
            kept = tuple(level for level in step.levels if level not in repeated)
            if repeated and (kept or step.grouped):
                step = replace(step, levels=kept, shared=(*step.shared, *repeated))
            first |= {marks[level] for level in step.levels if level in marks}
        found.append(_without_gaps(step, table.sample.column(j), place, first))
    return found


def _without_gaps(step: Step, column: Column, place: Floats, first: set[float]) -> Step:
    """Return a step that does not mark gaps which are marked already."""
    name = "missing" if isinstance(step, Category) else "indicator"
    if not isinstance(step, Category | Dates | Numbers | Ordered) or not getattr(step, name):
        return step
    gaps = text_codes(column)[0] < 0 if isinstance(step, Category | Ordered) else _unknown(step.encode_values(column))
    mark = float(place[gaps].sum())
    if mark in first and (not isinstance(step, Category) or step.levels or step.grouped) and not getattr(step, "flat", False):
        changed: dict[str, Any] = {name: False}
        return replace(step, **changed)
    first.add(mark)
    return step


def _unknown(values: NDArray[Any]) -> Any:
    return np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)


def _marks(column: Column, place: Floats) -> dict[str, float]:
    """Return, for each level, a number that tells in which rows it stands: the sum of random numbers of these rows, in their order."""
    codes, texts = text_codes(column)
    sums = np.bincount(codes + 1, place, minlength=len(texts) + 1)[1:]
    return dict(zip(texts, sums.tolist(), strict=True))

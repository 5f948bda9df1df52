"""Levels that stand in exactly the same rows as a level of another column: "no internet" in seven columns is one fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data.columns import Column
from ..summaries.table_summary import TableSummary
from .steps import Category, Step
from .steps.base import text_codes


def told_by_others(steps: Sequence[Step], table: TableSummary) -> list[Step]:
    """Return the steps, with columns of categories that leave out levels which a column before them tells.

    Only levels that occur equally often are compared row by row.
    """
    first: dict[float, list[tuple[int, str]]] = {}
    found: list[Step] = []
    for j, step in enumerate(steps):
        if isinstance(step, Category) and len(step.levels) + len(step.grouped) > 1:
            counts = table.columns[j].levels.counts
            repeated = []
            for level in step.levels:
                others = first.get(counts.get(level, -1.0), [])
                if any(_same_rows(table, j, level, i, other) for i, other in others):
                    repeated.append(level)
            kept = tuple(level for level in step.levels if level not in repeated)
            if kept or step.grouped:
                step = replace(step, levels=kept, shared=tuple(repeated))
        if isinstance(step, Category):
            for level in step.levels:
                first.setdefault(table.columns[j].levels.counts.get(level, -1.0), []).append((j, level))
        found.append(step)
    return found


def _same_rows(table: TableSummary, j: int, level: str, i: int, other: str) -> bool:
    return bool(np.array_equal(_has(table.sample.column(j), level), _has(table.sample.column(i), other)))


def _has(column: Column, level: str) -> np.ndarray:
    codes, texts = text_codes(column)
    return codes == texts.index(level) if level in texts else np.zeros(len(codes), dtype=bool)

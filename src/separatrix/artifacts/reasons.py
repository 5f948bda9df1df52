"""Why each of many rows is decided as it is: the columns that speak most for its label, in the model's own arithmetic.

A linear score is a sum over columns, so that its distance to the score of a typical row (medians of numbers, most common levels) is one
too:  f_a(x) − f_b(x) − (f_a(t) − f_b(t)) = Σ_j C_ij,  a the label of the row and b its runner-up. The reasons are the columns of the
largest C_ij > 0. What a row that is not typical has in common with typical ones is no reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Codes, Floats, Indices
from ..data.columns import Column, ColumnBatch
from ..data.files.table_writer import coded_column
from ..errors import InputError
from .column_facts import PROBABILITIES, ColumnFacts
from .formula import Formula
from .formula.scores import Linear

MEDIAN = PROBABILITIES.index(0.5)


@dataclass(frozen=True, eq=False)
class Reasons:
    """The columns that speak most for the label of each row.

    Attributes
    ----------
    formula : of a linear model
    typical : (p,) numbers of the typical row
    places : (p,) which column each number belongs to
    names : of the columns
    count : how many reasons are given
    """

    formula: Formula
    typical: Floats
    places: Indices
    names: tuple[str, ...]
    count: int

    @classmethod
    def of(cls, formula: Formula, facts: Sequence[ColumnFacts] | None, count: int) -> Reasons:
        """Return the reasons that a model can give, or the error that says why it cannot."""
        if not isinstance(formula.score, Linear):
            raise InputError(f"Reasons for every row are sums of a linear score, and {formula.model} has none; use `separatrix explain`.")
        if facts is None:
            raise InputError("Reasons are relative to a typical row, and this model file has no facts of its columns; fit it with them.")
        inputs, known = formula.inputs, {own.name: own for own in facts}
        names = tuple(inputs.columns)
        if any(name not in known for name in names):
            raise InputError(f"The model file has no facts of column {next(name for name in names if name not in known)!r}.")
        row = ColumnBatch(tuple(_typical(known[name]) for name in names))
        typical = np.asarray(next(iter(inputs.blocks(row))).dense(), dtype=np.float64)[0]
        own = list(names) if inputs.recipe is None else [output.column for output in inputs.recipe.outputs]
        return cls(formula, typical, np.array([names.index(name) for name in own]), names, count)

    def columns(self, rows: Any, codes: Codes) -> dict[str, Any]:
        """Return the reasons of some rows with these labels as columns of text; null where fewer columns speak for the label."""
        parts, begin = [], 0
        for block in self.formula.inputs.blocks(rows):
            parts.append(self._places(block.dense(), codes[begin : begin + block.n_rows]))
            begin += block.n_rows
        found = np.concatenate(parts)
        levels = [*self.names, None]
        return {f"reason_{i + 1}": coded_column(found[:, i].astype(np.int32), levels) for i in range(self.count)}

    def _places(self, X: Any, codes: Codes) -> Indices:
        score: Any = self.formula.score
        Z = np.asarray(X, dtype=np.float64)
        C = (Z - self.typical) * self._directions(score, Z, codes)
        joined = np.zeros((len(C), len(self.names)))
        for j, place in enumerate(self.places.tolist()):
            joined[:, place] += C[:, j]
        order = np.argsort(-joined, axis=1, kind="stable")[:, : self.count]
        order = np.pad(order, ((0, 0), (0, self.count - order.shape[1])), constant_values=len(self.names))
        padded = np.append(joined, np.zeros((len(C), 1)), axis=1)
        return np.where(np.take_along_axis(padded, order, axis=1) > 0, order, len(self.names))

    @staticmethod
    def _directions(score: Any, Z: Floats, codes: Codes) -> Floats:
        """Return the coefficients of the label against its runner-up, (n, p)."""
        if len(score.coef) == 1:
            two: Floats = np.where(codes[:, None] == 1, score.coef, -score.coef)
            return two
        scores = Z @ score.coef.T + score.intercept
        scores[np.arange(len(codes)), codes] = -np.inf
        found: Floats = score.coef[codes] - score.coef[scores.argmax(axis=1)]
        return found


def _typical(facts: ColumnFacts) -> Column:
    """Return one value of a column: the median of numbers and days, the most common level."""
    if facts.kind == "level":
        level = facts.levels[0][0] if facts.levels else ""
        return Column(facts.name, np.zeros(1, dtype=np.int32), np.array([level], dtype=object), np.array([not facts.levels]))
    middle = facts.quantiles[MEDIAN] if facts.quantiles else np.nan
    if facts.kind == "number":
        return Column(facts.name, np.array([middle]))
    days = np.array([np.datetime64("NaT", "us") if middle != middle else np.datetime64(round(middle * 86_400_000_000), "us")])
    return Column(facts.name, days)

"""What a database sums for closed-form models: moments, totals, categories and fourth powers, by class and by fold.

Moments are sums about a pilot near the means, so that no digits are lost where means are large: the means of a few rows will do, because
whatever the pilot is, the moments are those of all rows. Where it turns out to lie many standard deviations off (classes far apart, rows
sorted by time, a jump), the sums are asked for once more, about the means of the classes then known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Bools, Codes, Floats
from ..sum_engine import ColumnTotals, FoldScores, GroupMoments, KeyFolds, LevelCounts, ModelWriter, MomentKind
from . import sql
from .columns import count, is_finite, plain
from .groups import GroupedQuery, GroupSums
from .keys import require_keys
from .scores import stream_posteriors, stream_scores
from .sql import Expression

LARGEST = 10_000_000
"""Largest number of a category."""
UNION = 100
"""Queries put together to one."""
FAR = 100.0
"""Squared distance of pilot and mean, in variances, from which the sums are taken anew: two of sixteen digits are gone then."""
SAME = 1e-12
"""Distance of pilot and mean, relative to the mean, that is rounding."""


@dataclass(frozen=True, slots=True)
class DatabaseSums(GroupedQuery):
    """The engine of a labelled query: see :class:`separatrix.data.sum_engine.SumEngine`.

    Parameters
    ----------
    coder : function from a column of labels to their codes
    """

    coder: Callable[[Any], Codes]

    def moments(self, kind: MomentKind) -> GroupMoments:
        """Return the moments of the classes."""
        return self._moments(kind, None)[0]

    def fold_moments(self, kind: MomentKind, folds: KeyFolds) -> list[GroupMoments]:
        """Return the moments of the classes within each fold."""
        require_keys(self.connection, self.columns, folds)
        return self._moments(kind, folds)

    def fold_scores(self, folds: KeyFolds, coef: Floats, intercept: Floats) -> Iterator[FoldScores]:
        """Yield all rows, each scored by the linear model of its fold."""
        return stream_scores(self, folds, coef, intercept, self.coder)

    def fold_posteriors(self, folds: KeyFolds, write: ModelWriter) -> Iterator[FoldScores]:
        """Yield all rows with the logarithms of their posteriors, by models written as SQL."""
        return stream_posteriors(self, folds, write, self.coder)

    def _moments(self, kind: MomentKind, folds: KeyFolds | None) -> list[GroupMoments]:
        p, weighted = self.n_features, self.columns.weight is not None
        d = [sql.column(f"d{j}") for j in range(p)]
        e = d if not weighted else [self.weighted(j) for j in range(p)]
        pairs = [(j, j) for j in range(p)] if kind == "diagonal" else [(i, j) for i in range(p) for j in range(i, p)]
        terms = [*e, *(sql.operation("*", e[i], d[j]) for i, j in pairs)]
        with self.connection.snapshot():
            pilot = self.sampled_means()
            found = self.summed(terms, pilot, None, folds)
            far = self._far(found, pilot, [p + t for t, (i, j) in enumerate(pairs) if i == j])
            if far.any():  # these columns alone have a constant of each class: what is written is parsed, and joined
                pilot = pilot + np.where(far, self._shift(found)[self.places()], 0.0)
                found = self.summed(terms, pilot, None, folds)
        return [self._centred(kind, found, pilot, fold) for fold in range(len(found.sums))]

    def _shift(self, found: GroupSums) -> Floats:
        """Return the distance (K, p) of the means of the classes, over all folds, from the pilot."""
        sums, counts = found.sums.sum(axis=0)[:, : self.n_features], found.counts.sum(axis=0)
        shift: Floats = sums / np.where(counts > 0, counts, 1.0)[:, None]
        return shift

    def _far(self, found: GroupSums, pilot: Floats, squares: Sequence[int]) -> Bools:
        """Return the columns (p,) of which a mean lies so far from the pilot that digits of the variance are lost."""
        own, total = self.places(), found.sums.sum(axis=0)
        shift, counts = self._shift(found)[own], found.counts.sum(axis=0)[own]
        apart = counts[:, None] * shift * shift
        far = (apart > FAR * np.maximum(total[own][:, squares] - apart, 0.0)) & (np.abs(shift) > SAME * np.abs(pilot + shift))
        columns: Bools = (far & np.isfinite(shift)).any(axis=0)
        return columns

    def _centred(self, kind: MomentKind, found: GroupSums, pilot: Floats, fold: int) -> GroupMoments:
        """Return sums about the pilot as means and scatters about the means."""
        p, K = self.n_features, len(self.classes)
        counts, sums, products = found.counts[fold], found.sums[fold][:, :p], found.sums[fold][:, p:]
        shift = sums / np.where(counts > 0, counts, 1.0)[:, None]
        means = np.zeros((K, p))
        means[self.places()] = pilot
        means = np.where((counts > 0)[:, None], means + shift, 0.0)
        if kind == "diagonal":
            return GroupMoments(counts, found.rows[fold], means, np.maximum(products - counts[:, None] * shift * shift, 0.0))
        scatter = np.zeros((K, p, p))
        scatter[:, *np.triu_indices(p)] = products
        scatter[:, *np.tril_indices(p, -1)] = np.swapaxes(scatter, 1, 2)[:, *np.tril_indices(p, -1)]
        scatter -= counts[:, None, None] * shift[:, :, None] * shift[:, None, :]
        return GroupMoments(counts, found.rows[fold], means, scatter.sum(axis=0) if kind == "pooled" else scatter)

    def totals(self, threshold: float | None, switches: bool, nonnegative: bool, skip_missing: bool) -> ColumnTotals:
        """Return the column totals of the classes."""
        one, nothing = sql.integer(1), sql.integer(0)
        w = one if self.columns.weight is None else sql.column("w")
        totals, gaps, bad, missing = [], [], [], []
        for j in range(p := self.n_features):
            x = sql.column(f"d{j}")
            there = sql.is_present(x, self.dialect)
            value = x if threshold is None else sql.case([(sql.operation(">", x, sql.number(threshold, self.dialect)), one)], nothing)
            totals.append(sql.case([(there, sql.operation("*", w, value))], nothing))
            gaps.append(sql.case([(there, nothing)], w))
            missing.append(sql.case([(there, nothing)], one))
            wrong = [sql.negation(is_finite(x, self.dialect))]
            wrong += [sql.operation("<", x, nothing)] if nonnegative else []
            wrong += [sql.negation(sql.among(x, [nothing, one]))] if switches else []
            bad.append(sql.case([(sql.operation("and", there, _any(wrong)), one)], nothing))
        found = self.summed([*totals, *gaps, *missing, *bad], None, None, None)
        sums = found.sums[0].reshape(len(self.classes), 4, p)
        uncounted = sums[:, 3] > 0 if skip_missing else (sums[:, 3] > 0) | (sums[:, 2] > 0)
        return ColumnTotals(found.counts[0], found.rows[0], np.where(uncounted, np.nan, sums[:, 0]), sums[:, 1])

    def levels(self) -> LevelCounts:
        """Return the weight of every distinct value of every column, by class."""
        one, nothing = sql.integer(1), sql.integer(0)
        missing, other = [], []
        for j in range(p := self.n_features):
            x = sql.column(f"d{j}")
            there = sql.is_present(x, self.dialect)
            wrong = [
                sql.operation("<>", x, sql.call("floor", x)),
                sql.operation("<", x, nothing),
                sql.operation(">", x, sql.integer(LARGEST)),
            ]
            missing.append(sql.case([(there, nothing)], one))
            other.append(sql.case([(sql.operation("and", there, _any(wrong)), one)], nothing))
        with self.connection.snapshot():
            found = self.summed([*missing, *other], None, None, None)
            gaps, others = found.sums[0][:, :p].any(), found.sums[0][:, p:].any()
            # Values that are no categories may be as many as there are rows; one tells that they are there.
            columns = [(np.array([-1.0]), np.zeros((len(self.classes), 1)))] * p if others else self._levels()
        return LevelCounts(found.counts[0], found.rows[0], columns, bool(gaps))

    def _levels(self) -> list[tuple[Floats, Floats]]:
        p, code = self.n_features, dict(zip(self.known.labels, self.places()))
        cells: list[dict[float, Floats]] = [{} for _ in range(p)]
        weight = count() if self.columns.weight is None else sql.call("sum", sql.column("w"))
        for begin in range(0, p, UNION):
            parts = [
                sql.select(
                    {"c": sql.integer(j), "v": sql.column(f"x{j}"), "y": sql.column("y"), "n": weight.copy()},
                    sql.table("rows"),
                    sql.is_present(sql.column(f"x{j}"), self.dialect),
                    [sql.column(f"x{j}"), sql.column("y")],
                )
                for j in range(begin, min(begin + UNION, p))
            ]
            columns = {name: sql.column(name) for name in "cvyn"}
            query = sql.select(columns, sql.table("parts"), named={"rows": self.columns.rows(), "parts": sql.union(parts)})
            for j, value, label, n in self.connection.fetch(sql.written(query, self.dialect)):
                if label is not None:
                    cells[int(j)].setdefault(float(value), np.zeros(len(self.classes)))[code[plain(label)]] += float(n)
        return [
            (np.array(sorted(own), dtype=float), np.array([own[v] for v in sorted(own)]).T.reshape(len(self.classes), -1)) for own in cells
        ]

    def fourth_powers(self, means: Floats, scale: Floats) -> Floats:
        """Return Σ w_i ‖(x_i − means_k) / scale_k‖⁴ of each class."""
        p, places = self.n_features, self.places()
        squares = sql.total([sql.operation("*", sql.column(f"d{j}"), sql.column(f"d{j}")) for j in range(p)])
        fourth = sql.operation("*", squares, squares)
        term = fourth if self.columns.weight is None else sql.operation("*", sql.column("w"), fourth)
        totals: Floats = self.summed([term], means[places], scale[places], None).sums[0][:, 0]
        return totals


def _any(conditions: Sequence[Expression]) -> Expression:
    return conditions[0] if len(conditions) == 1 else sql.operation("or", *conditions)

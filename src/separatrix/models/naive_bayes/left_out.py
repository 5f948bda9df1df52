"""Leave-one-out of naive Bayes from counts: the counts without a row are a subtraction, so nothing is fitted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from ...array_types import Bools, Codes, Floats, Indices, Ints
from ...data import Block
from ...decisions.class_weights import class_factors
from ...solvers.closed_form.count_scores import count_scores
from ...solvers.closed_form.log_sums import LogSums, UnknownCategories
from ...solvers.closed_form.smoothing import rule_out
from ...solvers.held_out.leave_one_out import LeftOut, left_out_log_priors, vanishing
from ...solvers.held_out.left_out_counts import category_logs_left_out, row_sums, switch_logs, without, words_left_out
from ...summaries.categories import CategoryCounts
from ...summaries.counting import CountingRule, stored
from ...summaries.counts import Counts
from ...summaries.grouped import tile_rows

Pass = Callable[[Any, Floats], LogSums]
Own = tuple[Floats, Floats | None]
"""Of each row: what it says for its own class without it, and the zeros it meets there (None: no probability is 0)."""


class RowsLeftOut:
    """`LeavesRowsOut` of naive Bayes from counts; a model's own class gives `without`.

    Parameters
    ----------
    model : the model
    """

    how: ClassVar[str] = "exact algebra: the counts of its own class lose the row"

    def __init__(self, model: Any) -> None:
        self.model = model

    def without(self) -> Pass:
        """Return the pass from a block and weights to log p(x | k) of each row under the counts without it, (n, K)."""
        raise TypeError(f"{type(self).__name__} must define without")

    def scores(self) -> Callable[[Any], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        model = self.model
        factors, counts = class_factors(model.class_weight, model.classes_, model.class_count_), model.class_count_
        fixed, sums = None, self.without()
        if model.class_prior is not None or not model.fit_prior:
            fixed = np.exp(model._log_priors(counts, model.classes_))

        def left_out(block: Any) -> LeftOut:
            codes = block.codes
            weight = np.ones(len(codes)) if block.weight is None else block.weight
            weight = weight if factors is None else weight * factors[codes]
            with np.errstate(invalid="ignore"):  # of rows that take their class with them: refitted
                found = sums(block, weight)
            never = None if fixed is None or fixed.all() else fixed == 0
            scores = rule_out(found.value + left_out_log_priors(counts, codes, weight, fixed), found.zeros, never)
            return LeftOut(scores, vanishing(counts[codes], weight)[0])

        return left_out


def with_own(given: LogSums, codes: Codes, own: Own) -> LogSums:
    """Return log p(x | k) with that of each row's own class replaced.

    Examples
    --------
    >>> with_own(LogSums(np.zeros((1, 2))), np.array([1], dtype=np.int32), (np.array([5.0]), None)).value.tolist()
    [[0.0, 5.0]]
    """
    at, (value, zeros) = (np.arange(len(codes)), codes), own
    given.value[at] = value
    if given.zeros is None and zeros is None:
        return given
    all_zeros = np.zeros_like(given.value) if given.zeros is None else given.zeros
    all_zeros[at] = 0.0 if zeros is None else zeros
    return LogSums(given.value, all_zeros)


class LinearRowsLeftOut(RowsLeftOut):
    """What the models that are linear in counts share: their counts as weighted, and log p(x | k) of all classes from them."""

    def _weighted(self) -> Counts:
        summary: Counts = self.model.summary_
        factors = class_factors(self.model.class_weight, summary.classes, summary.counts)
        return summary if factors is None else summary.scaled(factors)

    def _all_sums(self, counts: Counts) -> Callable[[Block], LogSums]:
        """Return the pass to log p(x | k) under all counts, (n, K), as limits of ever smaller alpha."""
        on, off = self.model._probabilities(counts, self.model._smoothing(counts.n_features))
        none = np.zeros_like(on.value)
        values = on.value, none if off is None else off.value
        zeros = tuple(none if log is None or log.zeros is None else log.zeros for log in (on, off))
        some = any(table.any() for table in zeros)

        def sums(block: Block) -> LogSums:
            return LogSums(self._sums(block, *values), self._sums(block, *zeros) if some else None)

        return sums

    def _sums(self, block: Block, on: Floats, off: Floats) -> Floats:
        """Return Σ_j x_j on_kj + (1 − x_j) off_kj of each row; an off of zeros says nothing."""
        return count_scores(block, self.model._reading(), on - off, off.sum(axis=1), off)


class WordsLeftOut(LinearRowsLeftOut):
    """Leave-one-out of MultinomialNB: O(stored values)."""

    def without(self) -> Pass:
        """Return the pass from a block and weights to log p(x | k) of each row under the counts without it."""
        counts = self._weighted()
        sums, alpha = self._all_sums(counts), self.model._smoothing(counts.n_features)

        def without_each(block: Block, weight: Floats) -> LogSums:
            parts = []
            for tile in block.tiles(tile_rows(block.n_features)):
                assert tile.codes is not None
                own = weight[tile.start - block.start :][: tile.n_rows]
                parts.append(words_left_out(*_stored_values(tile, self.model._reading()), tile.codes, own, counts.totals, alpha))
            value = np.concatenate([value for value, _ in parts])
            zeros = np.concatenate([np.zeros(len(value)) if zeros is None else zeros for value, zeros in parts])
            return with_own(sums(block), block.codes, (value, zeros if zeros.any() else None))  # type: ignore[arg-type]

        return without_each


def _stored_values(tile: Block, reading: CountingRule) -> tuple[Ints, Ints, Floats]:
    """Return rows, columns and values of what is counted and not 0."""
    if not tile.is_sparse:
        X, _ = reading.values(np.asarray(tile.X))
        rows, columns = np.nonzero(X)
        return rows, columns, X[rows, columns].astype(np.float64, copy=False)
    pieces = list(stored(tile, reading))
    numbers = [piece.begin + np.repeat(np.arange(piece.end - piece.begin), np.diff(piece.indptr)) for piece in pieces]
    columns = np.concatenate([piece.indices for piece in pieces]).astype(np.int64, copy=False)
    return np.concatenate(numbers), columns, np.concatenate([piece.data for piece in pieces])


class SwitchesLeftOut(LinearRowsLeftOut):
    """Leave-one-out of BernoulliNB: rows of one class and one weight share their probabilities, each value asking for its own."""

    def without(self) -> Pass:
        """Return the pass from a block and weights to log p(x | k) of each row under the counts without it."""
        counts = self._weighted()
        sums, alpha = self._all_sums(counts), self.model._smoothing(counts.n_features)
        present = np.broadcast_to(counts.present, counts.totals.shape)

        def without_each(block: Block, weight: Floats) -> LogSums:
            value, zeros = np.empty(block.n_rows), np.zeros(block.n_rows)
            for g, w, rows in alike(block.codes, weight):  # type: ignore[arg-type]
                on, off = switch_logs(counts.totals[g : g + 1], present[g : g + 1], w, alpha)
                some, none = Block(block.X[rows]), np.zeros_like(on.value)
                value[rows] = self._sums(some, on.value, off.value)[:, 0]
                if on.zeros is not None or off.zeros is not None:
                    zeros[rows] = self._sums(some, *(none if log.zeros is None else log.zeros for log in (on, off)))[:, 0]
            return with_own(sums(block), block.codes, (value, zeros if zeros.any() else None))  # type: ignore[arg-type]

        return without_each


def alike(codes: Codes, weight: Floats) -> Iterator[tuple[int, float, Indices]]:
    """Yield class, weight and rows of those that share both.

    Examples
    --------
    >>> [(g, w, rows.tolist()) for g, w, rows in alike(np.array([0, 1, 0], dtype=np.int32), np.array([1.0, 1.0, 1.0]))]
    [(0, 1.0, [0, 2]), (1, 1.0, [1])]
    """
    weights, which = np.unique(weight, return_inverse=True)
    group = codes.astype(np.int64) * len(weights) + which
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        yield int(codes[rows[0]]), float(weight[rows[0]]), rows


class CategoriesLeftOut(RowsLeftOut):
    """Leave-one-out of CategoricalNB: the cells of a row lose its weight; a category that goes with it says nothing."""

    def without(self) -> Pass:
        """Return the pass from a block and weights to log p(x | k) of each row under the counts without it."""
        counts: CategoryCounts = self.model.categories_
        least = self.model._least(counts.n_features)[counts.columns]
        goes = (counts.ranks == counts.n_categories[counts.columns] - 1) & (counts.ranks >= least)
        alpha = self.model._smoothing(counts.n_features)
        tables = self.model.category_log_prob_, self.model.category_zeros_

        def without_each(block: Block, weight: Floats) -> LogSums:
            X = np.asarray(block.dense(), dtype=np.float64)
            known = np.less(X, counts.n_categories)  # a NaN is not
            cells = np.where(known, counts.starts[:-1] + np.where(known, X, 0.0).astype(np.int64), -1)
            found = self.model._log_likelihood(block, UnknownCategories())
            return categories_without(found, cells, block.codes, weight, counts, goes, alpha, *tables)  # type: ignore[arg-type]

        return without_each


def categories_without(
    found: LogSums,
    cells: Ints,
    codes: Codes,
    weight: Floats,
    counts: CategoryCounts,
    goes: Bools,
    alpha: float,
    logs: Floats,
    zeros: Floats | None,
) -> LogSums:
    """Return log p(x | k) of columns of categories under the counts without each row.

    Parameters
    ----------
    found : log p(x | k) under all counts, which is written over
    cells : (n, p) cell of each value, -1 for none
    codes, weight : (n,)
    goes : (cells,) which categories go when no row has them; where one goes its column says nothing, so that L_j never matters
    logs, zeros : (K, cells) under all counts
    """
    rows, columns = np.nonzero(cells >= 0)
    cell, w = cells[rows, columns], weight[rows]
    gone = goes[cell] & (without(counts.cells.sum(axis=0)[cell], w) == 0)
    for table, kept in ((logs, found.value), (zeros, found.zeros)):
        if table is not None and kept is not None and gone.any():
            np.subtract.at(kept, rows[gone], table[:, cell[gone]].T)
    rows, columns, cell, w = rows[~gone], columns[~gone], cell[~gone], w[~gone]
    g, n = codes[rows], len(codes)
    own = category_logs_left_out(columns, counts.cells[g, cell], counts.present[g, columns], w, counts.n_categories, alpha)
    return with_own(found, codes, row_sums(rows, 1.0, own, n))

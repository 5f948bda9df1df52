"""Sums of columns by class: word counts, switches that are on. Naive Bayes by counting needs nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Ints
from ..data import Block, as_source
from ..data.sum_engine import SumEngine
from ..errors import InputError
from ..thresholds import SUMS
from .counting import CountingRule, stored
from .grouped import NO_WEIGHT, reference_sums, rows_per_class, tile_rows
from .remainder import ROUNDING, emptied, remaining, subtracted
from .stored import Stored, announce, require_array, require_classes


@dataclass(frozen=True, slots=True, eq=False)
class Counts(Stored):
    """Weighted number of rows counts_k = Σ w_i and column totals totals_kj = Σ w_i x_ij of K classes in p columns.

    Attributes
    ----------
    classes : (K,) labels in sorted order
    counts : (K,) sums of weights
    rows : (K,) numbers of rows that have a weight
    totals : (K, p)
    missing : (K, p) sums of the weights of rows whose value was missing and left out, or None if no value was
    feature_names, recipe : as in :class:`ClassMoments`

    Examples
    --------
    >>> counts = Counts.from_data([[1, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> counts.counts.tolist(), counts.totals.tolist()
    ([2.0, 1.0], [[2.0, 1.0], [0.0, 3.0]])
    """

    classes: NDArray[Any]
    counts: Floats
    rows: Ints
    totals: Floats
    missing: Floats | None = None
    feature_names: tuple[str, ...] | None = None
    recipe: str | None = None

    @classmethod
    def from_data(cls, X: Any, y: Any = None, sample_weight: Any = None, binarize: float | None = None) -> Counts:
        """Summarise rows in memory or a table (then without y); with `binarize`, count values above it instead of adding them up."""
        source = as_source(X, y, sample_weight)
        counts = source.reduce(cls.summarise(source.classes, CountingRule(threshold=binarize)))
        if not counts.is_finite:
            source.refuse_nonfinite()
        return replace(counts, feature_names=source.feature_names)

    @classmethod
    def summarise(cls, classes: Any, reading: CountingRule | None = None) -> CountsPass:
        """Return the pass: a function from a block to its counts."""
        return CountsPass(classes, reading or CountingRule())

    @classmethod
    def empty(cls, classes: Any, n_features: int) -> Self:
        """Return the counts of no rows."""
        K = len(classes)
        return cls(np.asarray(classes), np.zeros(K), np.zeros(K, dtype=np.int64), np.zeros((K, n_features)))

    @property
    def n_features(self) -> int:
        """Number of columns p."""
        p: int = self.totals.shape[1]
        return p

    @property
    def is_finite(self) -> bool:
        """False if a value could not be counted."""
        with np.errstate(over="ignore", invalid="ignore"):  # a sum of finite numbers may overflow: they are looked at one by one only then
            finite = np.isfinite(self.totals.sum()) or np.isfinite(self.totals).all()
        return bool(finite and np.isfinite(self.counts.sum()))

    @property
    def present(self) -> Floats:
        """Weighted number of rows with a value in each column: (K, p), or (K, 1) if no value was missing."""
        counts = self.counts[:, None]
        return counts if self.missing is None else np.maximum(counts - self.missing, 0.0)

    @property
    def are_switches(self) -> bool:
        """Whether no column is on in more rows than there are, as the totals of 0 and 1 cannot be."""
        return bool((self.totals >= 0).all() and (self.totals <= self.present * (1.0 + ROUNDING)).all())

    def columns(self, chosen: Any) -> Self:
        """Return the counts of some columns alone."""
        names = None if self.feature_names is None else tuple(self.feature_names[j] for j in np.arange(self.n_features)[chosen])
        missing = None if self.missing is None else self.missing[:, chosen]
        return replace(self, totals=self.totals[:, chosen], missing=missing, feature_names=names)

    def merge(self, other: Self) -> Self:
        """Return the counts of both sets of rows together."""
        self._check_fits(other)
        names, recipe = self._same_columns(other)
        return replace(
            self,
            counts=self.counts + other.counts,
            rows=self.rows + other.rows,
            totals=self.totals + other.totals,
            missing=_sum(self.missing, other.missing),
            feature_names=names,
            recipe=recipe,
        )

    def subtract(self, other: Self) -> Self:
        """Return the counts without rows that are among those counted."""
        self._check_fits(other)
        missing = None if self.missing is None and other.missing is None else np.zeros_like(self.totals)
        if missing is not None:
            missing = subtracted(missing if self.missing is None else self.missing, missing if other.missing is None else other.missing)
            missing = missing if missing.any() else None
        counts, rows = remaining(self.classes, self.counts, self.rows, other.counts, other.rows)
        return replace(self, counts=counts, rows=rows, totals=emptied(rows, subtracted(self.totals, other.totals)), missing=missing)

    def scaled(self, factors: Floats) -> Self:
        """Return the counts after multiplying the weights of class k by factors_k."""
        column = factors[:, None]
        missing = None if self.missing is None else self.missing * column
        return replace(self, counts=self.counts * factors, totals=self.totals * column, missing=missing)

    def _require_shapes(self) -> None:
        shape = require_classes(self.classes, self.counts, self.rows), np.shape(self.totals)[1]
        require_array(self.totals, shape, "totals")
        if self.missing is not None:
            require_array(self.missing, shape, "weights of missing values", 0.0)
        self._require_names()

    def _check_fits(self, other: Self) -> None:
        if self.totals.shape != other.totals.shape or not np.array_equal(self.classes, other.classes):
            raise InputError(
                f"Counts of {self.n_features} columns and classes {self.classes.tolist()} do not go together with {other.n_features} "
                f"columns and classes {other.classes.tolist()}; count both with the same columns and classes."
                + announce(self.classes, other.classes)
            )


@dataclass(frozen=True, slots=True, eq=False)
class CountsPass:
    """The pass from a block to its counts, for which an engine that holds the rows may be asked instead."""

    classes: NDArray[Any]
    rule: CountingRule

    def __call__(self, block: Block) -> Counts:
        """Summarise a block."""
        assert block.codes is not None
        K = len(self.classes)
        counts = np.bincount(block.codes, block.weight, minlength=K).astype(np.float64)
        rows = rows_per_class(block.codes, block.weight, K)
        with np.errstate(invalid="ignore", over="ignore"):  # what cannot be counted comes out as NaN, which is refused then
            return Counts(self.classes, counts, rows, *class_totals(block, K, self.rule))

    def ask(self, engine: SumEngine) -> Counts:
        """Return the counts as an engine sums them."""
        rule = self.rule
        found = engine.totals(rule.threshold, rule.switches, rule.nonnegative, rule.skip_missing)
        return Counts(self.classes, found.counts, found.rows, found.totals, found.gaps if found.gaps.any() else None)


def _sum(a: Floats | None, b: Floats | None) -> Floats | None:
    return b if a is None else a if b is None else a + b


def class_totals(block: Block, n_classes: int, reading: CountingRule) -> tuple[Floats, Floats | None]:
    """Return the totals (K, p) of a block's columns by class, and the weights of values left out, (K, p) or None."""
    totals, missing = np.zeros((n_classes, block.n_features)), np.zeros((n_classes, block.n_features)) if reading.skip_missing else None
    is_sparse = block.is_sparse
    small = not SUMS.reached(block.X.nnz if is_sparse else block.X.size)
    add = _add_stored if is_sparse else _add_dense
    add(block, reading, small, totals, missing)
    return totals, missing if missing is not None and missing.any() else None


def _add_dense(block: Block, reading: CountingRule, small: bool, totals: Floats, missing: Floats | None) -> None:
    for tile in (block,) if small else block.tiles(tile_rows(block.n_features)):
        X, gaps = reading.values(np.asarray(tile.X))
        _add(tile, X, reading.floor, small, totals)
        if gaps is not None and missing is not None:
            _add(tile, gaps.astype(np.float64), 0.0, small, missing)


def _add(tile: Block, X: NDArray[np.floating], floor: float, small: bool, totals: Floats) -> None:
    if small:
        low = X.min(initial=np.inf)
        totals += reference_sums(X, tile.codes, tile.weight, len(totals))[1] if low >= floor else np.nan
        return
    from ..kernels import counts

    counts.add_rows(X, tile.codes, NO_WEIGHT if tile.weight is None else tile.weight, floor, totals)


def _add_stored(block: Block, reading: CountingRule, small: bool, totals: Floats, missing: Floats | None) -> None:
    assert block.codes is not None
    weight = NO_WEIGHT if block.weight is None else block.weight
    for piece in stored(block, reading):
        own = slice(piece.begin, piece.end)
        add = _add_product if small else _kernel()
        add(piece.data, piece.indices, piece.indptr, block.codes[own], weight[own], reading.floor, totals)
        if piece.gaps is not None and missing is not None:
            gaps = piece.gaps.astype(np.float64)
            add(gaps, piece.indices, piece.indptr, block.codes[own], weight[own], 0.0, missing)


def _kernel() -> Callable[..., None]:
    from ..kernels.counts import add_sparse

    return add_sparse


def _add_product(
    data: Floats,
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
    codes: Codes,
    weight: Floats,
    floor: float,
    totals: Floats,
) -> None:
    """The kernel's reference: one sum by cell of the K × p totals."""
    cells = np.repeat(codes.astype(np.int64) * totals.shape[1], np.diff(indptr)) + indices
    share = data if weight.size == 0 else data * np.repeat(weight, np.diff(indptr))
    found = np.bincount(cells, np.where(data >= floor, share, np.nan), minlength=totals.size)
    totals += found.reshape(totals.shape)

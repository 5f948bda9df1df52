"""Totals by class, ranges and wholeness of numeric columns in one pass: enough to count switches, and to tell counts from measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Floats
from ..data import Block
from ..errors import InputError
from ..thresholds import SUMS
from .counting import CountingRule
from .counts import class_totals
from .grouped import NO_WEIGHT, reference_sums, tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScreen:
    """Weighted number of rows and column totals of K classes, with the range of each of p columns and how far it is from whole numbers.

        counts_k = Σ w_i    totals_kj = Σ w_i x_ij    low_j = min x_ij    high_j = max x_ij    broken_j = max (x_ij − ⌊x_ij⌋)

    Rows of weight 0 do not count.

    Examples
    --------
    >>> block = Block(np.array([[0.0, 2.5], [1.0, 7.0]]), np.array([0, 1], dtype=np.int32))
    >>> found = ColumnScreen.summarise(np.array(["no", "yes"]))(block)
    >>> found.is_switch.tolist(), found.high.tolist(), found.broken.tolist()
    ([True, False], [1.0, 7.0], [0.0, 0.5])
    """

    classes: NDArray[Any]
    counts: Floats
    totals: Floats
    low: Floats
    high: Floats
    broken: Floats

    @classmethod
    def summarise(cls, classes: Any) -> Callable[[Block], ColumnScreen]:
        """Return the pass; rows without codes are all of class 0."""

        def of(block: Block) -> ColumnScreen:
            codes = np.zeros(block.n_rows, dtype=np.int32) if block.codes is None else block.codes
            block = replace(block, codes=codes)
            found = cls.empty(classes, block.n_features)
            counts = np.bincount(codes, block.weight, minlength=len(classes)).astype(np.float64)
            with np.errstate(invalid="ignore", over="ignore"):  # a NaN ends in the totals, which is refused then
                found._include(block)
            return replace(found, counts=counts)

        return of

    @classmethod
    def empty(cls, classes: Any, n_features: int) -> Self:
        """Return the screen of no rows."""
        K, p = len(classes), n_features
        return cls(np.asarray(classes), np.zeros(K), np.zeros((K, p)), np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p))

    def _include(self, block: Block) -> None:
        if block.is_sparse:
            self._include_stored(block)
        elif not SUMS.reached(block.X.size):
            self.totals[...] = reference_sums(np.asarray(block.X), block.codes, block.weight, len(self.counts))[1]
            X = np.asarray(block.X if block.weight is None else block.X[block.weight > 0], dtype=np.float64)
            for kept, values in ((self.low, X.min(axis=0, initial=np.inf)), (self.high, X.max(axis=0, initial=-np.inf))):
                kept[...] = values
            self.broken[...] = (X - np.floor(X)).max(axis=0, initial=0.0)
        else:
            from ..kernels.columns import screen

            for tile in block.tiles(tile_rows(block.n_features)):
                weight = NO_WEIGHT if tile.weight is None else tile.weight
                screen(tile.X, tile.codes, weight, self.totals, self.low, self.high, self.broken)

    def _include_stored(self, block: Block) -> None:
        self.totals[...] = class_totals(block, len(self.counts), CountingRule())[0]
        X = block.X if block.weight is None else block.X[np.flatnonzero(block.weight)]
        data = X.data.astype(np.float64, copy=False)
        np.minimum.at(self.low, X.indices, data)
        np.maximum.at(self.high, X.indices, data)
        np.maximum.at(self.broken, X.indices, data - np.floor(data))
        absent = np.bincount(X.indices, minlength=block.n_features) < X.shape[0]
        self.low[absent] = np.minimum(self.low[absent], 0.0)
        self.high[absent] = np.maximum(self.high[absent], 0.0)

    @property
    def is_finite(self) -> bool:
        """False if a value was NaN or infinite."""
        return bool(np.isfinite(self.totals).all())

    @property
    def is_switch(self) -> Bools:
        """Which columns hold nothing but 0 and 1, (p,); then totals count the rows in which they are on."""
        switches: Bools = (self.low >= 0) & (self.high <= 1) & (self.broken == 0)
        return switches

    @property
    def is_constant(self) -> Bools:
        """Which columns hold one value only, (p,)."""
        constant: Bools = self.low == self.high
        return constant

    def merge(self, other: Self) -> Self:
        """Return the screen of both sets of rows together."""
        if self.totals.shape != other.totals.shape or not np.array_equal(self.classes, other.classes):
            raise InputError(
                f"Screens of {self.totals.shape[1]} columns and classes {self.classes.tolist()} do not go together with "
                f"{other.totals.shape[1]} columns and classes {other.classes.tolist()}."
            )
        return replace(
            self,
            counts=self.counts + other.counts,
            totals=self.totals + other.totals,
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            broken=np.maximum(self.broken, other.broken),
        )

"""Σ w_i ‖z_i‖⁴ of standardised rows: what Ledoit–Wolf shrinkage needs beyond the moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..array_types import Floats
from ..data import Block
from ..data.device import is_on_device
from ..data.sum_engine import SumEngine
from .device_moments import device_fourth_moments
from .grouped import tile_rows


@dataclass(frozen=True, slots=True)
class FourthMoment:
    """total = Σ w_i ‖z_i‖⁴ with z_i = (x_i − means[class of i]) / scale.

    Examples
    --------
    >>> block = Block(np.array([[1.0, 2.0], [3.0, 2.0]]), np.zeros(2, dtype=np.int32))
    >>> FourthMoment.summarise(np.array([[2.0, 2.0]]), np.ones(2))(block).total
    2.0
    """

    total: float

    @classmethod
    def summarise(cls, means: Floats, scale: Floats, factors: Floats | None = None) -> FourthMomentPass:
        """Return the pass for class means (K, p), column scales (p,) and factors (K,) on the weights of the classes."""
        return FourthMomentPass(means, scale, factors)

    def merge(self, other: Self) -> Self:
        """Return the total over both sets of rows."""
        return type(self)(self.total + other.total)


@dataclass(frozen=True, slots=True, eq=False)
class ClassFourthMoments:
    """totals_k = Σ_{i in k} w_i ‖z_i‖⁴ with z_i = (x_i − means_k) / scale_k: each class in units of its own.

    Examples
    --------
    >>> block = Block(np.array([[1.0], [3.0], [0.0], [4.0]]), np.array([0, 0, 1, 1], dtype=np.int32))
    >>> ClassFourthMoments.summarise(np.full((2, 1), 2.0), np.array([[1.0], [2.0]]))(block).totals.tolist()
    [2.0, 2.0]
    """

    totals: Floats

    @classmethod
    def summarise(cls, means: Floats, scale: Floats) -> ClassFourthMomentsPass:
        """Return the pass for class means (K, p) and scales (K, p)."""
        return ClassFourthMomentsPass(means, scale)

    def merge(self, other: Self) -> Self:
        """Return the totals over both sets of rows."""
        return type(self)(self.totals + other.totals)


@dataclass(frozen=True, slots=True, eq=False)
class FourthMomentPass:
    """The pass from a block to its fourth moment, for which an engine that holds the rows may be asked instead."""

    means: Floats
    scale: Floats
    factors: Floats | None

    def __call__(self, block: Block) -> FourthMoment:
        """Summarise a block."""
        assert block.codes is not None
        if is_on_device(block):
            totals = device_fourth_moments(block, self.means, self.scale)
            return FourthMoment(float(totals.sum() if self.factors is None else totals @ self.factors))
        norms = _sparse_norms(block, self.means, self.scale) if block.is_sparse else _dense_norms(block, self.means, self.scale)
        squared = norms * norms
        if self.factors is not None:
            squared *= self.factors[block.codes]
        return FourthMoment(float(squared.sum() if block.weight is None else squared @ block.weight))

    def ask(self, engine: SumEngine) -> FourthMoment:
        """Return the moment as an engine sums it."""
        totals = engine.fourth_powers(self.means, np.broadcast_to(self.scale, self.means.shape))
        return FourthMoment(float(totals.sum() if self.factors is None else totals @ self.factors))


@dataclass(frozen=True, slots=True, eq=False)
class ClassFourthMomentsPass:
    """The pass from a block to the fourth moments of its classes."""

    means: Floats
    scale: Floats

    def __call__(self, block: Block) -> ClassFourthMoments:
        """Summarise a block."""
        if is_on_device(block):
            return ClassFourthMoments(device_fourth_moments(block, self.means, self.scale))
        totals = np.zeros(len(self.means))
        for k in np.unique(block.codes):  # type: ignore[arg-type]
            rows = np.flatnonzero(block.codes == k)
            weight = None if block.weight is None else block.weight[rows]
            alone = Block(block.X[rows], np.zeros(len(rows), dtype=np.int32), weight)
            totals[k] = FourthMomentPass(self.means[k : k + 1], self.scale[k], None)(alone).total
        return ClassFourthMoments(totals)

    def ask(self, engine: SumEngine) -> ClassFourthMoments:
        """Return the moments as an engine sums them."""
        return ClassFourthMoments(engine.fourth_powers(self.means, self.scale))


def _dense_norms(block: Block, means: Floats, scale: Floats) -> Floats:
    norms = np.empty(block.n_rows)
    for tile in block.tiles(tile_rows(block.n_features)):
        z = (tile.X - means[tile.codes]) / scale
        norms[tile.start - block.start :][: len(z)] = np.einsum("ij,ij->i", z, z)
    return norms


def _sparse_norms(block: Block, means: Floats, scale: Floats) -> Floats:
    """‖x − m‖² = Σ x² − 2 x'm + ‖m‖² in scaled columns: absent values are never visited."""
    scaled = means / scale**2
    squares = block.X.copy()
    squares.data = squares.data.astype(np.float64) ** 2
    cross = np.take_along_axis(block.X @ scaled.T, block.codes[:, None].astype(np.intp), axis=1)[:, 0]  # type: ignore[index]
    norms: Floats = np.maximum(squares @ scale**-2.0 - 2.0 * cross + np.einsum("kj,kj->k", means, scaled)[block.codes], 0.0)
    return norms

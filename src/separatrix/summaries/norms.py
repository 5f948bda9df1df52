"""Σ w_i ‖z_i‖⁴ of standardised rows: what Ledoit–Wolf shrinkage needs beyond the moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..array_types import Floats
from ..data import Block
from ..data.device import is_on_device
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
    def summarise(cls, means: Floats, scale: Floats, factors: Floats | None = None) -> Callable[[Block], FourthMoment]:
        """Return the pass for class means (K, p), column scales (p,) and factors (K,) on the weights of the classes."""

        def of(block: Block) -> FourthMoment:
            assert block.codes is not None
            if is_on_device(block):
                totals = device_fourth_moments(block, means, scale)
                return cls(float(totals.sum() if factors is None else totals @ factors))
            norms = _sparse_norms(block, means, scale) if block.is_sparse else _dense_norms(block, means, scale)
            squared = norms * norms
            if factors is not None:
                squared *= factors[block.codes]
            return cls(float(squared.sum() if block.weight is None else squared @ block.weight))

        return of

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
    def summarise(cls, means: Floats, scale: Floats) -> Callable[[Block], ClassFourthMoments]:
        """Return the pass for class means (K, p) and scales (K, p)."""
        passes = [FourthMoment.summarise(means[k : k + 1], scale[k]) for k in range(len(means))]

        def of(block: Block) -> ClassFourthMoments:
            if is_on_device(block):
                return cls(device_fourth_moments(block, means, scale))
            totals = np.zeros(len(means))
            for k in np.unique(block.codes):  # type: ignore[arg-type]
                rows = np.flatnonzero(block.codes == k)
                weight = None if block.weight is None else block.weight[rows]
                totals[k] = passes[k](Block(block.X[rows], np.zeros(len(rows), dtype=np.int32), weight)).total
            return cls(totals)

        return of

    def merge(self, other: Self) -> Self:
        """Return the totals over both sets of rows."""
        return type(self)(self.totals + other.totals)


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

"""Small dense tables with columns lying together, for passes in NumPy: rows of a dozen values are too short for its loops.

A tile is A (q, m): the columns of m rows, and a last one of ones. With θ = [W, c] (R, q), scores are θA, the gradient of the sum is
SA' with S (R, m) the slopes, and the products of the curvature are ZZ' with Z = ρA (ρ as in `SmoothLoss.residuals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...array_types import Codes, Floats
from ...data import Block
from ...losses.smooth_loss import SmoothLoss

VALUES = 100_000
"""Values of a tile: what a core's cache holds."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnedTile:
    """Columns (q, m) of m rows with ones as the last, their codes, and weights (empty for ones)."""

    A: Floats
    codes: Codes
    weight: Floats

    @classmethod
    def of(cls, block: Block, centre: Floats | None) -> list[Self]:
        """Return the tiles of dense rows, or of sparse ones made dense, less a centre where one is given.

        Examples
        --------
        >>> block = Block(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 0], dtype=np.int32))
        >>> TurnedTile.of(block, None)[0].A.tolist()
        [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]]
        """
        tiles, q = [], block.n_features + 1
        count = max(1, round(block.n_rows * q / VALUES))
        for tile in block.tiles(-(-block.n_rows // count)):
            A = np.ones((q, tile.n_rows))
            A[:-1] = tile.dense().T
            if centre is not None:
                A[:-1] -= centre[:, None]
            assert tile.codes is not None
            tiles.append(cls(A, tile.codes, np.empty(0) if tile.weight is None else tile.weight))
        return tiles

    def add(self, loss: SmoothLoss, theta: Floats, gradient: Floats, products: Floats | None) -> float:
        """Return Σ s_i ℓ_i at θ (R, q); add to the gradient (R, q) and, where given, to the products (Rq, Rq)."""
        S = theta @ self.A
        root = None if products is None else np.empty_like(S)
        value = loss.residuals(S.T, self.codes, self.weight, None if root is None else root.T)
        gradient += S @ self.A.T
        if products is not None and root is not None:
            Z = root * self.A if len(root) == 1 else (root[:, None, :] * self.A).reshape(len(products), -1)
            products += Z @ Z.T
        return value

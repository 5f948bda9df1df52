"""Rows about their mean, as the Newton solvers of margins read them: scores, sums and Gram matrices of any subset.

x̃_i = (x_i − μ, 1) has q = p + 1 entries; θ = (w, c) scores x̃'θ, so that b = c − w'μ. X itself is never shifted: μ is subtracted from
the few rows that are gathered, and from a score only where μ is so large that w'x and w'μ would cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bools, Floats, Indices
from ...data import Block
from ...data.threads import ordered_map, single_threaded_blas
from ...summaries.grouped import csr_parts
from ...thresholds import SCORES
from ..rows import CHUNK_VALUES, Rows
from .column_centre import column_centre, streamed_centre

TILE_VALUES = 100_000
"""Values of a tile: what a core's cache holds."""
FEW = 200_000
"""Values gathered without threads."""
PARTS = 4
"""Parts of the rows whose Gram matrices are summed side by side, where they are sparse or the matrix is large."""


@dataclass(frozen=True, slots=True, eq=False)
class CentredRows:
    """Rows x_i − μ with a constant 1.

    Attributes
    ----------
    rows : Rows
    centre : (p,) μ, near the column means; zeros where nothing may be shifted
    shifts : bool
        Whether μ is far from zero in units of the columns' ranges.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = CentredRows.of(Rows.of(as_source([[1.0], [3.0]], [0, 1])), centred=True)
    >>> rows.centre.tolist(), rows.scores(np.array([1.0, 0.5])).tolist(), rows.gram(np.ones(2)).tolist()
    ([2.0], [-0.5, 1.5], [[2.0, 0.0], [0.0, 2.0]])
    """

    rows: Rows
    centre: Floats
    shifts: bool

    @classmethod
    def of(cls, rows: Rows, centred: bool) -> Self:
        """Return the rows about a mean of some of them, or about 0 for sparse rows and where `centred` is False.

        Rows that are not held are read once for it: methods that follow take many passes, and none arrives where means drown the rest.
        """
        found = None
        if centred and not rows.is_sparse:
            found = streamed_centre(rows) if rows.held is None else None if rows.X is None else column_centre(rows.X)
        if found is None:
            return cls(rows, np.zeros(rows.n_features), False)
        centre, far = found
        if not np.isfinite(centre).all():
            rows.source.refuse_nonfinite()
        return cls(rows, centre, far)

    @property
    def width(self) -> int:
        """q = p + 1."""
        return len(self.centre) + 1

    def intercept(self, theta: Floats) -> float:
        """Return b = c − w'μ."""
        return float(theta[-1] - theta[:-1] @ self.centre)

    def scores(self, theta: Floats) -> Floats:
        """Return x̃_i'θ of all rows; one pass."""
        w = theta[:-1]
        c = theta[-1] if self.shifts else self.intercept(theta)

        def of_block(block: Block) -> Floats:
            if not self.shifts and (block.is_sparse or block.X.dtype == np.float64):
                return np.asarray(block.X @ w + c)
            tiles = block.tiles(max(TILE_VALUES // block.n_features, 256))
            return np.concatenate([(tile.X.astype(np.float64) - self._shift) @ w + c for tile in tiles])

        return _joined(self.rows.map(of_block))

    def sums(self, v: Floats) -> Floats:
        """Return Σ v_i x̃_i (q,); one pass, or only the rows where v is not 0 if they are few."""
        index = np.flatnonzero(v)
        if self.are_few(len(index)) and len(index) < 0.3 * len(v):
            X = self.rows.X[index]
            total = v[index].sum()
            if isinstance(X, np.ndarray):
                return np.append(v[index] @ (X - self.centre), total)
            return np.append(v[index] @ X - total * self.centre, total)

        def of_block(block: Block) -> Floats:
            own = v[block.start : block.start + block.n_rows]
            if not self.shifts and (block.is_sparse or block.X.dtype == np.float64):
                return np.asarray(own @ block.X)
            total = np.zeros(block.n_features)
            for tile in block.tiles(max(TILE_VALUES // block.n_features, 256)):
                part = v[tile.start : tile.start + tile.n_rows]
                total += part @ (tile.X.astype(np.float64) - self._shift)
            return total

        total = v.sum()
        sums = _added(self.rows.map(of_block))
        return np.append(sums if self.shifts else sums - total * self.centre, total)

    def gram(self, h: Floats) -> Floats:
        """Return Σ h_i x̃_i x̃_i' (q, q) of the rows where h is not 0."""
        index = np.flatnonzero(h)
        if self.are_few(len(index)):
            return self._gram(self.rows.X[index], h[index])
        if self.rows.is_sparse:
            return self._sparse_gram(h, index)

        # A tile that is smaller than the matrix it is multiplied into spends its time on adding matrices; so do many blocks.
        is_wide = self.rows.X is not None and self.width**2 > CHUNK_VALUES
        step = max(TILE_VALUES // self.width, 2 * self.width if is_wide else 256)

        def of_block(block: Block) -> Floats:
            own = h[block.start : block.start + block.n_rows]
            chosen = np.flatnonzero(own)
            total = np.zeros((self.width, self.width))
            for begin in range(0, len(chosen), step):
                part = chosen[begin : begin + step]
                total += self._gram(block.X[part], own[part])
            return total

        return _added((self.rows.in_pieces(PARTS) if is_wide else self.rows).map(of_block))

    def _sparse_gram(self, h: Floats, index: Indices) -> Floats:
        """Sum over a fixed, small number of parts: each needs a (q, q) matrix of its own."""
        X = self.rows.X if len(index) == len(h) else self.rows.X[index]
        edges = np.searchsorted(X.indptr, np.linspace(0, X.nnz, PARTS + 1)[1:-1])
        whole = Block(X)
        pieces = [(whole.part(int(a), int(b)).X, h[index[a:b]]) for a, b in zip([0, *edges], [*edges, X.shape[0]]) if b > a]
        with single_threaded_blas():
            return _added(ordered_map(lambda piece: _sparse_gram(*piece), pieces, self.rows.threads))

    def few(self, index: Indices, h: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Return Σ h_i x̃_i x̃_i' and Σ v_i x̃_i of the rows listed, h and v being theirs."""
        X = self.rows.X[index]
        if isinstance(X, np.ndarray):
            Z = np.empty((len(index), self.width))
            np.subtract(X, self.centre, out=Z[:, :-1])
            Z[:, -1] = 1.0
            return (Z * h[:, None]).T @ Z, v @ Z
        total = v.sum()
        return _sparse_gram(X, h), np.append(v @ X - total * self.centre, total)

    def are_few(self, count: int) -> bool:
        """Whether so many rows are best gathered in one go."""
        return self.rows.X is not None and count * self.width < FEW

    def take(self, index: Indices) -> Floats:
        """Return x_i − μ of some rows held in memory, dense."""
        X = self.rows.X[index]
        return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64) - self.centre

    @property
    def _shift(self) -> Floats | float:
        return self.centre if self.shifts else 0.0

    def _gram(self, X: Any, h: Floats) -> Floats:
        """Return Σ h_i x̃_i x̃_i' of rows taken out of the block."""
        q = self.width
        if not isinstance(X, np.ndarray):
            return _sparse_gram(X, h)
        total = np.zeros((q, q))
        for keep, sign in _signs(h):
            own = X if keep is None else X[keep]
            Z = np.empty((len(own), q))
            np.subtract(own, self.centre, out=Z[:, :-1])
            Z[:, -1] = 1.0
            Z *= np.sqrt(np.abs(h if keep is None else h[keep]))[:, None]
            total += sign * (Z.T @ Z)
        return total


def _signs(h: Floats) -> list[tuple[Bools | None, float]]:
    """Return masks of the rows that enter and of those that leave, with their signs; None for all rows."""
    if (h > 0.0).all():
        return [(None, 1.0)]
    return [(h > 0.0, 1.0), (h < 0.0, -1.0)]


def _sparse_gram(X: Any, h: Floats) -> Floats:
    if not SCORES.reached(X.shape[0] * X.shape[1]):
        Z = np.column_stack([X.toarray(), np.ones(X.shape[0])])
        return np.asarray((Z * h[:, None]).T @ Z)
    from ...kernels.sparse_products import add_weighted_pairs, mirror

    total = np.zeros((X.shape[1] + 1,) * 2)
    add_weighted_pairs(*csr_parts(Block(X)), np.ascontiguousarray(h), total)
    mirror(total)
    return total


def _added(parts: Iterable[Floats]) -> Floats:
    """Return the sum, added up in order."""
    terms = iter(parts)
    total = next(terms)
    for term in terms:
        total += term
    return total


def _joined(parts: Any) -> Floats:
    found = list(parts)
    return found[0] if len(found) == 1 else np.concatenate(found)


def each_row(rows: Rows, function: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
    """Return function(block) of all blocks in one array."""
    return _joined(rows.map(function))

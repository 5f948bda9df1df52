"""The penalised mean loss and its derivatives at θ, one pass each.

θ (R, p + 1) holds W and, in its last column, c: scores are (x − m)W' + c with m the column means (0 for sparse rows), so that
b = c − Wm. Centring keeps the intercept from being coupled to every column, and a mean of 1e8 from drowning a unit variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any, Self

import numpy as np

from ...array_types import Codes, Floats
from ...data import Block
from ...losses.smooth_loss import signs
from ...summaries.grouped import NO_WEIGHT, csr_parts
from ...thresholds import LOSSES
from ..accepted_losses import smooth_loss
from ..checkpoint import active
from ..problem import Problem
from .turned_tiles import TurnedTile

FAR = 10.0
"""Means above this many standard deviations are subtracted tile by tile; below, the product of means is subtracted afterwards."""
TILE_VALUES = 100_000
"""Values of a tile: what a core's cache holds."""
WIDE_PRODUCTS, TALL_VALUES = 200, 4_000_000
"""Coefficients from which tiles for the Hessian are as tall as they are wide, and the values such a tile may have."""
PIECES = 32
"""Pieces of the rows held, for passes that return little."""
FUSED, FUSED_ALONE = 2_000, 6_000
"""Coefficients up to which one kernel does a whole pass; above, W leaves the first cache and BLAS is quicker tile by tile. Those of a
single score are read beside a row, and only the second cache has to hold them.
"""
SIDE_BY_SIDE = 200
"""Coefficients up to which every piece of the rows may keep a Hessian of its own until all are added."""
DENSE_ENOUGH = 0.2
"""Share of stored values from which sparse rows are multiplied as dense tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Sums over some rows: loss, gradient (R, p + 1) and, where asked, products (Rq, Rq) of the curvature, q = p + 1."""

    loss: float
    gradient: Floats
    products: Floats | None = None

    def merge(self, other: Self) -> Self:
        """Return the sums over both sets of rows."""
        products = None if self.products is None or other.products is None else self.products + other.products
        return type(self)(self.loss + other.loss, self.gradient + other.gradient, products)


class Objective:
    """f(θ), its gradient and its Hessian over the rows of a problem; counts the passes.

    Parameters
    ----------
    problem : Problem
    centre : (p,) column means m, or None for 0
    far : bool
        Whether means are so large beside the standard deviations that rows must be shifted before they are multiplied.
    compiled : bool
        Whether kernels serve small blocks too, because they are loaded anyway: a sample of many rows.
    saves : bool
        Whether points are left in a checkpoint; not where this is a part of the objective alone.
    """

    def __init__(
        self, problem: Problem, centre: Floats | None = None, far: bool = False, compiled: bool = False, saves: bool = True
    ) -> None:
        self.problem, self.loss, self.compiled, self.saves = problem, smooth_loss(problem), compiled, saves
        self.centre = np.zeros(problem.n_features) if centre is None or not problem.fit_intercept else centre
        self.is_centred = bool(self.centre.any())
        self.shifts = self.is_centred and far
        self.passes = 0
        self._turned: dict[int, list[TurnedTile]] = {}
        rows = problem.rows
        self.rows = rows
        if rows.held is not None and isinstance(rows.X, np.ndarray) and LOSSES.reached(rows.values):
            # Short passes over many pieces keep all threads busy to the end; kernels are loaded for the whole.
            self.rows, self.compiled = rows.in_pieces(PIECES), True

    def at(self, theta: Floats) -> tuple[float, Floats]:
        """Return f and its gradient."""
        W, c = self._coefficients(theta)
        f, gradient = self._finished(theta, self._sum(lambda block: self._partial(block, W, c, False)))
        self._save(theta, f)
        return f, gradient

    def _save(self, theta: Floats, f: float) -> None:
        saved = active(self.problem) if self.saves else None
        if saved is not None:
            saved.keep(self.problem, np.ascontiguousarray(theta[:, :-1]), self.intercept(theta), f)

    def _sum(self, partial: Callable[[Block], Partial]) -> Partial:
        """Return the sums over all rows; those read anew, here or elsewhere, are added where they are."""
        return self.rows.reduce(partial) if self.rows.held is None else reduce(Partial.merge, self.rows.collect(partial))

    def at_scores(self, theta: Floats, scores: Floats) -> tuple[float, Floats]:
        """Return f and its gradient at θ, whose scores (n, R) are known, of sparse rows."""
        self.passes += 1

        def partial(block: Block) -> Partial:
            S = scores[block.start : block.start + block.n_rows].copy()
            return self._from_scores(block, S, None)

        return self._finished(theta, reduce(Partial.merge, self.rows.collect(partial)))

    def curved(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Return f, its gradient and its Hessian (Rq, Rq), ordered as θ.ravel(); singular along equal shifts of all scores."""
        W, c = self._coefficients(theta)
        if theta.size <= SIDE_BY_SIDE:
            total = self._sum(lambda block: self._partial(block, W, c, True))
        else:
            total = self.problem.rows.reduce(lambda block: self._partial(block, W, c, True))
        assert total.products is not None
        f, gradient = self._finished(theta, total)
        self._save(theta, f)
        return f, gradient, self._hessian(total.products)

    def losses(self, theta: Floats) -> Callable[[Block], Floats]:
        """Return the function from a block to the losses of its rows at θ, weights aside; to use it on all rows is a pass."""
        W, c = self._coefficients(theta)
        columns = np.ascontiguousarray(W.T)

        def of(block: Block) -> Floats:
            parts = [(X @ columns + c, codes) for X, codes, _ in self._tiles(block, 1, 0)]
            Z, codes = np.concatenate([Z for Z, _ in parts]), np.concatenate([own for _, own in parts])
            return self.loss.value(Z, codes) if self.loss.is_multiclass else self.loss.value(Z[:, 0], signs(codes))

        return of

    def reach(self, step: Floats) -> float:
        """Return the largest change of a score, against the others of its row, that a change of θ brings about."""
        W, c = self._coefficients(step)

        def widest(block: Block) -> float:
            most = 0.0
            tiles = [block] if block.is_sparse else block.tiles(max(TILE_VALUES // block.n_features, 256))
            for tile in tiles:
                X = tile.X - self.centre if self.shifts else tile.X
                S = X @ W.T + c
                most = max(most, float(np.abs(S).max() if len(W) == 1 else np.ptp(S, axis=1).max()))
            return most

        return max(self.problem.rows.map(widest))

    def intercept(self, theta: Floats) -> Floats:
        """Return b = c − Wm."""
        return theta[:, -1] - theta[:, :-1] @ self.centre

    def _coefficients(self, theta: Floats) -> tuple[Floats, Floats]:
        self.passes += 1
        W = np.ascontiguousarray(theta[:, :-1])
        return W, theta[:, -1] if self.shifts or not self.is_centred else self.intercept(theta)

    def _finished(self, theta: Floats, total: Partial) -> tuple[float, Floats]:
        problem = self.problem
        gradient = total.gradient / problem.total
        if self.is_centred and not self.shifts:
            gradient[:, :-1] -= gradient[:, -1:] * self.centre
        W = theta[:, :-1]
        gradient[:, :-1] += problem.strength * W
        if not problem.fit_intercept:
            gradient[:, -1] = 0.0
        return float(total.loss / problem.total + 0.5 * problem.strength * np.vdot(W, W)), gradient

    def _hessian(self, products: Floats) -> Floats:
        """Turn Σ s p_k p_l [x, 1][x, 1]' (or Σ h [x, 1][x, 1]') into the Hessian."""
        problem = self.problem
        R, q = problem.n_scores, problem.n_features + 1
        H = products.reshape(R, q, R, q) / problem.total
        if self.is_centred and not self.shifts:
            # With T = [[I, 0], [−m', 1]]: [x − m, 1] = T'[x, 1].
            H[:, :-1] -= self.centre[:, None, None] * H[:, -1:]
            H[..., :-1] -= H[..., -1:] * self.centre
        if R > 1:
            own = np.einsum("kalb->kab", H) - np.einsum("kakb->kab", H)
            H = -H
            for k in range(R):
                H[k, :, k] = own[k]
        for k in range(R):
            np.einsum("aa->a", H[k, :, k])[:-1] += problem.strength
            if not problem.fit_intercept:
                H[k, -1] = 0.0
                H[:, :, k, -1] = 0.0
                H[k, -1, k, -1] = 1.0
        return H.reshape(R * q, R * q)

    def _partial(self, block: Block, W: Floats, c: Floats, curved: bool) -> Partial:
        R, q = len(W), W.shape[1] + 1
        products = np.zeros((R * q, R * q)) if curved else None
        if block.is_sparse and block.X.nnz < DENSE_ENOUGH * block.n_rows * block.n_features:
            return self._sparse_partial(block, W, c, products)
        loss, gradient = 0.0, np.zeros((R, q))
        small = not (self.compiled or LOSSES.reached(block.n_rows * block.n_features))
        if small and self.rows.held is not None and (R == 1 or not curved or R * q <= WIDE_PRODUCTS):
            return self._small_partial(block, W, c, products)
        if not small and self._is_fused(block, W, curved):
            return self._fused_partial(block, W, c) if products is None else self._fused_curved(block, W, c, products)
        spread, product = np.empty((0, R, q)), np.empty_like(products) if products is not None else None
        columns = np.ascontiguousarray(W.T)  # a product with W.T itself takes twice the time
        for X, codes, weight in self._tiles(block, R if curved else 1, R * q if curved else 0):
            # In NumPy, sums over a short last axis are slow: columns of scores lie together.
            S = (W @ X.T).T if small else X @ columns
            S += c
            root = np.empty_like(S) if curved else None
            loss += self.loss.residuals(S, codes, weight, root, compiled=not small)
            gradient[:, :-1] += S.T @ X
            gradient[:, -1] += S.sum(axis=0)
            if products is not None and root is not None:
                if len(spread) < len(X):
                    spread = np.empty((len(X), R, q))
                Z = spread[: len(X)]
                np.multiply(root[:, :, None], X[:, None, :], out=Z[:, :, :-1])
                Z[:, :, -1] = root
                Z = Z.reshape(len(X), -1)
                products += np.matmul(Z.T, Z, out=product)
        return Partial(loss, gradient, products)

    def _small_partial(self, block: Block, W: Floats, c: Floats, products: Floats | None) -> Partial:
        """Return the sums over a small block, whose columns are laid together once for all passes."""
        if block.start not in self._turned:
            self._turned[block.start] = TurnedTile.of(block, self.centre if self.shifts else None)
        theta = np.column_stack([W, c])
        gradient = np.zeros_like(theta)
        loss = sum(tile.add(self.loss, theta, gradient, products) for tile in self._turned[block.start])
        return Partial(loss, gradient, products)

    def _is_fused(self, block: Block, W: Floats, curved: bool) -> bool:
        """Whether the loss has a kernel that reads these rows and their scores at once."""
        if not self.loss.has_row_kernels or self.shifts or not _is_dense(block.X) or (curved and len(W) > 1):
            return False
        return W.size <= (FUSED_ALONE if len(W) == 1 else FUSED)

    def _fused_partial(self, block: Block, W: Floats, c: Floats) -> Partial:
        """Return the sums over a dense block from one kernel call: the rows are read once, and threads do not meet in Python.

        A call for each tile where columns lie together, as those of files do: a tile is turned over in the cache.
        """
        total, gradient, c = 0.0, np.zeros((len(W), W.shape[1] + 1)), np.ascontiguousarray(c)
        rows = max(block.n_rows, 1) if block.X.flags.c_contiguous else max(TILE_VALUES // block.n_features, 256)
        for tile in block.tiles(rows):
            assert tile.codes is not None
            total += self.loss.add_rows(tile.X, tile.codes, _weight(tile), W, c, gradient)
        return Partial(total, gradient)

    def _fused_curved(self, block: Block, W: Floats, c: Floats, products: Floats) -> Partial:
        """Return the sums over a dense block of two classes, tile by tile: a kernel call, then Z'Z of weighted rows."""
        total, gradient, c = 0.0, np.zeros((1, W.shape[1] + 1)), np.ascontiguousarray(c)
        rows = _tile_rows(block.n_features, 1, len(products))
        spread, product = np.empty((min(rows, block.n_rows), W.shape[1] + 1)), np.empty_like(products)
        for tile in block.tiles(rows):
            assert tile.codes is not None
            Z = spread[: tile.n_rows]
            total += self.loss.add_curved_rows(tile.X, tile.codes, _weight(tile), W, c, gradient, Z)
            products += np.matmul(Z.T, Z, out=product)
        return Partial(total, gradient, products)

    def _tiles(self, block: Block, copies: int, products: int) -> Iterator[tuple[Floats, Codes, Floats]]:
        """Yield float64 rows, codes and weights tile by tile."""
        for tile in block.tiles(_tile_rows(block.n_features, copies, products)):
            X = tile.dense().astype(np.float64, copy=False)
            assert tile.codes is not None
            yield X - self.centre if self.shifts else X, tile.codes, _weight(tile)

    def _sparse_partial(self, block: Block, W: Floats, c: Floats, products: Floats | None) -> Partial:
        from ...kernels.sparse_products import rows_times

        S = np.empty((block.n_rows, len(W)))
        rows_times(*csr_parts(block), np.ascontiguousarray(W.T), S)
        S += c
        return self._from_scores(block, S, products)

    def _from_scores(self, block: Block, S: Floats, products: Floats | None) -> Partial:
        """Return the sums over a sparse block from its scores, which are overwritten."""
        from ...kernels import sparse_products as kernels

        assert block.codes is not None
        R, q = S.shape[1], block.n_features + 1
        parts, root = csr_parts(block), None if products is None else np.empty_like(S)
        loss = self.loss.residuals(S, block.codes, _weight(block), root, compiled=True)
        slopes = np.zeros((q - 1, R))
        kernels.add_transposed(*parts, S, slopes)
        gradient = np.column_stack([slopes.T, S.sum(axis=0)])
        if products is not None and root is not None:
            view = products.reshape(R, q, R, q)
            # Softmax: the products of a class with itself are not needed, its block is minus the sum of the others.
            for a, b in [(0, 0)] if R == 1 else combinations(range(R), 2):
                pair = products if R == 1 else np.zeros((q, q))
                kernels.add_weighted_pairs(*parts, root[:, a] * root[:, b], pair)
                kernels.mirror(pair)
                if R > 1:
                    view[a, :, b] = view[b, :, a] = pair
        return Partial(loss, gradient, products)


def _tile_rows(n_features: int, copies: int, products: int) -> int:
    """Return the rows of a tile.

    A tile and its copies fit the cache, but where it is multiplied into a matrix of `products` columns: to add a matrix of 650 to the
    sum takes as long as 60 rows.
    """
    rows = max(TILE_VALUES // (n_features * copies), 256)
    return max(rows, min(4 * products, TALL_VALUES // products)) if products > WIDE_PRODUCTS else rows


def _is_dense(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64)


def _weight(block: Block) -> Floats:
    return NO_WEIGHT if block.weight is None else block.weight

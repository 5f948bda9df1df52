"""Leave-one-out scores of rows no more than columns, from products of rows: nothing is as large as columns by columns.

A shrunk covariance sees lengths and angles alone, which the coordinates of the rows in their span keep: the algebra of all columns holds
there. Without shrinkage, directions in which no class varies are compared in units of the total spread, which change with every row left
out: for each, the products of the rows in its units say everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...summaries import ClassMoments
from ..closed_form.pseudo_inverse import pseudo_solve
from ..closed_form.row_span import embed
from ..closed_form.whitening import CONSTANT, NULL_VARIANCE
from .leave_one_out import GUARD, LeftOut, left_freedom, left_out_log_priors, vanishing

Pass = Callable[[Block], LeftOut]
Found = TypeVar("Found")


def spanned(rows: Block, K: int, solve: Callable[[ClassMoments], Callable[[Block], Found]]) -> Callable[[Block], Found]:
    """Return the pass of an algebra that sees lengths and angles alone, by coordinates of the rows in their span.

    Parameters
    ----------
    rows : all rows, which the blocks of the pass are parts of
    K : int
    solve : moments of the coordinates → the pass for blocks of coordinates
    """
    Y = embed(rows.X, _centre(rows), np.ones(rows.n_features)).coordinates
    left_out = solve(ClassMoments.summarise(np.arange(K), "pooled")(Block(Y, rows.codes, rows.weight)))

    def of(block: Block) -> Found:
        return left_out(Block(Y[block.start : block.start + block.n_rows], block.codes, block.weight, block.start))

    return of


def _centre(rows: Block) -> Floats:
    return np.asarray(rows.X.mean(axis=0), dtype=np.float64).ravel()


def class_axes(rows: Block, moments: ClassMoments) -> list[tuple[Floats, Floats]]:
    """Return the eigenvalues (r,) and eigenvectors (p, r) of the scatter of each class, along which alone it varies."""
    axes = []
    for k, mean in enumerate(moments.means):
        own = np.flatnonzero(rows.codes == k)
        found = embed(rows.X[own], mean, np.ones(len(mean)), None if rows.weight is None else rows.weight[own])
        axes.append((found.values, found.basis()))
    return axes


def discriminant_in_span(rows: Block, K: int, divisor: Callable[[ClassMoments], float], fixed: Floats | None) -> Pass:
    """Return the leave-one-out pass of linear discriminants without shrinkage.

    Parameters
    ----------
    rows : all rows, which the blocks of the pass are parts of
    K : int
    divisor : moments → what the scatter is divided by
    fixed : (K,) priors to hold, optional
    """
    moments = ClassMoments.summarise(np.arange(K), "diagonal")(rows)
    found = LeftOutProducts(rows, moments, divisor(moments), fixed).scores()

    def of(block: Block) -> LeftOut:
        own = slice(block.start, block.start + block.n_rows)
        return LeftOut(found.scores[own], found.refit[own])

    return of


class LeftOutProducts:
    """Discriminants of all rows but one, for each, by the products of rows in units of the spread of the others.

    In these units, with C the rows minus the means of their classes, times √(w/ν), and h_k = C(x − m_k), the covariance is C'C, and

        d_k = ‖y_k‖² + (‖x − m_k‖² − h_k'y_k)/ε,   y_k = (CC')⁺h_k

    the first term being the distance in which classes vary, and the second, ε next to nothing, that in which they do not.
    """

    def __init__(self, rows: Block, moments: ClassMoments, nu: float, fixed: Floats | None) -> None:
        assert rows.codes is not None
        self.codes, self.counts, self.nu, self.fixed = rows.codes, moments.counts, nu, fixed
        self.weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        self.centre, self.n = moments.grand_mean, float(moments.counts.sum())
        self.Z = rows.dense().astype(np.float64, copy=False) - self.centre
        self.sums = self.weight @ self.Z**2

    def scores(self) -> LeftOut:
        """Return the scores of all rows."""
        vanishes, _ = vanishing(self.counts[self.codes], self.weight)
        freedom = left_freedom(self.nu, self.counts, self.weight, vanishes)
        d, refit = np.zeros((len(self.codes), len(self.counts))), vanishes | (freedom <= 0) | (self.weight == 0)
        scaled = np.empty_like(self.Z)
        for i in np.flatnonzero(~refit):
            unit, refit[i] = self._unit(int(i))
            np.divide(self.Z, unit, out=scaled)
            if not refit[i]:
                d[i], refit[i] = self._distances(int(i), scaled @ scaled.T, float(freedom[i]))
        return LeftOut(left_out_log_priors(self.counts, self.codes, self.weight, self.fixed) - 0.5 * d, refit)

    def _unit(self, i: int) -> tuple[Floats, bool]:
        """Return the total standard deviations without row i, 1 where a column does not vary, and whether one varies by row i alone."""
        w, rest = self.weight[i], self.n - self.weight[i]
        left = self.sums - w * self.n / rest * self.Z[i] ** 2
        alone = (left <= GUARD * self.sums) & (self.sums > self.n * (CONSTANT * self.centre) ** 2)
        centre = self.centre - w / rest * self.Z[i]
        spread = np.sqrt(np.maximum(left, 0.0) / rest)
        return np.where(spread > CONSTANT * np.abs(centre), spread, 1.0), bool(alone.any())

    def _distances(self, i: int, G: Floats, nu: float) -> tuple[Floats, bool]:
        """Return d_k of row i, given the products of all rows, and whether rounding decides them."""
        others = np.flatnonzero((np.arange(len(G)) != i) & (self.weight > 0))
        share = np.zeros((len(self.counts), len(G)))
        share[self.codes[others], others] = self.weight[others]
        share /= share.sum(axis=1, keepdims=True)
        mean = share @ G  # products of the class means with the rows, and with each other
        among = mean @ share.T
        own, root = self.codes[others], np.sqrt(self.weight[others])
        cross = mean[own][:, others]
        C = (G[np.ix_(others, others)] - cross - cross.T + among[np.ix_(own, own)]) * root * root[:, None] / nu
        h = (G[i, others] - mean[own, i] - mean[:, others] + among[:, own]) * root / np.sqrt(nu)
        whole = G[i, i] - 2.0 * mean[:, i] + np.diag(among)
        null = np.where(own[:, None] == np.arange(len(share)), root[:, None], 0.0)
        y, _ = pseudo_solve(C, h.T, null / np.linalg.norm(null, axis=0))
        rest = whole - np.einsum("kr,rk->k", h, y)
        return np.einsum("rk,rk->k", y, y) + np.maximum(rest, 0.0) / NULL_VARIANCE, bool((rest <= GUARD * whole).any())

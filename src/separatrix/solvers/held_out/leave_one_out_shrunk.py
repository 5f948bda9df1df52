"""Exact leave-one-out scores of Gaussian models whose covariances are shrunk towards a multiple of the identity.

In the eigenvectors of a scatter W = VΛV' the shrunk covariance of all rows is diagonal, and without one row it is a diagonal minus
a multiple of uu': Sherman and Morrison again. One decomposition serves every row and every α.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...array_types import Bools, Codes, Floats, Indices
from ...data import Block
from ...data.device import is_on_device
from ...data.namespaces import like, namespace, to_host
from ...summaries.grouped import tile_rows
from ...thresholds import LEFT_OUT
from ..closed_form.discriminant import log_priors
from ..closed_form.whitening import total_spread, whiten
from .leave_one_out import (
    GUARD,
    LeftOut,
    Spectrum,
    about,
    by_distances,
    discriminant_pass,
    left_freedom,
    left_out_log_priors,
    on_host,
    squared_norms,
    tiled,
    vanishing,
)


class ShrunkLeftOut:
    """Leave-one-out scores of linear discriminants for any shrinkage α.

        D_i = (1−α)Λ/(ν−w) + α tr_i/(p(ν−w)),   tr_i = tr W − a|u|²,   a = wN_g/(N_g − w),   r = (1−α)a/(ν−w)
        d_ik = v'D⁻¹v + r (v'D⁻¹u)²/(1 − r u'D⁻¹u),   v = x − m_k of the left-out fit

    O(p³ + np²) once, then O(npK) for each α.

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p)
    nu : float
        Divisor of the scatter: n − K, or n for maximum likelihood.
    fixed : (K,) priors to hold, optional
    p : int
        Number of columns behind the coordinates, where they are fewer: rows in their span.

    Examples
    --------
    >>> found = ShrunkLeftOut(np.array([2.0, 2.0]), np.array([[1.0], [6.0]]), np.array([[4.0]]), 4.0, None)
    >>> rows = Block(np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], dtype=np.int32))
    >>> found.at(0.5)(rows).scores.argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, counts: Floats, means: Floats, scatter: Floats, nu: float, fixed: Floats | None, p: int | None = None) -> None:
        self.p = p or len(scatter)
        values, self.vectors = np.linalg.eigh(scatter)
        self.values = np.maximum(values, 0.0)
        self.counts, self.means, self.nu, self.fixed = counts, means, nu, fixed
        self.centres = (means - means.mean(axis=0)) @ self.vectors
        self.apart = self.centres[:, None] - self.centres

    def at(self, alpha: float) -> Callable[[Block], LeftOut]:
        """Return the pass for one α."""

        def left_out(tile: Block, X: Any, weight: Floats) -> LeftOut:
            assert tile.codes is not None
            u = self.turned(X, tile.codes)
            compiled = isinstance(u, np.ndarray) and LEFT_OUT.reached(u.size)
            return self.compiled(u, tile.codes, weight)(alpha) if compiled else self.scores(u, tile.codes, weight, alpha)

        return tiled(left_out)

    def turned(self, X: Any, codes: Codes) -> Any:
        """Return rows minus the means of their classes, along the eigenvectors."""
        return about(X, self.means, codes) @ like(self.vectors, X)

    def compiled(self, u: Floats, codes: Codes, weight: Floats) -> Callable[[float], LeftOut]:
        """Return the scores of many rows as a function of α, by the kernel."""
        N = self.counts[codes]
        vanishes, rest = vanishing(N, weight)
        a = np.where(vanishes, 0.0, weight * N / rest)
        nu = left_freedom(self.nu, self.counts, weight, vanishes)
        few, nu = nu <= 0, np.where(nu <= 0, 1.0, nu)
        log_prior = left_out_log_priors(self.counts, codes, weight, self.fixed)
        spectrum = Spectrum(self.values, self.apart, float(self.values.sum()), 0.0)
        unit, growth = np.ones(len(u)), (N / rest) ** 2

        def at(alpha: float) -> LeftOut:
            given = np.stack([(1.0 - alpha) / nu, alpha / (self.p * nu), a, (1.0 - alpha) * a / nu, growth, unit], axis=1)
            found = by_distances(u, codes, given, spectrum, log_prior)
            found.scores[np.flatnonzero(vanishes), codes[vanishes]] = -np.inf
            return LeftOut(found.scores, found.refit | few)

        return at

    def scores(self, u: Any, codes: Codes, weight: Floats, alpha: float, groups: Sequence[Any] | None = None) -> LeftOut:
        """Return the scores of rows given by u (n, p), their distance from their class mean along the eigenvectors, on any device.

        `groups` has the rows of each class, as slices where the rows come sorted by class.
        """
        N = self.counts[codes]
        vanishes, rest = vanishing(N, weight)
        a = np.where(vanishes, 0.0, weight * N / rest)
        nu = left_freedom(self.nu, self.counts, weight, vanishes)
        few = nu <= 0
        nu = np.where(few, 1.0, nu)
        trace = np.maximum(self.values.sum() - a * squared_norms(u), 0.0)
        slope, level = (1.0 - alpha) / nu, alpha * trace / (self.p * nu)
        least, most = (slope * value + level for value in (self.values[0], self.values[-1]))
        flat = least <= GUARD * most
        forms = self._forms if isinstance(u, np.ndarray) else self._forms_on_device
        own, cross, between = forms(u, codes, slope, np.where(flat, 1.0, level), groups)
        r = (1.0 - alpha) * a / nu
        left = 1.0 - r * own
        refit = few | flat | (left <= GUARD)
        left = np.where(refit, 1.0, left)
        d = 2.0 * cross - own[:, None] + between + (r / left)[:, None] * cross**2
        d[np.arange(len(d)), codes] = (N / rest) ** 2 * own / left
        scores = left_out_log_priors(self.counts, codes, weight, self.fixed) - 0.5 * d
        scores[np.flatnonzero(vanishes), codes[vanishes]] = -np.inf
        return LeftOut(scores, refit)

    def _forms(self, u: Floats, codes: Codes, slope: Floats, level: Floats, groups: Sequence[Any] | None) -> tuple[Floats, Floats, Floats]:
        """Return u'D⁻¹u (n,), and of every class v'D⁻¹u and (c_g − c_k)'D⁻¹(c_g − c_k) (n, K), v = u + (c_g − c_k)."""
        K = len(self.counts)
        inverse = np.multiply.outer(slope, self.values)
        inverse += level[:, None]
        np.reciprocal(inverse, out=inverse)
        scaled = u * inverse
        own = np.einsum("ij,ij->i", u, scaled)
        cross, between = np.empty((len(u), K)), np.empty((len(u), K))
        for g, of in enumerate([np.flatnonzero(codes == g) for g in range(K)] if groups is None else groups):
            apart = self.apart[g]
            cross[of] = own[of, None] + scaled[of] @ apart.T
            between[of] = inverse[of] @ (apart**2).T
        return own, cross, between

    def _forms_on_device(self, u: Any, codes: Codes, slope: Floats, level: Floats, _: Any) -> tuple[Floats, Floats, Floats]:
        """Return the same for rows on another device, by products with the centres of all classes at once."""
        xp, c = namespace(u), like(self.centres, u)
        inverse = 1.0 / (like(slope[:, None], u) * like(self.values, u) + like(level[:, None], u))
        scaled, g = u * inverse, like(codes.astype(np.int64), u)
        own = xp.sum(u * scaled, axis=1)
        along, squares = scaled @ c.T, inverse @ (c * c).T
        mine = [xp.take_along_axis(values, g[:, None], axis=1) for values in (along, squares)]
        cross = own[:, None] + mine[0] - along
        between = mine[1] - 2.0 * ((inverse * xp.take(c, g, axis=0)) @ c.T) + squares
        return to_host(own), to_host(cross), to_host(between)


def discriminant_pass_at(
    counts: Floats, means: Floats, scatter: Floats, nu: float, fixed: Floats | None, alpha: float
) -> Callable[[Block], LeftOut]:
    """Return the leave-one-out pass of linear discriminants for one shrinkage; 0 needs no eigenvectors.

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p)
    nu : float
    fixed : (K,) priors to hold, optional
    alpha : float in [0, 1]
    """
    if alpha:
        return ShrunkLeftOut(counts, means, scatter, nu, fixed).at(alpha)
    spread = total_spread(counts, means, np.diag(scatter))[1]
    found = whiten(scatter / nu, spread)
    # Directions in which no row differs stay so without any of them, and say nothing: they are left out.
    return discriminant_pass(means, found.basis[:, : found.rank], counts, nu, fixed, not found.null_for(means[counts > 0], spread))


def discriminant_path(
    counts: Floats, means: Floats, scatter: Floats, nu: float, fixed: Floats | None, shrinkages: Sequence[float]
) -> Callable[[Block], Iterator[LeftOut]]:
    """Return the pass that yields the leave-one-out scores of a block for each shrinkage; its rows are turned once.

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p)
    nu : float
    fixed : (K,) priors to hold, optional
    shrinkages : numbers in [0, 1]
    """
    plain = discriminant_pass_at(counts, means, scatter, nu, fixed, 0.0)
    return shrinkage_pass(ShrunkLeftOut(counts, means, scatter, nu, fixed), plain, shrinkages)


def shrinkage_pass(
    shrunk: ShrunkLeftOut, plain: Callable[[Block], LeftOut], shrinkages: Sequence[float]
) -> Callable[[Block], Iterator[LeftOut]]:
    """Return the pass that yields the scores at each shrinkage, those without any from the pass `plain`."""
    counts, size = shrunk.counts, tile_rows(shrunk.means.shape[1])

    def path(block: Block) -> Iterator[LeftOut]:
        if is_on_device(block):
            yield from (shrunk.at(float(alpha))(block) if alpha else plain(block) for alpha in shrinkages)
            return
        codes = block.codes
        assert codes is not None
        weight = np.ones(block.n_rows) if block.weight is None else block.weight
        if LEFT_OUT.reached(block.n_rows * block.n_features):
            u = shrunk.turned(block.dense().astype(np.float64, copy=False), codes)
            at = shrunk.compiled(u, codes, weight)
            yield from (at(float(alpha)) if alpha else plain(block) for alpha in shrinkages)
            return
        order = np.argsort(codes, kind="stable")
        rows = Block(block.X[order]).dense().astype(np.float64, copy=False)
        u, own, w = shrunk.turned(rows, codes[order]), codes[order], weight[order]
        tiles = [slice(a, min(a + size, len(u))) for a in range(0, len(u), size)]
        edges = [np.searchsorted(own[tile], np.arange(len(counts) + 1)) for tile in tiles]
        groups = [[slice(a, b) for a, b in pairwise(edge.tolist())] for edge in edges]
        for alpha in shrinkages:
            if not alpha:
                yield plain(block)
                continue
            scores, refit = np.empty((len(u), len(counts))), np.empty(len(u), dtype=bool)
            for tile, of in zip(tiles, groups, strict=True):
                found = shrunk.scores(u[tile], own[tile], w[tile], float(alpha), of)
                scores[order[tile]], refit[order[tile]] = found.scores, found.refit
            yield LeftOut(scores, refit)

    return path


def shrunk_change(
    u: Any, values: Floats, N: float, weight: Floats, ddof: float, alpha: float, ridge: float, p: int | None = None
) -> tuple[Floats, Bools]:
    """Return −½(log det Σ' + d') of rows of one class under its own covariance without them, and which need a refit.

        Σ' = (1 − r)[(1 − α)S' + α (tr S'/p) I] + rI,   S' = (W − wN uu'/(N − w))/(N − w − ddof)

    Parameters
    ----------
    u : (n, p) rows minus the class mean, along the eigenvectors of the class scatter
    values : (p,) eigenvalues of the scatter
    N : float
        Summed weights of the class.
    weight : (n,)
    ddof, alpha, ridge : float
    p : int
        Number of columns, where they are more than the eigenvectors: along the others the class does not vary.

    Examples
    --------
    >>> value, refit = shrunk_change(np.array([[1.0]]), np.array([10.0]), 5.0, np.ones(1), 0.0, 0.0, 0.0)
    >>> variance = (10 - 1.25) / 4
    >>> bool(np.isclose(value[0], -0.5 * (np.log(variance) + 1.25**2 / variance))), bool(refit[0])
    (True, False)
    """
    vanishes, rest = vanishing(np.full(len(weight), N), weight)
    a, freedom = weight * N / rest, rest - ddof
    possible = ~vanishes & (freedom > 0)
    freedom = np.where(possible, freedom, 1.0)
    trace = np.maximum(values.sum() - a * squared_norms(u), 0.0)
    others = (p or len(values)) - len(values)
    level = (1.0 - ridge) * alpha * trace / (len(values) + others) / freedom + ridge
    own, log_det, least, most = _spectral_sums(u, (1.0 - ridge) * (1.0 - alpha) * values, freedom, level)
    flat = (level if others else least) <= GUARD * most
    left = 1.0 - (1.0 - ridge) * (1.0 - alpha) * a / freedom * own
    refit = ~vanishes & (~possible | flat | (left <= GUARD))
    left = np.where(refit | vanishes, 1.0, left)
    log_det = log_det + others * np.log(np.where(level > 0, level, 1.0))
    return -0.5 * (log_det + np.log(left) + (N / rest) ** 2 * own / left), refit


def _spectral_sums(u: Any, values: Floats, freedom: Floats, level: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return, with D_ij = values_j/freedom_i + level_i, Σ_j u_ij²/D_ij, Σ_j log D_ij, and the least and largest D_ij of each row."""
    xp = namespace(u)
    if not len(values):
        return (np.zeros(len(level)),) * 4
    D = like(values, u) / like(freedom[:, None], u) + like(level[:, None], u)
    least, most = to_host(xp.min(D, axis=1)), to_host(xp.max(D, axis=1))
    D = xp.where(D > 0, D, xp.ones_like(D))
    return to_host(xp.sum(u * u / D, axis=1)), to_host(xp.sum(xp.log(D), axis=1)), least, most


def shrunk_pass(
    counts: Floats,
    means: Floats,
    axes: Sequence[tuple[Floats, Floats]],
    scores_of: Callable[[Block], Floats],
    priors: Floats,
    fixed: Floats | None,
    ddof: float,
    alpha: float,
    ridge: float,
) -> Callable[[Block], LeftOut]:
    """Return the leave-one-out pass of classes with shrunk covariances of their own.

    Parameters
    ----------
    counts, means : (K,), (K, p)
    axes : eigenvalues (r,) and eigenvectors (p, r) of the scatter of each class; along others it does not vary
    scores_of : block → (n, K) log p(x, k) of the full fit without the constant p log 2π
    priors : (K,) of the full fit
    fixed : (K,) priors to hold, optional
    ddof, alpha, ridge : as in :func:`shrunk_change`
    """

    def left_out(block: Block) -> LeftOut:
        codes, weights = on_host(block)
        weight = np.ones(block.n_rows) if weights is None else weights
        now = left_out_log_priors(counts, codes, weight, fixed)
        scores, refit = to_host(scores_of(block)) - log_priors(priors) + now, np.zeros(block.n_rows, dtype=bool)
        for g, (values, vectors) in enumerate(axes):
            of = np.flatnonzero(codes == g)
            rows = _rows_of(block, of)
            u = (rows - like(means[g], rows)) @ like(vectors, rows)
            N = float(counts[g])
            change, refit[of] = shrunk_change(u, np.maximum(values, 0.0), N, weight[of], ddof, alpha, ridge, len(vectors))
            scores[of, g] = now[of, g] + np.where(vanishing(np.full(len(of), N), weight[of])[0], -np.inf, change)
        return LeftOut(scores, refit)

    return left_out


def _rows_of(block: Block, of: Indices) -> Any:
    """Return some rows of a block in float64, beside it."""
    if not is_on_device(block):
        return Block(block.X[of]).dense().astype(np.float64, copy=False)
    xp = namespace(block.X)
    return xp.astype(xp.take(block.X, like(of.astype(np.int64), block.X), axis=0), xp.float64)

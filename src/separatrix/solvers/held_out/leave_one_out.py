"""Exact leave-one-out scores of Gaussian models from one fit: low-rank algebra in place of n refits.

Notation: row i of class g and weight w has d_ik = (x_i − m_k)'S⁻¹(x_i − m_k) and t_ik = (x_i − m_k)'S⁻¹(x_i − m_g), with S = W/ν. Without
it W loses a u u' with u = x_i − m_g and a = wN_g/(N_g − w), and m_g moves to m_g − w u/(N_g − w); Sherman and Morrison do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Bools, Codes, Floats, Ints
from ...data import Block
from ...data.device import is_on_device
from ...data.namespaces import like, namespace, to_host
from ...summaries.grouped import tile_rows
from ...thresholds import LEFT_OUT
from ..closed_form.discriminant import log_priors
from ..device_scores import float64_tiles

GUARD = 1e-9
"""Below this share of its variance left, a row is needed for the rank of the scatter and has to be refitted."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Scores of rows under the fit without them.

    Attributes
    ----------
    scores : (n, K)
        log p(x, k) of the left-out fit up to a term that all classes share; −∞ where the class vanishes with the row.
    refit : (n,) of bool
        Rows for which the algebra does not hold: they must be refitted.
    """

    scores: Floats
    refit: Bools


def left_out_log_priors(counts: Floats, codes: Codes, weight: Floats, fixed: Floats | None) -> Floats:
    """Return log π_k of each left-out fit (n, K): given priors, or shares of the counts without the row.

    Examples
    --------
    >>> np.exp(left_out_log_priors(np.array([2.0, 2.0]), np.array([0], dtype=np.int32), np.ones(1), None)).round(4).tolist()
    [[0.3333, 0.6667]]
    """
    if fixed is not None:
        return np.broadcast_to(log_priors(fixed), (len(codes), len(counts)))
    if len(codes) and (weight == weight[0]).all():
        # Rows of one class then share their priors: K logarithms a class in place of K a row.
        left = np.maximum(counts - weight[0] * np.eye(len(counts)), 0.0)
        return log_priors(left / (counts.sum() - weight[0]))[codes]
    left = np.tile(counts, (len(codes), 1))
    left[np.arange(len(codes)), codes] -= weight
    # A row that outweighs all others to rounding leaves none, and so the priors of no row: those of all.
    rest = np.maximum(left, 0.0)
    rest[~rest.any(axis=1)] = counts
    return log_priors(rest / rest.sum(axis=1, keepdims=True))


def tiled(left_out: Callable[[Block, Any, Floats], LeftOut]) -> Callable[[Block], LeftOut]:
    """Return the pass of a function of a tile, its rows dense in float64, and their weights: temporaries stay in a core's cache.

    Rows on another device stay there, in tiles that suit it; codes and weights of a tile are always in NumPy.
    """

    def part(block: Block) -> LeftOut:
        found = []
        for tile in device_tiles(block) if is_on_device(block) else block.tiles(tile_rows(block.n_features)):
            X = tile.X if is_on_device(block) else tile.dense().astype(np.float64, copy=False)
            found.append(left_out(tile, X, np.ones(tile.n_rows) if tile.weight is None else tile.weight))
        if len(found) == 1:
            return found[0]
        return LeftOut(np.concatenate([own.scores for own in found]), np.concatenate([own.refit for own in found]))

    return part


def device_tiles(block: Block) -> Iterator[Block]:
    """Yield parts of a block on another device, rows in float64 there, codes and weights in NumPy."""
    codes, weight = on_host(block)
    begin = 0
    for X in float64_tiles(block, 4 * block.n_features):
        end = begin + int(X.shape[0])
        yield Block(X, codes[begin:end], None if weight is None else weight[begin:end], block.start + begin)
        begin = end


def on_host(block: Block) -> tuple[Codes, Floats | None]:
    """Return codes and weights of a block in NumPy."""
    assert block.codes is not None
    codes = to_host(block.codes).astype(np.int32, copy=False)
    return codes, None if block.weight is None else to_host(block.weight)


def about(X: Any, means: Floats, codes: Codes) -> Any:
    """Return rows minus the means of their classes, beside the rows."""
    if isinstance(X, np.ndarray):
        return X - means[codes]
    return X - namespace(X).take(like(means, X), like(codes.astype(np.int64), X), axis=0)


def squared_norms(u: Any) -> Floats:
    """Return Σ_j u_ij² of each row, in NumPy."""
    return np.einsum("ij,ij->i", u, u) if isinstance(u, np.ndarray) else to_host(namespace(u).sum(u * u, axis=1))


@dataclass(frozen=True, slots=True)
class Spectrum:
    """What all rows share: D_j = slope values_j + base + lift (trace − a‖u‖²), and the vectors from mean to mean, apart (K, K, r)."""

    values: Floats
    apart: Floats
    trace: float
    base: float


def by_distances(u: Floats, codes: Codes, given: Floats, spectrum: Spectrum, log_prior: Floats) -> LeftOut:
    """Return log π_k − ½ d'_ik of each row by the kernel.

    Parameters
    ----------
    u : (n, r) rows minus the means of their classes
    codes : (n,)
    given : (n, 6) slope, lift, a, r, growth of the own distance, factor on all
    spectrum : Spectrum
    log_prior : (n, K)
    """
    from ...kernels.left_out import subtract_distances

    # Given priors are one line for all rows, without a copy of its own for each: only order="C" makes of it what the kernel takes.
    scores, refit = np.array(log_prior, order="C"), np.zeros(len(u), dtype=np.int32)
    same = spectrum.values, np.ascontiguousarray(spectrum.apart), spectrum.trace, spectrum.base, GUARD
    subtract_distances(np.ascontiguousarray(u), codes, given, *same, scores, refit)
    return LeftOut(scores, refit > 0)


def discriminant_left_out(
    u: Any, centres: Floats, codes: Codes, weight: Floats, counts: Floats, nu: float, fixed: Floats | None = None
) -> LeftOut:
    """Return leave-one-out scores of linear discriminant analysis.

        k ≠ g:  d' = (ν−w)/ν · [d_ik + c t_ik²/(1 − c d_ig)]
        k = g:  d' = (ν−w)/ν · (N_g/(N_g−w))² · d_ig/(1 − c d_ig),      c = wN_g/((N_g − w)ν)

    Parameters
    ----------
    u : (n, r) rows minus the means of their classes, in coordinates that whiten S, on any device
    centres : (K, r) class means in them
    codes, weight : (n,)
    counts : (K,) summed weights N_k
    nu : float
        Divisor of the scatter: n − K, or n for maximum likelihood.
    fixed : (K,) priors to hold, optional

    References
    ----------
    Lachenbruch and Mickey (1968), Estimation of error rates in discriminant analysis, Technometrics 10.

    Examples
    --------
    >>> u, codes = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = discriminant_left_out(u, np.array([[1.0], [6.0]]), codes, np.ones(4), np.array([2.0, 2.0]), 4.0)
    >>> found.scores.argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    own = np.arange(len(codes))
    vanishes, safe = vanishing(counts[codes], weight)
    kept = left_freedom(nu, counts, weight, vanishes)
    c = np.where(vanishes, 0.0, weight * counts[codes] / (safe * nu))
    if isinstance(u, np.ndarray) and LEFT_OUT.reached(u.size):
        none = np.zeros(len(u))
        given = np.stack([none, none, none, c, (counts[codes] / safe) ** 2, kept / nu], axis=1)
        spectrum = Spectrum(np.zeros(u.shape[1]), centres[:, None] - centres, 0.0, 1.0)
        found = by_distances(u, codes, given, spectrum, left_out_log_priors(counts, codes, weight, fixed))
        found.scores[own[vanishes], codes[vanishes]] = -np.inf
        return LeftOut(found.scores, found.refit | (kept <= 0))
    d_own = squared_norms(u)
    # With G_ik = u'(c_k − c_g): d_ik = d_ig − 2G_ik + ‖c_k − c_g‖² and t_ik = d_ig − G_ik, one product for all classes.
    G = np.array(to_host(u @ like(centres.T, u)))
    G -= G[own, codes][:, None]
    apart = np.sum((centres[:, None] - centres) ** 2, axis=2)
    left = 1.0 - c * d_own
    refit = (left <= GUARD) | (kept <= 0)
    left = np.where(refit, 1.0, left)
    d = d_own[:, None] - 2.0 * G + apart[codes]
    d_new = (kept / nu)[:, None] * (d + (c / left)[:, None] * (d_own[:, None] - G) ** 2)
    d_new[own, codes] = kept / nu * (counts[codes] / safe) ** 2 * d_own / left
    scores = left_out_log_priors(counts, codes, weight, fixed) - 0.5 * d_new
    scores[own[vanishes], codes[vanishes]] = -np.inf
    return LeftOut(scores, refit)


def discriminant_pass(
    means: Floats, basis: Floats, counts: Floats, nu: float, fixed: Floats | None, singular: bool
) -> Callable[[Block], LeftOut]:
    """Return the leave-one-out pass of linear discriminants: rows minus their class means, whitened, then the algebra.

    Parameters
    ----------
    means, basis : (K, p), (p, r) with basis' S basis = I
    counts, nu, fixed : as in :func:`discriminant_left_out`
    singular : bool
        Whether class means differ along directions without variance: their units change with every row, and every row is refitted.
    """
    centres = (means - means.mean(axis=0)) @ basis

    def left_out(tile: Block, X: Any, weight: Floats) -> LeftOut:
        assert tile.codes is not None
        u = about(X, means, tile.codes) @ like(basis, X)
        found = discriminant_left_out(u, centres, tile.codes, weight, counts, nu, fixed)
        return LeftOut(found.scores, np.ones(tile.n_rows, dtype=bool)) if singular else found

    return tiled(left_out)


def left_freedom(nu: float, counts: Floats, weight: Floats, vanishes: Bools) -> Floats:
    """Return ν of each left-out fit: ν − w, and where ν is n − K and a class vanishes, one more, since K falls too.

    Examples
    --------
    >>> left_freedom(4.0, np.array([5.0, 1.0]), np.ones(2), np.array([False, True]))
    array([3., 4.])
    """
    return nu - weight + (vanishes if nu < counts.sum() else 0.0)


def vanishing(N: Floats, weight: Floats) -> tuple[Bools, Floats]:
    """Return which rows take their class with them, and N_g − w of the others (1 in place of what would be 0).

    Examples
    --------
    >>> vanishing(np.array([1.0, 5.0]), np.ones(2))
    (array([ True, False]), array([1., 4.]))
    """
    rest = N - weight
    gone = rest <= GUARD * N
    return gone, np.where(gone, 1.0, rest)


def gaussian_left_out(
    d_own: Floats,
    joint: Floats,
    p: int,
    codes: Codes,
    weight: Floats,
    counts: Floats,
    ddof: float,
    fixed: Floats | None = None,
) -> LeftOut:
    """Return leave-one-out scores where each class has its own covariance W_k/(N_k − ddof): only the row's class changes.

        f = 1 − wN_g d/((N_g − w)(N_g − ddof)),  log det' = log det + log f + p log((N_g − ddof)/(N_g − w − ddof)),
        d' = d (N_g/(N_g − w))² (N_g − w − ddof)/((N_g − ddof) f)

    Parameters
    ----------
    d_own : (n,) Mahalanobis distance of each row in its own class
    joint : (n, K) log p(x, k) of the full fit
    p : int
        Number of columns (the rank of the covariances).
    codes, weight : (n,)
    counts : (K,)
    ddof : float
    fixed : (K,) priors to hold, optional

    Examples
    --------
    >>> d, joint = np.array([1.0]), np.array([[-1.5, -3.0]])
    >>> args = joint, 1, np.array([0], dtype=np.int32), np.ones(1), np.array([5.0, 5.0]), 0.0
    >>> bool(gaussian_left_out(d, *args).scores[0, 0] < joint[0, 0] + 0.2)
    True
    """
    own = np.arange(len(d_own))
    N = counts[codes]
    vanishes, rest = vanishing(N, weight)
    freedom, left_freedom = N - ddof, rest - ddof
    possible = ~vanishes & (left_freedom > 0)
    safe, safe_left = np.where(possible, rest, 1.0), np.where(possible, left_freedom, 1.0)
    f = 1.0 - weight * N * d_own / (safe * freedom)
    refit = ~vanishes & (~possible | (f <= GUARD))
    f = np.where(refit | vanishes, 1.0, f)
    d_new = d_own * (N / safe) ** 2 * safe_left / (freedom * f)
    change = -0.5 * (np.log(f) + p * np.log(np.where(possible, freedom / safe_left, 1.0)) + d_new - d_own)
    log_prior = log_priors(counts / counts.sum()) if fixed is None else log_priors(fixed)
    scores = joint - log_prior + left_out_log_priors(counts, codes, weight, fixed)
    scores[own, codes] += change
    scores[own[vanishes], codes[vanishes]] = -np.inf
    return LeftOut(scores, refit)


def gaussian_pass(
    scores_of: Callable[[Block], Floats],
    offset: Floats,
    counts: Floats,
    p: int,
    ddof: float,
    fixed: Floats | None,
    ranks: Ints,
) -> Callable[[Block], LeftOut]:
    """Return the leave-one-out pass of classes with covariances of their own.

    Parameters
    ----------
    scores_of : block → (n, K) offset_k − ½ d_ik of the full fit
    offset : (K,) log π_k − ½ log det Σ_k
    counts, p, ddof, fixed : as in :func:`gaussian_left_out`, p being the directions in which all rows vary
    ranks : (K,) directions in which each class varies; rows of a class with fewer than all rows vary in are refitted
    """

    def left_out(block: Block) -> LeftOut:
        codes, weights = on_host(block)
        scores, weight = to_host(scores_of(block)), np.ones(block.n_rows) if weights is None else weights
        d_own = 2.0 * (offset - scores)[np.arange(block.n_rows), codes]
        found = gaussian_left_out(d_own, scores, p, codes, weight, counts, ddof, fixed)
        flat = (ranks < p)[codes] | (counts[codes] - weight - 1.0 < p)
        return LeftOut(found.scores, found.refit | flat)

    return left_out

"""Linear discriminants of Gaussian classes with a shared covariance.

With B the whitening basis of Σ (B'ΣB = I), v_k = μ_k − x̄ and x̄ = Σ π_k μ_k,

    δ_k(x) = (x − x̄)'Σ⁻¹v_k − ½ v_k'Σ⁻¹v_k + log π_k,   Σ⁻¹ = BB'

which differs from x'Σ⁻¹μ_k − ½ μ_k'Σ⁻¹μ_k + log π_k by a term all classes share, and stays exact when the means are
huge beside the standard deviations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...array_types import Bools, Floats
from ...errors import InputError
from ...summaries import ClassMoments
from .shrinkage import shrink_in_units
from .whitening import Whitening, whiten

SURE = 1e-9
"""Share of a column's variance left by the columns before it, below which a covariance may be singular to working precision."""


@dataclass(frozen=True, slots=True)
class Discriminant:
    """Linear discriminants and the canonical directions.

    Attributes
    ----------
    coef, intercept : (K, p), (K,)
    scalings : (p, min(K − 1, r))
        Directions along which the classes have unit variance, the most separating first.
    ratio : share of the between-class variance along each of them
    mean : (p,) prior-weighted mean of the class means
    trace : float
        Of the covariance as used, after shrinking.
    whitening : of that covariance
    """

    coef: Floats
    intercept: Floats
    scalings: Floats
    ratio: Floats
    mean: Floats
    trace: float
    whitening: Whitening


def log_priors(priors: Floats) -> Floats:
    """Return log π, with a finite floor for classes of prior 0."""
    return np.log(np.maximum(priors, np.finfo(np.float64).tiny))


def pooled_divisor(moments: ClassMoments, covariance: str, weights: str = "frequency", growing: bool = False) -> float:
    """Return what the pooled scatter is divided by: n − K ("unbiased") or n ("mle").

    Parameters
    ----------
    moments : ClassMoments
    covariance : "unbiased" or "mle"
    weights : "frequency" or "reliability"
        Weights that say how far to trust a row matter only relative to each other: they are scaled to sum to the number of rows.
    growing : bool
        Whether more rows may come: n then serves until there are more rows than classes; else that is an error.
    """
    n, K = float(moments.counts.sum()), int((moments.counts > 0).sum())
    if covariance == "mle":
        return n
    freedom = n - K if weights == "frequency" else n * (1.0 - K / float(moments.rows.sum()))
    if freedom > 0:
        return freedom
    if growing:
        return n
    raise InputError(
        f"covariance='unbiased' divides by n - K, but the weights of all rows sum to n = {n:g} with K = {K} classes. "
        "Use covariance='mle', which divides by n, or give more rows."
    )


def solve_discriminant(
    means: Floats, covariance: Floats, priors: Floats, spread: Floats, alpha: float = 0.0, unit: Floats | None = None, p: int | None = None
) -> Discriminant:
    """Return the discriminants of classes with the given means, covariance and priors.

    Parameters
    ----------
    means : (K, p)
    covariance : (p, p)
        Written over.
    priors : (K,)
    spread : (p,)
        Total standard deviations: the units in which directions without variance are compared.
    alpha : float
        Shrinkage towards a multiple of the identity, in columns divided by `unit` (default: as they are).
    p : int
        Number of columns behind the coordinates, where they are fewer (see `embedding`).

    Examples
    --------
    >>> found = solve_discriminant(np.array([[0.0, 0.0], [2.0, 0.0]]), np.eye(2), np.array([0.5, 0.5]), np.ones(2))
    >>> (found.coef[1] - found.coef[0]).tolist()
    [2.0, 0.0]
    """
    if alpha > 0.0:
        shrink_in_units(covariance, alpha, unit, p or len(covariance))
    trace = float(np.trace(covariance))
    whitening = whiten(covariance, spread, overwrite=True)
    mean = priors @ means
    Z = whitening.coordinates(means - mean)
    coef = whitening.directions(Z)
    intercept = log_priors(priors) - 0.5 * np.einsum("kr,kr->k", Z, Z) - coef @ mean
    scalings, ratio = canonical(Z, priors, whitening.directions)
    return Discriminant(coef, intercept, scalings, ratio, mean, trace, whitening)


def canonical(Z: Floats, priors: Floats, directions: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return the directions that separate whitened means Z (K, r) best, and their shares of Σ π_k ‖z_k‖².

    Parameters
    ----------
    Z, priors : (K, r), (K,)
    directions : coordinates (m, r) → directions (m, p)
    """
    count = min(len(Z) - 1, Z.shape[1])
    if len(Z) == 2:
        # Two means have one direction; a singular value decomposition would find the same one slowly.
        difference = Z[1:] - Z[:1]
        length = float(np.linalg.norm(difference))
        singular, rotation = np.array([length]), difference / length if length > 0 else np.eye(1, Z.shape[1])
    else:
        _, singular, rotation = np.linalg.svd(np.sqrt(priors)[:, None] * Z, full_matrices=False)
    scalings = directions(rotation[:count]).T
    signs = np.sign(scalings[np.abs(scalings).argmax(axis=0), np.arange(count)])
    total = float(np.sum(singular**2))
    ratio = singular[:count] ** 2 / total if total > 0 else np.zeros(count)
    return scalings * np.where(signs == 0, 1.0, signs), ratio


def solve_many(means: Floats, covariances: Floats, priors: Floats, alpha: float = 0.0) -> tuple[Floats, Floats, Bools]:
    """Return coef (B, K, p) and intercept (B, K) of B discriminants at once, and which of them are sure.

    Where a covariance is close to singular its discriminants are not sure: use :func:`solve_discriminant` there.

    Parameters
    ----------
    means, covariances : (B, K, p), (B, p, p)
    priors : (B, K), or (1, K) for all
    alpha : float
        Shrinkage towards a multiple of the identity.

    Examples
    --------
    >>> one = solve_discriminant(np.array([[0.0], [2.0]]), np.eye(1), np.array([0.5, 0.5]), np.ones(1))
    >>> many = solve_many(np.array([[[0.0], [2.0]]]), np.eye(1)[None], np.array([[0.5, 0.5]]))
    >>> bool(np.allclose(many[0][0], one.coef) and np.allclose(many[1][0], one.intercept)), many[2].tolist()
    (True, [True])
    """
    p = covariances.shape[1]
    if alpha > 0.0:
        trace = np.einsum("bjj->b", covariances) / p
        covariances = (1.0 - alpha) * covariances + alpha * trace[:, None, None] * np.eye(p)
    own = np.sqrt(np.maximum(np.einsum("bjj->bj", covariances), 0.0))
    own = np.where(own > 0, own, 1.0)
    R = covariances / own[:, :, None] / own[:, None, :]
    sure = _definite(R)
    if not sure.all():
        R = np.where(sure[:, None, None], R, np.eye(p))
    centre = np.einsum("bk,bkp->bp", np.broadcast_to(priors, means.shape[:2]), means)
    V = means - centre[:, None, :]
    coef = np.linalg.solve(R, (V / own[:, None, :]).transpose(0, 2, 1)).transpose(0, 2, 1) / own[:, None, :]
    intercept = log_priors(priors) - 0.5 * np.einsum("bkp,bkp->bk", coef, V) - np.einsum("bkp,bp->bk", coef, centre)
    return coef, intercept, sure


def _definite(R: Floats) -> Bools:
    """Return which of some correlation matrices (B, p, p) are safely definite."""
    try:
        definite: Bools = (np.einsum("bjj->bj", np.linalg.cholesky(R)) ** 2 > SURE).all(axis=1)
        return definite
    except np.linalg.LinAlgError:  # one of them: find out which
        return np.linalg.eigvalsh(R)[:, 0] > SURE

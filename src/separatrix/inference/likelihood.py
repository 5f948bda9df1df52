"""Log-likelihoods of generative models from summaries: no rows are needed, whether they were fitted or are new.

Each function takes the summary a model was fitted on (`own`), which gives the maximum-likelihood parameters, and that of the rows
to judge (`given`). It returns Σ w_i log p(x_i | class of i); the priors' part Σ n_k log π_k is that of `prior_likelihood`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from ..array_types import Bools, Floats
from ..errors import InputError
from ..solvers.closed_form.quadratic import regularise
from ..solvers.closed_form.whitening import ROUNDING, total_spread
from ..summaries import ClassMoments
from .canonical import involved
from .normal import LOG_2PI, OFF, Normal

FLAT = 1e-13
"""Standard deviation within a class, relative to the total one, that may be rounding."""


def aic(log_likelihood: float, k: float) -> float:
    """Return Akaike's criterion, 2k − 2 log L; smaller is better.

    Examples
    --------
    >>> aic(-10.0, 3)
    26.0
    """
    return 2.0 * k - 2.0 * log_likelihood


def bic(log_likelihood: float, k: float, n: float) -> float:
    """Return Schwarz's criterion, k log n − 2 log L; smaller is better.

    Examples
    --------
    >>> round(bic(-10.0, 3, 100.0), 4)
    33.8155
    """
    return k * float(np.log(n)) - 2.0 * log_likelihood


def prior_likelihood(counts: Floats, priors: Floats) -> float:
    """Return Σ n_k log π_k, −∞ where a class of prior zero has rows.

    Examples
    --------
    >>> round(prior_likelihood(np.array([1.0, 3.0]), np.array([0.25, 0.75])), 4)
    -2.2493
    """
    return float(xlogy(counts, priors).sum())


def spread_of(moments: ClassMoments) -> Floats:
    """Return the total standard deviation of each column, (p,)."""
    return total_spread(moments.counts, moments.means, moments.to_diagonal_sums())[1]


def shared_normal(own: ClassMoments, alpha: float = 0.0, unit: Floats | None = None) -> Normal:
    """Return the normal of the pooled maximum-likelihood covariance W/n, shrunk by α in columns divided by `unit`.

    Parameters
    ----------
    own : ClassMoments of kind "pooled"
    """
    return Normal.of(shrunk(own.scatter / own.counts.sum(), alpha, unit), spread_of(own))


def shrunk(covariance: Floats, alpha: float, unit: Floats | None, ridge: float = 0.0) -> Floats:
    """Return (1 − r)[(1 − α)S + αT] + rI, T a multiple of the identity in columns divided by `unit` (default: as they are)."""
    units = None if unit is None else unit[None]
    return np.asarray(regularise(covariance[None].copy(), np.array([alpha]), units, ridge)[0])


def shared_covariance(own: ClassMoments, given: ClassMoments, normal: Normal) -> float:
    """Return the log-likelihood of Gaussian classes with one covariance (both summaries pooled).

    At the maximum, for the rows fitted: −n/2 [p log 2π + log det(W/n) + p].

    Examples
    --------
    >>> moments = ClassMoments.from_data([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2], pooled=True)
    >>> round(shared_covariance(moments, moments, shared_normal(moments)), 4)
    -8.5789
    """
    return normal.log_likelihood(given.counts, given.means - own.means, given.scatter)


def own_normals(own: ClassMoments, covariances: Floats, names: list[str] | None = None) -> list[Normal]:
    """Return the normal of each class that has rows; an error where one varies in fewer directions than all together.

    Its density would grow without bound on the plane of its rows: the likelihood has no maximum.
    """
    spread = spread_of(own)
    seen = np.flatnonzero(own.counts > 0)
    normals = [Normal.of(covariances[k], spread) for k in seen]
    rank = Normal.of(own.scatter.sum(axis=0) / own.counts.sum(), spread).rank
    flat = [(int(k), normal) for k, normal in zip(seen, normals, strict=True) if normal.rank < rank]
    if flat:
        k, normal = flat[0]
        raise InputError(
            f"The likelihood has no maximum: class {own.classes.tolist()[k]!r} ({own.rows[k]} rows) varies in {normal.rank} of the {rank} "
            f"directions in which the classes vary, and not along {involved(normal.null, names)}; its density is infinite there. "
            "Give it more rows, leave columns out, or use LinearDiscriminantAnalysis."
        )
    return normals


def own_covariances(own: ClassMoments, given: ClassMoments, normals: list[Normal]) -> float:
    """Return the log-likelihood of Gaussian classes, each with its covariance (both summaries full).

    At the maximum, for the rows fitted: −½ Σ n_k [p log 2π + log det(W_k/n_k) + p].
    """
    seen = np.flatnonzero(own.counts > 0)
    if given.counts.sum() > given.counts[seen].sum():
        return -np.inf
    parts = [
        normal.log_likelihood(given.counts[k : k + 1], given.means[k : k + 1] - own.means[k], given.scatter[k])
        for k, normal in zip(seen, normals, strict=True)
    ]
    return float(sum(parts))


def varying(own: ClassMoments, names: list[str] | None = None) -> Bools:
    """Return which columns (p,) vary within the classes; an error where one varies in some classes and not in others."""
    counts = np.repeat(own.counts[:, None], own.n_features, axis=1)
    return varying_cells(counts, own.means, own.scatter, spread_of(own), own.classes, names)


def varying_cells(counts: Floats, means: Floats, scatter: Floats, spread: Floats, classes: NDArray[Any], names: list[str] | None) -> Bools:
    """Return which columns vary within the classes, from counts, means and sums of squares (K, p) and total deviations (p,)."""
    seen = counts > 0
    deviations = np.sqrt(scatter / np.where(seen, counts, 1.0))
    flat = (deviations <= FLAT * spread + ROUNDING * np.abs(means)) & seen
    constant = (flat | ~seen).all(axis=0)
    some = flat.any(axis=0) & ~constant
    if some.any():
        j = int(some.argmax())
        label = classes.tolist()[int(flat[:, j].argmax())]
        name = repr(names[j]) if names else f"column {j}"
        raise InputError(
            f"The likelihood has no maximum: {name} does not vary within class {label!r} ({int(some.sum())} column(s) like it), so its "
            "density is infinite there. Leave such columns out; smoothing is not part of the likelihood."
        )
    return np.asarray(~constant)


def own_variances(own: ClassMoments, given: ClassMoments, columns: Bools) -> float:
    """Return the log-likelihood of independent normal columns (both summaries diagonal), in the columns that vary.

    Examples
    --------
    >>> moments = ClassMoments.from_data([[0.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1], diagonal=True)
    >>> round(own_variances(moments, moments, np.array([True])), 4)
    -5.6758
    """
    seen = own.counts > 0
    if given.counts.sum() > given.counts[seen].sum():
        return -np.inf
    n = given.counts[seen, None]
    square = given.scatter[seen] + n * (given.means[seen] - own.means[seen]) ** 2
    spread = spread_of(own)
    if (square > OFF * n * np.where(spread > 0, spread, 1.0) ** 2)[:, ~columns].any():
        return -np.inf
    variance = (own.scatter[seen] / own.counts[seen, None])[:, columns]
    return -0.5 * float(np.sum(n * (LOG_2PI + np.log(variance)) + square[:, columns] / variance))


def shares(part: Floats, whole: Floats) -> Floats:
    """Return part/whole, 0 where there is nothing."""
    whole = np.broadcast_to(whole, part.shape)
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)


def counts_log_likelihood(seen: Floats, probabilities: Floats) -> float:
    """Return Σ N log p over cells; what was never possible and did happen makes it −∞.

    Examples
    --------
    >>> counts_log_likelihood(np.array([2.0, 0.0]), np.array([1.0, 0.0])), counts_log_likelihood(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    (0.0, -inf)
    """
    return float(xlogy(seen, probabilities).sum())

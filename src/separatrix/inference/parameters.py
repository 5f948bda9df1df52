"""How many parameters a generative model estimates: the k of AIC and BIC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..array_types import Floats

Likelihood = Literal["joint", "conditional"]
Family = Literal["shared covariance", "own covariances", "own variances", "switches", "words"]

JOINT: dict[Family, Callable[[int, int], int]] = {
    "shared covariance": lambda K, p: K * p + p * (p + 1) // 2,
    "own covariances": lambda K, p: K * p + K * p * (p + 1) // 2,
    "own variances": lambda K, p: 2 * K * p,
    "switches": lambda K, p: K * p,
    "words": lambda K, p: K * (p - 1),
}
"""Parameters of p(x | k); p is the rank of the columns, or for categories Σ_j (L_j − 1)."""
CONDITIONAL: dict[Family, Callable[[int, int], int]] = {
    "shared covariance": lambda K, p: (K - 1) * (p + 1),
    "own covariances": lambda K, p: (K - 1) * (1 + p + p * (p + 1) // 2),
    "own variances": lambda K, p: (K - 1) * (1 + 2 * p),
    "switches": lambda K, p: (K - 1) * (1 + p),
    "words": lambda K, p: (K - 1) * (1 + p),
}
"""Parameters of the log-odds: linear functions of the columns, or quadratic ones, of which there are K − 1."""


def count_parameters(family: Family, K: int, p: int, likelihood: Likelihood = "joint", priors_given: bool = False) -> int:
    """Return k for K classes. The joint likelihood also has K − 1 priors, unless they are given.

    Given priors do not lower the conditional count: the constants of the log-odds are free through the means all the same.

    Examples
    --------
    >>> [count_parameters(family, 3, 4) for family in ("shared covariance", "own covariances", "own variances")]
    [24, 44, 26]
    """
    density = JOINT[family](K, p)
    if likelihood == "joint":
        return density + (0 if priors_given else K - 1)
    # Log-odds cannot have more parameters than the densities and priors they come from.
    return min(CONDITIONAL[family](K, p), density + K - 1)


def effective_parameters(S: Floats, used: Floats, K: int, alpha: float, own_scale: bool = False, ridge: float = 0.0) -> float:
    """Return the effective number of parameters of K means and a covariance S that was shrunk, to first order.

        used = (1 − r)[(1 − α)S + αT] + rI,   A = used⁻¹S
        k = K tr A + (1 − r){½(1 − α)[tr A² + (tr A)²] + α t}

    T = (tr S/p)I and t = tr(A A')/p; or, shrunk in units of each column's own standard deviation, T = c diag S and t = c Σ_j A_jj², c being
    the share of columns that vary. k is how much the log-likelihood of the rows fitted exceeds that of new ones, on average, with α as
    given: without shrinkage Kp + p(p + 1)/2. With α = 1 in own units it is Kp + p, that of naive Bayes with shared variances.

    Parameters
    ----------
    S, used : (p, p) maximum-likelihood covariance, before and after
    K : int
    alpha : float
        α.
    own_scale : bool
        Whether S was shrunk in units of the columns' own standard deviations.
    ridge : float
        r.

    Examples
    --------
    >>> S = np.diag([1.0, 3.0])
    >>> effective_parameters(S, S, K=3, alpha=0.0), effective_parameters(S, np.diag([2.0, 2.0]), K=3, alpha=1.0)
    (9.0, 7.25)

    References
    ----------
    Konishi and Kitagawa (1996), Generalised information criteria in model selection, Biometrika 83.
    """
    if not S.any():
        return 0.0  # nothing varies, and nothing was estimated but means that cannot be wrong
    p = len(S)
    A = np.linalg.solve(used, S)
    trace = float(np.trace(A))
    if own_scale:
        t = float(np.mean(np.diag(S) > 0) * np.sum(np.diag(A) ** 2))
    else:
        t = float(np.sum(A**2)) / p
    spread = 0.5 * (1.0 - alpha) * (float(np.sum(A * A.T)) + trace**2) + alpha * t
    return K * trace + (1.0 - ridge) * spread

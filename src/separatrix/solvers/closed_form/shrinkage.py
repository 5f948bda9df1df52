"""How much to shrink a covariance towards a multiple of the identity."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats


def shrink(covariance: Floats, alpha: float, p: int) -> Floats:
    """Turn S into (1 − α)S + α (tr S/p) I, in place, and return it. `p` is the number of columns, which may exceed S's coordinates.

    Examples
    --------
    >>> shrink(np.diag([1.0, 3.0]), 0.5, 2).tolist()
    [[1.5, 0.0], [0.0, 2.5]]
    """
    level = alpha * np.trace(covariance) / p
    covariance *= 1.0 - alpha
    covariance.flat[:: len(covariance) + 1] += level
    return covariance


def shrink_in_units(covariance: Floats, alpha: float, unit: Floats | None, p: int) -> Floats:
    """Shrink S, in place, in columns divided by `unit` (default: as they are), and return it.

    Examples
    --------
    >>> shrink_in_units(np.diag([1.0, 4.0]), 0.5, np.array([1.0, 2.0]), 2).tolist()
    [[1.0, 0.0], [0.0, 4.0]]
    """
    if unit is None:
        return shrink(covariance, alpha, p)
    covariance /= unit[:, None]
    covariance /= unit
    shrink(covariance, alpha, p)
    covariance *= unit[:, None]
    covariance *= unit
    return covariance


def ledoit_wolf_alpha(covariance: Floats, fourth: float, n: float, p: int) -> float:
    """Return Ledoit and Wolf's α from S = Σ z z'/n and fourth = Σ ‖z‖⁴.

        δ² = ‖S − μI‖²,  μ = tr S/p,  β² = (fourth/n − ‖S‖²)/n,  α = min(β², δ²)/δ²

    References
    ----------
    Ledoit and Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate Analysis 88.

    Examples
    --------
    >>> z = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    >>> ledoit_wolf_alpha(z.T @ z / 4, float((np.sum(z**2, axis=1) ** 2).sum()), 4, 2)
    1.0
    """
    norm = float(np.sum(covariance**2))
    delta = norm - np.trace(covariance) ** 2 / p
    beta = (fourth / n - norm) / n
    # Rounding leaves about 1e-15 of the norm where S is a multiple of the identity already: nothing is lost by α = 1.
    return 1.0 if delta <= 1e-14 * norm else float(np.clip(beta / delta, 0.0, 1.0))


def oas_alpha(covariance: Floats, n: float, p: int) -> float:
    """Return the oracle-approximating α from S alone.

        α = (m₂ + μ²) / ((n + 1)(m₂ − μ²/p)),  m₂ = ‖S‖²/p²,  μ = tr S/p

    References
    ----------
    Chen, Wiesel, Eldar and Hero (2010), Shrinkage algorithms for MMSE covariance estimation, IEEE Trans. Signal Processing 58.

    Examples
    --------
    >>> round(oas_alpha(np.array([[1.0, 0.5], [0.5, 1.0]]), 40.0, 2), 4)
    0.3171
    """
    second, mu2 = float(np.sum(covariance**2)) / p**2, (float(np.trace(covariance)) / p) ** 2
    denominator = (n + 1.0) * (second - mu2 / p)
    return 1.0 if denominator <= 0 else float(min(1.0, (second + mu2) / denominator))

"""Total standard deviations of the columns: the units in which directions without variance within classes are compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Standard deviation, relative to the mean, that is left by rounding alone in a column of equal values."""


def total_spread(counts: Floats, means: Floats, within: Floats) -> tuple[Floats, Floats]:
    """Return the mean of all rows and the total standard deviation of each column, exactly 0 where a column is constant.

        m = Σ n_k m_k / n,   s_j² = (W_jj + Σ n_k (m_kj − m_j)²) / n

    Parameters
    ----------
    counts, means : (K,), (K, p)
        Classes without rows have count 0.
    within : (p,)
        Sums of squares within the classes, W_jj.

    Examples
    --------
    >>> total_spread(np.array([1.0, 3.0]), np.array([[0.1, 4.0], [0.1, 0.0]]), np.array([0.0, 4.0]))[1].tolist()
    [0.0, 2.0]
    """
    n = counts.sum()
    centre = counts @ means / n
    spread = np.sqrt((within + counts @ (means - centre) ** 2) / n)
    # Without this a constant 0.1 has a spread of 1e-17, and dividing by it makes numbers out of rounding.
    return centre, np.where(spread > ROUNDING * np.abs(centre), spread, 0.0)

"""The sweep operator: regress columns on one more column, or on one less, in place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def sweep(A: Floats, j: int, back: bool = False) -> None:
    """Sweep a symmetric matrix on column j, in place, or take that back.

        d = a_jj,   a_kl ← a_kl − a_kj a_jl/d,   a_kj ← ± a_kj/d (− if back),   a_jj ← −1/d

    After columns S are swept, the rest holds the scatter of what S leaves over, A_RR − A_RS A_SS⁻¹ A_SR, and S holds −A_SS⁻¹. One sweep
    is O(p²).

    Examples
    --------
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> sweep(A, 0)
    >>> A.tolist()
    [[-0.25, 0.5], [0.5, 2.0]]
    >>> sweep(A, 0, back=True)
    >>> A.tolist()
    [[4.0, 2.0], [2.0, 3.0]]

    References
    ----------
    Goodnight (1979), A tutorial on the SWEEP operator, The American Statistician 33.
    """
    d, column = A[j, j], A[j].copy()
    scaled = column / d
    A -= np.outer(column, scaled)
    A[j] = A[:, j] = -scaled if back else scaled
    A[j, j] = -1.0 / d

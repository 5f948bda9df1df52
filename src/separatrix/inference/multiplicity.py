"""Several tests at once: p-values that keep the probability of any false alarm at its level."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats


def holm(p: Floats) -> Floats:
    """Return Holm's adjusted p-values (m,): reject those below α, and any false rejection has probability α at most.

        p̃_(i) = max_{j ≤ i} min(1, (m − j + 1) p_(j))

    Parameters
    ----------
    p : (m,) p-values

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(4)
    array([0.03, 0.06, 0.06])

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order]))
    return adjusted

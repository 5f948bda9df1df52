"""Products with dense rows in float32, for directions that may be rough: half the bytes, and half the time.

A direction d of Newton's method is to leave a share of the gradient, not its last digits. Products of rows in float32 are right to about
1e-6 of the largest curvature there is, which is next to nothing along d unless the curvature there is smaller still. Whether it is shows at
the end of a direction: d minimises the quadratic model along itself, so that d'Hd is g'd, and d'Hd in float64 costs no product, because X d
is needed anyway. Where the two differ the rows in float32 are given up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Floats
from ...thresholds import SUMS

LEAST, MOST = 1e-15, 1e15
"""Sizes of columns, roots of their mean squares, between which squares of values and sums of them have room in float32."""
APART = 0.01
"""Share of itself by which d'Hd may differ from what the products in float32 made of it."""


def in_single(X: Any, squares: Floats) -> Any:
    """Return dense rows in float32, for columns of these mean squares (p,); None where they have no room there, or it is not worth it.

    Examples
    --------
    >>> in_single(np.ones((2, 2)), np.ones(2)) is None, in_single(np.ones((300, 200)), np.ones(200)).dtype
    (True, dtype('float32'))
    """
    sizes = np.sqrt(squares[squares > 0.0])
    if not SUMS.reached(X.size) or not (sizes.min(initial=1.0) > LEAST and sizes.max(initial=1.0) < MOST):
        return None
    return X.astype(np.float32, copy=False)


def times(X: Any, V: Floats) -> Floats:
    """Return XV (n, R) in float64, computed in the type of X; V is brought to a size that has room there.

    Examples
    --------
    >>> times(np.ones((1, 2), dtype=np.float32), np.array([[2.0], [4.0]]) * 2.0**-900) * 2.0**900
    array([[6.]])
    """
    if X.dtype == V.dtype:
        return np.asarray(X @ V)
    size = float(np.abs(V).max(initial=0.0)) or 1.0
    product: Floats = (X @ (V / size).astype(X.dtype)).astype(np.float64)
    product *= size
    return product


def is_apart(bent: float, slope: float) -> bool:
    """Whether d'Hd in float64 differs from g'd, as products in float32 had it.

    Examples
    --------
    >>> is_apart(1.0, 1.001), is_apart(1.0, 1.1), is_apart(np.nan, 1.0)
    (False, True, True)
    """
    return not abs(bent - slope) <= APART * abs(slope)

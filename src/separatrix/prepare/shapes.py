"""Bases for what a straight line misses: natural cubic splines and bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats

HARRELL = {3: (0.1, 0.5, 0.9), 4: (0.05, 0.35, 0.65, 0.95), 5: (0.05, 0.275, 0.5, 0.725, 0.95)}
"""Quantiles at which knots stand."""


def natural_spline(x: Floats, knots: Floats) -> Floats:
    """Return the curved part of a natural cubic spline, (n, number of knots − 2), in units of the range of the knots.

        N_k(x) = d_k(x) − d_{m−1}(x),   d_k(x) = [(x − ξ_k)₊³ − (x − ξ_m)₊³]/(ξ_m − ξ_k)

    Together with x itself and a constant it spans all curves that are cubic between knots, smooth at them, and straight beyond.

    Examples
    --------
    >>> natural_spline(np.array([0.0, 0.5, 2.0, 3.0]), np.array([0.0, 0.5, 1.0])).ravel().round(3).tolist()
    [0.0, 0.125, 2.25, 3.75]

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 5.2.1.
    """
    knots = np.asarray(knots, dtype=np.float64)
    low, reach = knots[0], knots[-1] - knots[0]
    z, at = (x[:, None] - low) / reach, (knots - low) / reach
    with np.errstate(invalid="ignore"):
        cubes = np.maximum(z - at, 0.0) ** 3
        slopes = (cubes[:, :-1] - cubes[:, -1:]) / (at[-1] - at[:-1])
    found: Floats = slopes[:, :-1] - slopes[:, -1:]
    return found


def bin_of(x: Floats, edges: Floats) -> NDArray[np.intp]:
    """Return the bin of each value between edges: 0 up to the first edge, which belongs to it, −1 for NaN.

    Examples
    --------
    >>> bin_of(np.array([1.0, 2.0, 2.5, 9.0, np.nan]), np.array([2.0, 5.0])).tolist()
    [0, 0, 1, 2, -1]
    """
    found = np.searchsorted(edges, x, side="left")
    return np.where(np.isnan(x), -1, found)


def weighted_quantiles(x: Floats, weight: Floats, shares: tuple[float, ...] | Floats) -> Floats:
    """Return quantiles of values of which each stands there `weight` times; the mean of two neighbours where a share falls between them.

    Examples
    --------
    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]), (0.5,)).tolist()
    [1.5]
    """
    if (weight == weight[0]).all():
        values, total = np.sort(x), weight[0] * np.arange(1.0, len(x) + 1.0)
    else:
        order = np.argsort(x, kind="stable")
        values, total = x[order], np.cumsum(weight[order])
    at = np.asarray(shares, dtype=np.float64) * total[-1]
    low = values[np.minimum(np.searchsorted(total, at * (1 - 1e-12), side="left"), len(values) - 1)]
    high = values[np.minimum(np.searchsorted(total, at * (1 + 1e-12), side="right"), len(values) - 1)]
    return np.asarray((low + high) / 2.0)

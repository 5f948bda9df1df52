"""Weights are frequencies: a row of weight 3 counts as three equal rows, one of weight 0 as none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weights as float64, or None where every row counts once.

    Examples
    --------
    >>> check_weights([1, 2], 2)
    array([1., 2.])
    >>> check_weights(None, 2) is None
    True
    """
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight)
    if weight.dtype.kind not in "fiub":
        weight = weight.astype(np.float64)
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got shape {weight.shape}; pass one weight per row.")
    if len(weight) != n_rows:
        raise InputError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}! One weight per row is needed: X has {n_rows} rows, "
            f"sample_weight has {len(weight)}."
        )
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    if not np.isfinite(weight).all():
        raise InputError("Input sample_weight contains NaN or infinity; give every row a finite weight (0 leaves it out).")
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise InputError(
            f"Negative values in sample_weight: row {row} has {weight[row]}. Weights are frequencies and must be ≥ 0; "
            "to take rows back out of a fitted model use forget(X, y)."
        )
    if not weight.any():
        raise InputError("All entries of sample_weight are zero, so no row would count; give at least some rows a positive weight.")
    return weight

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
    weight = _numbers(sample_weight)
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
    with np.errstate(over="ignore", invalid="ignore"):
        total = weight.sum()
    negative = weight < 0
    if not np.isfinite(total) and not (negative.any() and np.isfinite(weight).all()):
        if np.isfinite(weight).all():
            raise InputError("The sum of sample_weight is infinite in float64; divide the weights by a large number.")
        raise InputError("Input sample_weight contains NaN or infinity; give every row a finite weight (0 leaves it out).")
    if negative.any():
        row = int(np.flatnonzero(negative)[0])
        raise InputError(
            f"Negative values in sample_weight: row {row} has {weight[row]}. Weights are frequencies and must be ≥ 0; "
            "to take rows back out of a fitted model use forget(X, y)."
        )
    if not weight.any():
        raise InputError("All entries of sample_weight are zero, so no row would count; give at least some rows a positive weight.")
    return weight


def _numbers(sample_weight: Any) -> NDArray[Any]:
    """Return the weights as an array of real numbers, or say what was given instead."""
    try:
        weight = np.asarray(sample_weight)
        if weight.dtype.kind in "fiub":
            return weight
        if weight.dtype.kind == "O":
            return weight.astype(np.float64)
        found = f"of dtype {weight.dtype}"
    except (TypeError, ValueError, OverflowError) as error:
        found = f"a {type(sample_weight).__name__} that does not become numbers ({error})"
    raise InputError(
        f"sample_weight is {found}; pass one number per row, such as np.ones(len(X)), or None. For weights by class use "
        "class_weight={label: weight} where the model has it."
    )


def with_squares(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights of which only the ratios count, divided by the largest where sums of their squares would leave float64.

    Examples
    --------
    >>> with_squares(np.array([1e-300, 2e-300])).tolist(), with_squares(np.array([1.0, 2.0])).tolist()
    ([0.5, 1.0], [1.0, 2.0])
    """
    largest = float(weight.max(initial=0.0))
    return weight if largest == 0.0 or 1e-100 < largest < 1e100 else weight / largest

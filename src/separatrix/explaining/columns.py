"""Columns as users name them, and what may be done to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..argument_types import is_among, is_listed
from ..array_types import Bools, Floats
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean


def column_number(names: Sequence[str], key: Any, parameter: str) -> int:
    """Return the position of a column given by name or number.

    Examples
    --------
    >>> column_number(["age", "income"], "income", "fixed")
    1
    """
    if is_among(key, names):
        return list(names).index(key)
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and 0 <= key < len(names):
        return int(key)
    listed = ", ".join(map(str, names[:12])) + (", …" if len(names) > 12 else "")
    raise UnknownNameError(f"{parameter} names the column {key!r}, which is not in X.{did_you_mean(key, names)} Columns: {listed}.")


def limits(
    names: Sequence[str], x: Floats, change: Iterable[Any] | None, fixed: Iterable[Any], bounds: Mapping[Any, Any] | None
) -> tuple[Bools, Floats, Floats]:
    """Return which columns may change, and how low and high each may become.

    Parameters
    ----------
    names : of the p columns
    x : (p,) the row
    change : columns that may change, None for all
    fixed : columns that may not
    bounds : {column: (lower, upper)}, None for no bound on that side
    """
    for parameter, given in (("change", change), ("fixed", fixed)):
        if isinstance(given, str):
            raise InputTypeError(f"{parameter}={given!r} must be a list of columns; write {parameter}=[{given!r}].")
        if given is not None and not is_listed(given):
            raise InputTypeError(f"{parameter}={given!r:.60} must be a list of columns, such as {parameter}=[{names[0]!r}].")
    free = np.full(len(names), change is None)
    for key in change or ():
        free[column_number(names, key, "change")] = True
    for key in fixed:
        free[column_number(names, key, "fixed")] = False
    if not free.any():
        raise InputError("No column may change: fixed and change leave none; free at least one.")
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for key, pair in (bounds or {}).items():
        j = column_number(names, key, "bounds")
        lower[j], upper[j] = _pair(key, pair)
    # A column that may not change keeps its value, also where that is out of bounds.
    return free, np.where(free, lower, x), np.where(free, upper, x)


def _pair(key: Any, pair: Any) -> tuple[float, float]:
    try:
        low, high = pair
        low, high = (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
    except (TypeError, ValueError):
        raise InputTypeError(f"bounds[{key!r}]={pair!r} must be (lower, upper), with None for no bound, such as (0, None).") from None
    if not low <= high:
        raise InputError(f"bounds[{key!r}]={pair!r} hold no number: the lower bound is above the upper one.")
    return low, high

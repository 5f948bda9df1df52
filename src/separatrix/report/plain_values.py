"""Facts as plain values, ready for JSON."""

from __future__ import annotations

import dataclasses
from math import isfinite
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value as lists, dicts, numbers and text; numbers that are not finite become None, since JSON has no word for them.

    Examples
    --------
    >>> plain({"share": np.float64(0.5), "p": float("nan"), 3: (np.int64(1), "a")})
    {'share': 0.5, 'p': None, '3': [1, 'a']}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {own.name: plain(getattr(value, own.name)) for own in dataclasses.fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)

"""Facts as JSON: dataclasses, arrays and numbers as plain values, and text that may stand inside a page."""

from __future__ import annotations

import dataclasses
import json
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


def page_json(value: Any) -> str:
    """Return JSON that stands safely between script tags: no <, > or & in it, and letters that are none as escapes.

    Examples
    --------
    >>> page_json({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text

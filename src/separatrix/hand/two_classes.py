"""Two classes as +1 and −1, and whether a plane can separate them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, UnknownNameError, did_you_mean
from ..logic import is_separable
from .small_data import SmallData


def sides(data: SmallData, positive: Any, method: str) -> tuple[list[int], int]:
    """Return y = +1 or −1 of each row, and the code of the positive class, by default the second."""
    if len(data.classes) != 2:
        raise InputError(f"{method} by hand takes two classes; there are {len(data.classes)}: pick the rows of two.")
    plus = 1
    if positive is not None:
        if positive not in data.classes:
            raise UnknownNameError(f"positive={positive!r} is not a class.{did_you_mean(positive, data.classes)} Classes: {data.classes}.")
        plus = data.classes.index(positive)
    return [1 if code == plus else -1 for code in data.codes], plus


def refuse_inseparable(data: SmallData, signs: list[int], bias: bool, method: str) -> None:
    """Raise the error, with the proof, of rows that no plane separates."""
    X = np.array([[float(value) for value in row] for row in data.rows])
    if bias:
        found = is_separable(X, np.array([data.classes[code] for code in data.codes]))
        if found:
            return
        # Work by hand numbers rows from 1, the proof from 0.
        raise InputError(
            f"No plane separates these rows, so {method} by hand has no end: {found} (Rows numbered from 0.) "
            "Give rows that a plane separates."
        )
    # A plane through the origin separates x with y = ±1 if and only if some plane separates yx from −yx.
    own = X * np.array(signs)[:, None]
    if not is_separable(np.vstack([own, -own]), np.repeat([1, 0], len(own))):
        raise InputError(
            f"No plane through the origin separates these rows, so {method} by hand has no end; allow a bias: "
            f"worked({method!r}, X, y, bias=True)."
        )

"""Rows as users call them: by position, or by the labels of a frame's index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, UnknownNameError, did_you_mean


def row_labels(X: Any) -> Any | None:
    """Return the index of a frame whose labels are not just the positions of its rows; else None.

    Examples
    --------
    >>> import pandas as pd
    >>> row_labels(pd.DataFrame({"age": [31, 47]}, index=["ann", "bob"])).tolist(), row_labels(pd.DataFrame({"age": [31, 47]}))
    (['ann', 'bob'], None)
    """
    index = getattr(X, "index", None) if hasattr(X, "iloc") else None
    if index is None or (getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1):
        return None
    return index


def row_position(X: Any, row: Any) -> Any:
    """Return the position of the row with a label; whole numbers are positions already, and so is what has no label to be.

    Examples
    --------
    >>> import pandas as pd
    >>> row_position(pd.DataFrame({"age": [31, 47]}, index=["ann", "bob"]), "bob")
    1
    """
    labels = None if isinstance(row, (int, np.integer)) else row_labels(X)
    if labels is None:
        return row
    try:
        found = labels.get_loc(row)
    except (KeyError, TypeError, ValueError):
        known = labels[:1000].tolist()
        shown = ", ".join(repr(label) for label in known[:3])
        raise UnknownNameError(
            f"row={row!r:.60} is not in the index of X.{did_you_mean(row, known)} Labels are such as {shown}; or give a position: 0, 1, …"
        ) from None
    if isinstance(found, (int, np.integer)):
        return int(found)
    places = np.arange(len(labels))[found].tolist()
    raise InputError(f"row={row!r:.60} is the label of {len(places)} rows, at {places[:5]}; give the position of one: row={places[0]}.")


def row_label(X: Any, row: int) -> Any:
    """Return the label of the row at a position, None where rows have none."""
    labels = row_labels(X)
    if labels is None:
        return None
    label = labels[row]
    return label.item() if isinstance(label, np.generic) else label

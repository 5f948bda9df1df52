"""Groups of rows as given by a user: one label per row, so that rows which belong together are held out together."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..argument_types import is_listed
from ..errors import InputError, short_text


def as_groups(groups: Any, n: int) -> NDArray[Any] | None:
    """Return the group of each row (n,), or refuse what does not name one per row; labels that cannot be sorted become numbers.

    Examples
    --------
    >>> as_groups([3, 3, 1], 3), as_groups(np.array(["a", 7, "a"], dtype=object), 3), as_groups(None, 3)
    (array([3, 3, 1]), array([0, 1, 0]), None)
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        raise InputError(f"groups={groups!r} is the name of a column; pass the group of each of the {n} rows, such as frame[{groups!r}].")
    labels = _labels(groups)
    if labels is None:
        raise InputError(f"groups={short_text(groups)} is not a list of groups; give the group of each of the {n} rows.")
    if len(labels) != n:
        raise InputError(f"groups has {len(labels)} entries, but there are {n} rows; give the group of each row.")
    for row in np.flatnonzero(labels != labels)[:1] if labels.dtype.kind in "fcmM" else ():
        raise InputError(f"groups has no group for row {row}, but {labels[row]}; give the group of each row.")
    return _numbered(labels) if labels.dtype.kind == "O" else labels


def _labels(groups: Any) -> NDArray[Any] | None:
    """Return labels as an array of one dimension; None where they are none."""
    if not is_listed(groups) or sp.issparse(groups):
        return None
    try:
        labels = np.asarray(groups)
    except (TypeError, ValueError):  # of different lengths
        return None
    return labels.ravel() if labels.ndim == 2 and labels.shape[1] == 1 else labels if labels.ndim == 1 else None


def _numbered(labels: NDArray[Any]) -> NDArray[Any]:
    """Return numbers for labels of any kind: in their order where they have one, else as they come."""
    try:
        missing = [row for row, label in enumerate(labels) if label is None or label != label]
        known = list(dict.fromkeys(labels))
    except (TypeError, ValueError):  # lists, arrays
        raise InputError("groups holds lists or arrays; give one word or number for each row.") from None
    if missing:
        raise InputError(f"groups has no group for row {missing[0]}, but {labels[missing[0]]}; give the group of each row.")
    with suppress(TypeError):
        known.sort()
    number = {label: position for position, label in enumerate(known)}
    return np.array([number[label] for label in labels])

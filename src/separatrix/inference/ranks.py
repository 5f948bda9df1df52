"""Ranks of values, ties sharing theirs: `scipy.stats` has them, but takes half a second to load, for which a look at a table would wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats


def average_ranks(values: NDArray[Any]) -> Floats:
    """Return the rank of each value, from 1; equal values share the mean of theirs.

    Examples
    --------
    >>> average_ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[begins, len(ordered)])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(begins + 0.5 * (sizes + 1), sizes)
    return ranks

"""The largest values of the columns, which bound how far a step moves the scores of the rows."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from ...data import Block
from ..rows import Rows


def largest_values(rows: Rows) -> Floats:
    """Return the largest |x_j| (p,) of each column; one pass.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> largest_values(Rows.of(as_source([[1.0, -3.0], [2.0, 0.0]], [0, 1]))).tolist()
    [2.0, 3.0]
    """

    def of_block(block: Block) -> Floats:
        found = abs(block.X).max(axis=0)
        return found.toarray().ravel() if block.is_sparse else np.asarray(found, dtype=np.float64)

    return np.asarray(np.max(list(rows.map(of_block)), axis=0))

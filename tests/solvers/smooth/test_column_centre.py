"""Means of columns about which rows are taken, in memory and where they are streamed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.solvers.smooth.column_centre import ColumnRanges, column_centre


def test_ranges_of_parts_are_those_of_the_whole(rng: Any) -> None:
    X = rng.normal(size=(90, 3)) + [0.0, 1e6, -3.0]
    X[:, 2] = 0.1
    parts = [ColumnRanges.of_block(Block(X[begin:end])) for begin, end in ((0, 40), (40, 40), (40, 90))]
    centre, far = parts[0].merge(parts[1]).merge(parts[2]).centre()
    assert_allclose(centre, column_centre(X)[0], rtol=1e-14)
    assert far and centre[2] == 0.1  # not off by rounding


def test_sparse_blocks_are_not_centred(rng: Any) -> None:
    dense, sparse = (ColumnRanges.of_block(Block(make(rng.normal(size=(9, 2))))) for make in (np.asarray, sp.csr_matrix))
    assert dense.is_dense and not dense.merge(sparse).is_dense

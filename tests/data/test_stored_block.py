"""A block given by its columns is the block of its rows, for whoever asks, replaces or sends it."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from separatrix.data import Block
from separatrix.data.buffers import Buffers
from separatrix.data.stored_block import Columns, StoredBlock

WAYS = {
    "asked": lambda block: block,
    "twice": lambda block: [block.X, block][1],
    "replaced": lambda block: replace(block, start=3),
    "sent": lambda block: pickle.loads(pickle.dumps(block)),
    "part": lambda block: block.part(0, 40),
}


@pytest.mark.parametrize("way", WAYS)
def test_stored_columns_are_the_rows(way: str, rng: Any) -> None:
    arrays = [rng.normal(size=40), rng.integers(0, 9, 40), rng.random(40) < 0.5]
    codes = rng.integers(0, 2, 40).astype(np.int32)
    block = WAYS[way](StoredBlock(Columns(arrays, np.dtype(np.float64), Buffers()), codes, None, 3))
    assert [block.n_rows, block.n_features, block.start, block.is_sparse] == [40, 3, 3, False]
    rows = np.column_stack(arrays)
    assert (np.column_stack(block.columns) == rows).all()
    assert (rows == block.X).all() and block.X.dtype == np.float64 and (block.codes == codes).all()


def test_rows_that_lie_together_have_no_columns(rng: Any) -> None:
    X = rng.normal(size=(6, 3))
    assert Block(X).columns is None and Block(X[:, :1]).columns is None
    for by_columns in (np.asfortranarray(X), np.asfortranarray(X)[2:5]):
        assert (np.column_stack(Block(by_columns).columns) == by_columns).all()

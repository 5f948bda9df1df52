"""Reading ahead and cutting anew."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pyarrow as pa
import pytest

from separatrix.data.batches import Piece, cut, read_ahead


def count(made: list[int], stop: int = 10**9) -> Generator[int]:
    for i in range(stop):
        made.append(i)
        yield i


@pytest.mark.parametrize("depth", [1, 3])
def test_at_most_depth_items_are_ahead(depth: int) -> None:
    made: list[int] = []
    items = read_ahead(count(made), depth)
    for taken in range(20):
        assert next(items) == taken
        assert len(made) <= taken + 1 + depth
    items.close()


def test_close_ends_the_thread_and_the_items() -> None:
    closed = threading.Event()

    def items() -> Generator[int]:
        try:
            yield from count([])
        finally:
            closed.set()

    ahead = read_ahead(items(), 2)
    next(ahead)
    ahead.close()
    assert closed.is_set() and not [t for t in threading.enumerate() if t.name == "separatrix-reader"]


def test_an_error_comes_in_its_place() -> None:
    def items() -> Generator[int]:
        yield 1
        raise KeyError("two")

    ahead = read_ahead(items(), 2)
    assert next(ahead) == 1
    with pytest.raises(KeyError, match="two"):
        next(ahead)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("lengths", [[], [0], [5], [1, 1, 1], [4, 0, 9], [7, 7]])
def test_cut_keeps_every_row_in_its_place(rows: int, lengths: list[int]) -> None:
    pieces = [Piece(pa.record_batch({"x": [(f, i) for i in range(n)]}), str(f), 0) for f, n in enumerate(lengths) if n]
    batches = list(cut(pieces, rows))
    everything = [(f, i) for f, n in enumerate(lengths) for i in range(n)]
    assert [batch.start for batch in batches] == list(range(0, len(everything), rows))
    assert [len(batch) for batch in batches[:-1]] == [rows] * (len(batches) - 1)
    found = [(piece.file, piece.row + i) for batch in batches for piece in batch.pieces for i in range(len(piece))]
    assert found == [(str(f), i) for f, i in everything]

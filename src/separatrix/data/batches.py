"""Streams of batches of rows: read ahead by a thread, and cut anew into batches of equal length."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ..array_types import Indices

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows as they came out of a file: something with a length and `slice(begin, length)`, and where they stood there.

    Parameters
    ----------
    row : number of the first row within the file
    places : (n,) distances of the rows from that row, where some rows were left out
    """

    rows: Any
    file: str
    row: int
    places: Indices | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, begin: int, length: int) -> Piece:
        """Return some of the rows without copying them."""
        if self.places is None:
            return Piece(self.rows.slice(begin, length), self.file, self.row + begin)
        return Piece(self.rows.slice(begin, length), self.file, self.row, self.places[begin : begin + length])

    def only(self, kept: Any) -> Piece:
        """Return some of the rows, chosen by Arrow's booleans."""
        places = np.flatnonzero(kept.to_numpy(zero_copy_only=False))
        return Piece(self.rows.filter(kept), self.file, self.row, places if self.places is None else self.places[places])

    def row_of(self, i: int) -> int:
        """Return the number of row i of the piece within its file."""
        return self.row + (i if self.places is None else int(self.places[i]))


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a table in one or more pieces, and the number of the first row within the table."""

    pieces: tuple[Piece, ...]
    start: int

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)


def cut(pieces: Iterable[Piece], rows: int) -> Iterator[Batch]:
    """Yield the same rows in batches of exactly `rows` rows, the last one of what is left.

    The boundaries are multiples of `rows`, however the files were cut, so they depend on nothing else. Nothing is copied.

    Examples
    --------
    >>> import pyarrow as pa
    >>> files = [pa.record_batch({"x": [1, 2, 3]}), pa.record_batch({"x": [4, 5]})]
    >>> for batch in cut([Piece(rows, "a", 0) for rows in files], 2):
    ...     print(batch.start, [piece.rows["x"].to_pylist() for piece in batch.pieces])
    0 [[1, 2]]
    2 [[3], [4]]
    4 [[5]]
    """
    held: list[Piece] = []
    start = missing = 0
    for piece in pieces:
        begin = 0
        while begin < len(piece):
            missing = missing or rows
            length = min(missing, len(piece) - begin)
            held.append(piece.part(begin, length))
            begin, missing = begin + length, missing - length
            if missing == 0:
                yield Batch(tuple(held), start)
                start, held = start + rows, []
    if held:
        yield Batch(tuple(held), start)


@dataclass(frozen=True, slots=True)
class _End:
    """The last thing a reading thread hands over: its error, or None when all is read."""

    error: BaseException | None


def read_ahead(items: Generator[T], depth: int) -> Generator[T]:
    """Yield the items while a thread makes the next ones, so that at most `depth` are made and not yet taken.

    An error in the thread is raised here, in its place. Closing the generator early stops the thread, which is over when
    `close` returns, and closes `items`.

    Examples
    --------
    >>> list(read_ahead((i * i for i in range(4)), depth=2))
    [0, 1, 4, 9]
    """
    ready: SimpleQueue[T | _End] = SimpleQueue()
    # A slot is taken before an item is made, not before it is handed over: an item under way needs memory too.
    slots, stopped = threading.Semaphore(depth), threading.Event()

    def make() -> None:
        error = None
        try:
            while slots.acquire() and not stopped.is_set():
                ready.put(next(items))
        except StopIteration:
            pass
        except BaseException as raised:
            error = raised
        items.close()
        ready.put(_End(error))

    # A daemon: a generator that is never closed nor collected must not keep the interpreter from ending.
    thread = threading.Thread(target=make, name="separatrix-reader", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            slots.release()
            yield item
            del item  # else its memory is held while waiting for the next
        if item.error is not None:
            raise item.error
    finally:
        stopped.set()
        slots.release()
        # A generator that is collected while the interpreter ends cannot wait: the thread is not run any more.
        if not sys.is_finalizing():
            thread.join()

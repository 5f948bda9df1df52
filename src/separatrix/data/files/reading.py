"""How far a pass over files is, in rows and bytes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ...progress import task
from ..threads import ended

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ReadingSize:
    """What a pass over files has to read: rows, where they are known before, and bytes."""

    rows: int | None
    size: int

    def bytes_at(self, rows: int) -> str:
        """Return how many of the bytes some rows are, in megabytes."""
        of = f"{self.size / 1e6:,.0f} MB"
        return f"{self.size * min(1.0, rows / self.rows) / 1e6:,.0f} of {of}" if self.rows else f"of {of}"


@dataclass(frozen=True, slots=True)
class WithRows:
    """A function of blocks that gives the number of rows beside its value."""

    function: Callable[[Any], Any]

    def __call__(self, block: Any) -> tuple[int, Any]:
        """Return the rows of a block, and the function's value."""
        return block.n_rows, self.function(block)


def told(run: Callable[[Callable[[Any], Any]], Iterator[Any]], function: Callable[[Any], R], reading: ReadingSize) -> Generator[R]:
    """Yield what a pass gives for each block, and tell the listeners how many rows and bytes are done.

    Examples
    --------
    >>> from types import SimpleNamespace as Rows
    >>> from separatrix.progress import listening
    >>> said = []
    >>> with listening(lambda event: said.append(event.detail)):
    ...     list(told(lambda f: map(f, [Rows(n_rows=3), Rows(n_rows=1)]), lambda block: None, ReadingSize(4, 8_000_000)))
    [None, None]
    >>> said[1:3]
    ['3 rows, 6 of 8 MB', '4 rows, 8 of 8 MB']
    """
    return counted(run(WithRows(function)), reading, "read")


def counted(values: Iterator[tuple[int, R]], reading: ReadingSize, name: str) -> Generator[R]:
    """Yield values that come with numbers of rows, and tell the listeners of a task how many rows and bytes are done.

    Examples
    --------
    >>> list(counted(iter([(3, "a"), (1, "b")]), ReadingSize(4, 8_000_000), "read"))
    ['a', 'b']
    """
    done = 0
    with task(name, total=reading.rows) as work, ended(values) as each:
        for rows, value in each:
            done += rows
            work.advance(f"{done:,} rows, {reading.bytes_at(done)}", rows)
            yield value

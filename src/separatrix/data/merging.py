"""What a pass gives for the blocks of a source becomes one value: merged in the order of the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self, TypeVar

from ..errors import InputTypeError


class Mergeable(Protocol):
    """What a pass returns for a block: a value that merges with that of other blocks."""

    def merge(self, other: Self, /) -> Self:
        """Return the value of both blocks together."""
        ...


M = TypeVar("M", bound=Mergeable)


def merge_each(first: M, others: Iterator[M]) -> M:
    """Merge one value after the other to what there is so far."""
    for value in others:
        first = _merged(first, value)
    return first


def merge_neighbours(first: M, others: Iterator[M]) -> M:
    """Merge neighbours of equal size, in the same order: where values grow, as lists of levels do, each is merged a few times only.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Words:
    ...     text: str
    ...     def merge(self, other):
    ...         return Words(f"({self.text}{other.text})")
    >>> merge_neighbours(Words("a"), map(Words, "bcdefg")).text
    '(((ab)(cd))((ef)g))'
    """
    held = [(0, first)]
    for value in others:
        size = 0
        while held and held[-1][0] == size:
            value, size = _merged(held.pop()[1], value), size + 1
        held.append((size, value))
    result = held.pop()[1]
    while held:
        result = _merged(held.pop()[1], result)
    return result


def _merged(one: M, other: M) -> M:
    if not hasattr(one, "merge"):
        raise InputTypeError(f"pass_ gave a {type(one).__name__}; it must give what merges: result = result.merge(next).")
    return one.merge(other)

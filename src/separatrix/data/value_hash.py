"""Numbers of 64 bits for values and for whole rows of a table, by what they hold: equal values have equal ones, wherever they stand."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from .columns import Column, ColumnBatch
from .row_hash import scattered

Hashes = NDArray[np.uint64]

MISSING = np.uint64(0x6A09E667F3BCC908)


def level_hashes(levels: Any) -> Hashes:
    """Return the hashes of categories: of a text by its letters, of a number by its value.

    Examples
    --------
    >>> bool(level_hashes(["Oslo"])[0] == level_hashes(["Rome", "Oslo"])[1])
    True
    """
    found = np.empty(len(levels), dtype=np.uint64)
    for i, level in enumerate(levels):
        if isinstance(level, str):
            found[i] = int.from_bytes(blake2b(level.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        else:
            found[i] = number_hashes(np.array([float(level)]))[0]
    return found


def number_hashes(values: Floats) -> Hashes:
    """Return the hashes of numbers; those of NaN are all the same, and of 0 and −0."""
    values = np.where(values == 0, 0.0, values)
    found = scattered(np.ascontiguousarray(values, dtype=np.float64).view(np.uint64))
    found[np.isnan(values)] = MISSING
    return found


def column_hashes(column: Column) -> Hashes:
    """Return the hash of each value of a column.

    Examples
    --------
    >>> one, other = Column("a", np.array([1, 2])), Column("b", np.array([2.0, np.nan]))
    >>> bool(column_hashes(one)[1] == column_hashes(other)[0])
    True
    """
    if column.levels is not None:
        known = np.append(level_hashes(column.levels), MISSING)
        return known[column.categories()[0]]
    if column.type == "date":
        found = scattered(column.values.astype("datetime64[us]").view(np.uint64))
        found[np.isnat(column.values)] = MISSING
        return found
    return number_hashes(column.numbers())


def occurrences(keys: Hashes, copies: NDArray[Any] | None = None) -> NDArray[np.intp]:
    """Return how many rows before each have the same hash; copies of one row count as one.

    Examples
    --------
    >>> keys = np.array([7, 3, 7, 7], dtype=np.uint64)
    >>> occurrences(keys).tolist(), occurrences(keys, np.array([0, 1, 0, 2])).tolist()
    ([0, 0, 1, 2], [0, 0, 0, 1])
    """
    if copies is not None:
        first, place = np.unique(np.stack([keys, copies.astype(np.uint64)]), axis=1, return_index=True, return_inverse=True)[1:]
        rows = np.sort(first)
        return occurrences(keys[rows])[np.searchsorted(rows, first)][place.ravel()]
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], keys[order][1:] != keys[order][:-1]]))
    found = np.empty(len(keys), dtype=np.intp)
    found[order] = np.arange(len(keys)) - np.repeat(starts, np.diff([*starts, len(keys)]))
    return found


def content_hashes(batch: ColumnBatch) -> Hashes:
    """Return a hash of each row by the values it holds: equal rows share it, and neither blocks nor the order of the rows change it.

    Examples
    --------
    >>> batch = ColumnBatch((Column("age", np.array([31, 47, 31])), Column("city", np.array([0, 1, 0]), np.array(["Rome", "Oslo"]))))
    >>> keys = content_hashes(batch)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    found = np.zeros(batch.n_rows, dtype=np.uint64)
    for j in range(batch.n_features):
        found = scattered(found ^ column_hashes(batch.column(j)))
    return found

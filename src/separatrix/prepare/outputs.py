"""What a column of numbers made from a table stands for, and pieces of such columns put side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Floats

OutputKind = Literal["number", "level", "word", "missing", "other"]


@dataclass(frozen=True, slots=True)
class Output:
    """One column of numbers: how it is said, the table's column it comes from, and what of it.

    Attributes
    ----------
    name : how it is said, such as "Contract = Two year"
    column : the table's column
    kind : "number" (the column itself), "level", "word", "missing" (whether the value is), or "other" (what was made of it)
    level : the level or word; empty elsewhere
    """

    name: str
    column: str
    kind: OutputKind = "number"
    level: str = ""


def by_column(outputs: Sequence[Output]) -> dict[str, list[int]]:
    """Return the numbers of the outputs of each of the table's columns; a product of two columns is one of the first.

    Examples
    --------
    >>> by_column([Output("age", "age"), Output("plan = plus", "plan", "level"), Output("plan = pro", "plan", "level")])
    {'age': [0], 'plan': [1, 2]}
    """
    found: dict[str, list[int]] = {}
    for i, output in enumerate(outputs):
        found.setdefault(output.column, []).append(i)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """A piece of columns of which each row has a 1 in one, or in none: the number of that column for each row, −1 for none."""

    at: NDArray[Any]
    width: int


Piece = Any
"""Places, an array (n, k), or a CSR array (n, k)."""


def width_of(piece: Piece) -> int:
    """Return the number of columns of a piece."""
    return piece.width if isinstance(piece, Places) else int(piece.shape[1])


def side_by_side(pieces: Sequence[Piece], n_rows: int, sparse: bool) -> Any:
    """Return pieces as one matrix, dense or CSR.

    Examples
    --------
    >>> side_by_side([np.array([[2.5], [0.0]]), Places(np.array([1, -1]), 2)], 2, sparse=False).tolist()
    [[2.5, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    if sparse:
        return _sparse(pieces, n_rows)
    starts = np.cumsum([0, *map(width_of, pieces)])
    X = np.zeros((n_rows, int(starts[-1])))
    for piece, start in zip(pieces, starts.tolist(), strict=False):
        if isinstance(piece, Places):
            rows = np.flatnonzero(piece.at >= 0)
            X[rows, start + piece.at[rows]] = 1.0
        elif piece.shape[1]:
            X[:, start : start + piece.shape[1]] = piece.toarray() if sp.issparse(piece) else piece
    return X


def _sparse(pieces: Sequence[Piece], n_rows: int) -> sp.csr_array:
    """Return the pieces as CSR: neighbours that are dense or places in one go, sparse ones as they stand."""
    found = []
    for is_sparse, group in groupby(pieces, key=sp.issparse):
        own = list(group)
        found += own if is_sparse else [_together(own, n_rows)]
    if not found:
        return sp.csr_array((n_rows, 0))
    X = found[0] if len(found) == 1 else sp.csr_array(sp.hstack(found, format="csr"))
    if X.nnz < 2**31:  # many a classifier takes indices of 32 bits alone
        X.indices, X.indptr = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int32, copy=False)
    return X


def _together(pieces: Sequence[Places | Floats], n_rows: int) -> sp.csr_array:
    stored = sum(1 if isinstance(piece, Places) else piece.shape[1] for piece in pieces)
    # One column after the other, and turned over at the end: written row by row they would leave the cache with every value.
    places, values = np.empty((stored, n_rows), dtype=np.int32), np.ones((stored, n_rows))
    at = start = 0
    for piece in pieces:
        if isinstance(piece, Places):
            np.add(piece.at, start, out=places[at], casting="unsafe")
            places[at, piece.at < 0] = -1
            at, start = at + 1, start + piece.width
        else:
            k = piece.shape[1]
            values[at : at + k] = piece.T
            places[at : at + k] = np.where(piece.T == 0, -1, np.arange(start, start + k)[:, None])
            at, start = at + k, start + k
    places, values = np.ascontiguousarray(places.T), np.ascontiguousarray(values.T)
    there = places >= 0
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(there, axis=1))])
    return sp.csr_array((values[there], places[there], ends), shape=(n_rows, start))

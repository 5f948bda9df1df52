"""Columns that are copies of others, found in two passes and without comparing all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from ..array_types import Bools, Floats, Indices
from ..data import Block, Source
from ..data.row_hash import row_hash

NEAR = 1e-9
"""Difference of two sums of the same values, relative to their size, that may be rounding."""


@dataclass(frozen=True, slots=True)
class _Projection:
    values: Floats

    def merge(self, other: Self) -> Self:
        return type(self)(self.values + other.values)


@dataclass(frozen=True, slots=True)
class _Equal:
    columns: Bools

    def merge(self, other: Self) -> Self:
        return type(self)(self.columns & other.columns)


def duplicates(source: Source, columns: Indices) -> dict[int, int]:
    """Return {column: the first column equal to it in every row of positive weight}, among the columns given.

    Each column is projected on numbers that depend on the rows' places, h_j = Σ r_i x_ij: columns that are equal have equal h. Those
    whose h agree are then compared value by value.
    """
    h, size = source.reduce(_project).values[:, columns]
    order = np.argsort(h, kind="stable")
    apart = np.diff(h[order]) > NEAR * size[order][1:]
    groups = np.split(columns[order], np.flatnonzero(apart) + 1)
    found: dict[int, int] = {}
    groups = [np.sort(group) for group in groups if len(group) > 1]
    while groups:
        first = np.concatenate([np.full(len(group) - 1, group[0]) for group in groups])
        other = np.concatenate([group[1:] for group in groups])
        equal = source.reduce(partial(_compare, first=first, other=other)).columns
        found.update(zip(other[equal].tolist(), first[equal].tolist()))
        # Columns that are not equal to the first of their group may still be to each other.
        groups = [left for group in groups if len(left := np.array([j for j in group[1:] if j not in found])) > 1]
    return dict(sorted(found.items()))


def _project(block: Block) -> _Projection:
    r = row_hash(block.start, block.start + block.n_rows) / 2.0**63 - 1.0
    if block.weight is not None:
        r = np.where(block.weight > 0, r, 0.0)
    X = np.asarray(block.X) if not block.is_sparse else block.X
    return _Projection(np.stack([r @ X, np.abs(r) @ abs(X)]).astype(np.float64))


def _compare(block: Block, first: Indices, other: Indices) -> _Equal:
    X = block.X if block.weight is None else block.X[np.flatnonzero(block.weight > 0)]
    if block.is_sparse:
        return _Equal(np.asarray(abs(X[:, first] - X[:, other]).sum(axis=0)).ravel() == 0)
    return _Equal((X[:, first] == X[:, other]).all(axis=0))

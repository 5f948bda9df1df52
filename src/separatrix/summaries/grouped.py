"""Counts, means and centred scatters of groups of rows in one block: the pass behind every moment summary.

A group is a class, or a class within a fold. A slot is where a group's scatter is added: one slot for a pooled scatter, one
slot a group for separate ones, one slot a fold for fold summaries. Which road is taken (reference, tiles, sparse pairs)
depends on the block alone, so that the same rows always give the same bits.

The functions `reference_…` are the passes in a few lines of array-API code: the specification of the kernels in the tests, the road for
small blocks (where loading compiled code would cost more than the work), and the road for arrays that live on another device.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Ints, Parts
from ..data import Block
from ..data.device import is_on_device
from ..data.namespaces import is_foreign
from ..thresholds import SUMS
from .device_moments import device_moments, device_rows_per_class

DENSE_ENOUGH = 0.25
"""Share of stored values from which a sparse tile is cheaper as a dense one (BLAS against scattered additions)."""
PILOT_ROWS, PILOT_SHARE = 16, 0.1
"""Rows of a group whose mean is its pilot, fewer where all pilots would take more than a share of the rows."""
ROWS_PER_SLOT = 150
"""Rows of a slot in a tile, on average, from which BLAS is busy."""
FEW_ROWS = 1_000
"""Rows below which columns are not read one by one: a call for each takes as long as to turn so many of its values."""
COLUMN_ROWS = 8_000
"""Rows of a column that are shifted by one call: 50 columns of them are 3 megabytes."""
STRIP = 512
"""Rows of a scatter that are filled at a time."""
NO_WEIGHT = np.empty(0)


@dataclass(frozen=True, slots=True)
class Grouping:
    """How many groups and slots there are, and which slot each group's scatter is added to."""

    n_groups: int
    slots: Ints
    n_slots: int
    diagonal: bool = False

    def shape(self, p: int) -> tuple[int, ...]:
        """Return the shape of the scatter of p columns."""
        return (self.n_groups, p) if self.diagonal else (self.n_slots, p, p)


def grouped_moments(block: Block, codes: Codes, grouping: Grouping) -> tuple[Floats, Floats, Floats]:
    """Return counts (G,), means (G, p) and scatter ((S, p, p), or (G, p) if diagonal) of the groups in a block."""
    if is_on_device(block):
        return device_moments(block, codes, grouping)
    p = block.n_features
    # The reference writes a member of each group for each row, and reads the rows once per slot: one product, a twentieth of its work.
    if not SUMS.reached(block.n_rows * max(p + grouping.n_groups, p * grouping.n_slots / 20)):
        slots = None if grouping.n_slots == 1 else grouping.slots
        X = np.asarray(block.dense())
        with np.errstate(invalid="ignore", over="ignore"):  # a NaN in X comes out as a NaN in the summary, which is refused then
            return reference_moments(X, codes, block.weight, grouping.n_groups, slots, grouping.n_slots, grouping.diagonal)
    sparse_pairs = block.is_sparse and (grouping.diagonal or block.X.nnz < DENSE_ENOUGH * block.n_rows * p)
    pilot = _sparse_pilot(block, codes, grouping.n_groups) if sparse_pairs else _pilot(block, codes, grouping.n_groups)
    counts, sums = np.zeros(grouping.n_groups), np.zeros((grouping.n_groups, p))
    scatter = np.zeros(grouping.shape(p))
    by_columns = not grouping.diagonal and block.n_rows >= FEW_ROWS and block.columns is not None
    add = _add_sparse if sparse_pairs else _add_columns if by_columns else _add_tiles
    with np.errstate(invalid="ignore", over="ignore"):
        add(block, codes, grouping, pilot, counts, sums, scatter)
        return centred_sums(grouping, pilot, counts, sums, scatter)


def centred_sums(grouping: Grouping, pilot: Floats, counts: Floats, sums: Floats, scatter: Floats) -> tuple[Floats, Floats, Floats]:
    """Turn sums about the pilot into means and scatters about the means."""
    d = sums / np.where(counts > 0, counts, 1.0)[:, None]
    if grouping.diagonal:
        scatter -= counts[:, None] * d * d
        np.maximum(scatter, 0.0, out=scatter)
    else:
        scaled = np.sqrt(counts)[:, None] * d
        for s in range(grouping.n_slots):
            own = scaled[grouping.slots == s]
            for strip in _strips(len(scatter[s])):
                part = own[:, strip].T @ own[:, strip.start :]
                scatter[s][strip, strip.start :] -= part
                scatter[s][strip.stop :, strip] -= part[:, strip.stop - strip.start :].T
    means = np.where((counts > 0)[:, None], pilot + d, 0.0)
    return counts, means, scatter


def _strips(p: int) -> list[slice]:
    """Return the rows of a p × p matrix in strips, so that nothing else of its size is needed to fill it."""
    return [slice(begin, min(begin + STRIP, p)) for begin in range(0, p, STRIP)]


def tile_rows(p: int) -> int:
    """Rows of a tile: about a megabyte, to stay in a core's cache, but enough rows to keep BLAS busy where p is large."""
    return max(100_000 // max(p, 1), min(p, 1024), 16)


def _pilot(block: Block, codes: Codes, n_groups: int) -> Floats:
    from ..kernels.moments import first_rows

    size = int(np.clip(PILOT_SHARE * len(codes) / n_groups, 2, PILOT_ROWS))
    rows = np.zeros((n_groups, size), dtype=np.int64)
    found = np.zeros(n_groups, dtype=np.int64)
    first_rows(codes, rows, found)
    used = np.arange(size)[None, :] < found[:, None]
    columns = block.columns
    first = rows[used]
    picked: Any = block.X[first] if columns is None else np.array([column[first] for column in columns]).T
    picked = picked.toarray() if block.is_sparse else picked
    # NumPy's sums of slices walk wide rows column by column, which takes ten times as long.
    members = sp.csr_array((np.ones(len(first)), np.arange(len(first)), np.append(0, np.cumsum(found))), shape=(n_groups, len(first)))
    return np.asarray(members @ picked) / np.maximum(found, 1)[:, None]


def _add_tiles(block: Block, codes: Codes, grouping: Grouping, pilot: Floats, counts: Floats, sums: Floats, scatter: Floats) -> None:
    from ..kernels import moments

    size, p = _scatter_rows(block.n_features, grouping), block.n_features
    shifted, turns = np.empty((0 if grouping.diagonal else min(size, block.n_rows), p)), np.zeros((4, *sums.shape))
    rows, starts, products = np.arange(len(shifted)), np.zeros(grouping.n_slots + 1, dtype=np.int64), _Products(scatter)
    for tile in block.tiles(size):
        X = np.ascontiguousarray(tile.dense()) if tile.is_sparse else tile.X
        begin = tile.start - block.start
        own = codes[begin : begin + len(X)]
        weight = NO_WEIGHT if tile.weight is None else tile.weight
        if grouping.diagonal:
            moments.add_squares(X, own, weight, pilot, counts, sums, scatter)
            continue
        starts[-1] = len(X)
        if grouping.n_slots > 1:
            moments.sort_by_slot(own, grouping.slots, starts, rows)
        moments.shift_rows(X, own, weight, pilot, rows, begin, shifted, counts, turns)
        products.add(shifted, starts)
    if not grouping.diagonal:
        sums += turns.sum(axis=0)


def _scatter_rows(p: int, grouping: Grouping) -> int:
    """Return the rows of a tile: BLAS needs rows of each slot at a time.

    Some, as far as four tiles go, and p where p × p sums are to be added to for them.
    """
    size = tile_rows(p)
    return size if grouping.diagonal else max(size, min(ROWS_PER_SLOT * grouping.n_slots, 4 * size), p * grouping.n_slots)


def _add_columns(block: Block, codes: Codes, grouping: Grouping, pilot: Floats, counts: Floats, sums: Floats, scatter: Floats) -> None:
    """Add what `_add_tiles` adds, in the same order, from columns that are shifted one after the other, some tiles at a time."""
    from ..kernels import moments

    n, p = block.n_rows, block.n_features
    size = _scatter_rows(p, grouping)
    tiles = 1 if grouping.n_slots > 1 else max(1, COLUMN_ROWS // size)  # one where rows of slots are sorted
    weight = NO_WEIGHT if block.weight is None else block.weight
    root, own_pilot, turns = np.sqrt(weight), np.ascontiguousarray(pilot.T), np.zeros((p, 4, grouping.n_groups))
    shifted, products = np.empty((p, min(tiles * size, n))), _Products(scatter)
    rows, starts = np.empty(0, dtype=np.int64), np.zeros(grouping.n_slots + 1, dtype=np.int64)
    columns = [_readable(column) for column in block.columns or ()]
    for begin in range(0, n, tiles * size):
        end = min(begin + tiles * size, n)
        own = codes[begin:end]
        if grouping.n_slots > 1:
            rows = np.empty(end - begin, dtype=np.int64)
            moments.sort_by_slot(own, grouping.slots, starts, rows)
        for j, x in enumerate(columns):
            moments.shift_column(x[begin:end], own, weight[begin:end], root[begin:end], own_pilot[j], rows, begin, shifted[j], turns[j])
        for first in range(0, end - begin, size):
            starts[-1] = min(size, end - begin - first)
            products.add(shifted[:, first:].T, starts)
    sums += turns.sum(axis=1).T
    counts += np.bincount(codes, block.weight, minlength=grouping.n_groups)


def _readable(column: NDArray[Any]) -> NDArray[np.floating]:
    """Return a column as compiled code reads it: a file may store it anywhere, and as any type of number."""
    flags = column.flags
    if column.dtype in (np.float64, np.float32) and flags.c_contiguous and flags.aligned:
        return column
    return np.require(column, np.float64, ["C", "A"])


class _Products:
    """Adds the products of the shifted rows of each slot to the scatter of the slot."""

    def __init__(self, scatter: Floats) -> None:
        self.scatter, self.product, self.empty = scatter, np.empty(scatter.shape[1:]), [True] * len(scatter)

    def add(self, shifted: Floats, starts: Ints) -> None:
        """Add those of a tile, where the rows of slot s stand together from starts[s] to starts[s + 1]."""
        for s, (first, last) in enumerate(pairwise(starts.tolist())):
            if last > first:
                part = shifted[first:last]
                if self.empty[s]:
                    np.matmul(part.T, part, out=self.scatter[s])
                    self.empty[s] = False
                else:
                    self.scatter[s] += np.matmul(part.T, part, out=self.product)


def _sparse_pilot(block: Block, codes: Codes, n_groups: int) -> Floats:
    """Return the group means of columns in which every row stores a value, and 0 elsewhere.

    A column with an absent (zero) value cannot have a mean far above its standard deviation, so it needs no shift.
    """
    pilot = np.zeros((n_groups, block.n_features))
    stored = np.bincount(block.X.indices, minlength=block.n_features)
    full = stored == block.n_rows
    if full.any():
        columns = block.X[:, np.flatnonzero(full)].toarray()
        counts, sums = reference_sums(columns, codes, None, n_groups)
        pilot[:, full] = sums / np.maximum(counts, 1.0)[:, None]
    return pilot


def csr_parts(block: Block) -> Parts:
    """Return data as float64, indices and indptr of one integer type, as the sparse kernels want them."""
    X = block.X
    index = np.int32 if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32 else np.int64
    return (X.data.astype(np.float64, copy=False), X.indices.astype(index, copy=False), X.indptr.astype(index, copy=False))


def _add_sparse(block: Block, codes: Codes, grouping: Grouping, pilot: Floats, counts: Floats, sums: Floats, scatter: Floats) -> None:
    from ..kernels import moments

    data, indices, indptr = csr_parts(block)
    weight = NO_WEIGHT if block.weight is None else block.weight
    squares = scatter if grouping.diagonal else np.zeros_like(sums)
    moments.add_sparse(data, indices, indptr, codes, weight, pilot, counts, sums, squares)
    if not grouping.diagonal:
        moments.add_pairs(data, indices, indptr, codes, weight, pilot, grouping.slots, scatter)
        for s in range(grouping.n_slots):
            for strip in _strips(len(scatter[s])):
                corner = scatter[s][strip, strip]
                corner += np.tril(corner, -1).T
                scatter[s][strip, strip.stop :] = scatter[s][strip.stop :, strip].T


def rows_per_class(codes: Codes, weight: Floats | None, n_classes: int) -> Ints:
    """Return the number of rows of each class; one of weight 0 is no row.

    Examples
    --------
    >>> rows_per_class(np.array([0, 1, 1], dtype=np.int32), np.array([2.0, 0.0, 0.5]), 2)
    array([1, 1])
    """
    if is_foreign(codes):
        return device_rows_per_class(codes, weight, n_classes)
    return np.bincount(codes if weight is None else codes[weight > 0], minlength=n_classes)


def reference_moments(X: Any, codes: Any, weight: Any, n_groups: int, slots: Any, n_slots: int, diagonal: bool) -> tuple[Any, Any, Any]:
    """Return weighted counts (G,), means (G, p) and centred scatters of groups of rows, in array-API code.

    This is the kernels' specification in the tests, the road for small blocks (where compiling would cost more than the work), and the
    road for arrays that live on another device.

        counts_g = Σ w_i    means_g = Σ w_i x_i / counts_g    scatter_s = Σ_{g in slot s} Σ_{i in g} w_i d_i d_i',  d_i = x_i − means_g

    With `diagonal` the scatter of each group is Σ w_i d_i² of shape (G, p); else it is (S, p, p), group g adding to slot slots[g].
    `slots` None puts all groups into the one slot there is.
    """
    xp = X.__array_namespace__()
    X = xp.astype(X, xp.float64)
    member = xp.astype(codes[:, None] == xp.arange(n_groups, dtype=codes.dtype)[None, :], xp.float64)
    share = member if weight is None else member * weight[:, None]
    counts = xp.sum(share, axis=0)
    divisor = xp.where(counts > 0, counts, xp.ones_like(counts))[:, None]
    means = (share.T @ X) / divisor
    centred = X - member @ means
    # The mean of 1e8 + small is known to 1e-8 only; the mean of what is left over corrects it.
    correction = (share.T @ centred) / divisor
    means = means + correction
    centred = centred - member @ correction
    if diagonal:
        return counts, means, share.T @ (centred * centred)
    if slots is None:
        scaled = centred if weight is None else centred * weight[:, None]
        return counts, means, (scaled.T @ centred)[None, :, :]
    scatters = []
    for s in range(n_slots):
        inside = xp.astype(slots == s, xp.float64)
        scatters.append((centred * (share @ inside)[:, None]).T @ centred)
    return counts, means, xp.stack(scatters)


def reference_sums(X: Any, codes: Any, weight: Any, n_groups: int) -> tuple[Any, Any]:
    """Return weighted counts (G,) and sums Σ w_i x_i (G, p) of groups of rows."""
    xp = X.__array_namespace__()
    member = xp.astype(codes[:, None] == xp.arange(n_groups, dtype=codes.dtype)[None, :], xp.float64)
    share = member if weight is None else member * weight[:, None]
    return xp.sum(share, axis=0), share.T @ xp.astype(X, xp.float64)

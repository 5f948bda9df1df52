"""The moments of groups of rows that lie on another device, in array-API code: blocks of rows, float64 sums, results in NumPy.

Rows are shifted by a pilot mean in float64 (a difference of two float32 numbers is exact there) and multiplied in float64, which
accelerators for scientific work do as fast as float32. With D the shifted rows, E their memberships (n, G) and d = E'D/counts:

    scatter = D'D − Σ_g counts_g d_g d_g'    means = pilot + d

One pilot serves all groups unless they lie so far apart that the difference would lose digits; each then gets its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array_types import Floats, Ints
from ..data import Block
from ..data.device import CPU_VALUES, DEVICE_VALUES
from ..data.namespaces import counted, device_of, difference_beside, like, namespace, product_of_columns, to_host

if TYPE_CHECKING:
    from .grouped import Grouping

PILOT_ROWS = 1024
"""Rows whose mean is the pilot."""
SIDE_BY_SIDE = 3
"""Columns for each group from which rows and memberships are multiplied side by side, in one product."""
FAR = 1e4
"""Squares between the groups over those within, from which every group has a pilot of its own."""


def device_moments(block: Block, codes: Any, grouping: Grouping) -> tuple[Floats, Floats, Floats]:
    """Return counts (G,), means (G, p) and scatter ((S, p, p), or (G, p) if diagonal) of the groups in a block."""
    xp = namespace(block.X)
    codes = codes if not isinstance(codes, np.ndarray) else like(codes.astype(np.int64), block.X)
    first = xp.mean(xp.astype(block.X[: min(PILOT_ROWS, block.n_rows), :], xp.float64), axis=0)
    pilot = xp.broadcast_to(first, (1, block.n_features))
    found = _about(block, codes, grouping, pilot)
    if _is_far(found, to_host(first)):
        found = _about(block, codes, grouping, like(found[1], block.X))
    return found


def device_rows_per_class(codes: Any, weight: Any, n_classes: int) -> Ints:
    """Return the number of rows of each class; one of weight 0 is no row."""
    return counted(codes if weight is None else codes[weight > 0], n_classes)


def class_weights_on_device(codes: Any, weight: Any, n_classes: int) -> Floats:
    """Return the sum of weights of each class (K,)."""
    if weight is None:
        return device_rows_per_class(codes, None, n_classes).astype(np.float64)
    xp = namespace(codes)
    totals = np.zeros(n_classes)
    for begin, end in _tiles(codes, n_classes):
        totals += to_host(xp.sum(_members(xp, codes[begin:end], n_classes) * weight[begin:end, None], axis=0))
    return totals


def device_fourth_moments(block: Block, means: Floats, scale: Floats) -> Floats:
    """Return of each class Σ w_i ‖z_i‖⁴ with z_i = (x_i − means_k) / scale, scale (p,) or (K, p)."""
    xp, totals = namespace(block.X), np.zeros(len(means))
    centres, sizes = like(means, block.X), like(np.broadcast_to(scale, means.shape), block.X)
    assert block.codes is not None
    for begin, end in _tiles(block.X, max(block.n_features, len(means))):
        own = block.codes[begin:end]
        z = (block.X[begin:end, :] - xp.take(centres, own, axis=0)) / xp.take(sizes, own, axis=0)
        squared = xp.sum(z * z, axis=1) ** 2
        squared = squared if block.weight is None else squared * block.weight[begin:end]
        totals += to_host(squared @ _members(xp, own, len(means)))
    return totals


def _about(block: Block, codes: Any, grouping: Grouping, pilot: Any) -> tuple[Floats, Floats, Floats]:
    """Return the moments, rows shifted by a pilot (1, p), or by one for each group (G, p)."""
    p, total = block.n_features, None
    for begin, end in _tiles(block.X, max(p, grouping.n_groups)):
        weight = None if block.weight is None else block.weight[begin:end]
        part = _tile_sums(block.X[begin:end, :], codes[begin:end], weight, grouping, pilot)
        total = part if total is None else tuple(a + b for a, b in zip(total, part, strict=True))
    assert total is not None
    counts, sums, scatter = (np.array(to_host(values)) for values in total)
    return _centred(grouping, to_host(pilot), counts, sums, scatter)


def _tile_sums(X: Any, codes: Any, weight: Any, grouping: Grouping, pilot: Any) -> tuple[Any, Any, Any]:
    """Return counts, sums and products about the pilot, of some rows."""
    xp, p, G = namespace(X), X.shape[1], grouping.n_groups
    members = _members(xp, codes, G)
    shift = pilot if pilot.shape[0] == 1 else xp.take(pilot, codes, axis=0)
    if not grouping.diagonal and grouping.n_slots == 1 and p >= SIDE_BY_SIDE * G:
        A = difference_beside(X, shift, members)
        whole = product_of_columns(A if weight is None else A * weight[:, None], A)
        return xp.linalg.diagonal(whole)[p:], whole[p:, :p], whole[None, :p, :p]
    D = X - shift
    share = members if weight is None else members * weight[:, None]
    products = share.T @ (D * D) if grouping.diagonal else _products(xp, D, codes, weight, grouping)
    return xp.sum(share, axis=0), share.T @ D, products


def _products(xp: Any, D: Any, codes: Any, weight: Any, grouping: Grouping) -> Any:
    """Return D'D of the rows of each slot (S, p, p); sorted by slot, so that each row is multiplied once."""
    W = D if weight is None else D * weight[:, None]
    if grouping.n_slots == 1:
        return (W.T @ D)[None, :, :]
    slot = xp.take(like(np.asarray(grouping.slots, dtype=np.int64), codes), codes)
    order, ends = xp.argsort(slot), np.cumsum(counted(slot, grouping.n_slots)).tolist()
    D, W = xp.take(D, order, axis=0), xp.take(W, order, axis=0)
    return xp.stack([W[begin:end, :].T @ D[begin:end, :] for begin, end in zip([0, *ends[:-1]], ends, strict=True)])


def _centred(grouping: Grouping, pilot: Floats, counts: Floats, sums: Floats, scatter: Floats) -> tuple[Floats, Floats, Floats]:
    from .grouped import centred_sums

    with np.errstate(invalid="ignore", over="ignore"):
        return centred_sums(grouping, np.broadcast_to(pilot, sums.shape), counts, sums, scatter)


def _is_far(found: tuple[Floats, Floats, Floats], first: Floats) -> bool:
    """Whether means lie far from their pilot, beside the spread within groups."""
    counts, means, scatter = found
    with np.errstate(invalid="ignore", over="ignore"):
        between = np.einsum("g,gj->j", counts, (means - first) ** 2)
        within = scatter.sum(axis=0) if scatter.ndim == 2 else np.einsum("sjj->j", scatter)
        return bool((between > FAR * np.maximum(within, 0.0)).any()) and bool(np.isfinite(means).all())


def _members(xp: Any, codes: Any, n_groups: int) -> Any:
    return xp.astype(codes[:, None] == xp.arange(n_groups, dtype=codes.dtype, device=device_of(codes))[None, :], xp.float64)


def _tiles(X: Any, width: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of rows of which `width` float64 values each fit beside X."""
    values = CPU_VALUES if "cpu" in str(device_of(X)).lower() else DEVICE_VALUES
    size, n = max(values // max(width, 1), 1), int(X.shape[0])
    return ((begin, min(begin + size, n)) for begin in range(0, n, size))

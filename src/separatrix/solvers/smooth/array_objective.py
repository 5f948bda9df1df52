"""The penalised mean loss and its gradient over rows of any library, at the precision asked for: one pass each.

θ (R, p + 1) is a float64 array beside the rows and holds W and, in its last column, c: scores are (x − m)W' + c. The products are made in
the precision of the pass, tile by tile; tiles are added in float64. Memory is that of a tile, never n × K.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import Any, Self

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...data.device import DEVICE_VALUES, DeviceSource, is_on_device
from ...data.namespaces import add_product, affine, device_of, fast_products, has_fast_products, is_foreign, like, namespace, to_host
from ...losses.array_losses import ArrayLoss
from ..problem import Problem
from .objective import FAR, PIECES

PARTS, LEAST_TILE = 16, 1_024
"""Tiles of a block on an accelerator, at least, and rows that are never divided further."""
TILE = 2**18
"""Values of a tile on a CPU: BLAS is busy with its rows, and a core's cache holds most of it."""


class Precision(IntEnum):
    """How a pass multiplies: with the few bits of TF32, in the rows' own type, or in float64."""

    FAST = 0
    OWN = 1
    FULL = 2


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over some rows, in float64 beside them: losses, their slopes times the rows (R, p), and their slopes (R,)."""

    loss: Any
    slopes: Any
    intercept: Any

    def merge(self, other: Self) -> Self:
        """Return the sums over both sets of rows."""
        return type(self)(self.loss + other.loss, self.slopes + other.slopes, self.intercept + other.intercept)


class ArrayObjective:
    """f(θ) and its gradient over the rows of a problem; counts the passes.

    Parameters
    ----------
    problem : Problem
    example : a few of the rows, for their library, device and type
    centre, deviations : (p,) means and standard deviations of the columns
    """

    def __init__(self, problem: Problem, example: Any, centre: Floats, deviations: Floats) -> None:
        self.problem, self.loss, self.example = problem, ArrayLoss(problem.loss), example
        self.xp, self.passes = namespace(example), 0
        self.correction: tuple[float, Any] | None = None
        # A centre that float32 holds exactly, so that subtracting it costs no digits of the difference.
        self.centre = (centre if problem.fit_intercept else np.zeros_like(centre)).astype(np.float32).astype(np.float64)
        self.shifts = bool((np.abs(self.centre) > FAR * deviations).any())
        rows = problem.rows
        self.rows = rows.in_pieces(PIECES) if rows.held is not None else rows

    @property
    def precisions(self) -> list[Precision]:
        """The ways that differ for these rows, the quickest first."""
        if self.example.dtype == self.xp.float64:
            return [Precision.FULL]
        return [Precision.FAST, Precision.OWN, Precision.FULL] if has_fast_products(self.example) else [Precision.OWN, Precision.FULL]

    def at(self, theta: Any, precision: Precision) -> tuple[float, Any]:
        """Return f and its gradient (R, p + 1)."""
        self.passes += 1
        xp = self.xp
        kind = xp.float64 if precision is Precision.FULL else self.example.dtype
        m = like(self.centre, self.example)
        W, c = theta[:, :-1], theta[:, -1]
        c = c if self.shifts else c - W @ m
        columns, shift = xp.astype(W.T, kind), xp.astype(m, kind)
        columns = np.ascontiguousarray(columns) if isinstance(columns, np.ndarray) else columns
        offset = xp.astype(c, kind)
        columns, rest = split_in_two(columns) if precision is Precision.FAST else (columns, None)

        def sums(block: Block) -> Sums:
            loss: Any = 0.0
            slopes: Any = 0.0
            intercept: Any = 0.0
            for tile in tiles(block, theta.shape[0], 32 if precision is Precision.FULL else 4):
                X = xp.astype(tile.X, kind, copy=False)
                X = X - shift if self.shifts else X
                Z = affine(X, columns, offset)
                values, R = self.loss.slopes(Z if rest is None else add_product(Z, X, rest), tile.codes)
                if tile.weight is not None:
                    values, R = values * tile.weight, R * xp.astype(tile.weight, kind)[:, None]
                loss = loss + xp.sum(values, dtype=xp.float64)
                slopes = slopes + xp.astype(R.T @ X, xp.float64)
                intercept = intercept + xp.sum(R, axis=0, dtype=xp.float64)
            return Sums(loss, slopes, intercept)

        with fast_products(self.example, precision is Precision.FAST):
            # On a device one after the other, so that no list of gradients is held; on threads all at once.
            parts = self.rows.map(sums) if is_foreign(self.example) else self.rows.collect(sums)
            f, g = self._finished(theta, reduce(Sums.merge, parts))
        if self.correction is not None and precision is Precision.FAST:
            return f + self.correction[0], g + self.correction[1]
        return f, g

    def correct(self, theta: Any, f: float, g: Any) -> tuple[float, Any]:
        """Return f and gradient at θ in the rows' own type; passes in TF32, which gave `f` and `g` there, are corrected by the difference.

        The rounding of the rows, which is most of it, is the same at every θ nearby.
        """
        exact, slopes = self.at(theta, Precision.OWN)
        before = (0.0, 0.0) if self.correction is None else self.correction
        self.correction = before[0] + exact - f, before[1] + slopes - g
        return exact, slopes

    def _finished(self, theta: Any, total: Sums) -> tuple[float, Any]:
        xp, problem = self.xp, self.problem
        W, slopes, intercept = theta[:, :-1], total.slopes / problem.total, total.intercept[:, None] / problem.total
        if not self.shifts:
            slopes = slopes - intercept * like(self.centre, self.example)
        slopes = slopes + problem.strength * W
        intercept = intercept if problem.fit_intercept else xp.zeros_like(intercept)
        f = float(total.loss) / problem.total + 0.5 * problem.strength * float(xp.sum(W * W))
        return f, xp.concat([slopes, intercept], axis=1)

    def intercept(self, theta: Floats) -> Floats:
        """Return b = c − Wm of θ in NumPy."""
        return np.asarray(theta[:, -1] - theta[:, :-1] @ self.centre)

    def slopes_of(self, block: Block, theta: Any) -> tuple[Any, Any]:
        """Return losses (n,) and slopes (n, R) of centred float64 rows."""
        found: tuple[Any, Any] = self.loss.slopes(block.X @ theta[:, :-1].T + theta[:, -1], block.codes)
        return found


def split_in_two(W: Any) -> tuple[Any, Any]:
    """Return the leading 11 bits of float32 numbers, which TF32 holds exactly, and the rest, of which it holds as many again.

    Examples
    --------
    >>> leading, rest = split_in_two(np.array([1.0 + 2.0**-20], dtype=np.float32))
    >>> leading.tolist(), float(rest[0]) == 2.0**-20
    ([1.0], True)

    References
    ----------
    Dekker (1971), A floating-point technique for extending the available precision, Numerische Mathematik 18.
    """
    scaled = W * 8193.0
    leading = scaled - (scaled - W)
    return leading, W - leading


def some_rows(problem: Problem, most: int) -> Block:
    """Return at most so many rows, evenly spread, as they are stored; the first ones where rows are read anew."""
    rows, source = problem.rows, problem.rows.source
    if isinstance(source, DeviceSource):
        return source.every(max(-(-source.n_rows // min(most, source.most_at_once)), 1))
    if rows.X is not None:
        whole = Block(rows.X, rows.codes, rows.weight)
    else:
        whole = next(iter(rows.map(lambda block: block)))
    step = max(-(-whole.n_rows // most), 1)
    codes = None if whole.codes is None else whole.codes[::step]
    weight = None if whole.weight is None else whole.weight[::step]
    return Block(whole.X[::step, :], codes, weight)


def tiles(block: Block, n_scores: int, item: int) -> Iterator[Block]:
    """Yield parts of a block, of as many rows as columns and scores of `item` bytes, with what is made of them, leave room for."""
    on_device = is_on_device(block)
    on_accelerator = on_device and "cpu" not in str(device_of(block.X)).lower()
    size = max((4 * DEVICE_VALUES if on_accelerator else 4 * TILE) // item // max(block.n_features, n_scores), 256)
    if on_accelerator:  # what is made of a tile stays small beside the rows
        size = min(size, max(block.n_rows // PARTS, LEAST_TILE))
    for begin in range(0, block.n_rows, size):
        part = block.part(begin, min(begin + size, block.n_rows))
        yield part if on_device or part.X.flags.c_contiguous else Block(np.ascontiguousarray(part.X), part.codes, part.weight, part.start)


def host(values: Any) -> Floats:
    """Return float64 values of any library in NumPy."""
    return np.array(to_host(values), dtype=np.float64)

"""The largest margin of a hyperplane through rows, and Novikoff's bound on a perceptron's mistakes.

Rows a_i = y_i c_i (x_i, unit) for two classes y = ±1, c_i being weights and unit the feature of the intercept (1, or 0 without
one). For K classes there is one a_ik per rival k: c_i (x_i, unit) in the place of the row's own class, − the same in that of k.

    γ = max_{‖v‖ = 1} min_i a_i'v  =  the distance of the origin from the convex hull of all a_i

Any direction v gives a lower bound on γ and any point of the hull an upper one; both come from a least squares problem with
weights u ≥ 0 (Lawson and Hanson's least distance programming) on a few rows, to which the worst others are added until
the bounds meet.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import nnls

from ...array_types import Bools, Floats, Ints
from ...data import Block, Source
from ...errors import InputError
from ..scores import largest
from .perceptron_rows import take_rows, weighted

GAP = 1e-7
"""Relative gap between the bounds on γ at which the search ends."""
NOTHING = 1e-10
"""A margin below this share of the radius counts as none."""
LARGEST = 1e150
"""Norm of a row up to which norms can be squared."""
MORE = 200
"""Rows added in one round."""


@dataclass(frozen=True, slots=True)
class MistakeBound:
    """Mistakes made and the most there can be: bound = (radius/margin)² + 2 start_norm/margin.

    Attributes
    ----------
    mistakes : int
    bound : float
    radius : float, largest norm of a row, the constant feature of the intercept included (√2 times it for more than two classes)
    margin : float, the largest one there is
    margin_found : float, that of the model: negative if it gets a row wrong
    start_norm : float, norm of the weights at the start, divided by the step
    """

    mistakes: int
    bound: float
    radius: float
    margin: float
    margin_found: float
    start_norm: float


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """Rows with their margins a_i'v: the least one against any rival. Columns: row number, class, rival, weight, margin."""

    row: Ints
    own: Ints
    rival: Ints
    weight: Floats
    value: Floats

    @property
    def key(self) -> Ints:
        """A number for each row and rival."""
        return self.row * (1 + int(self.rival.max(initial=0))) + self.rival

    def some(self, place: NDArray[Any]) -> Self:
        """Return some of them."""
        return type(self)(*[getattr(self, f.name)[place] for f in fields(self)])

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Return several in one."""
        return cls(*[np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)])


def mistake_bound(
    source: Source, weights: Floats, mistakes: int, start_norm: float, unit: float, factors: Floats | None = None
) -> MistakeBound:
    """Return the bound for labelled rows.

    Parameters
    ----------
    source : labelled rows
    weights : (R, p + 1) weights found, the intercept last
    mistakes : int, made on the way there
    start_norm : float, norm of the weights at the start, in steps
    unit : 1.0 where the intercept is learned, else 0.0
    factors : (K,) on the weights of the classes, optional

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = as_source([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [0, 1, 1, 0, 0, 1])
    >>> found = mistake_bound(rows, np.array([[3.0, 1.0, 0.0]]), 3, 0.0, 0.0)
    >>> round(found.radius**2, 6), round(found.margin, 6), round(found.bound, 6)
    (5.0, 1.0, 5.0)
    """
    radius = max(source.map(lambda block: _radius(weighted(block, factors), unit)))
    if not radius < LARGEST:
        source.refuse_nonfinite()
    radius *= 1.0 if len(weights) == 1 else np.sqrt(2.0)
    norm = float(np.linalg.norm(weights))
    direction = weights / norm if norm > 0 else weights
    found = float(all_margins(source, direction, factors).value.min())
    margin = largest_margin(source, direction, unit, radius, factors)
    bound = (radius / margin) ** 2 + 2.0 * start_norm / margin
    return MistakeBound(mistakes, bound, radius, margin, found, start_norm)


def largest_margin(source: Source, direction: Floats, unit: float, radius: float, factors: Floats | None = None) -> float:
    """Return γ, from below, to a relative GAP; rows without a margin are an error. The search starts at some direction."""
    margins = all_margins(source, direction, factors)
    work, lower, upper = margins.some(np.empty(0, dtype=np.intp)), -np.inf, np.inf
    while True:
        low = margins.some(np.argsort(margins.value, kind="stable")[: MORE + len(work.row)])
        new = low.some(~np.isin(low.key, work.key) & (low.value < (1.0 - GAP) * upper))
        before = upper
        if not len(new.row):
            break
        work = Margins.joined([work, new.some(np.arange(min(MORE, len(new.row))))])
        direction, upper, used = _hull_point(source, work, len(direction), unit)
        work = work.some(used)
        margins = all_margins(source, direction, factors)
        lower = float(margins.value.min())
        # Not falling any more: rounding has the last word.
        if lower >= (1.0 - GAP) * upper or upper <= NOTHING * radius or upper >= before:
            break
    if lower <= NOTHING * radius:
        raise InputError(
            f"No hyperplane{'' if unit else ' through the origin'} separates the classes, so there is no margin and no bound on mistakes: "
            f"a perceptron makes them for ever.{_zero_row(source, unit)} Give separable rows, for instance by adding columns "
            f"(products, powers){'' if unit else ', or use fit_intercept=True'}."
        )
    return lower


def all_margins(source: Source, weights: Floats, factors: Floats | None) -> Margins:
    """Return the margins of all rows of weight above 0 under some weights."""
    return Margins.joined(list(source.map(lambda block: _margins(weighted(block, factors), weights))))


def _margins(block: Block, weights: Floats) -> Margins:
    f = np.asarray(block.X @ weights[:, :-1].T) + weights[:, -1]
    every, own = np.arange(block.n_rows), np.asarray(block.codes, dtype=np.int64)
    c = np.ones(len(f)) if block.weight is None else block.weight
    if len(weights) == 1:
        value, rival = np.where(own == 1, f[:, 0], -f[:, 0]), 1 - own
    else:
        best = f[every, own]
        f[every, own] = -np.inf
        rival = largest(f).astype(np.intp)
        value = best - f[every, rival]
    return Margins(block.start + every, own, rival, c, c * value).some(c > 0.0)


def _radius(block: Block, unit: float) -> float:
    """Return the largest norm of a row times its weight."""
    X = block.X
    squares = X.multiply(X).sum(axis=1) if block.is_sparse else np.einsum("ij,ij->i", X, X, dtype=np.float64)
    norms = np.sqrt(np.asarray(squares, dtype=np.float64).ravel() + unit)
    return float((norms if block.weight is None else norms * block.weight).max())


def _hull_point(source: Source, work: Margins, R: int, unit: float) -> tuple[Floats, float, Bools]:
    """Return the direction of the point of the hull of some a_i nearest to the origin, its distance, and which rows it needs."""
    rows, place = np.unique(work.row, return_inverse=True)
    X = take_rows(source, rows)
    columns = np.unique(X.indices) if sp.issparse(X) else np.arange(X.shape[1])
    Z = X[:, columns].toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    Z = np.column_stack([Z, np.full(len(Z), unit)])[place] * work.weight[:, None]
    m, scale = len(Z), max(float(np.linalg.norm(Z, axis=1).max()), np.finfo(float).tiny)
    A = np.zeros((m, R, Z.shape[1]))
    if R == 1:
        A[:, 0] = np.where(work.own == 1, 1.0, -1.0)[:, None] * Z
    else:
        A[np.arange(m), work.own], A[np.arange(m), work.rival] = Z, -Z
    A = A.reshape(m, -1) / scale
    u = _nonnegative(A)
    point = A.T @ u / u.sum()
    distance = float(np.linalg.norm(point))
    direction = np.zeros((R, source.n_features + 1))
    direction[:, np.append(columns, -1)] = (point / (distance or 1.0)).reshape(R, -1)
    return direction, distance * scale, u > 0.0


def _nonnegative(A: Floats) -> Floats:
    """Return u ≥ 0 that minimises ‖A'u‖² + (Σu − 1)²: A'u / Σu is the point of the hull nearest to the origin."""
    E, f = np.vstack([A.T, np.ones(len(A))]), np.append(np.zeros(A.shape[1]), 1.0)
    if E.shape[0] > E.shape[1]:
        Q, E = np.linalg.qr(E)
        f = Q.T @ f
    found: Floats = nnls(E, f, maxiter=30 * len(A))[0]
    return found


def _zero_row(source: Source, unit: float) -> str:
    """Return a sentence on the first row of zeros where there is no intercept."""
    for block in source.blocks() if unit == 0.0 else ():
        stored = np.diff(block.X.indptr) > 0 if block.is_sparse else (block.X != 0).any(axis=1)
        if not stored.all():
            return f" Row {block.start + int(np.flatnonzero(~stored)[0])} is all zeros, so that its score is always 0."
    return ""

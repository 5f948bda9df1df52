"""The smallest change of a point that carries it across planes, with bounds on what may change and how far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from ..array_types import Floats
from ..errors import InputError

TOUCHING = 1e-9
"""Residual of the least-distance problem, beside one of 1, that may be rounding: the constraints contradict each other."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastChange:
    """A point moved as little as can be.

    Attributes
    ----------
    point : (p,) where it ends
    cost : float
        √Σ (δ_j/s_j)²
    reached : bool
        Whether the level was reached; if not, `point` is as far as the bounds let it go.
    """

    point: Floats
    cost: float
    reached: bool


def cross_plane(w: Floats, w0: float, x: Floats, scale: Floats, lower: Floats, upper: Floats, level: float = 0.0) -> LeastChange:
    """Return the point nearest to x, within bounds, on the side w'x + w0 ≥ level of a plane.

        minimise Σ (δ_j/s_j)²   subject to   w'(x + δ) + w0 ≥ level,   lower ≤ x + δ ≤ upper

    By the conditions of Karush, Kuhn and Tucker δ_j(t) = clip(t w_j s_j², lower_j − x_j, upper_j − x_j) for some t ≥ 0, and w'δ(t) grows
    with t in straight pieces: the piece that reaches the level is found by bisection over the ends of the pieces, t on it by division.
    Without bounds this is the projection t = (level − w'x − w0)/Σ w_j² s_j².

    Parameters
    ----------
    w, w0 : the plane
    x : (p,)
    scale : (p,) s ≥ 0, the unit in which a change of each column is measured; 0 keeps the column as it is
    lower, upper : (p,) may be infinite
    level : float

    Examples
    --------
    >>> found = cross_plane(np.array([1.0, 1.0]), -4.0, np.zeros(2), np.ones(2), np.zeros(2), np.array([1.0, 9.0]))
    >>> found.point.tolist(), found.reached
    ([1.0, 3.0], True)

    References
    ----------
    Boyd and Vandenberghe (2004), Convex Optimization, example 5.2 (water-filling).
    """
    speed = _speed(w, scale)
    low, high = _room(x, scale, lower, upper)
    needed = level - float(w @ x + w0)
    with np.errstate(divide="ignore", invalid="ignore"):
        begin, end = np.sort([low / speed, high / speed], axis=0)
    ends = np.concatenate([begin, end])
    ends = np.unique(np.append(ends[np.isfinite(ends) & (ends > 0)], 0.0))

    def moved(t: float) -> Floats:
        return np.clip(t * speed, low, high)

    first, last = 0, len(ends)  # the first end at which the level is reached
    while first < last:
        middle = (first + last) // 2
        if float(w @ moved(ends[middle])) >= needed:
            last = middle
        else:
            first = middle + 1
    if first == 0:
        return _ending(x, moved(0.0), scale, True)
    before = moved(ends[first - 1])
    # By the ends themselves: t·speed at the end of a column may be off its bound by rounding, as if it had still some way to go.
    free = (speed != 0) & (begin <= ends[first - 1]) & (ends[first - 1] < end)
    slope = float(w[free] @ speed[free])
    if slope <= 0:
        return _ending(x, before, scale, False)
    return _ending(x, moved(ends[first - 1] + (needed - float(w @ before)) / slope), scale, True)


def _speed(w: Floats, scale: Floats) -> Floats:
    """Return w_j s_j² up to a common factor, in which t counts: without it, columns of 1e160 would be infinitely fast."""
    s, v = scale / (scale.max(initial=0.0) or 1.0), w / (np.abs(w).max(initial=0.0) or 1.0)
    return np.asarray(v * s * s)


def cross_planes(W: Floats, w0: Floats, x: Floats, scale: Floats, lower: Floats, upper: Floats, level: float = 0.0) -> LeastChange:
    """Return the point nearest to x, within bounds, with w_i'x + w0_i ≥ level for every row of W.

    In z = δ/s this is the least-distance problem min ‖z‖² subject to Gz ≥ h, solved exactly by non-negative least squares: with u ≥ 0
    the solution of min ‖G'u‖² + (h'u − 1)² and r its residual, z = −r_z/r_1; r = 0 says that no point satisfies all.

    Parameters
    ----------
    W, w0 : (m, p), (m,) planes
    x, scale, lower, upper, level : as in `cross_plane`

    Examples
    --------
    >>> free = np.full(2, np.inf)
    >>> cross_planes(np.eye(2), np.array([-1.0, -2.0]), np.zeros(2), np.ones(2), -free, free).point.round(12).tolist()
    [1.0, 2.0]

    References
    ----------
    Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23.
    """
    low, high = _room(x, scale, lower, upper)
    movable = scale > 0
    s, eye = scale[movable], np.eye(int(movable.sum()))
    G = [W[:, movable] * s, eye, -eye]
    h = [level - (W @ x + w0), low[movable] / s, -high[movable] / s]
    rows, ends = np.vstack(G), np.concatenate(h)
    size = np.linalg.norm(rows, axis=1)
    unmoved = (size == 0) & (ends > 0)
    used = np.isfinite(ends) & (size > 0)
    if not used.any():  # nothing can move: the planes are behind x already, or stay before it
        return _ending(x, np.clip(0.0, low, high), scale, not unmoved.any())
    rows, ends = rows[used] / size[used, None], ends[used] / size[used]
    far = max(1.0, float(np.abs(ends).max(initial=0.0)))
    u, residual = nnls(np.vstack([rows.T, ends / far]), np.append(np.zeros(len(s)), 1.0))
    r = np.append(rows.T @ u, ends @ u / far - 1.0)
    if unmoved.any() or residual <= TOUCHING:
        return _ending(x, np.clip(0.0, low, high), scale, False)
    delta = np.zeros(len(x))
    delta[movable] = np.clip(-r[:-1] / r[-1] * far * s, low[movable], high[movable])
    return _ending(x, delta, scale, True)


def _room(x: Floats, scale: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return how far each column may go down and up."""
    if (lower > upper).any():
        j = int((lower > upper).argmax())
        raise InputError(f"Column {j} has the bounds {lower[j]:g} to {upper[j]:g}, which hold no number; give (lower, upper).")
    low, high = lower - x, upper - x
    still = scale == 0
    return np.where(still, 0.0, low), np.where(still, 0.0, high)


def _ending(x: Floats, delta: Floats, scale: Floats, reached: bool) -> LeastChange:
    used = (delta != 0) & (scale > 0)
    with np.errstate(over="ignore"):  # a cost beyond float64 is infinite
        return LeastChange(x + delta, float(np.linalg.norm(delta[used] / scale[used])), reached)

"""What pictures of a plane are made of: grids, the lines where a score has a value, ellipses, ambiguous places. Arrays in, arrays out."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.stats import chi2

from ..array_types import Floats
from ..errors import InputError
from .hyperplane import Hyperplane

CLOSE = 0.2
"""A point is ambiguous where its two largest posteriors differ by less than this."""

Crossing = tuple[str, int, int]
"""An edge of the grid that a line crosses: "x" or "y" for its direction, and the point where it begins."""


def axis_range(values: Floats) -> tuple[float, float]:
    """Return the range of an axis that shows all values, with a margin.

    Examples
    --------
    >>> axis_range(np.array([0.0, 10.0]))
    (-0.5, 10.5)
    """
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def grid_points(x: Floats, y: Floats) -> Floats:
    """Return the points (r·c, 2) of a grid, row by row: point i·c + j is (x[j], y[i]).

    Examples
    --------
    >>> grid_points(np.array([0.0, 1.0]), np.array([5.0])).tolist()
    [[0.0, 5.0], [1.0, 5.0]]
    """
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def ambiguity(posteriors: Floats, close: float = CLOSE) -> Floats:
    """Return by how much the two largest posteriors are closer than `close`, (n,): positive where a row is ambiguous.

    Examples
    --------
    >>> ambiguity(np.array([[0.5, 0.45, 0.05], [0.9, 0.1, 0.0]])).round(2).tolist()
    [0.15, -0.6]
    """
    top = np.sort(posteriors, axis=1)
    return np.asarray(close - (top[:, -1] - top[:, -2]))


def leads(scores: Floats) -> Floats:
    """Return by how much each score (…, K) is above the best of the others: 0 on the boundary of its region.

    Examples
    --------
    >>> leads(np.array([1.0, 3.0, 2.0])).tolist()
    [-2.0, 1.0, -1.0]
    """
    top = np.sort(scores, axis=-1)
    best, second = top[..., -1:], top[..., -2:-1]
    return np.asarray(scores - np.where(scores == best, second, best))


def ellipse(mean: Floats, covariance: Floats, share: float = 0.9, points: int = 73) -> Floats:
    """Return points (m, 2) of the ellipse that holds a share of a normal distribution of two columns; the first is repeated at the end.

        {x : (x − μ)'Σ⁻¹(x − μ) = χ²_2(share)}

    Examples
    --------
    >>> circle = ellipse(np.zeros(2), np.eye(2), share=0.3934693402873666, points=5)
    >>> np.linalg.norm(circle, axis=1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    if not 0.0 < share < 1.0:
        raise InputError(f"share={share!r} of a distribution lies between 0 and 1, such as 0.9.")
    values, vectors = np.linalg.eigh(covariance)
    angle = np.linspace(0.0, 2.0 * np.pi, points)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * np.sqrt(chi2.ppf(share, 2) * np.maximum(values, 0.0))
    return np.asarray(mean + circle @ vectors.T)


def gaussian_scores(points: Floats, means: Floats, covariances: Floats, priors: Floats) -> Floats:
    """Return log π_k p(x | k) of normal classes, (n, K), up to a constant.

    Parameters
    ----------
    points : (n, q)
    means, covariances, priors : (K, q), (K, q, q), (K,)

    Examples
    --------
    >>> gaussian_scores(np.zeros((1, 2)), np.array([[1.0, 0.0], [0.0, 2.0]]), np.stack([np.eye(2)] * 2), np.ones(2)).tolist()
    [[-0.5, -2.0]]
    """
    away = points[:, None, :] - means
    solved = np.linalg.solve(covariances, away.transpose(1, 2, 0)).transpose(2, 0, 1)
    return np.asarray(np.log(priors) - 0.5 * np.einsum("nkq,nkq->nk", away, solved) - 0.5 * np.linalg.slogdet(covariances)[1])


def line_in_box(plane: Hyperplane, x: tuple[float, float], y: tuple[float, float]) -> Floats:
    """Return the two ends (2, 2) of the part of a line in the plane of two columns that lies in a box; (0, 2) where none does.

    Examples
    --------
    >>> line_in_box(Hyperplane([1.0, 1.0], -1.0), (0.0, 1.0), (0.0, 1.0)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    (a, b), c = plane.normalized().w, plane.normalized().w0
    ends = []
    if abs(b) > 1e-12:
        ends += [(u, -(a * u + c) / b) for u in x]
    if abs(a) > 1e-12:
        ends += [(-(b * v + c) / a, v) for v in y]
    slack = 1e-9 * (np.ptp(x) + np.ptp(y))
    inside = [(u, v) for u, v in ends if x[0] - slack <= u <= x[1] + slack and y[0] - slack <= v <= y[1] + slack]
    if not inside:
        return np.empty((0, 2))
    first, last = min(inside), max(inside, key=lambda end: np.hypot(end[0] - min(inside)[0], end[1] - min(inside)[1]))
    return np.array([first, last]) + 0.0  # not −0


def level_lines(x: Floats, y: Floats, values: Floats, level: float = 0.0) -> list[Floats]:
    """Return the lines along which values on a grid have a level, each (m, 2); exact where the values are linear.

    Parameters
    ----------
    x, y : (c,), (r,) ascending values along the axes
    values : (r, c)
    level : float

    Examples
    --------
    >>> x = np.arange(3.0)
    >>> [line.tolist() for line in level_lines(x, x[:2], np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]), 1.5)]
    [[[1.5, 0.0], [1.5, 1.0]]]

    References
    ----------
    Lorensen and Cline (1987), Marching cubes, SIGGRAPH; here in the plane.
    """
    over = values > level
    links: dict[Crossing, list[Crossing]] = defaultdict(list)
    square = over[:-1, :-1] + 2 * over[:-1, 1:] + 4 * over[1:, 1:] + 8 * over[1:, :-1].astype(np.int64)
    for i, j in np.argwhere((square > 0) & (square < 15)).tolist():
        for one, two in _segments(int(square[i, j]), i, j, float(values[i : i + 2, j : j + 2].mean()) > level):
            links[one].append(two)
            links[two].append(one)
    return [np.array([_place(x, y, values, level, at) for at in chain]) for chain in _chains(links)]


def _segments(square: int, i: int, j: int, middle: bool) -> list[tuple[Crossing, Crossing]]:
    """Return the pairs of edges that a line joins within a cell, by which of its corners (1, 2, 4, 8) are above the level."""
    south, east, north, west = ("x", i, j), ("y", i, j + 1), ("x", i + 1, j), ("y", i, j)
    if square in (5, 10):
        # A saddle: the middle says which corners belong together.
        together = (square == 5) == middle
        return [(south, east), (north, west)] if together else [(south, west), (north, east)]
    sides = {1: (south, west), 2: (south, east), 4: (east, north), 8: (north, west), 3: (west, east), 6: (south, north)}
    return [sides[square] if square in sides else sides[15 - square]]


def _place(x: Floats, y: Floats, values: Floats, level: float, at: Crossing) -> tuple[float, float]:
    direction, i, j = at
    k, m = (i, j + 1) if direction == "x" else (i + 1, j)
    before, after = float(values[i, j]), float(values[k, m])
    share = (level - before) / (after - before) if np.isfinite(after - before) and after != before else 0.5
    return float(x[j] + share * (x[m] - x[j])), float(y[i] + share * (y[k] - y[i]))


def _chains(links: dict[Crossing, list[Crossing]]) -> list[list[Crossing]]:
    """Return the crossings in the order of the lines through them: open lines from one of their ends, then closed ones."""
    left = dict(links)
    found = []
    for start in [*(at for at, ends in links.items() if len(ends) == 1), *links]:
        if start not in left:
            continue
        chain, at = [start], start
        while at in left:
            following = [each for each in left.pop(at) if each in left]
            if following:
                at = following[0]
                chain.append(at)
        if len(links[start]) == 2 and len(chain) > 2:
            chain.append(start)
        found.append(chain)
    return found

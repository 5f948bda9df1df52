"""The regions of a plane as shapes: a grid of class codes becomes bands that cover the plane without gap or overlap.

A row of the grid is a sequence of runs of one code. Between two rows, runs of the same code that lie over each other are joined to a
trapezium; a run that meets none shrinks to a point. Trapezia that continue each other are one band: its left and right edge, upwards. A
linear model gives one band for each class, whose edges are its boundaries exactly; regions with holes and of several parts come out right
as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..array_types import Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A part of a region: all points with left(y) ≤ x ≤ right(y).

    Attributes
    ----------
    code : of the class
    y : (m,) ascending
    left, right : (m,) its edges
    """

    code: int
    y: Floats
    left: Floats
    right: Floats


class Run(NamedTuple):
    """Neighbours of one code in a row of the grid, from the edge before to the edge after them."""

    code: int
    left: float
    right: float


class Piece(NamedTuple):
    """A trapezium between two rows: its interval below and above, and the runs that it takes whole (−1: part of one, or none)."""

    code: int
    below: tuple[float, float]
    above: tuple[float, float]
    lower: int
    upper: int


def bands(x: Floats, y: Floats, codes: Indices, scores: Floats | None = None) -> list[Band]:
    """Return the regions of a grid of codes as bands.

    Parameters
    ----------
    x, y : (c,), (r,) ascending values along the axes
    codes : (r, c) code of each point of the grid
    scores : (r, c, K), optional
        What the codes are the largest of: edges then lie where two scores are equal, else half way between points.

    Examples
    --------
    >>> found = bands(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([[0, 1], [0, 1]]))
    >>> [(band.code, band.left.tolist(), band.right.tolist()) for band in found]
    [(0, [0.0, 0.0], [0.5, 0.5]), (1, [0.5, 0.5], [1.0, 1.0])]
    """
    rows = [_runs(x, codes[i], None if scores is None else scores[i]) for i in range(len(y))]
    found: list[tuple[int, list[tuple[float, float, float]]]] = []
    ending: dict[int, int] = {}
    for i in range(len(y) - 1):
        begun: dict[int, int] = {}
        for piece in _pieces(rows[i], rows[i + 1]):
            at = ending.get(piece.lower, -1)
            if at < 0:
                at = len(found)
                found.append((piece.code, [(float(y[i]), *piece.below)]))
            found[at][1].append((float(y[i + 1]), *piece.above))
            if piece.upper >= 0:
                begun[piece.upper] = at
        ending = begun
    return [Band(code, *(np.array(values) for values in zip(*edges, strict=True))) for code, edges in found]


def _runs(x: Floats, codes: Indices, scores: Floats | None) -> list[Run]:
    breaks = np.flatnonzero(np.diff(codes))
    edges = [float(x[0]), *(_crossing(x, codes, scores, int(j)) for j in breaks), float(x[-1])]
    firsts = [0, *(breaks + 1).tolist()]
    return [Run(int(codes[j]), edges[k], edges[k + 1]) for k, j in enumerate(firsts)]


def _crossing(x: Floats, codes: Indices, scores: Floats | None, j: int) -> float:
    """Return where the score of one class overtakes that of the other, between points j and j + 1."""
    share = 0.5
    if scores is not None:
        before, after = (float(scores[i, codes[j]] - scores[i, codes[j + 1]]) for i in (j, j + 1))
        if np.isfinite(before) and np.isfinite(after) and before > after:
            share = min(max(before / (before - after), 0.0), 1.0)
    return float(x[j] + share * (x[j + 1] - x[j]))


def _pieces(lower: list[Run], upper: list[Run]) -> Iterator[Piece]:
    """Yield the trapezia and triangles between two rows, from left to right."""
    pairs = [(p, q) for p, one in enumerate(lower) for q, two in enumerate(upper) if _meet(one, two)]
    below, above = _shares(lower, upper, pairs), _shares(upper, lower, [(q, p) for p, q in pairs])
    p, q, at, over = 0, 0, lower[0].left, upper[0].left
    for pair in [*pairs, (len(lower), len(upper))]:
        for i in range(p, pair[0]):
            yield Piece(lower[i].code, (lower[i].left, lower[i].right), (over, over), i, -1)
            at = lower[i].right
        for i in range(q, pair[1]):
            yield Piece(upper[i].code, (at, at), (upper[i].left, upper[i].right), -1, i)
            over = upper[i].right
        if pair in below:
            one, two = lower[pair[0]], upper[pair[1]]
            own, other = below[pair], above[pair[::-1]]
            yield Piece(one.code, own, other, pair[0] if own == one[1:] else -1, pair[1] if other == two[1:] else -1)
            p, q, at, over = pair[0] + 1, pair[1] + 1, own[1], other[1]


def _meet(one: Run, two: Run) -> bool:
    return one.code == two.code and one.left < two.right and two.left < one.right


def _shares(runs: list[Run], others: list[Run], pairs: list[tuple[int, int]]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return which part of its run each pair (run, other) takes: where a run meets several, it is cut half way between these."""
    found = {}
    for i, run in enumerate(runs):
        met = [j for one, j in pairs if one == i]
        halves = [(others[j].right + others[k].left) / 2 for j, k in pairwise(met)]
        cuts = [run.left, *(min(max(cut, run.left), run.right) for cut in halves), run.right]
        found.update({(i, j): (cuts[k], cuts[k + 1]) for k, j in enumerate(met)})
    return found

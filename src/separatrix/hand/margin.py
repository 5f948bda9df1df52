"""The largest margin in exact fractions: conditions of Karush, Kuhn and Tucker, tried set by set."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import nnls

from . import exact
from .exact import Vector

NEAR = 1e-4
"""Distance from the margin, beside its width, within which a row may be on it."""


@dataclass(frozen=True)
class Margin:
    """The separating hyperplane w'x + b with the largest margin 1/‖w‖.

    Attributes
    ----------
    w, b : exact
    support : positions of the rows with a multiplier above 0
    multipliers : α of those rows
    values : y_i (w'x_i + b) of all rows, 1 on the margin
    """

    w: Vector
    b: Fraction
    support: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    values: tuple[Fraction, ...]


def largest_margin(rows: list[Vector], signs: list[int], bias: bool = True) -> Margin:
    """Return the hard-margin solution of separable rows, by the smallest set of support vectors that satisfies all conditions.

        w = Σ α_i y_i x_i,   Σ α_i y_i = 0,   α ≥ 0,   y_i (w'x_i + b) = 1 on the set and ≥ 1 off it

    At most p + 1 rows are needed (p without a bias). Floating point finds the rows near the margin; sets of them, the smallest first, are
    judged in fractions.

    Parameters
    ----------
    rows, signs : separable rows and their sides, +1 or −1
    bias : bool
        Whether there is a b; without it the plane passes through the origin.

    Examples
    --------
    >>> found = largest_margin([[Fraction(0)], [Fraction(2)], [Fraction(5)]], [-1, 1, 1])
    >>> found.w, found.b, found.support
    ([Fraction(1, 1)], Fraction(-1, 1), (0, 1))
    """
    most = min(len(rows), len(rows[0]) + int(bias))
    for candidates in (_near_margin(rows, signs, bias), range(len(rows))):  # all rows, should rounding have hidden one
        for size in range(2 if bias else 1, most + 1):
            for chosen in combinations(candidates, size):
                if (found := _judge(rows, signs, chosen, bias)) is not None:
                    return found
    raise AssertionError("separable rows have a largest margin")


def _near_margin(rows: list[Vector], signs: list[int], bias: bool) -> list[int]:
    """Return the rows on the margin, told from floats.

    w joins the nearest points of the two convex hulls: min ‖Σ α_i y_i x_i‖² with the α of each class summing to 1, which non-negative least
    squares find where the sums weigh much. Without a bias it is the point of the hull of all y_i x_i nearest to the origin.
    """
    Z = np.array([[float(v) * sign for v in row] for row, sign in zip(rows, signs)])
    y = np.array(signs)
    groups = np.stack([y > 0, y < 0]) if bias else np.ones((1, len(y)), dtype=bool)
    heavy = 1e4 * (np.abs(Z).max() or 1.0)
    alpha, _ = nnls(np.vstack([Z.T, heavy * groups]), np.append(np.zeros(Z.shape[1]), np.full(len(groups), heavy)))
    scores = Z @ (alpha @ Z)  # y_i w'x_i, to be compared within each class: the bias moves all of a class alike
    gap = sum(scores[group].min() for group in groups)
    near = [scores <= scores[group].min() + NEAR * abs(gap) for group in groups]
    return [i for i in range(len(y)) if any(group[i] and close[i] for group, close in zip(groups, near))]


def _judge(rows: list[Vector], signs: list[int], chosen: tuple[int, ...], bias: bool) -> Margin | None:
    n = len(chosen)
    A = [[signs[i] * signs[j] * exact.dot(rows[i], rows[j]) for j in chosen] + ([Fraction(signs[i])] if bias else []) for i in chosen]
    if bias:
        A.append([Fraction(signs[i]) for i in chosen] + [Fraction(0)])
    found = exact.solve(A, [Fraction(1)] * n + ([Fraction(0)] if bias else []))
    if found is None or min(found[:n]) <= 0:
        return None
    w = [Fraction(0)] * len(rows[0])
    for i, alpha in zip(chosen, found):
        w = exact.plus(w, exact.times(alpha * signs[i], rows[i]))
    b = found[n] if bias else Fraction(0)
    values = tuple(sign * (exact.dot(w, x) + b) for x, sign in zip(rows, signs))
    return Margin(w, b, chosen, tuple(found[:n]), values) if min(values) >= 1 else None

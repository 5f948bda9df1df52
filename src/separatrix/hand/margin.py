"""The largest margin in exact fractions: conditions of Karush, Kuhn and Tucker, tried set by set."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from . import exact
from .exact import Vector


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

    At most p + 1 rows are needed (p without a bias). Sets are sieved in floating point and judged in fractions.

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
    X, s = np.array([[float(v) for v in row] for row in rows]), np.array(signs, dtype=np.float64)
    for size in range(2 if bias else 1, min(len(rows), len(rows[0]) + (1 if bias else 0)) + 1):
        for chosen in combinations(range(len(rows)), size):
            if bias and len({signs[i] for i in chosen}) == 1:
                continue
            if _may_be(X, s, chosen, bias) and (found := _judge(rows, signs, chosen, bias)) is not None:
                return found
    raise AssertionError("separable rows have a largest margin")


def _may_be(X: np.ndarray, s: np.ndarray, chosen: tuple[int, ...], bias: bool) -> bool:
    """Whether a set may satisfy all conditions, told from floats."""
    A, y = X[list(chosen)], s[list(chosen)]
    G = (A @ A.T) * np.outer(y, y)
    if bias:
        G = np.block([[G, y[:, None]], [y[None], np.zeros((1, 1))]])
    target = np.append(np.ones(len(chosen)), np.zeros(int(bias)))
    try:
        found = np.linalg.solve(G, target)
    except np.linalg.LinAlgError:
        return False
    if not np.isfinite(found).all() or found[: len(chosen)].min() < -1e-6 * np.abs(found).max():
        return False
    w = (found[: len(chosen)] * y) @ A
    values = s * (X @ w + (found[-1] if bias else 0.0))
    return bool(values.min() > 1 - 1e-6)


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

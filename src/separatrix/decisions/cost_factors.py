"""Factors on the rows of a cost matrix that make its decisions cheapest on known rows, where posteriors are not to be trusted."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats, Indices
from .posteriors import Cases

SWEEPS = 20


def best_factors(cases: Cases, C: Floats) -> Floats:
    """Return w (K,) for which the actions argmin_a Σ_k w_k p_k C[k, a] cost least, by exact searches along one w_k at a time.

    Begins at w = 1 and stops where no single factor gains any more: a local optimum, since the cost is a step function of w.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
    >>> w = best_factors(Cases(P, np.array([0, 1, 1]), np.ones(3), np.arange(2)), 1.0 - np.eye(2))
    >>> np.argmax(P * w, axis=1).tolist()
    [0, 1, 1]
    """
    w = np.ones(len(C))
    paid = cases.weight[:, None] * C[cases.codes]
    best = float(paid[np.arange(len(paid)), np.argmin(cases.P @ C, axis=1)].sum())
    for _ in range(SWEEPS):
        before = best
        for k in range(len(C)):
            without = w.copy()
            without[k] = 0.0
            s, cost = along(cases.P @ (without[:, None] * C), cases.P[:, k, None] * C[k], paid, float(w[k]))
            if cost < best - 1e-9 * cases.n * float(np.abs(C).max()):
                w[k], best = s, cost
        if best >= before:
            break
    return w


def along(alpha: Floats, beta: Floats, paid: Floats, now: float) -> tuple[float, float]:
    """Return s > 0 for which the actions argmin_a alpha[i, a] + s beta[i, a] are paid least, and what is paid.

    The cost of an action is a line in s; a row's action changes where lines of its lower envelope meet. All meetings are sorted and the
    cheapest stretch between two is chosen, of equal ones that nearest to `now`.

    Parameters
    ----------
    alpha, beta : (n, A)
    paid : (n, A) what each action turns out to cost
    now : float
    """
    every = np.arange(len(alpha))
    # Just above 0: least alpha, of equal ones least beta.
    current = _least(alpha, beta)
    total = float(paid[every, current].sum())
    at: list[Floats] = []
    change: list[Floats] = []
    rows = every
    for _ in range(alpha.shape[1]):
        own = current[rows]
        fall = beta[rows, own][:, None] - beta[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = np.where(fall > 0, (alpha[rows] - alpha[rows, own][:, None]) / fall, np.inf)
        # Of lines that meet at one point, the one that falls most goes on below.
        following = _least(meet, -fall)
        where = meet[np.arange(len(rows)), following]
        goes = np.isfinite(where)
        rows, following, where = rows[goes], following[goes], where[goes]
        if not len(rows):
            break
        at.append(where)
        change.append(paid[rows, following] - paid[rows, current[rows]])
        current[rows] = following
    return _cheapest_stretch(total, np.concatenate(at), np.concatenate(change), now) if at else (now, total)


def _least(first: Floats, second: Floats) -> Indices:
    """Return the column of the least `first` in each row, of equal ones that of the least `second`."""
    ties = first == first.min(axis=1, keepdims=True)
    columns: Indices = np.argmin(np.where(ties, second, np.inf), axis=1)
    return columns


def _cheapest_stretch(total: float, at: Floats, change: Floats, now: float) -> tuple[float, float]:
    order = np.argsort(at, kind="stable")
    at, costs = at[order], np.append(total, total + np.cumsum(change[order]))
    low, high = np.append(0.0, at), np.append(at, np.inf)
    real = high > low * (1 + 1e-12)
    low, high, costs = low[real], high[real], costs[real]
    cheapest = np.flatnonzero(costs <= costs.min() + 1e-12 * max(1.0, abs(total)))
    # Where an end is 0 or infinite, twice or half the other end.
    middle = np.sqrt(np.where(low > 0, low, high / 4) * np.where(np.isfinite(high), high, low * 4))
    inside = (low < now) & (now < high)
    points = np.where(inside, now, middle)[cheapest]
    nearest = int(np.abs(np.log(points) - np.log(now)).argmin())
    return float(points[nearest]), float(costs[cheapest[nearest]])

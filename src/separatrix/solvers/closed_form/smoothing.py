"""Logarithms of probabilities estimated by counting, exact also where nothing was counted.

A probability (N + α)/(D + Lα) of L possible cases is 0 where N = α = 0, and no finite logarithm stands for it. Here it is the limit
of ever smaller α instead: log p = zeros·log α + value with α → 0. A row is impossible in a class as soon as its sum of `zeros` is
positive; where it is impossible in every class, the classes with the fewest zeros are compared by their values. Posteriors are
therefore never 0/0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Bools, Floats, Indices


@dataclass(frozen=True, slots=True)
class LogProbability:
    """value, finite, and zeros: 1.0 where the probability is 0, or None where all are positive."""

    value: Floats
    zeros: Floats | None

    @property
    def exact(self) -> Floats:
        """The logarithm, -inf for a probability of 0."""
        return self.value if self.zeros is None else np.where(self.zeros > 0, -np.inf, self.value)


def log_share(part: Floats, whole: Floats, cases: Floats | float) -> LogProbability:
    """Return log(part/whole) as a limit: a whole of 0 is shared evenly by the `cases`.

    Parameters
    ----------
    part : (K, p) smoothed counts N + α
    whole : broadcast against part, smoothed totals D + Lα
    cases : number of possible cases L, broadcast against part

    Examples
    --------
    >>> log_share(np.array([[3.0, 0.0]]), np.array([[3.0]]), 2).exact
    array([[  0., -inf]])
    >>> np.exp(log_share(np.array([[0.0, 0.0]]), np.array([[0.0]]), 2).exact)
    array([[0.5, 0.5]])
    """
    if part.size == 0:
        return LogProbability(np.zeros_like(part), None)
    if part.min() > 0 and np.min(whole) > 0:
        return LogProbability(np.log(part) - np.log(whole), None)
    known = whole > 0
    # One pseudo-count α stands where none was counted: its logarithm is counted in zeros, and 0 is left.
    value = np.log(np.where(part > 0, part, 1.0)) - np.log(np.where(known, whole, 1.0))
    value = np.where(known, value, -np.log(np.maximum(cases, 1.0)))
    zeros = (known & (part <= 0)).astype(np.float64)
    return LogProbability(value, zeros if zeros.any() else None)


def bernoulli_logs(totals: Floats, present: Floats, alpha: Any) -> tuple[LogProbability, LogProbability]:
    """Return the log-probabilities of on, (N + α)/(n + 2α), and of off, (n − N + α)/(n + 2α), (K, p) each.

    Examples
    --------
    >>> on, off = bernoulli_logs(np.array([[3.0, 0.0]]), np.array([[4.0]]), 1.0)
    >>> (np.exp(on.value) + np.exp(off.value)).tolist()
    [[1.0, 1.0]]
    """
    if np.ndim(alpha) == 0 and present.shape[1] == 1:
        cells = np.flatnonzero(totals != 0)  # of booleans: five times as fast
        if cells.size < FEW * totals.size:  # many classes of words: what was never on has the same two logarithms in all columns
            never = _switch_logs(np.zeros_like(present), present, alpha)
            some = _switch_logs(totals.ravel()[cells], present[cells // totals.shape[1], 0], alpha)
            on, off = (_spread(*pair, cells, totals.shape) for pair in zip(never, some, strict=True))
            return on, off
    return _switch_logs(totals, present, alpha)


def _switch_logs(totals: Floats, present: Floats, alpha: Any) -> tuple[LogProbability, LogProbability]:
    """Return the log-probabilities of on and off, element by element."""
    off = present - totals
    # Sums of the same weights in another order: what is left over is rounding.
    off = np.where(off > 1e-12 * present, off, 0.0)
    whole = present + 2.0 * alpha
    return log_share(totals + alpha, whole, 2.0), log_share(off + alpha, whole, 2.0)


def _spread(never: LogProbability, some: LogProbability, cells: Indices, shape: tuple[int, ...]) -> LogProbability:
    """Return logarithms that are those of a class, (K, 1), but for some cells of it."""

    def filled(rows: Floats, values: Floats) -> Floats:
        full = np.repeat(rows, shape[1], axis=1)
        full.ravel()[cells] = values
        return full

    if never.zeros is None and some.zeros is None:
        return LogProbability(filled(never.value, some.value), None)
    zeros = [np.zeros_like(part.value) if part.zeros is None else part.zeros for part in (never, some)]
    return LogProbability(filled(never.value, some.value), filled(*zeros))


def multinomial_logs(totals: Floats, alpha: Any) -> LogProbability:
    """Return the log-probabilities (N_j + α)/Σ_j (N_j + α) of one count, (K, p)."""
    part = totals + alpha
    return log_share(part, part.sum(axis=1, keepdims=True), part.shape[1])


def log_rate(total: Floats, present: Floats, mean: Floats, alpha: float) -> LogProbability:
    """Return log λ of Poisson rates λ = (total + α mean)/(present + α): α rows at the column's overall mean are added.

    Parameters
    ----------
    total : (K, p) sums of the counts
    present : (K, p) or (K, 1) rows behind them
    mean : (p,) means over all classes

    Examples
    --------
    >>> np.exp(log_rate(np.array([[4.0], [0.0]]), np.array([[2.0], [2.0]]), np.array([1.0]), 0.0).exact).tolist()
    [[2.0], [0.0]]
    """
    # A class without rows has the overall rate: the limit of α mean/α.
    rows = np.where(present + alpha > 0, present + alpha, 1.0)
    part = np.where(present + alpha > 0, total + alpha * mean, mean)
    zero = part <= 0
    unit = np.where(mean > 0, mean, 1.0)
    value = np.log(np.where(zero, unit, part)) - np.log(rows)
    return LogProbability(value, zero.astype(np.float64) if zero.any() else None)


def rule_out(scores: Floats, zeros: Floats | None, never: Bools | None = None) -> Floats:
    """Return scores in which the classes ruled out stand at -FAR: those with more zeros than another, and those that are never right.

    Parameters
    ----------
    scores : (n, K) log p(x, k) without its zeros; or (n, 1), the second class minus the first
    zeros : the same shape, or None
    never : (K,) classes of prior 0, or None; for (n, 1) neither class may be

    Examples
    --------
    >>> rule_out(np.array([[0.0, 5.0], [0.0, 5.0]]), np.array([[0.0, 1.0], [2.0, 2.0]])).tolist()
    [[0.0, -1e+300], [0.0, 5.0]]
    """
    if never is not None:
        zeros = np.where(never, np.inf, 0.0 if zeros is None else zeros)
        zeros = np.broadcast_to(zeros, scores.shape)
    if zeros is None:
        return scores
    if scores.shape[1] == 1:
        return np.where(zeros > SAME, -FAR, np.where(zeros < -SAME, FAR, scores))
    # Fractions of counts may add up to the same number of zeros in another order.
    fewest = zeros.min(axis=1, keepdims=True)
    return np.where(zeros > fewest + SAME * (1.0 + fewest), -FAR, scores)


FAR = 1e300
"""Stands for an infinite score: finite, so that it is told from what a NaN in the data leaves behind."""
SAME = 1e-9
"""Difference in zeros that is taken for rounding."""
FEW = 0.25
"""Share of cells with a count below which the others, all alike, are filled in."""

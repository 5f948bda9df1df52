"""Exact leave-one-out log-likelihoods of naive Bayes from counts: only the class of the row changes, by the row's own counts.

Zeros among the probabilities are kept apart, as in :mod:`separatrix.solvers.closed_form.smoothing`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Codes, Floats, Ints
from ..closed_form.smoothing import LogProbability, log_share

ROUNDING = 1e-9
"""Share of a count that may be left over where nothing is left: sums of the same weights in another order."""


def without(before: Floats, taken: Any) -> Floats:
    """Return before − taken, exactly 0 where only rounding is left.

    Examples
    --------
    >>> without(np.array([0.1 + 0.2, 3.0]), np.array([0.3, 1.0])).tolist()
    [0.0, 2.0]
    """
    left = before - taken
    return np.where(left > ROUNDING * np.abs(before), left, 0.0)


def words_left_out(
    rows: Ints, columns: Ints, x: Floats, codes: Codes, weight: Floats, totals: Floats, alpha: Any
) -> tuple[Floats, Floats | None]:
    """Return what each row says for its own class under multinomial counts without it, and how many zeros it meets there.

        Σ_j x_ij log p_j,   p_j = (N_gj − w_i x_ij + α_j)/(Σ_l (N_gl + α_l) − w_i Σ_l x_il)

    Parameters
    ----------
    rows, columns, x : (m,) the values that are not 0, and where they stand
    codes, weight : (n,) class and weight of each row
    totals : (K, p)
    alpha : float, or (p,)

    Returns
    -------
    value : (n,)
    zeros : (n,), or None where no probability is 0

    Examples
    --------
    >>> at = np.array([0, 0]), np.array([0, 1]), np.array([1.0, 1.0])
    >>> value, _ = words_left_out(*at, np.array([0], dtype=np.int32), np.ones(1), np.array([[2.0, 3.0]]), 1.0)
    >>> bool(np.isclose(value[0], np.log(2 / 5) + np.log(3 / 5)))
    True
    """
    n, p = len(codes), totals.shape[1]
    smooth = np.broadcast_to(np.asarray(alpha, dtype=np.float64), p)
    of = codes[rows]
    part = without(totals[of, columns], weight[rows] * x) + smooth[columns]
    words = np.bincount(rows, x, minlength=n)
    whole = without(totals.sum(axis=1)[codes], weight * words) + smooth.sum()
    found = log_share(part, whole[rows], p)
    return row_sums(rows, x, found, n)


def row_sums(rows: Ints, x: Floats | float, logs: LogProbability, n: int) -> tuple[Floats, Floats | None]:
    """Return Σ x log p over the values of each of n rows, and Σ x over those whose p is 0 (None: there are none).

    Examples
    --------
    >>> row_sums(np.array([0, 0, 1]), 2.0, LogProbability(np.array([1.0, 2.0, 3.0]), None), 2)
    (array([6., 6.]), None)
    """
    value = np.bincount(rows, x * logs.value, minlength=n).astype(np.float64)
    return value, None if logs.zeros is None else np.bincount(rows, x * logs.zeros, minlength=n).astype(np.float64)


def switch_logs(totals: Floats, present: Floats, weight: Any, alpha: Any) -> tuple[LogProbability, LogProbability]:
    """Return log-probabilities of on and of off under the counts without a row of this weight that is on, or off, itself.

        on: (N − w + α)/(n − w + 2α),   off: (n − N − w + α)/(n − w + 2α)

    Each is right for the value that the row has, which is the only one it is asked for.

    Parameters
    ----------
    totals, present : counts N of on and n of both, of the row's class
    weight : broadcast against them

    Examples
    --------
    >>> on, off = switch_logs(np.array([[3.0]]), np.array([[4.0]]), 1.0, 1.0)
    >>> np.exp([on.value[0, 0], off.value[0, 0]]).round(4).tolist()
    [0.6, 0.2]
    """
    whole = without(present, weight) + 2.0 * alpha
    on, off = (without(count, weight) + alpha for count in (totals, present - totals))
    shape = np.broadcast_shapes(on.shape, off.shape, whole.shape)
    return log_share(np.broadcast_to(on, shape), whole, 2.0), log_share(np.broadcast_to(off, shape), whole, 2.0)


def category_logs_left_out(columns: Ints, own: Floats, present: Floats, weight: Floats, sizes: Ints, alpha: float) -> LogProbability:
    """Return log p of the category of each value in its row's class, without the row: (N − w + α)/(n − w + αL).

    Parameters
    ----------
    columns : (m,) column of each value
    own, present : (m,) counts N of the category and n of the column in the row's class
    weight : (m,)
    sizes : (p,) number of categories of each column
    alpha : float

    Examples
    --------
    >>> at = np.array([0]), np.array([2.0]), np.array([3.0]), np.ones(1), np.array([2])
    >>> np.exp(category_logs_left_out(*at, 1.0).value).tolist()
    [0.5]
    """
    L = sizes[columns].astype(np.float64)
    return log_share(without(own, weight) + alpha, without(present, weight) + alpha * L, L)

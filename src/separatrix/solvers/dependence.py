"""Columns that other columns determine, from second moments."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats, Ints

TOLERANCE = 1e-10
"""Share of a column's variance, given the columns before it, that counts as none."""
ROUNDING = 1e-24
"""Share of a squared mean below which a variance is rounding: the column is constant."""


def dependent_columns(moments: Floats, centre: Floats, fit_intercept: bool) -> Ints | None:
    """Return the columns that earlier ones, and the intercept if there is one, determine; None if there is none.

    Plain Cholesky in the order of the columns, skipping those whose pivot vanishes: the first of two equal columns stays.

    Parameters
    ----------
    moments : (p + 1, p + 1)
        Second moments of [x − centre, 1], with any positive weights of the rows.
    centre : (p,)

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 1.0, 5.0], [1.0, 0.0, 1.0, 5.0], [2.0, 2.0, 4.0, 5.0], [3.0, 1.0, 4.0, 5.0]])
    >>> Z = np.column_stack([X, np.ones(4)])
    >>> dependent_columns(Z.T @ Z, np.zeros(4), fit_intercept=True)
    array([2, 3])
    """
    q = len(moments)
    order = np.append(q - 1, np.arange(q - 1)) if fit_intercept else np.arange(q - 1)
    diagonal = np.einsum("aa->a", moments).copy()
    weight = moments[-1, -1] if fit_intercept else 1.0
    diagonal[:-1][diagonal[:-1] <= ROUNDING * weight * centre**2] = 0.0
    units = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    A = np.where((diagonal > 0.0)[:, None] & (diagonal > 0.0), moments / units / units[:, None], 0.0)[np.ix_(order, order)]
    found = []
    for j in range(len(A)):
        if A[j, j] <= TOLERANCE:
            found.append(int(order[j]))
            continue
        rest = A[j, j + 1 :] / A[j, j]
        A[j + 1 :, j + 1 :] -= rest[:, None] * A[j, j + 1 :]
    return np.array(found, dtype=np.int64) if found else None

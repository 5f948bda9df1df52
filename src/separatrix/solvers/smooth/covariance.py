"""L-BFGS on all rows, preconditioned by the covariance of the columns alone: no Hessian is worth its price for so many classes."""

from __future__ import annotations

from ..accepted_losses import require_loss
from ..problem import Problem
from ..solution import Solution
from .whitened import from_all


def solve(problem: Problem) -> Solution:
    """Minimise a smooth problem over rows of any source.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.25))
    >>> found.status.value, found.coef.round(3).tolist()
    ('converged', [[0.453]])
    """
    require_loss(problem, "covariance")
    return from_all(problem, explicit=False)

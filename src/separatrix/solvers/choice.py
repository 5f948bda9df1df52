"""Which solver a problem gets: one rule, in one place, with the measurements behind it.

Milliseconds on two cores at C = 1 and the default tolerance, passes in parentheses ("–": not tried or not possible):

| rows                                       | newton    | whitened   | newton-cg  | dual      |
|--------------------------------------------|-----------|------------|------------|-----------|
| breast cancer 569 × 30, K = 2              | 2.3 (11)  | 3.5 (3)    | 13 (190)   | –         |
| dense 1,000 × 10, K = 2                    | 1.2 (7)   | 1.1 (3)    | 2.1 (27)   | –         |
| digits 1,797 × 64, K = 10                  | 404 (13)  | 203 (4)    | 188 (514)  | –         |
| dense 10,000 × 50, K = 2                   | 17 (7)    | 21 (3)     | 8.6 (38)   | –         |
| dense 10,000 × 50, K = 5                   | 159 (7)   | 29 (3)     | 47 (42)    | –         |
| dense 20,000 × 50, K = 2                   | 15 (7)    | 9.3 (5)    | 15 (41)    | –         |
| dense 40,000 × 50, K = 2                   | 32 (7)    | 17 (5)     | 38 (46)    | –         |
| dense 40,000 × 50, K = 5                   | 480 (7)   | 51 (5)     | 188 (43)   | –         |
| dense 100,000 × 50, K = 2                  | 73 (7)    | 15 (3)     | 143 (39)   | –         |
| dense 10,000 × 500, K = 5                  | –         | 90 (9)     | 571 (56)   | –         |
| a9a 32,561 × 123 sparse, K = 2             | 52 (9)    | 36 (5)     | 70 (79)    | 164 (38)  |
| text 5,000 × 50,000 sparse, K = 2          | –         | –          | 22 (14)    | 8.9 (6)   |
| text 40,000 × 50,000 sparse, K = 2         | –         | –          | 131 (21)   | 112 (6)   |

One Hessian and L-BFGS around it (curved): digits 54 (67), 537 × 64 with K = 3 14 (Newton 26), 3,000 × 200 with K = 2 18 (55).
Below a few dozen coefficients Newton is as quick, and gives coefficients to full precision. Without a penalty, which was not measured
here, it is kept up to 40,000 rows.

1. An L1 part: proximal Newton, the only one here that knows kinks. Up to 1,500 coefficients the Hessian of all is formed; beyond, columns
   that may matter are walked through, for all classes at once (20 Newsgroups, K = 20: 4.5 s, gap proven to 3e-11).
2. Few coefficients, R(p + 1) ≤ 1,500: the exact Hessian is worth its price. Newton where the rows are sparse or the work little;
   one Hessian and L-BFGS around it where rows are few but a Hessian costs as much as dozens of passes (a penalty given); with many
   dense rows the Hessian of a sample does nearly as well, and each further pass over all rows costs a fraction of it.
3. Sparse rows with many columns: dual coordinate descent for two classes with a penalty (the dual needs one) that is not too weak for
   the lengths of the rows, else Newton with conjugate gradients (counts 2,000 × 3,000, C = 1e4: 5.3 s and 10,287 passes, against .09 s).
4. Dense rows with many columns: Kronecker-whitened L-BFGS, while a p × p factor is cheap; Newton-CG beyond.
5. Rows that are read anew on every pass: whitened L-BFGS, which needs the fewest passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from ..data.threads import single_threaded_blas
from ..losses import Logistic
from .problem import Problem
from .smooth.objective import DENSE_ENOUGH
from .smooth.whitened import EXPLICIT, SAMPLE
from .solution import Solution

FACTORED = 4_000
"""Columns up to which a p × p factor costs less than the iterations it saves."""
SPARSE_WORK = 4e9
"""Rows × (values per row)² × R² above which sums over pairs of stored values are slower than conjugate gradients."""

HESSIAN_WORK = 5e6
"""Rows × (R(p + 1))² above which a Hessian costs more than the dozens of passes that save all but one of them."""
STIFF = 1e5
"""C‖x‖², on average, above which one row's dual variable throws the scores of its neighbours, and epochs undo each other's work."""

FOLDERS = {"proximal_newton": "sparse"}
"""Where solvers live that are not among the smooth ones."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The name of a solver's module, and why it was chosen.

    Examples
    --------
    >>> Choice("newton", "few coefficients").solver.__module__
    'separatrix.solvers.smooth.newton'
    """

    name: str
    why: str

    @property
    def solver(self) -> Callable[[Problem], Solution]:
        """The solver's function."""
        found: Callable[[Problem], Solution] = import_module(f"{__package__}.{FOLDERS.get(self.name, 'smooth')}.{self.name}").solve
        return found


def choose(problem: Problem) -> Choice:
    """Return the solver for a problem."""
    rows, p = problem.rows, problem.n_features
    size = problem.n_scores * (p + 1)
    if problem.l1_ratio > 0.0 and problem.strength > 0.0:
        return Choice("proximal_newton", f"l1_ratio={problem.l1_ratio:g} puts kinks into the penalty")
    if rows.held is None:
        return Choice("whitened", "the rows are read anew on every pass, so few passes count most")
    n = rows.X.shape[0]
    if rows.is_sparse and rows.values < DENSE_ENOUGH * n * p:
        if size <= EXPLICIT and rows.values**2 / n * problem.n_scores**2 <= SPARSE_WORK:
            return Choice("newton", f"sparse rows with few coefficients ({size:,}): the exact Hessian is cheap")
        if isinstance(problem.loss, Logistic) and problem.strength > 0.0 and _stiffness(problem) <= STIFF:
            return Choice("dual_logistic", f"two classes of sparse rows with {p:,} columns")
        return Choice("newton_cg", f"sparse rows with {size:,} coefficients: products with the Hessian, never the Hessian")
    if size <= EXPLICIT:
        if n < SAMPLE or (problem.strength == 0.0 and n <= 2 * SAMPLE):
            if problem.strength > 0.0 and not rows.is_sparse and n * size**2 >= HESSIAN_WORK:
                return Choice("curved", f"{size:,} coefficients and {n:,} rows: one exact Hessian is worth its price, one per step is not")
            return Choice("newton", f"{size:,} coefficients and {n:,} rows: the exact Hessian is cheap")
        return Choice("whitened", f"{n:,} dense rows: a sample gives the Hessian, a few passes the rest")
    if p <= FACTORED and n > p:
        return Choice("whitened", f"{size:,} coefficients of {p:,} dense columns: their covariance whitens the problem")
    return Choice("newton_cg", f"{p:,} dense columns are too many to factor their covariance")


def _stiffness(problem: Problem) -> float:
    """Return the mean of C_i‖x_i‖², C_i = 1/(λS) for rows of mean weight."""
    data = problem.rows.X.data
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(np.dot(data, data)) if data.dtype == np.float64 else float(np.square(data, dtype=np.float64).sum())
    stiffness: float = squares / (problem.rows.X.shape[0] ** 2 * problem.strength)
    return stiffness


def solve(problem: Problem) -> Solution:
    """Solve a problem with the solver that suits it."""
    choice = choose(problem)
    if choice.name == "newton_cg" and not problem.rows.is_sparse:
        return replace(choice.solver(problem), why=choice.why)
    # Chunks of rows are the parallelism; what is left to BLAS is small, and would only wait for its threads.
    with single_threaded_blas():
        return replace(choice.solver(problem), why=choice.why)

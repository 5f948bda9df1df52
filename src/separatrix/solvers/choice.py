"""Which solver a problem gets: one rule, in one place, with the measurements behind it.

Seconds of one core at C = 1 and the default tolerance, passes in parentheses ("–": not tried or not possible):

| rows                                       | newton    | whitened   | newton-cg  | dual      |
|--------------------------------------------|-----------|------------|------------|-----------|
| dense 300,000 × 50, condition 100, K = 2   | 0.53 (7)  | 0.18 (6)   | 0.26 (15)  | –         |
| dense 300,000 × 50, condition 100, K = 5   | 5.3 (7)   | 0.50 (6)   | –          | –         |
| covertype 581,012 × 54 standardised, K = 7 | –         | 3.5 (25)   | –          | –         |
| digits 1,797 × 64, K = 10                  | 0.50 (13) | 0.28 (4)   | 0.22 (475) | –         |
| a9a 32,561 × 123 sparse, K = 2             | 0.07 (9)  | 0.09 (5)   | 0.16 (88)  | 0.22 (45) |
| text 40,000 × 50,000 sparse, K = 2         | –         | –          | 0.23 (22)  | 0.12 (6)  |
| 20 Newsgroups 11,314 × 130,107, K = 20     | –         | –          | 1.9 (54)   | –         |

Newton is kept for few rows although others can be a little quicker there (digits): it alone gives coefficients to full precision.

1. An L1 part: proximal Newton, the only one here that knows kinks. Up to 1,500 coefficients the Hessian of all is formed; beyond, columns
   that may matter are walked through, for all classes at once (20 Newsgroups, K = 20: 5.0 s (14), certified to 1e-10).
2. Few coefficients, R(p + 1) ≤ 1,500: the exact Hessian is worth its price. Newton where the rows are few or sparse; with many
   dense rows the Hessian of a sample does nearly as well, and each further pass over all rows costs a fraction of it.
3. Sparse rows with many columns: dual coordinate descent for two classes with a penalty (the dual needs one), else Newton with conjugate
   gradients.
4. Dense rows with many columns: Kronecker-whitened L-BFGS, while a p × p factor is cheap; Newton-CG beyond.
5. Rows that are read anew on every pass: whitened L-BFGS, which needs the fewest passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from ..data.threads import single_threaded_blas
from .objective import DENSE_ENOUGH
from .problem import Problem
from .solution import Solution
from .whitened import EXPLICIT, SAMPLE

WIDE = 4_000
"""Columns above which a p × p factor costs more than the iterations it saves."""
SPARSE_WORK = 4e9
"""Rows × (values per row)² × R² above which sums over pairs of stored values are slower than conjugate gradients."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The name of a solver's module, and why it was chosen.

    Examples
    --------
    >>> Choice("newton", "few coefficients").solver.__module__
    'separatrix.solvers.newton'
    """

    name: str
    why: str

    @property
    def solver(self) -> Callable[[Problem], Solution]:
        """The solver's function."""
        return import_module(f"{__package__}.{self.name}").solve


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
        if problem.n_scores == 1 and problem.strength > 0.0:
            return Choice("dual_logistic", f"two classes of sparse rows with {p:,} columns")
        return Choice("newton_cg", f"sparse rows with {size:,} coefficients: products with the Hessian, never the Hessian")
    if size <= EXPLICIT:
        if n <= 2 * SAMPLE:
            return Choice("newton", f"{size:,} coefficients and {n:,} rows: the exact Hessian is cheap")
        return Choice("whitened", f"{n:,} dense rows: a sample gives the Hessian, a few passes the rest")
    if p <= WIDE and n > p:
        return Choice("whitened", f"{size:,} coefficients of {p:,} dense columns: their covariance whitens the problem")
    return Choice("newton_cg", f"{p:,} dense columns are too many to factor their covariance")


def solve(problem: Problem) -> Solution:
    """Solve a problem with the solver that suits it."""
    choice = choose(problem)
    if choice.name == "newton_cg" and not problem.rows.is_sparse:
        return replace(choice.solver(problem), why=choice.why)
    # Chunks of rows are the parallelism; what is left to BLAS is small, and would only wait for its threads.
    with single_threaded_blas():
        return replace(choice.solver(problem), why=choice.why)

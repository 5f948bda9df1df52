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
2. Rows that are read anew on every pass: whitened L-BFGS, which needs the fewest passes.
3. No penalty: Newton's method, which sees where coefficients have no bound, while a Hessian has room.
4. Else the least of the seconds that `smooth/work.py` counts for each solver with room for the problem; Newton's method where that is short
   anyway, for the digits of its coefficients.
5. How many products with the Hessian dense rows need is known worst: those that have cost as much as the next best solver would give
   way to it. 2,602 × 5,330 in odd units: 15 s, and more than 60 without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

import numpy as np

from ..data.device import DeviceSource
from ..data.threads import single_threaded_blas
from ..losses import CrossEntropy, Logistic
from .checkpoint import active
from .problem import Problem
from .rows import Rows
from .smooth.objective import DENSE_ENOUGH
from .smooth.whitened import EXPLICIT, SAMPLE
from .smooth.work import EXACT, Work
from .solution import Solution, Status
from .sparse.class_intercepts import settled

FACTORED = 4_000
"""Columns up to which a p × p factor has room."""
SPANNED = 6_000
"""Rows up to which an n × n Gram matrix has room, and its factor is quick."""
HESSIAN_WORK = 5e6
"""Rows × (R(p + 1))² up to which paths and folds may take a Hessian at every step: it costs less than a dozen passes."""
SPARSE_WORK = 4e9
"""Rows × (values per row)² × R² above which sums over pairs of stored values are slower than conjugate gradients."""
ROOM, SPARSEST, CONVERTED = 6_000_000, 0.03, 3e-9
"""Values, 48 MB, up to which sparse rows may be made dense, the share that must be stored of them, and the seconds that each takes."""
SMALL = 2e-3
"""Seconds that Newton's method may always take, for the last digits that it gives."""

FOLDERS = {"proximal_newton": "sparse"}
"""Where solvers live that are not among the smooth ones."""

REASONS = {
    "newton": "{q:,} coefficients and {n:,} rows: the exact Hessian is cheap",
    "curved": "{q:,} coefficients and {n:,} rows: one exact Hessian is worth its price, one per step is not",
    "whitened": "{n:,} dense rows with {q:,} coefficients: the Hessian of a sample, and a few passes",
    "covariance": "{n:,} dense rows with {q:,} coefficients: the columns' covariance, and passes around it",
    "kronecker": "{n:,} dense float32 rows with {q:,} coefficients: passes in float32, the last one in float64",
    "newton_cg": "{q:,} coefficients: products with the Hessian cost less than the Hessian",
    "dual_logistic": "two classes of sparse rows with {p:,} columns",
    "in_span": "{n:,} rows span fewer directions than the {p:,} columns",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """The name of a solver's module, why it was chosen, and whether sparse rows are made dense for it.

    `after` names the solver that goes on where so many `products` with the Hessian have not been enough.

    Examples
    --------
    >>> Choice("newton", "few coefficients").solver.__module__
    'separatrix.solvers.smooth.newton'
    """

    name: str
    why: str
    on_dense: bool = False
    products: int = 0
    after: str = ""

    @property
    def solver(self) -> Callable[[Problem], Solution]:
        """The solver's function."""
        found = _solver(self.name)
        return partial(_by_turns, found, self.products, self.after) if self.after else found


def _solver(name: str) -> Callable[..., Solution]:
    found: Callable[..., Solution] = import_module(f"{__package__}.{FOLDERS.get(name, 'smooth')}.{name}").solve
    return found


def _by_turns(products: Callable[..., Solution], most: int, after: str, problem: Problem) -> Solution:
    """Return what so many products with the Hessian find, or where these do not do what another solver finds from there."""
    found = products(problem, most)
    if found.status is not Status.MAX_ITER or found.iterations >= problem.max_iter:
        return found
    left = replace(problem, start=(found.coef, found.intercept), max_iter=problem.max_iter - found.iterations)
    solver = _solver(after)
    # What products do not do on the rows they do not do in their span.
    again = solver(left, tried=("newton_cg",)) if after == "in_span" else solver(left)
    return replace(again, iterations=again.iterations + found.iterations, passes=again.passes + found.passes)


def choose(problem: Problem, tried: tuple[str, ...] = ()) -> Choice:
    """Return the solver for a problem, one that has been tried in vain only if there is no other."""
    rows, p = problem.rows, problem.n_features
    if isinstance(rows.source, DeviceSource):
        return Choice("kronecker", "the rows stay on their device, where products are quick and few passes count most")
    if problem.l1_ratio > 0.0 and problem.strength > 0.0:
        return Choice("proximal_newton", f"l1_ratio={problem.l1_ratio:g} puts kinks into the penalty")
    if rows.held is None:
        return Choice("whitened", "the rows are read anew on every pass, so few passes count most")
    if problem.strength == 0.0:
        return _without_penalty(problem, rows.is_sparse and rows.values < DENSE_ENOUGH * rows.X.shape[0] * p)
    name, work = least(problem, ways(problem), tried)[1:]
    if name == "covariance" and work.q > EXPLICIT and _in_single_precision(problem):
        name = "kronecker"
    is_turned = rows.is_sparse and not work.is_sparse and _has_room(rows)
    return Choice(name, REASONS[name].format(n=work.n, p=p, q=work.q), is_turned, *_next(problem, name, work))


def _next(problem: Problem, name: str, work: Work) -> tuple[int, str]:
    """Return the products with the Hessian of dense rows that cost what the next best solver would, and that solver; 0 and none if none."""
    if name != "newton_cg" or work.is_sparse:
        return 0, ""
    others = {other: seconds for other, seconds in _roads(problem, work).items() if other != name}
    after = min(others, key=others.__getitem__, default="")
    return (int(others[after] / work.product), after) if after else (0, "")


def ways(problem: Problem) -> list[Work]:
    """Return the work on the rows as they are held and, where sparse rows have room for that, on dense ones."""
    rows = problem.rows
    if not rows.is_sparse or not _has_room(rows):
        return [Work.of(problem, rows.is_sparse and rows.values < DENSE_ENOUGH * rows.X.shape[0] * rows.X.shape[1])]
    return [Work.of(problem, True), Work.of(problem, False)]


def _has_room(rows: Rows) -> bool:
    """Whether sparse rows may be made dense: there are few enough of them, with values enough."""
    size = rows.X.shape[0] * rows.X.shape[1]
    return bool(size <= ROOM and rows.values >= SPARSEST * size)


def least(problem: Problem, ways: Sequence[Work], tried: tuple[str, ...] = ()) -> tuple[float, str, Work]:
    """Return the least seconds of all solvers but those tried, the solver, and the form of the rows it takes."""
    found = []
    for work in ways:
        every = _roads(problem, work)
        roads = {name: seconds for name, seconds in every.items() if name not in tried} or every
        name = "newton" if roads.get("newton", np.inf) <= SMALL else min(roads, key=roads.__getitem__)
        converted = CONVERTED * work.n * work.p if len(ways) > 1 and not work.is_sparse else 0.0
        found.append((roads[name] + converted, name, work))
    return min(found, key=lambda one: one[0])


def _roads(problem: Problem, work: Work) -> dict[str, float]:
    """Return the seconds that each solver with room for the problem may take."""
    is_large = not work.is_sparse and work.n >= SAMPLE
    roads = {"newton_cg": work.products}
    if work.q <= (EXPLICIT if work.is_sparse else EXACT):
        roads["curved"] = work.curved
        if not is_large:
            roads["newton"] = work.newton
    if is_large and work.q <= EXPLICIT:
        roads["whitened"] = work.sampled
    if not work.is_sparse and work.p <= FACTORED and work.n > work.p:
        roads["covariance"] = work.covariance
    if work.is_sparse and isinstance(problem.loss, Logistic):
        roads["dual_logistic"] = work.dual
    if work.n < work.p and work.n <= SPANNED:
        roads["in_span"] = work.span
    return roads


def _in_single_precision(problem: Problem) -> bool:
    """Whether passes in the rows' own float32 are quicker, and enough until the last."""
    return isinstance(problem.loss, CrossEntropy) and bool(problem.rows.X.dtype == np.float32)


def _without_penalty(problem: Problem, is_sparse: bool) -> Choice:
    """Return the solver where nothing holds the coefficients: Newton's, which sees where they have no bound, while its Hessian has room."""
    n, p = problem.rows.X.shape
    size = problem.n_scores * (p + 1)
    if is_sparse:
        if size <= EXPLICIT and problem.rows.values**2 / n * problem.n_scores**2 <= SPARSE_WORK:
            return Choice("newton", REASONS["newton"].format(n=n, q=size))
        return Choice("newton_cg", REASONS["newton_cg"].format(q=size))
    if size <= EXPLICIT:
        name = "newton" if n <= 2 * SAMPLE else "whitened"
    else:
        name = "covariance" if p <= FACTORED and n > p else "newton_cg"
    return Choice(name, REASONS[name].format(n=n, p=p, q=size))


def solve(problem: Problem, tried: tuple[str, ...] = ()) -> Solution:
    """Solve a problem with the solver that suits it, and has not been tried in vain."""
    # Chunks of rows are the parallelism; what is left to BLAS is small, and would only wait for its threads.
    with single_threaded_blas():
        saved = active(problem)
        begun = None if saved is None else saved.begin(problem)
        if begun is not None:
            problem = replace(problem, start=begun, is_resumed=True)
        choice, rows = choose(problem, tried), problem.rows
        if choice.on_dense:
            assert rows.codes is not None
            problem = replace(problem, rows=Rows.of_arrays(rows.X.toarray(), rows.codes, rows.weight, rows.source))
        found = choice.solver(problem)
        W = settled(found.coef, problem.l1_ratio if problem.strength > 0.0 else 0.0)
        return replace(found, coef=W, why=choice.why)

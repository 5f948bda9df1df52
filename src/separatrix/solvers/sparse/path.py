"""Solutions along a path of C, each begun where the last one ended.

The path goes from the strongest penalty to the weakest. L2: gradient and Hessian of the last point serve the next (`smooth_path.py`);
with many columns, the span of the last few points does (`newton_cg_path.py`); fewer rows than columns are put into coordinates of their
span first, once for all points. An L1 part and few coefficients: one proximal Newton
method goes on with another λ without a pass, its Hessian kept as long as it serves. Many columns and an L1 part: the strong rule
keeps the columns whose gradient says that they may enter before the next λ; the full gradient behind each gap finds any that it
missed, so that nothing is lost. Otherwise: warm starts.

References
----------
Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems, JRSS B 74.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...array_types import Floats, Ints
from ...data.device import DeviceSource
from ...data.threads import single_threaded_blas
from ...errors import InputError
from .. import choice
from ..problem import Problem
from ..problem import strength as strength_of
from ..smooth import kronecker, newton_cg_path, smooth_path
from ..smooth.in_span import Spanned
from ..smooth.whitened import EXPLICIT
from ..solution import Solution
from .gram_proximal import ProximalNewton
from .proximal_newton import FEW, refuse_loss, run_columns, start_columns


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Solutions in the order of the C given.

    Attributes
    ----------
    C : (m,)
    coefs, intercepts : (m, R, p), (m, R)
    objectives, gaps : (m,)
    passes : (m,) passes over the rows that each point cost
    solutions : the m solutions
    """

    C: Floats
    coefs: Floats
    intercepts: Floats
    objectives: Floats
    gaps: Floats
    passes: Ints
    solutions: tuple[Solution, ...]


def solve_path(problem: Problem, C: Any) -> Path:
    """Solve a problem for many C; its own strength is not used.

    Parameters
    ----------
    problem : Problem
    C : (m,) positive and finite, in any order

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 0, 1]))
    >>> path = solve_path(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=1.0, l1_ratio=1.0), [0.5, 10.0])
    >>> (path.coefs != 0).sum(axis=(1, 2)).tolist()
    [0, 2]
    """
    values = np.atleast_1d(np.asarray(C, dtype=np.float64))
    if values.ndim != 1 or len(values) == 0 or not (np.isfinite(values).all() and (values > 0).all()):
        raise InputError(f"A path needs one or more positive, finite values of C; got {C!r}.")
    if problem.l1_ratio > 0.0:
        refuse_loss(problem)
    order = np.argsort(values)
    strengths = np.array([strength_of(C, problem.total) for C in values[order]])
    found: list[Any] = [None] * len(values)
    with single_threaded_blas():
        for k, solution in zip(order, _solutions(problem, strengths)):
            found[k] = solution
    return Path(
        values,
        np.array([s.coef for s in found]),
        np.array([s.intercept for s in found]),
        np.array([s.objective for s in found]),
        np.array([s.gap for s in found]),
        np.array([s.passes for s in found]),
        tuple(found),
    )


def _solutions(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    if isinstance(problem.rows.source, DeviceSource):
        return _on_device(problem, strengths)
    first = replace(problem, strength=float(strengths[0]))
    if problem.rows.X is not None and choice.choose(replace(problem, strength=float(strengths[-1]))).name == "in_span":
        return _in_span(problem, strengths)
    return _of_columns(problem, first, strengths)


def _on_device(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    for found in kronecker.solve_path(problem, strengths.tolist()):
        yield replace(found, why="a path on the device of the rows: θ and pairs of the last point serve the next")


def _in_span(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    spanned = Spanned.of(problem)
    for strength, found in zip(strengths, _solutions(spanned.short, strengths)):
        yield spanned.expanded(found, float(strength))


def _of_columns(problem: Problem, first: Problem, strengths: Floats) -> Iterator[Solution]:
    size = problem.n_scores * (problem.n_features + 1)
    if problem.rows.X is not None and problem.l1_ratio == 0.0 and size <= EXPLICIT:
        return smooth_path.solutions(problem, strengths, precise=problem.rows.X.shape[0] * size**2 < choice.HESSIAN_WORK)
    if problem.rows.X is not None and problem.l1_ratio > 0.0 and size <= FEW:
        return _few(first, strengths)
    if problem.rows.X is not None and problem.l1_ratio > 0.0 and problem.n_scores == 1:
        return _by_columns(first, strengths)
    if problem.rows.X is not None and problem.l1_ratio == 0.0 and choice.choose(first).name in ("newton_cg", "dual_logistic"):
        # Dual coordinate descent cannot begin at coefficients.
        return newton_cg_path.solutions(first, strengths)
    return _warm(problem, strengths)


def _few(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    newton = ProximalNewton(problem)
    seen = 0
    for strength in strengths:
        newton.change_strength(float(strength))
        solution = newton.solution(newton.run(further=False))
        yield replace(solution, passes=solution.passes - seen, why="a path: the last point's Hessian serves the next")
        seen = solution.passes


def _by_columns(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    columns, point = start_columns(problem)
    gradient = columns.gradient(point)
    for strength in strengths:
        columns.change_strength(float(strength), point, gradient)
        solution, point, gradient = run_columns(columns, point)
        yield replace(solution, why="a path: the strong rule keeps the columns that may enter")


def _warm(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    start = problem.start
    for strength in strengths:
        own = replace(problem, strength=float(strength), start=start)
        chosen = choice.choose(own)
        solution = replace(chosen.solver(own), why=f"a path, begun where the last point ended; {chosen.why}")
        start = (solution.coef, solution.intercept)
        yield solution

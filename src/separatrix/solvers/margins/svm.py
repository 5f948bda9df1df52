"""From a problem with a hinge to its machines: which solver each gets, and one solution of all.

1. Fewer rows than columns: in an orthonormal basis of the rows' span, which has at most n coordinates, where that saves time.
2. Small tables: all machines at once, the hinge by interior points.
3. The squared hinge on sparse rows: dual coordinate descent, Newton's method by conjugate gradients or with a matrix, the cheapest first
   (`sparse_squared.py`).
4. Else the cheaper of two (`method.py`): semismooth Newton for the squared hinge, exact after a handful of passes, and an augmented
   Lagrangian around it for the hinge; or dual coordinate descent, whose epoch costs two operations a stored value, machines side by side
   on the threads. What descent has not reached after some epochs, because costs are high or columns of many sizes, others reach from where
   it stands: the augmented Lagrangian on sparse rows far more than columns, interior points with a matrix where columns are at most 6,000,
   the span of at most 1,000 rows, else Newton's method by conjugate gradients.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Floats, Ints
from ...data.calm_blas import calm_blas
from ...data.threads import ordered_map, single_threaded_blas, thread_count
from ...errors import CapacityError, InputError
from ...losses import SquaredHinge
from ..accepted_losses import require_loss
from ..problem import Problem
from ..rows import Rows
from ..smooth.centred_rows import CentredRows, each_row
from ..solution import Solution, Status
from ..span import Span
from . import crammer_singer, joint_interior, joint_lagrangian, one_machine, small_hinge, small_margins
from .joint_polish import polish
from .joint_work import JointWork
from .machine import Ended, Machine, certify
from .method import choose, spans_less
from .one_machine import CONJUGATE, DUAL, EPOCHS, ROUNDING, SOME_ROWS

FEW_ROWS = 500
"""Rows of joint machines up to which BLAS has nothing to share among threads."""
LARGEST = 1e150
"""Products of costs and values that can be squared and summed."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The solution of all machines and their multipliers: W = dual (R, S) X[support]."""

    solution: Solution
    support: Ints
    dual: Floats


def solve(problem: Problem, ridge: float, joint: bool, classes: NDArray[Any]) -> Found:
    """Solve one machine per class (one for two classes), or the joint machine of Crammer and Singer.

    Parameters
    ----------
    problem : Problem with a hinge; λ = 0 asks for hard margins
    ridge : float
        ρ of `Machine`.
    joint : bool
    classes : (K,) labels, for messages
    """
    require_loss(problem, "crammer_singer" if joint else "svm")
    if joint and problem.rows.X is None:
        rows = problem.rows.gathered()
        if rows is None:
            raise CapacityError(
                "multi_class='crammer_singer' meets single rows again and again, and those of this table lie on other machines or would "
                "take more than a quarter of the memory; use multi_class='ovr', which reads them block by block."
            )
        problem = replace(problem, rows=rows)
    with calm_blas(0.0 if problem.rows.X is None else float(problem.rows.values) * min(problem.rows.X.shape)):
        refuse_overflow(problem)
        return _solved(problem, ridge, joint, classes)


def _solved(problem: Problem, ridge: float, joint: bool, classes: NDArray[Any]) -> Found:
    """Solve with the rows that have a weight, in their span where that saves time."""
    rows, X = problem.rows, problem.rows.X
    if (used := _used(problem)) is not None:
        held = Rows.of_arrays(rows.X[used], rows.codes[used], rows.weight[used], rows.source)  # type: ignore[index]
        found = solve(replace(problem, rows=held), ridge, joint, classes)
        return replace(found, support=used[found.support])
    if spans_less(problem, joint):
        return _in_span(problem, ridge, joint, classes)
    found = _joint(problem, ridge) if joint and problem.n_classes > 2 else _apart(problem, ridge, joint, classes)
    fewer = X is not None and X.shape[0] < X.shape[1]
    if fewer and X.shape[0] <= SOME_ROWS and not found.solution.is_converged and problem.max_iter > EPOCHS:
        other = _in_span(problem, ridge, joint, classes)
        found = other if other.solution.gap < found.solution.gap else found
    return found


def _used(problem: Problem) -> Ints | None:
    """Return the rows with a weight where others have none; None where all have one, or rows are read anew or named in messages."""
    weight = problem.rows.weight
    is_whole = problem.rows.X is None or problem.strength == 0.0 or weight is None or weight.all()
    return None if is_whole else np.flatnonzero(weight)  # type: ignore[arg-type]


def refuse_overflow(problem: Problem) -> None:
    """Raise an error where values, or costs times values, are too large to square; rows read anew are looked at in the first pass."""
    rows, C, size = problem.rows, 1.0 if problem.strength == 0.0 else 1.0 / (problem.strength * problem.total), 1.0
    if rows.X is not None and rows.X.dtype == np.float64:
        values = rows.X.data if rows.is_sparse else rows.X.ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            size = float(np.vdot(values, values))
    if not np.isfinite(size):
        rows.source.refuse_nonfinite()
    if not C * problem.total * (1.0 + float(np.sqrt(size))) < LARGEST:
        raise InputError(
            f"C={C:.3g} times the weights of the rows (sum {problem.total:.3g}) and the values of X is too large to square in float64 "
            "(above about 1e150); lower C, or rescale sample_weight or the columns."
        )


def _apart(problem: Problem, ridge: float, joint: bool, classes: NDArray[Any]) -> Found:
    """Solve one machine per class, or one for two classes."""
    # Two classes: w_1 = −w_0 = w/2, so that the joint objective is half that of the hinge with twice the cost.
    scale, (codes, cost) = 2.0 if joint else 1.0, _codes_and_costs(problem)
    squared = isinstance(problem.loss, SquaredHinge) and not joint and problem.strength > 0.0
    method = choose(problem, squared)
    name, why = method.name, method.why
    shared: dict[str, Floats] | None = {} if problem.n_classes > 2 else None

    def run(k: int) -> Ended:
        signs = np.where(codes == k, 1.0, -1.0)
        machine = Machine(problem.rows, signs, scale * cost, squared, ridge, problem.max_iter, problem.tol, problem.seed, shared)
        if method.plan:
            return one_machine.in_turn(machine, method.plan)
        ended = one_machine.solve(machine, name, method.epochs)
        return ended if problem.strength > 0.0 else _proven(machine, ended, classes.tolist()[k])

    machines = range(1, 2) if problem.n_classes == 2 else range(problem.n_classes)
    most = small_margins.STEPS if squared else small_hinge.STEPS
    is_small = small_margins.at_once(problem.rows) > 0 and (squared or not method.is_quick)
    if is_small and problem.strength > 0.0 and problem.max_iter >= most:
        small = _small(problem, np.where(codes == np.array(machines)[:, None], 1.0, -1.0), scale * cost, squared, ridge)
        if small is not None:
            return _gathered(problem, small, codes, machines, "semismooth Newton" if squared else "interior point", why, scale)
    # Systems are small and passes run on threads of their own: BLAS threads would only wait for each other.
    with single_threaded_blas():
        ended = list(_all(problem, run, machines, name))
    return _gathered(problem, ended, codes, machines, name, why, scale)


def _small(problem: Problem, signs: Floats, cost: Floats, squared: bool, ridge: float) -> list[Ended] | None:
    """Return the end of all machines on few dense rows, found some at once; None where that fails."""
    # A row without weight has no place between 0 and c.
    if not squared and cost.min() <= 0.0:
        return None
    ended: list[Ended] = []
    count = small_margins.at_once(problem.rows)
    for part in (signs[begin : begin + count] for begin in range(0, len(signs), count)):
        try:
            if squared:
                found = small_margins.solve(problem.rows, part, cost, ridge)
            else:
                found = small_hinge.solve(problem.rows, part, cost, ridge, max(problem.tol, ROUNDING))
        except np.linalg.LinAlgError:
            found = None
        if found is None:
            return None
        ended += found
    return ended


def _in_span(problem: Problem, ridge: float, joint: bool, classes: NDArray[Any]) -> Found:
    """Solve in coordinates of the rows' span; the certificate is that of the rows as given."""
    rows, (n, p) = problem.rows, problem.rows.X.shape
    assert rows.codes is not None
    span = Span.of(rows.X)
    found = solve(replace(problem, rows=Rows.of_arrays(span.coordinates, rows.codes, rows.weight, rows.source)), ridge, joint, classes)
    W = span.expand(found.solution.coef)
    scale = 2.0 if joint and problem.n_classes == 2 else 1.0
    W, b, primal, dual, residual = _certified(problem, ridge, joint, scale, found, W)
    unit = (problem.strength if problem.strength > 0.0 else 1.0) / scale
    solution = replace(
        found.solution,
        coef=W,
        intercept=b,
        status=_status(problem, list(zip(np.maximum(primal - dual, 0.0).tolist(), primal.tolist())), found.solution.iterations),
        objective=unit * float(primal.sum()),
        gap=unit * float(np.maximum(primal - dual, 0.0).sum()),
        gradient_norm=unit * float(residual.max()),
        solver=f"{found.solution.solver} in the rows' span",
        why=f"{n:,} rows span fewer directions than the {p:,} columns",
    )
    return replace(found, solution=solution)


def _certified(problem: Problem, ridge: float, joint: bool, scale: float, found: Found, W: Floats) -> tuple[Floats, ...]:
    """Return W, b, and F, D and the residuals of all machines on the rows as given."""
    b, (codes, cost) = found.solution.intercept, _codes_and_costs(problem)
    A = np.zeros((len(found.dual), len(codes)))
    A[:, found.support] = found.dual
    if joint and problem.n_classes > 2:
        machine = crammer_singer.JointMachine(problem.rows, codes, cost, problem.n_classes, ridge)
        one = crammer_singer.certify(machine, W, b, np.ascontiguousarray(A.T), 0, 0)
        return one.coef, one.intercept, np.array([one.primal]), np.array([one.dual]), np.array([one.residual])
    squared = isinstance(problem.loss, SquaredHinge) and not joint and problem.strength > 0.0
    rows, ends = CentredRows.of(problem.rows, centred=False), []
    for k, (w, c, a) in enumerate(zip(W, b, A)):
        theta, signs = np.append(w, c), np.where(codes == (1 if len(W) == 1 else k), 1.0, -1.0)
        own = Machine(problem.rows, signs, scale * cost, squared, ridge)
        ends.append(certify(own, rows, theta, signs * rows.scores(theta), a * signs))
    return W, b, *np.array([(e.primal, e.dual, e.residual) for e in ends]).T


def _all(problem: Problem, run: Any, machines: range, name: str) -> Iterator[Ended]:
    """Run the machines: side by side where each walks the rows on one thread, else one after another."""
    threads = thread_count(problem.rows.source.n_jobs)
    if name not in (DUAL, CONJUGATE) or threads == 1 or len(machines) == 1:
        yield from map(run, machines)
        return
    yield from ordered_map(run, machines, threads)


def _codes_and_costs(problem: Problem) -> tuple[Codes, Floats]:
    """Return class codes and c_i = s_i/(λS) of all rows; infinite costs for hard margins."""
    rows = problem.rows
    codes = rows.codes if rows.codes is not None else each_row(rows, lambda block: block.codes)  # type: ignore[arg-type,return-value]
    if rows.held is not None:
        weight = np.ones(len(codes)) if rows.weight is None else rows.weight
    else:
        weight = each_row(rows, lambda block: np.ones(block.n_rows) if block.weight is None else block.weight)
    if problem.strength == 0.0:
        return codes, np.where(weight > 0.0, np.inf, 0.0)
    return codes, weight / (problem.strength * problem.total)


def _proven(machine: Machine, ended: Ended, label: Any) -> Ended:
    """Return the hard margin found; raise an error where the classes cannot be separated, with the rows that prove it."""
    if np.isfinite(ended.certificate.primal):
        return ended
    from ..separation import separate

    if machine.rows.X is None:
        raise InputError(f"C=inf asks for a hard margin, but class {label!r} could not be separated from the rest; use a finite C.")
    used = machine.cost > 0.0
    above, below = np.flatnonzero(used & (machine.signs > 0.0)), np.flatnonzero(used & (machine.signs < 0.0))
    conflict = separate(machine.rows.X[above], machine.rows.X[below]).conflict
    if conflict is None:
        return ended
    first, second = above[conflict.positive_rows], below[conflict.negative_rows]
    raise InputError(
        f"C=inf asks for a hard margin, but no hyperplane separates class {label!r} from the rest: a point between its rows "
        f"{_listed(first)} is also one between rows {_listed(second)} of the others. Use a finite C, such as C=1.0."
    )


def _listed(rows: Ints) -> str:
    return ", ".join(map(str, rows[:5])) + (", …" if len(rows) > 5 else "")


def _gathered(problem: Problem, ended: list[Ended], codes: Codes, machines: range, name: str, why: str, scale: float) -> Found:
    alpha = np.array([e.certificate.alpha for e in ended])
    support = np.flatnonzero(alpha.any(axis=0))
    dual = alpha[:, support] * np.where(codes[support] == np.array(machines)[:, None], 1.0, -1.0)
    unit = (problem.strength if problem.strength > 0.0 else 1.0) / scale
    primal, gap = sum(e.certificate.primal for e in ended), sum(e.certificate.gap for e in ended)
    iterations = max(e.iterations for e in ended)
    solution = Solution(
        coef=np.array([e.coef for e in ended]),
        intercept=np.array([e.intercept for e in ended]),
        status=_status(problem, [(e.certificate.gap, e.certificate.primal) for e in ended], iterations),
        iterations=iterations,
        passes=sum(e.passes for e in ended),
        objective=unit * primal,
        gradient_norm=unit * max(e.certificate.residual for e in ended),
        gap=unit * gap,
        solver=name,
        why=why,
    )
    return Found(solution, support, dual)


def _status(problem: Problem, gaps: list[tuple[float, float]], iterations: int) -> Status:
    if all(gap <= max(problem.tol, ROUNDING) * primal for gap, primal in gaps):
        return Status.CONVERGED
    return Status.MAX_ITER if iterations >= problem.max_iter else Status.STALLED


def _joint(problem: Problem, ridge: float) -> Found:
    codes, cost = _codes_and_costs(problem)
    machine = crammer_singer.JointMachine(problem.rows, codes, cost, problem.n_classes, ridge, problem.max_iter, problem.tol, problem.seed)
    quick = _joint_lagrangian(machine)
    if quick is not None and quick.gap <= machine.tol * quick.primal:
        return _joint_found(problem, quick, "joint augmented Lagrangian")
    exact = joint_interior.suits(machine)
    with single_threaded_blas() if len(codes) < FEW_ROWS else nullcontext():
        found = joint_interior.solve(machine) if exact else crammer_singer.solve(machine, polish, _epochs(machine))
        is_left = not exact and found.gap > machine.tol * found.primal and found.iterations < problem.max_iter
        if is_left and joint_interior.is_possible(machine):
            other = joint_interior.solve(machine)
            exact = other.gap < found.gap
            found = replace(other if exact else found, passes=found.passes + other.passes)
        if exact and found.gap > machine.tol * found.primal:
            found = polish(machine, found, found.alpha)
        if exact and not is_left and found.gap > machine.tol * found.primal and found.iterations < problem.max_iter:
            descended = crammer_singer.solve(machine, polish, _epochs(machine))
            found = descended if descended.gap < found.gap else found
    if not np.isfinite(found.coef).all():
        found = crammer_singer.at_zero(machine)
    if quick is not None and quick.gap < found.gap:
        return _joint_found(problem, replace(quick, iterations=max(quick.iterations, found.iterations)), "joint augmented Lagrangian")
    return _joint_found(problem, found, "joint interior point" if exact else "joint coordinate descent")


def _joint_lagrangian(machine: crammer_singer.JointMachine) -> crammer_singer.JointCertificate | None:
    """Return the end of the augmented Lagrangian where it is least work."""
    if joint_interior.is_small(machine) or not joint_lagrangian.suits(machine):
        return None
    try:
        found = joint_lagrangian.from_sample(replace(machine, max_iter=min(machine.max_iter, joint_lagrangian.MOST_STEPS)))
    except np.linalg.LinAlgError:
        return None
    return found if np.isfinite(found.coef).all() else None


def _joint_found(problem: Problem, found: crammer_singer.JointCertificate, name: str) -> Found:
    support = np.flatnonzero(np.abs(found.alpha).max(axis=1))
    solution = Solution(
        coef=found.coef,
        intercept=found.intercept,
        status=_status(problem, [(found.gap, found.primal)], found.iterations),
        iterations=found.iterations,
        passes=found.passes,
        objective=problem.strength * found.primal,
        gradient_norm=problem.strength * found.residual,
        gap=problem.strength * found.gap,
        solver=name,
        why="multi_class='crammer_singer' ties the classes together",
    )
    return Found(solution, support, np.ascontiguousarray(found.alpha[support].T))


def _epochs(machine: crammer_singer.JointMachine) -> int | None:
    """Return after how many epochs the interior-point method would have been cheaper; None where there is no room for its matrix."""
    work = JointWork.of(machine.rows, machine.n_classes) if joint_interior.is_possible(machine) else None
    return None if work is None else min(max(EPOCHS, int(work.interior / work.epoch)), machine.max_iter // 2)

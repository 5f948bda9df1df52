"""From a problem with a hinge to its machines: which solver each gets, and one solution of all.

`method.py` counts the seconds of a method with a matrix: Newton's for the squared hinge, an augmented Lagrangian or interior points for the
hinge, on all machines of a small table at once, or in an orthonormal basis of the rows' span where rows are fewer than columns. Where these
are few it comes first; else coordinate descent and Newton's method by products have turns, and it follows where they do not arrive in that
time. What the first machine needed is what the others begin with.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats, Ints
from ...data.calm_blas import calm_blas
from ...data.threads import single_threaded_blas
from ...errors import CapacityError, InputError
from ...losses import SquaredHinge
from ..accepted_losses import require_loss
from ..problem import Problem
from ..rows import Rows
from ..solution import Solution, Status
from ..span import Span
from ..work import SPANNED
from . import crammer_singer, joint_interior, joint_lagrangian
from .joint_polish import polish
from .joint_work import JointWork
from .machine import Ended, Machine
from .machines import Machines, codes_and_costs
from .method import MANY_ROWS, Method
from .one_machine import ROUNDING

FEW_ROWS = 500
"""Rows of joint machines up to which BLAS has nothing to share among threads."""
EPOCHS = 150
"""Epochs of joint coordinate descent at the least before another method is tried."""
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
    """Solve with the rows that have a weight."""
    rows = problem.rows
    if (used := _used(problem)) is not None:
        held = Rows.of_arrays(rows.X[used], rows.codes[used], rows.weight[used], rows.source)  # type: ignore[index]
        found = solve(replace(problem, rows=held), ridge, joint, classes)
        return replace(found, support=used[found.support])
    if joint and problem.n_classes > 2:
        return _joint_in_span(problem, ridge) if _spans_less(problem) else _joint(problem, ridge)
    # Two classes: w_1 = −w_0 = w/2, so that the joint objective is half that of the hinge with twice the cost.
    scale, squared = 2.0 if joint else 1.0, isinstance(problem.loss, SquaredHinge) and not joint and problem.strength > 0.0
    machines = Machines.of(problem, ridge, squared, scale)
    ended, method = machines.solve()
    if problem.strength == 0.0:
        for k, one in zip(machines.numbers, ended, strict=True):
            _refuse_overlap(machines.machine(k), one, classes.tolist()[k])
    return _gathered(problem, ended, machines, method, scale)


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


def _joint_in_span(problem: Problem, ridge: float) -> Found:
    """Solve the joint machine in coordinates of the rows' span; the certificate is that of the rows as given."""
    rows, (n, p) = problem.rows, problem.rows.X.shape
    assert rows.codes is not None
    span = Span.of(rows.X)
    found = _joint(replace(problem, rows=Rows.of_arrays(span.coordinates, rows.codes, rows.weight, rows.source)), ridge)
    codes, cost = codes_and_costs(problem)
    A = np.zeros((len(codes), problem.n_classes))
    A[found.support] = found.dual.T
    machine = crammer_singer.JointMachine(problem.rows, codes, cost, problem.n_classes, ridge)
    one = crammer_singer.certify(machine, span.expand(found.solution.coef), found.solution.intercept, A, 0, 0)
    solution = replace(
        found.solution,
        coef=one.coef,
        intercept=one.intercept,
        status=_status(problem, [(one.gap, one.primal)], found.solution.iterations),
        objective=problem.strength * one.primal,
        gap=problem.strength * one.gap,
        gradient_norm=problem.strength * one.residual,
        solver=f"{found.solution.solver} in the rows' span",
        why=f"{n:,} rows span fewer directions than the {p:,} columns",
    )
    return replace(found, solution=solution)


def _refuse_overlap(machine: Machine, ended: Ended, label: Any) -> None:
    """Raise an error where the classes of a hard margin cannot be separated, with the rows that prove it."""
    if np.isfinite(ended.certificate.primal):
        return
    from ..separation import separate

    if machine.rows.X is None:
        raise InputError(f"C=inf asks for a hard margin, but class {label!r} could not be separated from the rest; use a finite C.")
    used = machine.cost > 0.0
    above, below = np.flatnonzero(used & (machine.signs > 0.0)), np.flatnonzero(used & (machine.signs < 0.0))
    conflict = separate(machine.rows.X[above], machine.rows.X[below]).conflict
    if conflict is None:
        return
    first, second = above[conflict.positive_rows], below[conflict.negative_rows]
    raise InputError(
        f"C=inf asks for a hard margin, but no hyperplane separates class {label!r} from the rest: a point between its rows "
        f"{_listed(first)} is also one between rows {_listed(second)} of the others. Use a finite C, such as C=1.0."
    )


def _listed(rows: Ints) -> str:
    return ", ".join(map(str, rows[:5])) + (", …" if len(rows) > 5 else "")


def _gathered(problem: Problem, ended: list[Ended], machines: Machines, method: Method, scale: float) -> Found:
    alpha = np.array([e.certificate.alpha for e in ended])
    support = np.flatnonzero(alpha.any(axis=0))
    dual = alpha[:, support] * np.where(machines.codes[support] == np.array(machines.numbers)[:, None], 1.0, -1.0)
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
        solver=ended[0].solver or method.name,
        why=method.why,
    )
    return Found(solution, support, dual)


def _status(problem: Problem, gaps: list[tuple[float, float]], iterations: int) -> Status:
    if all(gap <= max(problem.tol, ROUNDING) * primal for gap, primal in gaps):
        return Status.CONVERGED
    return Status.MAX_ITER if iterations >= problem.max_iter else Status.STALLED


def _joint(problem: Problem, ridge: float) -> Found:
    codes, cost = codes_and_costs(problem)
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


def _spans_less(problem: Problem) -> bool:
    """Whether rows are so few beside the columns that coordinates in their span save more time than they take."""
    X = problem.rows.X
    if X is None or not X.shape[0] < X.shape[1] or X.shape[1] <= 50 or X.shape[0] > MANY_ROWS:
        return False
    n, p = X.shape
    each = 5.5e-9 * (problem.rows.values - n * n) if problem.rows.is_sparse else 1e-9 * n * (p - n)
    return bool(n <= 50 or SPANNED * n * problem.rows.values < EPOCHS * problem.n_scores * problem.n_classes * each)

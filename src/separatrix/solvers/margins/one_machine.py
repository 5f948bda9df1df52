"""One machine too large for `small_margins`: which method runs, and which comes after it where it does not arrive.

Newton's methods and the augmented Lagrangian are fast on ordinary costs, the latter on dense rows, whose curved ones alone it reads;
interior points see multipliers of very different sizes, as high costs and columns in many units make them; coordinate descent needs no
matrix, and is slow on all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..smooth.centred_rows import CentredRows
from . import augmented_lagrangian, one_table, semismooth, small_hinge, squared_interior, squared_newton_cg
from .conjugate import ConjugateDescent
from .machine import Certificate, Ended, Machine, certify
from .semismooth import first_point
from .step_work import is_lagrangian_quicker

FEW_COLUMNS, SOME_ROWS = 2_000, 1_000
"""Columns up to which their curvature is a matrix; rows up to which their span is taken where nothing else arrives."""
ROUNDING = 1e-12
"""Share of F below which a gap is rounding, whatever was asked."""
SOME_COLUMNS = 200
"""Columns from which a matrix of the augmented Lagrangian is dear."""
WIDER = 3
"""Columns a row up to which few rows are tried as they are."""
STEPS = 120
"""Steps of the augmented Lagrangian after which interior points have taken fewer, where there is room for them."""
EPOCHS = 150
"""Epochs of coordinate descent before other methods are tried."""


def solve(machine: Machine, name: str, epochs: int = EPOCHS) -> Ended:
    """Solve by the method named and those that come after it; where all of them diverge, w = 0 is the end, with the gap it has.

    Coordinate descent gives way after some epochs.
    """
    found = _tried(_dual, machine, epochs) if name == DUAL else _tried(METHODS[name], machine)
    if found is None and machine.rows.X is not None and name != DUAL:
        found = _tried(_dual, machine)
    return _nothing(machine) if found is None else found


def in_turn(machine: Machine, plan: Sequence[tuple[str, int]]) -> Ended:
    """Solve the squared hinge on sparse rows by the methods planned, each for so many epochs or products at most, then by interior points.

    Newton's methods begin where those before them have ended, descent by coordinates at 0. A start elsewhere, as at the fit of rows that
    hold a fold more, costs conjugate gradients more products than it saves: it is wrong by a little in every direction.
    """
    from . import dual_svm

    start: Certificate | None = None
    ended: Ended | None = None
    ways: dict[str, Callable[[Machine, int], Ended | None]] = {
        DUAL: dual_svm.solve,
        CONJUGATE: lambda machine, most: squared_newton_cg.solve(machine, start, most),
        NEWTON: lambda machine, most: semismooth.solve(machine, start),
        INTERIOR: lambda machine, most: _interior(machine, start),
    }
    for name, most in (*plan, (INTERIOR, 0)):
        left = machine.max_iter - (0 if ended is None else ended.iterations)
        ended = _better(ended, _tried(ways[name], replace(machine, max_iter=left), most))
        if ended is not None and (ended.iterations >= machine.max_iter or _arrived(machine, ended)):
            break
        start = start if ended is None else ended.certificate
    return _nothing(machine) if ended is None else ended


def _nothing(machine: Machine) -> Ended:
    """Return w = 0 with the gap it has."""
    rows = CentredRows.of(machine.rows, centred=False)
    zeros = np.zeros(len(machine.signs))
    return Ended.of(rows, certify(machine, rows, np.zeros(rows.width), zeros, zeros), 0, 1)


def _tried(method: Callable[..., Ended | None], *given: Any) -> Ended | None:
    """Return the end of a method, or None where it has diverged."""
    try:
        found = method(*given)
    except np.linalg.LinAlgError:
        return None
    return found if found is not None and np.isfinite(found.certificate.theta).all() else None


def _dual(machine: Machine, epochs: int = EPOCHS) -> Ended | None:
    """Descend by coordinates, then by interior points or Newton's method where that does not arrive."""
    from . import dual_svm

    ended = dual_svm.solve(machine, epochs)
    n, p = machine.rows.X.shape
    left = machine.max_iter - ended.iterations
    if left <= 0 or _arrived(machine, ended):
        return ended
    rest, start = replace(machine, max_iter=left), ended.certificate
    solver = semismooth.solve if machine.squared else augmented_lagrangian.solve
    method = semismooth.Descent if p <= FEW_COLUMNS else ConjugateDescent
    # Newton's method is cheaper than interior points for the squared hinge, and mostly dearer for the hinge.
    is_first = machine.squared or (not machine.is_hard and p <= FEW_COLUMNS and is_lagrangian_quicker(machine.rows, machine.cost.mean()))
    few = replace(rest, max_iter=min(left, STEPS)) if is_first and not machine.squared and _has_interior(rest) else rest
    ways: list[tuple[Any, ...]] = [(_interior, rest, start), (solver, few, start, method)]
    if n <= min(p, SOME_ROWS):
        # Few rows are solved in their span next, which is cheaper where columns are many more.
        ways = ways[:1] if p <= WIDER * n else []
    for way in ways[::-1] if is_first else ways:
        found = _better(ended, _tried(*way))
        assert found is not None
        ended = found
        if ended.iterations >= machine.max_iter or _arrived(machine, ended):
            break
    return ended


def _lagrangian(machine: Machine, interior_first: bool = False) -> Ended | None:
    """Solve by the augmented Lagrangian, then by interior points; the other way round where that is said, or costs are high and a matrix
    is dear.
    """
    ended = None
    interior_first = interior_first or (machine.rows.n_features > SOME_COLUMNS and augmented_lagrangian.gentle_steps(machine) > 0)
    few = machine if interior_first or not _has_interior(machine) else replace(machine, max_iter=min(machine.max_iter, STEPS))
    ways: list[tuple[Any, ...]] = [(augmented_lagrangian.solve, few), (_interior, machine)]
    for way in ways[::-1] if interior_first else ways:
        ended = _better(ended, _tried(*way))
        if ended is not None and (ended.iterations >= machine.max_iter or _arrived(machine, ended)):
            break
    return ended


def _points(machine: Machine) -> Ended | None:
    """Solve by interior points, then by the augmented Lagrangian."""
    return _lagrangian(machine, interior_first=True)


def _arrived(machine: Machine, ended: Ended) -> bool:
    return ended.certificate.gap <= max(machine.tol, ROUNDING) * ended.certificate.primal


def _has_interior(machine: Machine) -> bool:
    """Whether an interior-point method has room for its matrix and steps, and every multiplier a place between its bounds."""
    is_bounded = not machine.is_hard and machine.cost.min() > 0.0
    return bool(machine.max_iter >= small_hinge.STEPS and is_bounded and one_table.is_possible(machine.rows))


def _interior(machine: Machine, start: Certificate | None = None) -> Ended | None:
    """Return the end of an interior-point method where it is possible, and it arrives."""
    if not _has_interior(machine):
        return None
    table = one_table.OneTable.of(machine.rows, machine.signs[None], machine.cost, machine.ridge)
    begin = None if start is None else first_point(machine, table.about, start)
    theta, tol = np.zeros(len(table.D)) if begin is None else begin, max(machine.tol, ROUNDING)
    if machine.squared:
        return squared_interior.solve(table, theta[None], tol)
    found = small_hinge.walked(table, theta[None], (machine.signs * table.about.scores(theta))[None], 0, tol)
    return None if found is None else found[0]


def _newton(machine: Machine) -> Ended | None:
    """Solve the squared hinge by Newton's method, then by interior points where rounding has ended it."""
    ended = _tried(semismooth.solve, machine)
    if ended is not None and (ended.iterations >= machine.max_iter or _arrived(machine, ended)):
        return ended
    return _better(ended, _tried(_interior, machine))


def _better(ended: Ended | None, other: Ended | None) -> Ended | None:
    """Return the end with the smaller gap, and the work of both."""
    if ended is None or other is None:
        return other if ended is None else ended
    best = other if other.certificate.gap < ended.certificate.gap else ended
    return replace(best, iterations=ended.iterations + other.iterations, passes=ended.passes + other.passes)


DUAL, CONJUGATE, NEWTON, INTERIOR = "dual coordinate descent", "Newton-CG", "semismooth Newton", "interior point"
METHODS: dict[str, Callable[[Machine], Ended | None]] = {
    NEWTON: _newton,
    "augmented Lagrangian": _lagrangian,
    INTERIOR: _points,
    DUAL: _dual,
}

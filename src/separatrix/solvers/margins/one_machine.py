"""One machine: turns of coordinate descent and products, or a method with a matrix, and which comes after it where it does not arrive.

Newton's methods and the augmented Lagrangian are fast on ordinary costs, the latter on dense rows, whose curved ones alone it reads;
interior points see multipliers of very different sizes, as high costs and columns in many units make them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..smooth.centred_rows import CentredRows
from . import augmented_lagrangian, dual_svm, one_table, semismooth, small_hinge, squared_interior, turns
from .conjugate import ConjugateDescent
from .machine import Certificate, Ended, Machine, certify
from .step_work import INTERIOR, LAGRANGIAN, NEWTON

ROUNDING = 1e-12
"""Share of F below which a gap is rounding, whatever was asked."""
SOME_COLUMNS = 200
"""Columns from which a matrix of the augmented Lagrangian is dear."""
EPOCHS = 150
"""Epochs of coordinate descent for a hard margin before another method is tried."""
STEPS = 120
"""Steps of the augmented Lagrangian after which interior points have taken fewer, where there is room for them."""

Step = Callable[[Machine, Certificate | None], Ended | None]


def in_turns(machine: Machine, seconds: float = np.inf) -> Ended:
    """Solve by turns of coordinate descent and products, for so many seconds; where they diverge, w = 0 is the end, with the gap it has."""
    found = _tried(lambda m, start: turns.solve(m, seconds), machine, None)
    return _nothing(machine) if found is None else found


def solve(machine: Machine, name: str, begun: Ended | None = None) -> Ended:
    """Solve by the method named and those that come after it, from where another has ended; where all of them diverge, w = 0 is the end,
    with the gap it has.
    """
    ways: list[Step] = [METHODS[name]] if name else []
    if machine.is_hard:
        ways = [*ways, _descent, _products]
    elif begun is None and machine.rows.X is not None:
        ways = [*ways, lambda m, start: turns.solve(m)]
    found = _in_turn(machine, ways, None if begun is None else begun.certificate)
    return _nothing(machine) if found is None else found


def arrived(machine: Machine, ended: Ended) -> bool:
    """Whether the gap is as asked, or rounding."""
    return ended.certificate.gap <= max(machine.tol, ROUNDING) * ended.certificate.primal


def _in_turn(machine: Machine, ways: list[Step], start: Certificate | None = None) -> Ended | None:
    """Return the best end of methods that follow each other until one arrives, each from where the best one before stands."""
    ended: Ended | None = None
    for way in ways:
        found = _tried(way, machine, start)
        if found is not None:
            ended = found if ended is None else ended.better(found)
            start = ended.certificate
        if ended is not None and arrived(machine, ended):
            break
    return ended


def _tried(way: Step, machine: Machine, start: Certificate | None) -> Ended | None:
    """Return the end of a method, or None where it has diverged."""
    try:
        found = way(machine, start)
    except np.linalg.LinAlgError:
        return None
    return found if found is not None and np.isfinite(found.certificate.theta).all() else None


def _nothing(machine: Machine) -> Ended:
    """Return w = 0 with the gap it has."""
    rows = CentredRows.of(machine.rows, centred=False)
    zeros = np.zeros(len(machine.signs))
    return Ended.of(rows, certify(machine, rows, np.zeros(rows.width), zeros, zeros), 0, 1)


def _named(name: str, found: Ended) -> Ended:
    return replace(found, solver=name)


def _newton(machine: Machine, start: Certificate | None) -> Ended | None:
    """Solve the squared hinge by Newton's method, then by interior points where rounding has ended it."""
    return _in_turn(machine, [lambda m, start: _named(NEWTON, semismooth.solve(m, start)), _interior], start)


def _lagrangian(machine: Machine, start: Certificate | None) -> Ended | None:
    """Solve by the augmented Lagrangian, then by interior points; the other way round where costs are high and a matrix is dear."""
    most = STEPS if _has_interior(machine) else machine.max_iter

    def steps(m: Machine, start: Certificate | None) -> Ended | None:
        return _named(LAGRANGIAN, augmented_lagrangian.solve(replace(m, max_iter=min(m.max_iter, most)), start))

    is_stiff = machine.rows.n_features > SOME_COLUMNS and augmented_lagrangian.gentle_steps(machine) > 0
    return _in_turn(machine, [_interior, steps] if is_stiff else [steps, _interior], start)


def _descent(machine: Machine, start: Certificate | None) -> Ended:
    """Find a hard margin by coordinate descent, for some epochs."""
    return _named(turns.DUAL, dual_svm.solve(machine, EPOCHS))


def _products(machine: Machine, start: Certificate | None) -> Ended:
    """Find a hard margin by an augmented Lagrangian whose steps need no matrix."""
    return _named(turns.LAGRANGIAN, augmented_lagrangian.solve(machine, start, ConjugateDescent))


def _points(machine: Machine, start: Certificate | None) -> Ended | None:
    """Solve by interior points, then by Newton's method or the augmented Lagrangian."""
    steps: Any = semismooth.solve if machine.squared else augmented_lagrangian.solve
    return _in_turn(machine, [_interior, lambda m, start: _named(NEWTON if m.squared else LAGRANGIAN, steps(m, start))], start)


def _has_interior(machine: Machine) -> bool:
    """Whether an interior-point method has room for its matrix and steps, and every multiplier a place between its bounds."""
    is_bounded = not machine.is_hard and machine.cost.min() > 0.0
    return bool(machine.max_iter >= small_hinge.STEPS and is_bounded and one_table.is_possible(machine.rows))


def _interior(machine: Machine, _: Certificate | None = None) -> Ended | None:
    """Return the end of an interior-point method where it is possible, and it arrives; from θ = 0: elsewhere it takes as many steps."""
    if not _has_interior(machine):
        return None
    table = one_table.OneTable.of(machine.rows, machine.signs[None], machine.cost, machine.ridge)
    theta, tol = np.zeros((1, len(table.D))), max(machine.tol, ROUNDING)
    if machine.squared:
        found = squared_interior.solve(table, theta, tol)
    else:
        both = small_hinge.walked(table, theta, np.zeros((1, len(machine.signs))), 0, tol)
        found = None if both is None else both[0]
    return None if found is None else _named(INTERIOR, found)


METHODS: dict[str, Step] = {NEWTON: _newton, LAGRANGIAN: _lagrangian, INTERIOR: _points}

"""A path of C with an L2 penalty and many columns: one set of products, each point begun in the span of the last few.

The scores Z_k = XW_k + c_k of the last points are kept. Within their span, W = Σ a_k W_k, the objective of the next λ is that of a
regression on a few columns Z_k: Newton's method on a finds its minimum without a product with X. Along a smooth path the next
solution lies close to that span, and conjugate gradients have little left to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...array_types import Floats
from ..accepted_losses import require_loss
from ..problem import Problem
from ..solution import Solution
from .newton_cg import begin, ended, iterate
from .system import Point, System

Kept = tuple[Floats, Floats, Floats]
"""W (p, R), c (R,) and Z (n, R) of a point."""

SPAN = 4
"""Points that span the guess."""
STEPS, WORTH = 4, 2e-3
"""Newton steps within the span, while one is still worth this share of tol: each costs a few looks at the scores."""


def solutions(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    """Yield the solutions of a smooth problem held in memory, for strengths λ > 0 that fall; the first is that of the problem."""
    require_loss(problem, "newton_cg")
    system = System(problem)
    point, last, seen = begin(system), problem.strength, 0
    past: list[Kept] = []
    for strength in map(float, strengths):
        system.problem = replace(problem, strength=strength)
        # Loss and gradient are known here: another λ costs no product.
        change, last = strength - last, strength
        point = replace(point, f=point.f + 0.5 * change * float(np.vdot(point.W, point.W)), g=point.g + change * point.W)
        past = [*past, (point.W, point.c, point.Z)][-SPAN:]
        point, status, iterations = iterate(system, extrapolated(system, point, past))
        found = ended(system, point, status, iterations, system.passes - seen)
        yield replace(found, why="a path: one set of products, each point begun in the span of the last few")
        seen = system.passes


def extrapolated(system: System, point: Point, past: list[Kept]) -> Point:
    """Return the best point in the span of the last few, `point` itself the newest of them."""
    if not point.W.any():
        return point
    steps = [past[-1], *[tuple(a - b for a, b in zip(now, before)) for before, now in pairwise(past)]]
    lam, S = system.problem.strength, system.problem.total
    gram = lam * np.array([[float(np.vdot(one[0], other[0])) for one in steps] for other in steps])
    a, f, loss, R = np.zeros(len(steps)), point.f, 0.0, None
    trial = a
    for _ in range(STEPS + 1):
        Z = point.Z + sum(t * step[2] for t, step in zip(trial, steps))
        loss_there, R_there = system.loss(Z)
        # W = W_0 + Σ a_k D_k with D_0 = W_0, so that λ/2 ‖W‖² is a form in a + e_0.
        shares = trial + np.eye(1, len(steps))[0]
        value = loss_there + 0.5 * float(shares @ gram @ shares)
        if value > f:
            break
        a, f, loss, R = trial, value, loss_there, R_there
        P = system.bend(Z, R.copy())
        slopes = np.array([float(np.vdot(R, step[2])) for step in steps]) / S + gram @ shares
        bent = [system.curved(P, step[2].copy()) for step in steps]
        H = np.array([[float(np.vdot(one[2], other)) for one in steps] for other in bent]) / S + gram
        move = np.linalg.lstsq(H, slopes, rcond=1e-12)[0]
        if 0.5 * float(slopes @ move) <= WORTH * system.problem.tol * f:
            break
        trial = a - move
    if R is None or not a.any():
        return point
    W = point.W + sum(t * step[0] for t, step in zip(a, steps))
    c = point.c + sum(t * step[1] for t, step in zip(a, steps))
    Z = point.Z + sum(t * step[2] for t, step in zip(a, steps))
    return system.point(W, c, Z, loss, R)

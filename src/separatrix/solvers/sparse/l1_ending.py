"""How far a point is from the minimum of a loss with an L1 part: subgradient and duality gap.

With ℓ̄ the mean loss, G its gradient in W, and an intercept whose own gradient is 0, the slopes of the loss, scaled by t ≤ 1, are a
point of the dual. What it falls short by, with q_i the probability that the fit gives to the wrong classes in row i, is

    gap = λΩ(W) + t⟨G, W⟩ + λΩ*(−tG/λ) + Σ_i s_i KL(t q_i ‖ q_i),   t = 1, or min(1, λ/‖G‖∞) where the penalty is L1 alone (then Ω* = 0)

The last sum is of the second order in 1 − t, and at most (1 − t) ℓ̄, which costs no pass. G is a sum over rows and known up to its rounding,
in units of each column: within it G counts as the value that suits W best. Without that, λ = 1/(C S) of a large C is lost in the noise of
a column of large values, and no point of floating point numbers would be a minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...array_types import Floats
from ..problem import Problem
from ..products import Products
from ..solution import Solution, Status

Spill = Callable[[float], float]

DIGITS = 1e-5
"""Tolerance below which the gap asked falls with it, and no longer with its square."""
ROUNDING = 256.0 * np.finfo(float).eps
"""Error of a gradient entry, as a share of its column's root mean square times that of the slopes."""
FASTER = 0.9
"""Share of the least gap or subgradient so far that counts as progress."""
DRIFT = 1e-10
"""Error of a score up to which slopes computed from it are a point of the dual as good as any."""


def asked(problem: Problem) -> float:
    """Return the gap asked, as a share of the objective: tol², which settles what is 0, but no less than what sums of products can tell."""
    return max(problem.tol * max(problem.tol, DIGITS), ROUNDING)


@dataclass(frozen=True, slots=True)
class Distance:
    """Objective, bound on what is left, and the largest entry of the least subgradient in units of the columns."""

    objective: float
    gap: float
    subgradient: float

    def is_small(self, problem: Problem) -> bool:
        """Whether the subgradient is at most tol and the gap what is asked."""
        return self.subgradient <= problem.tol and self.gap <= asked(problem) * self.objective

    def with_scores(self, objective: float, drift: float) -> Distance:
        """Return the distance by scores computed anew, which change the objective and differ from the old ones by at most `drift`.

        The slopes at the old scores are as good a point of the dual: a loss of curvature ¼ adds drift²/8 to the gap.
        """
        return Distance(objective, self.gap + drift**2 / 8.0, self.subgradient + drift / 4.0)


class Progress:
    """Whether rounds still bring a point nearer: by objective, gap or subgradient, whichever shows it.

    Parameters
    ----------
    patience : int
        Rounds without progress after which rounding is at work.
    """

    def __init__(self, patience: int) -> None:
        self.patience, self.idle = patience, 0
        self.best = [np.inf, np.inf, np.inf]

    def has_ended(self, found: Distance) -> bool:
        """Take note of a round's end; return whether too many brought nothing."""
        now = [found.objective * (1.0 + ROUNDING), found.gap / FASTER, found.subgradient / FASTER]
        self.idle = 0 if any(a < b for a, b in zip(now, self.best)) else self.idle + 1
        self.best = [min(a, b) for a, b in zip([found.objective, found.gap, found.subgradient], self.best)]
        return self.idle >= self.patience


def distance(
    problem: Problem, W: Floats, loss: float, G: Floats, g_b: Floats, units: Floats, spill: Spill | None = None, rest: float = 0.0
) -> Distance:
    """Return the distance from the minimum.

    Parameters
    ----------
    W, G : (R, p) coefficients, and the gradient of the mean loss in them
    loss : float
        ℓ̄.
    g_b : (R,) gradient in the intercepts
    units : (1, p) or (R, p) root mean squares of the columns
    spill : t ↦ Σ_i s_i KL(t q_i ‖ q_i), called only where the answer decides; None for (1 − t) ℓ̄ in its place
    rest : float
        What the intercepts leave.

    Examples
    --------
    >>> from separatrix.losses import Logistic
    >>> problem = Problem(None, np.ones(2), Logistic(), strength=1.0, l1_ratio=1.0)
    >>> distance(problem, np.zeros((1, 1)), np.log(2.0), np.full((1, 1), 0.2), np.zeros(1), np.ones((1, 1))).gap
    0.0
    """
    from ...kernels.proximal import conditions

    l1, l2 = problem.strength * problem.l1_ratio, problem.strength * (1.0 - problem.l1_ratio)
    out = np.empty(6)
    conditions(W, G, units, l1, l2, ROUNDING * np.sqrt(min(loss, 1.0)), out)
    size, square, gap, along, most, missed = out.tolist()
    objective = loss + l1 * size + 0.5 * l2 * square
    if l2 == 0.0 and most > l1:
        t = l1 / most
        gap -= (1.0 - t) * along
        simple, enough = (1.0 - t) * loss, asked(problem) * objective
        gap += spill(t) if spill is not None and gap <= enough < gap + simple else simple
    subgradient = max(missed, float(np.abs(g_b).max(initial=0.0)))
    return Distance(objective, max(gap, 0.0) + rest, subgradient)


def column_units(products: Products, problem: Problem) -> Floats:
    """Return the root mean squares (p,) of the columns, 1 for a column of zeros."""
    squares = products.column_squares(problem.rows.weight) / problem.total
    return np.sqrt(np.where(squares > 1e-280, squares, 1.0))


def spilled(share: Floats, wrong: Floats, t: float) -> float:
    """Return Σ_i s_i KL(t q_i ‖ q_i), q the probabilities of the wrong classes.

    Examples
    --------
    >>> round(spilled(np.ones(1), np.array([0.5]), 0.5), 6)  # ¼ log ½ + ¾ log 3/2
    0.130812
    """
    right = np.maximum(1.0 - wrong, np.finfo(float).tiny)
    kept = t * wrong
    return max(float(share @ (kept * np.log(t) + (1.0 - kept) * np.log1p((1.0 - t) * wrong / right))), 0.0)


def ended(W: Floats, b: Floats, found: Distance, status: Status, steps: int, passes: int) -> Solution:
    """Return the solution of a method on working sets."""
    return Solution(
        coef=W,
        intercept=b,
        status=status,
        iterations=steps,
        passes=passes,
        objective=found.objective,
        gradient_norm=found.subgradient,
        gap=found.gap,
        solver="proximal newton on working sets",
    )

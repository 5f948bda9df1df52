"""Proximal Newton with the explicit Hessian: an L1 part and few coefficients, any number of rows, two classes or many.

With f, g and H of the smooth part (mean loss + λ(1 − r)/2 ‖W‖²) at θ from one pass, the next point minimises

    g'(x − θ) + ½(x − θ)'H(x − θ) + λr Σ |x_j|      (intercepts without the last term)

exactly (`l1_quadratic`), then t = 1, ½, ¼ … until the objective falls enough. Near the end steps are full ones and digits double. Rows
that a step has made certain, right or wrong, have no curvature left, and H says nothing of how far to move them: where no part of a step
serves and it would change a score by more than 30, curvature is added to every coordinate until none does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp

from ...array_types import Floats
from ...data import Block
from ...data.threads import single_threaded_blas
from ...losses import CrossEntropy
from ..checkpoint import active
from ..problem import Problem
from ..products import Products
from ..smooth.newton import column_means
from ..smooth.objective import Objective
from ..solution import Solution, Status
from .class_intercepts import shifted
from .l1_ending import Distance, asked, column_units, distance, spilled
from .l1_quadratic import FEW, Quadratic, violation
from .largest_values import largest_values

ARMIJO = 1e-4
HALVINGS, LAST_HALVINGS = 8, 30
"""How often a step is halved before its scores are looked at, and in the end."""
POOR = 0.1
"""Share of its promise below which a step is too long: half of it may do better, and far out rows have no curvature left."""
HOPEFUL, MOST = 0.5, 10.0
"""Share of the objective from which a promise is not believed, and by how much scores may then move."""
ROUNDING = 1e-12
"""Share of the objective that sums over many rows may be off by."""
SLACK = 1e-2
"""Subgradient at which digits are no longer wanted, as a share of λ and of the gap asked."""
LAST_DIGITS = 1e-15
"""Subgradient, in units of its column, that is as good as none: sums over rows have its rounding."""
LOOSE = 0.05
"""Share of the largest violation to which a step solves a quadratic of few coordinates: far from the end Newton's own error is larger."""
FAR = 30.0
"""Change of a score beyond which H knows nothing."""
FRESH, ON_A_PATH, ROUGH, FEW_DIGITS = 0.1, 0.3, 0.4, 1e-2
"""Share of the last violation above which a step needs a fresh Hessian, on a path, where every λ begins with one, and from which tol on."""


class ProximalNewton:
    """θ (R, p + 1) with the smooth part's value and gradient there, and a Hessian from there or from a point not far away.

    The gradient is always exact, so the Hessian need not be: as long as steps take off a digit each, the last one serves, and a
    step costs a pass without it.

    Parameters
    ----------
    problem : Problem
        With an L1 part or without; λ > 0.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        smooth = replace(problem, strength=problem.strength * (1.0 - problem.l1_ratio), l1_ratio=0.0)
        # About the means: else H loses digits where they are large.
        self.objective = Objective(smooth, *column_means(problem, also_streamed=True), saves=False)
        self.objective.passes += problem.rows.held is None
        self.theta = problem.beginning()
        self.theta[:, -1] += self.theta[:, :-1] @ self.objective.centre
        self.iterations = 0
        # The curvature of a cross-entropy tells the sizes of the columns, as well as is needed; that of another loss does not.
        self.is_cross_entropy = isinstance(problem.loss, CrossEntropy)
        self.units: Floats | None = None
        with np.errstate(over="ignore", invalid="ignore"):
            if not (self.is_cross_entropy or problem.rows.X is None):
                self.units = column_units(Products(problem.rows), problem)[None]
            self.f, self.g, H = self.objective.curved(self.theta)
        if not (np.isfinite(self.f) and np.isfinite(H).all()):
            problem.rows.source.refuse_nonfinite()
        self.quadratic = self._gauged(H)
        self.is_fresh, self.speed, self.fresh = True, 1.0, FRESH if problem.tol < FEW_DIGITS else ROUGH
        self.loose = LOOSE if self.theta.size <= FEW else 0.0
        self.predicted: Floats | None = None
        self.surprise, self.leaps, self.stride = np.zeros(self.theta.size), False, 0.0
        self._set_penalty()

    def _set_penalty(self) -> None:
        problem = self.problem
        penalty = np.full(self.theta.shape, problem.strength * problem.l1_ratio)
        penalty[:, -1] = 0.0
        self.penalty = penalty.ravel()
        # The gap of a pure L1 penalty grows by the objective for every share of λ that a subgradient is off.
        self.slack = SLACK * asked(problem) * problem.strength

    def change_strength(self, strength: float) -> None:
        """Go on with another λ: value, gradient and Hessian follow without a pass.

        The first step to it follows the tangent of the path. What it was wrong by at the last λ is added: the path's curvature.
        """
        stride = float(np.log(strength / self.problem.strength))
        if self.predicted is not None:
            self.surprise = (self.theta.ravel() - self.predicted) * (stride / self.stride) ** 2
        self.predicted, self.leaps, self.stride = None, stride != 0.0, stride
        change = (strength - self.problem.strength) * (1.0 - self.problem.l1_ratio)
        self.problem = replace(self.problem, strength=strength)
        self.objective.problem = replace(self.objective.problem, strength=strength * (1.0 - self.problem.l1_ratio))
        W = self.theta[:, :-1]
        self.f += 0.5 * change * float(np.vdot(W, W))
        self.g[:, :-1] += change * W
        H, q = self.quadratic.H, self.theta.shape[1]
        np.einsum("jj->j", H).reshape(-1, q)[:, :-1] += change
        self.quadratic, self.iterations = Quadratic(H), 0
        self.speed, self.fresh = 1.0, FRESH if stride == 0.0 else ON_A_PATH
        self._set_penalty()

    def run(self, further: bool = True) -> Status:
        """Go on until the tolerance of the problem is met, and `further` as long as steps still take off a digit."""
        worst = self._violation()
        while True:
            done = self.distance(quick=True).is_small(self.problem)
            if done and (worst <= max(self.slack, LAST_DIGITS) or not further):
                return Status.CONVERGED
            if self.iterations == self.problem.max_iter:
                return self._judged(Status.MAX_ITER)
            slow = not self._step()
            before, worst = worst, self._violation()
            if done and (slow or worst > 0.5 * before):
                return Status.CONVERGED
            if slow and self.is_fresh:
                return self._judged(Status.STALLED)
            if (slow or worst > self.fresh * before) and not self.is_fresh:
                self.f, self.g, H = self.objective.curved(self.theta)
                self.quadratic, self.is_fresh = self._gauged(H), True
            self.speed = worst / before if before > 0.0 else 0.0
            self.iterations += 1

    def _judged(self, otherwise: Status) -> Status:
        """Return how a run without further steps has ended: what is rounding is told by the columns themselves, which takes a pass."""
        rows = self.problem.rows
        if self.units is None and rows.X is not None:
            self.objective.passes += 1
            self.units = column_units(Products(rows), self.problem)[None]
        return Status.CONVERGED if self.distance().is_small(self.problem) else otherwise

    def _step(self) -> bool:
        """Take the first step t d, t = 1, ½, …, that lowers the objective enough; return whether there is one."""
        x, value = self.theta.ravel(), self.f + self._kinks(self.theta)
        end = self.quadratic.minimise(self.g.ravel(), x, self.penalty, self.slack, self.loose)
        if self.leaps:
            self.predicted, self.leaps = end, False
            leap = end + np.where((end != 0.0) | (self.penalty == 0.0), self.surprise, 0.0)
            leap[(leap * end < 0.0) & (self.penalty > 0.0)] = 0.0
            end = leap if self._fall(leap) > 0.5 * self._fall(end) else end
        if self._search(end, value, HALVINGS):
            return True
        if self._fall(end) <= ROUNDING * abs(value):
            return False
        change = self._change(end)
        more = self._fall(end) / (max(change, FAR) * FAR)  # turns a slope of fall/change into a step of FAR
        while change > FAR:
            H = self.quadratic.H.copy()
            np.einsum("jj->j", H)[:] += more * self._reach**2
            end = Quadratic(H).minimise(self.g.ravel(), x, self.penalty, self.slack, LOOSE)
            change, more = self._change(end), 10.0 * more
        return self._search(end, value, LAST_HALVINGS)

    def _search(self, end: Floats, value: float, halvings: int) -> bool:
        """Move to the first point on the way to an end, t = 1, ½, …, that lowers the objective enough; return whether there is one."""
        fall, d, worst = self._fall(end), end.reshape(self.theta.shape) - self.theta, self._violation()
        t, rounding = 1.0, ROUNDING * abs(value)
        if self.is_cross_entropy and fall > HOPEFUL * value:
            t = min(1.0, MOST / max(self.objective.reach(d), np.finfo(float).tiny))
        best: tuple[float, tuple[Any, ...]] | None = None
        for _ in range(halvings):
            before = self._here()
            self._move(self._settled(self.theta + t * d), t == 1.0)
            new = self.f + self._kinks(self.theta)
            if best is not None and not new < best[0]:
                self._return(best[1])
                return True
            # In the last digits the objective no longer tells points apart, the subgradient still does.
            enough = t * fall > rounding and new <= value - ARMIJO * t * fall
            if enough and new > value - POOR * t * fall:
                best = new, self._here()
            elif enough or (abs(new - value) <= rounding and self._violation() < 0.5 * worst):
                return True
            self._return(before)
            if t * fall <= rounding:
                return False
            t *= 0.5
        return False

    def _here(self) -> tuple[Any, ...]:
        return self.theta, self.f, self.g, self.quadratic, self.is_fresh

    def _return(self, point: tuple[Any, ...]) -> None:
        self.theta, self.f, self.g, self.quadratic, self.is_fresh = point

    def _change(self, end: Floats) -> float:
        """Return the largest change of a score from θ to another point, at most; a pass unless the columns tell that it is small."""
        d = end.reshape(self.theta.shape) - self.theta
        most = float((np.abs(d) * self._reach.reshape(d.shape)).sum(axis=1).max())
        return most if most <= FAR else self.objective.reach(d)

    @cached_property
    def _reach(self) -> Floats:
        """Largest |x_j| of each coordinate, which its coefficient changes a score by."""
        self.objective.passes += 1
        return np.tile(np.append(largest_values(self.problem.rows) + np.abs(self.objective.centre), 1.0), len(self.theta))

    def _fall(self, end: Floats) -> float:
        """Return by how much the objective falls from θ to another point by its slope."""
        new = end.reshape(self.theta.shape)
        return float(np.vdot(self.g, self.theta - new)) - self._kinks(new) + self._kinks(self.theta)

    def _settled(self, theta: Floats) -> Floats:
        """Return θ with each column's coefficients shifted, equally in all classes, to where the penalty is least: the loss stays."""
        W = theta[:, :-1]
        new = shifted(W, self.problem.l1_ratio) if len(W) > 1 and self.problem.l1_ratio > 0.0 else W
        return theta if new is W else np.column_stack([new, theta[:, -1]])

    def _move(self, theta: Floats, is_full: bool) -> None:
        """Evaluate at θ: with the Hessian unless the last steps did without, or a step was cut short, which may have to be shorter yet."""
        self.theta = theta
        if self.speed > self.fresh and is_full:
            self.f, self.g, H = self.objective.curved(theta)
            self.quadratic, self.is_fresh = self._gauged(H), True
        else:
            self.f, self.g = self.objective.at(theta)
            self.is_fresh = False
        saved = active(self.problem)
        if saved is not None:
            saved.keep(self.problem, np.ascontiguousarray(theta[:, :-1]), self.objective.intercept(theta), self.f + self._kinks(theta))

    def _gauged(self, H: Floats) -> Quadratic:
        """Return the quadratic of H, singular along equal shifts of all intercepts, with curvature there that no slope ever asks about."""
        q, K = self.theta.shape[1], len(self.theta)
        if K > 1 and self.problem.fit_intercept:
            block = H[q - 1 :: q, q - 1 :: q]
            block += np.trace(block) / K**2
        return Quadratic(H)

    def _violation(self) -> float:
        return float((violation(self.g.ravel(), self.theta.ravel(), self.penalty) / self.quadratic.units).max())

    def _kinks(self, theta: Floats) -> float:
        return float(self.penalty @ np.abs(theta.ravel()))

    def distance(self, quick: bool = False) -> Distance:
        """Return the distance of θ from the minimum, a `quick` one without a further pass."""
        W, ridge = np.ascontiguousarray(self.theta[:, :-1]), self.objective.problem.strength
        loss, q, g = self.f - 0.5 * ridge * float(np.vdot(W, W)), self.theta.shape[1], self.g[:, -1]
        H = self.quadratic.H
        units = self.units
        if units is None:
            # The root mean square of a column is at least 2√(its curvature).
            units = 2.0 * np.sqrt(np.maximum(np.einsum("jj->j", H).reshape(-1, q)[:, :-1] - ridge, 0.0))
        # The gap holds for the best intercepts. These leave ½ g'H⁻¹g to second order, of which twice as much is added.
        rest = float(g @ np.linalg.lstsq(H[q - 1 :: q, q - 1 :: q], g, rcond=1e-12)[0]) if g.any() else 0.0
        spill = self._spilled if self.is_cross_entropy and not quick else None
        return distance(self.problem, W, loss, self.g[:, :-1] - ridge * W, g, units, spill, rest)

    def _spilled(self, t: float) -> float:
        """Return what a dual point scaled by t loses; one pass."""
        self.objective.passes += 1
        W, b, problem = self.theta[:, :-1], self.objective.intercept(self.theta), self.problem

        def of_block(block: Block) -> float:
            assert block.codes is not None
            Z = np.asarray(block.X @ W.T) + b
            if problem.n_scores == 1:
                wrong = expit(np.where(block.codes == 1, -Z[:, 0], Z[:, 0]))
            else:
                others = Z - Z[np.arange(len(Z)), block.codes][:, None]
                others[np.arange(len(Z)), block.codes] = -np.inf
                wrong = expit(logsumexp(others, axis=1))
            return spilled(np.ones(len(Z)) if block.weight is None else block.weight, wrong, t)

        return sum(problem.rows.map(of_block)) / problem.total

    def solution(self, status: Status) -> Solution:
        """Return θ as a solution."""
        theta, problem = self.theta, self.problem
        intercept = self.objective.intercept(theta) if problem.fit_intercept else np.zeros(len(theta))
        if problem.n_scores > 1:
            # Equal shifts of all intercepts change nothing; those of W are settled by the penalty.
            intercept = intercept - intercept.mean()
        found = self.distance()
        return Solution(
            coef=np.ascontiguousarray(theta[:, :-1]),
            intercept=intercept,
            status=status,
            iterations=self.iterations,
            passes=self.objective.passes,
            objective=found.objective,
            gradient_norm=found.subgradient,
            gap=found.gap,
            solver="gram proximal newton",
        )


def solve(problem: Problem) -> Solution:
    """Minimise a problem with an L1 part and few coefficients.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.15, l1_ratio=1.0))
    >>> found.status.value, found.coef.round(4).tolist(), found.gap < 1e-9
    ('converged', [[0.3258, 0.0]], True)
    """
    with single_threaded_blas():
        newton = ProximalNewton(problem)
        return newton.solution(newton.run())

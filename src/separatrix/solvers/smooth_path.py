"""A path of C with an L2 penalty and few coefficients: the loss is read about once per point, and not at all where nothing moves.

With L(θ) the mean loss, ∇L(θ) and a Hessian B ≈ ∇²L known at the last point, the next λ needs no pass to know its own objective there:

    f = L + (λ/2)‖W‖²,    g = ∇L + λW,    d = (B + λI)⁻¹g,    and ½ g'd ≤ tol: the last point is the next one's, too.

Else θ − d is the tangent's guess; what the last guess missed, the next one will miss again (a path is smooth in log λ), so that is
added. L-BFGS around B + λI does the rest, its pairs kept from point to point with λ taken out of them. B is the Hessian of all rows,
or of a sample of many dense rows, and is taken anew where a point has cost more than a few passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from . import lbfgs, newton, whitened
from .ending import finish, small_enough
from .line_search import answered
from .objective import Objective
from .problem import Problem
from .sampling import draw, spaced
from .solution import Solution, Status

Floats = NDArray[np.float64]

KEPT = 12
"""Pairs taken along to the next point."""
DAMPING = 0.5
"""Share of the last guess's error that is added to the next: the pairs made meanwhile mend a part of it, too."""
MANY = 2
"""Passes of a point above which the next one gets a new Hessian."""
WHY = "a path: the last point's gradient and Hessian serve the next"


def solutions(problem: Problem, strengths: Floats) -> Iterator[Solution]:
    """Yield the solutions of a smooth problem with few coefficients, for strengths λ that fall."""
    follower = Follower(problem, float(strengths[0]))
    for strength in strengths:
        yield follower.follow(float(strength))


class Follower:
    """A point on the path: θ, the loss and its gradient there, and what is known of the Hessian.

    Parameters
    ----------
    problem : Problem
    strength : float
        The first λ, at whose minimiser the path begins.
    """

    def __init__(self, problem: Problem, strength: float) -> None:
        self.problem = problem
        self.objective: Objective
        self.inner: Objective
        if not problem.rows.is_sparse and len(problem.rows.X) > 2 * whitened.SAMPLE:
            theta = self._begin_on_sample(replace(problem, strength=strength))
            self.loss, self.slopes = self.objective.at(theta)
            if not (np.isfinite(self.loss) and np.isfinite(self.slopes).all()):
                problem.rows.source.refuse_nonfinite()
        else:
            self.objective = self.inner = Objective(replace(problem, strength=0.0), *newton.column_means(problem))
            theta = problem.beginning() if problem.start is not None else whitened.null_scores(problem)
            theta[:, -1] += theta[:, :-1] @ self.objective.centre
            end = newton.minimise(at_strength(self.objective, strength), theta, precision=1.0)
            theta = end.theta
            self.loss, self.slopes = _penalised(theta, end.f, end.gradient, -strength)
            self.hessian = self._with_ridge(end.hessian, -strength)
        self.theta, self.missed, self.seen = theta, np.zeros_like(theta), 0
        self.pairs: list[tuple[Floats, Floats]] = []

    def _begin_on_sample(self, problem: Problem) -> Floats:
        """Set the objectives of all rows and of a sample and its Hessian, all without penalty; return the sample's minimiser."""
        sample = spaced(problem, whitened.SAMPLE)
        moments = whitened.moments_of(problem if sample is None else sample, explicit=True)
        centre, G = whitened.covariance(moments)
        objective = whitened.centred(problem, centre, G)
        theta = whitened.start(problem, moments, G, objective)
        if sample is None:
            sample = draw(problem, whitened.SAMPLE, centre, np.sqrt(np.diag(G)))
            objective.passes += 2
        inner = Objective(sample, objective.centre, objective.shifts, compiled=True)
        theta, hessian = whitened.sample_minimiser(inner, theta, G)
        self.objective, self.inner = at_strength(objective, 0.0), at_strength(inner, 0.0)
        self.hessian = self._with_ridge(hessian, -problem.strength)
        return theta

    def follow(self, strength: float) -> Solution:
        """Go on to the minimiser for another λ and return it."""
        problem, before = replace(self.problem, strength=strength), self.seen
        pairs = lbfgs.Pairs(whitened.inverse(self._with_ridge(self.hessian, strength), problem.n_scores), scales=False)
        for s, y in self.pairs:
            pairs.add(s, y + strength * _slopes(s))
        theta, (f, g) = self.theta, _penalised(self.theta, self.loss, self.slopes, strength)
        status, iterations, d = Status.CONVERGED, 0, pairs.direction(g)
        if small_enough(problem, f, g, 0.5 * float(np.vdot(g, d))):
            self.missed = np.zeros_like(theta)
        else:
            evaluate = lambda at: _penalised(at, *self.objective.at(at), strength)  # noqa: E731
            guess = theta - d
            trial = guess + DAMPING * self.missed
            value, slopes = evaluate(trial)
            if value < f:
                pairs.add(trial - theta, slopes - g)
                theta, f, g = trial, value, slopes
            theta, f, g, status, iterations = answered(lbfgs.iterations(problem, theta, f, g, pairs), evaluate)
            self.missed = theta - guess
        self.seen = self.objective.passes
        found = self._solution(problem, theta, f, g, status, iterations, self.seen - before)
        self._keep(theta, f, g, strength, pairs, self.seen - before > MANY)
        return found

    def _solution(self, problem: Problem, theta: Floats, f: float, g: Floats, status: Status, iterations: int, passes: int) -> Solution:
        objective = at_strength(self.objective, problem.strength)
        objective.passes = passes
        return replace(finish(objective, theta, f, g, status=status, iterations=iterations, solver="whitened L-BFGS"), why=WHY)

    def _keep(self, theta: Floats, f: float, g: Floats, strength: float, pairs: lbfgs.Pairs, anew: bool) -> None:
        """Keep what the next point needs, λ taken out of it; the Hessian anew where it no longer serves."""
        self.theta, self.loss, self.slopes = theta, *_penalised(theta, f, g, -strength)
        self.pairs = [(s, y - strength * _slopes(s)) for s, y, _ in pairs.kept][-KEPT:]
        if anew:
            self.hessian, self.pairs = self.inner.curved(theta)[2], []

    def _with_ridge(self, hessian: Floats, strength: float) -> Floats:
        """Return H + λ, the intercepts left alone."""
        H = hessian.copy()
        np.einsum("aa->a", H).reshape(self.problem.n_scores, -1)[:, :-1] += strength
        return H


def at_strength(objective: Objective, strength: float) -> Objective:
    """Return the objective with another λ."""
    other = copy(objective)
    other.problem = replace(objective.problem, strength=strength)
    return other


def _slopes(theta: Floats) -> Floats:
    """Return W with 0 for the intercepts: the gradient of ½‖W‖²."""
    W = theta.copy()
    W[:, -1] = 0.0
    return W


def _penalised(theta: Floats, f: float, g: Floats, strength: float) -> tuple[float, Floats]:
    W = _slopes(theta)
    return f + 0.5 * strength * float(np.vdot(W, W)), g + strength * W

"""A path of C with an L2 penalty and few coefficients: the loss is read about once per point, and not at all where nothing moves.

With L(θ) the mean loss, ∇L(θ) and a Hessian B ≈ ∇²L known at the last point, the next λ needs no pass to know its own objective there:

    f = L + (λ/2)‖W‖²,    g = ∇L + λW,    d = (B + λI)⁻¹g,    and ½ g'd ≤ tol: the last point is the next one's, too.

Else θ − d is one guess and polynomials in log λ through the last points are others (`extrapolation.py`): on a fine path, one pass
checks the guess and ends there. L-BFGS around B + λI does the rest, its pairs kept from point to point with λ taken out of them. B is
the Hessian of all rows, or of a sample of many dense rows. As penalties fall, scores grow and curvatures shrink, in all directions much
alike: B is scaled to the curvature of each step seen, and taken anew where that has come to much or a point has cost many passes.
Where Hessians cost next to nothing, so that a single fit is Newton's, Newton's method also ends every point: to the same last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import numpy as np

from ...array_types import Floats
from ..accepted_losses import require_loss
from ..problem import Problem
from ..rows import Rows
from ..solution import Solution, Status
from ..stopping import finish, small_enough
from . import lbfgs, newton, whitened
from .extrapolation import Track
from .line_search import answered
from .objective import Objective
from .sampling import draw, spaced

KEPT = 12
"""Pairs taken along to the next point."""
MANY = 2
"""Passes of a point above which the next one gets a new Hessian."""
DRIFT = 1.5
"""Factor by which the curvature may change before the next point gets a new Hessian."""
THINNER = 2
"""New Hessians are those of so many times fewer rows than the first: it had to give a start, they only mend guesses."""
LAST_DIGITS = 1e-14
"""Gap, as a share of f, that Newton's method leaves at the end of a point."""
WHY = "a path: the last point's gradient and Hessian serve the next"


def solutions(problem: Problem, strengths: Floats, precise: bool = False) -> Iterator[Solution]:
    """Yield the solutions of a smooth problem with few coefficients, for strengths λ that fall; `precise`: Newton's method ends each."""
    require_loss(problem, "whitened")
    follower = Follower(problem, float(strengths[0]), precise)
    for strength in strengths:
        yield follower.follow(float(strength))


class Follower:
    """A point on the path: θ, the loss and its gradient there, and what is known of the Hessian.

    Parameters
    ----------
    problem : Problem
    strength : float
        The first λ, at whose minimiser the path begins.
    precise : bool
        Whether Newton's method ends every point.
    """

    def __init__(self, problem: Problem, strength: float, precise: bool = False) -> None:
        self.problem, self.precise = problem, precise
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
            end = newton.minimise(at_strength(self.objective, strength), theta, LAST_DIGITS if precise else 1.0)
            theta = end.theta
            self.problem = replace(problem, strength=strength).in_units(np.einsum("aa->a", end.hessian).reshape(theta.shape))
            self.loss, self.slopes = _penalised(theta, end.f, end.gradient, -strength)
            self.hessian = self._with_ridge(end.hessian, -strength)
        self.theta, self.track, self.seen, self.drift = theta, Track(), 0, 1.0
        self.pairs: list[tuple[Floats, Floats]] = []

    def _begin_on_sample(self, problem: Problem) -> Floats:
        """Set the objectives of all rows and of a sample and its Hessian, all without penalty; return the sample's minimiser."""
        sample = spaced(problem, whitened.SAMPLE)
        fewer = None if sample is None else _thinned(sample)
        moments = whitened.moments_of(problem if sample is None else sample, explicit=True)
        centre, G = whitened.covariance(moments)
        objective = whitened.centred(problem, centre, G)
        self.problem = objective.problem
        theta = whitened.start(problem, moments, G, objective)
        if sample is None:
            sample = draw(problem, whitened.SAMPLE, centre, np.sqrt(np.diag(G)))
            objective.passes += 2
        inner = Objective(sample, objective.centre, objective.shifts, compiled=True)
        theta, hessian = whitened.sample_minimiser(inner, theta, G)
        if fewer is not None:
            inner = Objective(fewer, objective.centre, objective.shifts, compiled=True)
        self.objective, self.inner = at_strength(objective, 0.0), at_strength(inner, 0.0)
        self.hessian = self._with_ridge(hessian, -problem.strength)
        return theta

    def follow(self, strength: float) -> Solution:
        """Go on to the minimiser for another λ and return it."""
        problem, before, place = replace(self.problem, strength=strength), self.seen, float(np.log(strength))
        H = self._with_ridge(self.hessian, strength)
        pairs = lbfgs.Pairs(whitened.inverse(H, problem.n_scores), scales=False)
        for s, y in self.pairs:
            pairs.add(s, y + strength * _slopes(s))
        theta, (f, g) = self.theta, _penalised(self.theta, self.loss, self.slopes, strength)
        status, iterations, d = Status.CONVERGED, 0, pairs.direction(g)
        if self.precise or not small_enough(problem, f, g, 0.5 * float(np.vdot(g, d))):

            def evaluate(at: Floats) -> tuple[float, Floats]:
                return _penalised(at, *self.objective.at(at), strength)

            guesses = [theta - d, *self.track.guesses(place)]
            trial = self.track.choose(guesses)
            value, slopes = evaluate(trial)
            pairs.add(trial - theta, slopes - g)
            if value < f:
                theta, f, g = trial, value, slopes
            theta, f, g, status, iterations = answered(lbfgs.iterations(problem, theta, f, g, pairs), evaluate)
            if self.precise:
                end = newton.minimise(at_strength(self.objective, strength), theta, LAST_DIGITS)
                theta, f, g, status, iterations = end.theta, end.f, end.gradient, end.status, iterations + end.iterations
            d = pairs.direction(g)
            self.track.compare(guesses, theta - d, lambda e: float(e.ravel() @ H @ e.ravel()))
        # One more step, not looked at, is nearer to the minimiser than what the tolerance asks: extrapolation amplifies what is left.
        self.track.add(place, theta - d)
        self.seen = self.objective.passes
        found = self._solution(problem, theta, f, g, status, iterations, self.seen - before)
        self._keep(theta, f, g, strength, pairs, before > 0 and self.seen - before > MANY)
        return found

    def _solution(self, problem: Problem, theta: Floats, f: float, g: Floats, status: Status, iterations: int, passes: int) -> Solution:
        objective = at_strength(self.objective, problem.strength)
        objective.passes = passes
        return replace(finish(objective, theta, f, g, status=status, iterations=iterations, solver="whitened L-BFGS"), why=WHY)

    def _keep(self, theta: Floats, f: float, g: Floats, strength: float, pairs: lbfgs.Pairs, anew: bool) -> None:
        """Keep what the next point needs, λ taken out of it; the Hessian anew where it no longer serves."""
        step, last = theta - self.theta, self.slopes
        self.theta, self.loss, self.slopes = theta, *_penalised(theta, f, g, -strength)
        self.pairs = [(s, y - strength * _slopes(s)) for s, y, _ in pairs.kept][-KEPT:]
        seen = float(np.vdot(step, self.slopes - last))
        ratio = seen / float(step.ravel() @ self.hessian @ step.ravel()) if seen > 0.0 else 1.0
        self.drift *= ratio
        if anew or not 1.0 / DRIFT < self.drift < DRIFT:
            self.hessian, self.pairs, self.drift = self.inner.curved(theta)[2], [], 1.0
        else:
            self.hessian = ratio * self.hessian

    def _with_ridge(self, hessian: Floats, strength: float) -> Floats:
        """Return H + λ, the intercepts left alone."""
        H = hessian.copy()
        np.einsum("aa->a", H).reshape(self.problem.n_scores, -1)[:, :-1] += strength
        return H


def _thinned(sample: Problem) -> Problem:
    """Return the problem on every few rows of spaced ones."""
    rows, every = sample.rows, slice(None, None, THINNER)
    assert rows.codes is not None and rows.weight is not None
    X, codes, weight = rows.X[every].copy(), rows.codes[every].copy(), rows.weight[every].copy()
    counts = np.bincount(codes, weights=weight, minlength=sample.n_classes).astype(np.float64)
    return replace(sample, rows=Rows.of_arrays(X, codes, weight, rows.source), counts=counts)


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

"""L-BFGS on all rows, preconditioned by what one pass and a sample of the rows know of the Hessian.

1. Class moments in one pass: the means, the covariance G of all rows, and the LDA solution as a start. Many rows of which every few
   tell enough (`sampling.spaced`) give both this and the next without a pass.
2. Where R(p + 1) is moderate: Newton on a weighted sample of rows gives a start within the sample's error and its Hessian H_s;
   H₀ = H_s + τ h_k G + λ. The full G is what keeps directions sound in which the sample happens to be flat.
   Where it is large: H₀ = h (G + c λ I) for every class, a Kronecker product.
3. L-BFGS around H₀: a few passes over all rows, of any source. Where it goes astray, other rows are drawn (`redrawn.py`).
4. Where half of the iterations allowed do not arrive, Newton's method ends the work on rows held in memory: with the exact Hessian, or
   with products by it where it is large.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np

from ...array_types import Floats, Ints
from ...data import Block
from ...losses import CrossEntropy
from ...summaries import ClassMoments
from ..accepted_losses import require_loss, smooth_loss
from ..closed_form.discriminant import solve_discriminant
from ..dependence import dependent_columns
from ..problem import Problem
from ..rows import Rows
from ..scores import folded_classes, posteriors_of
from ..solution import Solution, Status
from ..stopping import finish, is_separated, least_weight
from . import lbfgs, newton, newton_cg, redrawn
from .class_blocks import ClassBlocks
from .doubt import believed
from .line_search import Asking, answered
from .objective import FAR, Objective
from .sampling import draw, spaced

SAMPLE = 20_000
"""Rows of the sample."""
EXPLICIT = 1_500
"""R(p + 1) up to which the sample's Hessian is formed and factored."""
TAU = 0.05
"""Share of the full covariance mixed into the sample's Hessian."""
KRONECKER_RIDGE = 4.0
"""c in G + cλI, the inverse of the curvature p(1 − p) of a score where classes overlap."""
SPACED_STEPS = 10
"""Iterations after which a start from spaced rows is given up for one from all rows."""
SAMPLE_TOL = 1e-1
"""tol of the sample's own problem before the last Newton step, which squares what is left: the optimum is off by more than that anyway."""
NEAR_STEPS, NEAR_TOL = 20, 0.01
"""Kronecker-whitened steps on the sample before Newton's: at most so many, or until f is right to about GAP_SHARE · NEAR_TOL."""
SMALL_MOMENTS = 2_000_000
"""Values of rows held whose moments are summed in one piece."""
CURVED_ROWS, FLATTEST = 4_096, 0.02
"""Rows that tell the curvature of the scores, and the share of that without columns that each has at least."""
OWN_FACTORS = 1_000_000
"""Numbers of the factors, 8 MB, up to which every score has its own."""
NEWTON_WORK = 1e11
"""Rows × coefficients² above which a Hessian of all rows costs more than the products with it that a step needs."""
GRAM_WORK = 2e10
"""Rows × columns² above which the Kronecker covariance is that of every few rows."""


def solve(problem: Problem) -> Solution:
    """Minimise a smooth problem over rows of any source.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.25))
    >>> found.status.value, found.coef.round(3).tolist()
    ('converged', [[0.453]])
    """
    require_loss(problem, "whitened")
    explicit = problem.n_scores * (problem.n_features + 1) <= EXPLICIT
    sample = spaced(problem, SAMPLE) if explicit and problem.strength > 0.0 else None
    if sample is None:
        return from_all(problem, explicit)
    found = _solve(replace(problem, max_iter=min(SPACED_STEPS, problem.max_iter)), sample, explicit)
    # Else the sample missed something: once more from here, with moments of all rows and a sample that keeps rare ones.
    return continued(problem, found, partial(from_all, explicit=explicit))


def from_all(problem: Problem, explicit: bool) -> Solution:
    """Solve from the moments of all rows; rows held are read once more by Newton's method where that has not arrived half-way.

    `explicit`: with the Hessian of a sample, else with the covariance of the columns alone.
    """
    size, n = problem.n_scores * (problem.n_features + 1), problem.rows.n_rows
    if problem.rows.held is None or n is None:
        return _solve(problem, None, explicit)
    found = _solve(replace(problem, max_iter=-(-problem.max_iter // 2)), None, explicit)
    last = newton.solve if size <= EXPLICIT and n * size**2 <= NEWTON_WORK else newton_cg.solve
    again = continued(problem, found, last)
    return again if again.dependent is not None else replace(again, dependent=found.dependent)


def continued(problem: Problem, found: Solution, solver: Callable[[Problem], Solution]) -> Solution:
    """Return a solution that another solver finds from one that has not converged, with the iterations that are left."""
    if found.is_converged or found.status is Status.SEPARABLE or found.iterations >= problem.max_iter:
        return found
    again = solver(replace(problem, start=(found.coef, found.intercept), max_iter=problem.max_iter - found.iterations))
    return replace(again, iterations=again.iterations + found.iterations, passes=again.passes + found.passes, solver=found.solver)


def _solve(problem: Problem, sample: Problem | None, explicit: bool) -> Solution:
    """Solve from the moments of a sample given, or from those of all rows."""
    moments = moments_of(problem if sample is None else sample, explicit)
    centre, G = covariance(moments)
    objective = centred(problem, centre, G)
    problem = objective.problem
    theta = start(problem, moments, G, objective)
    passes = 1 if sample is None else 0
    if explicit:
        if sample is None:
            sample, mixed, passes = draw(problem, SAMPLE, centre, _deviations(G)), TAU, passes + 1
        else:
            mixed = 0.0
        near, pairs = from_sample(objective, theta, G, sample, mixed)
        theta = theta if problem.is_resumed else near
    else:
        pairs = lbfgs.Pairs(_kronecker(problem, G, _curvatures(objective, theta)), scales=True)
    asking = walk(problem, theta, pairs)
    if explicit:
        end = redrawn.minimise(objective, asking, partial(from_sample, objective, G=G, mixed=0.0))
    else:
        end = believed(objective, answered(asking, objective.at), pairs)
    theta, f, g, status, iterations = end
    if problem.strength == 0.0 and is_separated(problem, f, least_weight(problem)):
        status = Status.SEPARABLE
    return finish(
        objective,
        theta,
        f,
        g,
        status=status,
        iterations=iterations,
        solver="whitened L-BFGS",
        passes=passes,
        dependent=_dependent(problem, G, centre),
    )


def _dependent(problem: Problem, G: Floats, centre: Floats) -> Ints | None:
    if problem.strength > 0.0 or len(G) > EXPLICIT:
        return None
    second = np.zeros((len(G) + 1, len(G) + 1))
    second[-1, -1] = 1.0
    second[:-1, :-1] = G if problem.fit_intercept else G + np.outer(centre, centre)
    return dependent_columns(second, centre, problem.fit_intercept)


def _without_shift(d: Floats) -> Floats:
    """Return a step that shifts no column's coefficients of all classes together: mixing G into H_s by class brings such shifts in."""
    return d if len(d) == 1 else d - d.mean(axis=0)


def null_scores(problem: Problem) -> Floats:
    """Return θ of the model without columns: W = 0 and, if there is an intercept, what suits the shares of the classes."""
    theta = np.zeros((problem.n_scores, problem.n_features + 1))
    if problem.fit_intercept:
        theta[:, -1] = smooth_loss(problem).constant_scores(problem.counts)
    return theta


def walk(problem: Problem, theta: Floats, pairs: lbfgs.Pairs, rough: bool = False) -> Asking[lbfgs.Ended]:
    """L-BFGS from θ, or from the null model where that is better: a start can be worse than none on odd rows. Asks for the values."""
    f, g = yield theta
    if not (np.isfinite(f) and np.isfinite(g).all()):
        problem.rows.source.refuse_nonfinite()
    if f > smooth_loss(problem).constant_value(problem.counts):  # what the null model reaches
        null = null_scores(problem)
        other, slopes = yield null
        if other < f:
            theta, f, g = null, other, slopes
    return (yield from lbfgs.iterations(problem, theta, f, g, pairs, rough))


def covariance(moments: ClassMoments) -> tuple[Floats, Floats]:
    """Return mean and covariance G of all rows from the moments of the classes, their scatter pooled."""
    n, centre = moments.counts.sum(), moments.grand_mean
    apart = np.sqrt(moments.counts / n)[:, None] * (moments.means - centre)
    return centre, moments.scatter / n + apart.T @ apart


def _deviations(G: Floats) -> Floats:
    deviations: Floats = np.sqrt(np.einsum("jj->j", G))
    return deviations


def centred(problem: Problem, centre: Floats, G: Floats) -> Objective:
    """Return the objective in coordinates centred at the means, and in units of the columns' deviations."""
    return Objective(
        problem.in_units(np.append(np.einsum("jj->j", G), 1.0)), centre, far=bool((np.abs(centre) > FAR * _deviations(G)).any())
    )


def moments_of(problem: Problem, explicit: bool) -> ClassMoments:
    """Return the moments of the classes, of every few rows where the work would be great."""
    rows, p = problem.rows, problem.n_features
    if not explicit and rows.held is not None and not rows.is_sparse:
        stride = int(len(rows.X) * p**2 // GRAM_WORK) + 1
        if stride > 1:
            weight = None if rows.weight is None else rows.weight[::stride]
            assert rows.codes is not None
            rows = Rows.of_arrays(np.ascontiguousarray(rows.X[::stride]), rows.codes[::stride], weight, rows.source)
    summarise = ClassMoments.summarise(np.arange(problem.n_classes), "pooled")
    # A sample in one piece: cut up, its parts would each be small enough for the slower road.
    moments = (
        summarise(Block(rows.X, rows.codes, rows.weight))
        if 0 < rows.values <= SMALL_MOMENTS and not rows.is_sparse
        else rows.reduce(summarise)
    )
    if not moments.is_finite:
        problem.rows.source.refuse_nonfinite()
    return moments


def start(problem: Problem, moments: ClassMoments, G: Floats, objective: Objective) -> Floats:
    """Return the given start, or the LDA solution, in centred coordinates."""
    theta = problem.beginning()
    if problem.start is None and problem.fit_intercept:
        n, sd = moments.counts.sum(), _deviations(G)
        ridge = np.diag(KRONECKER_RIDGE * problem.strength + 1e-10 * sd**2)
        found = solve_discriminant(moments.means, moments.scatter / n + ridge, moments.counts / n, np.where(sd > 0, sd, 1.0))
        lda = np.column_stack([found.coef, found.intercept])
        theta = folded_classes(lda) if len(theta) == 1 else lda - lda.mean(axis=0)
    theta[:, -1] += theta[:, :-1] @ objective.centre
    return theta


def from_sample(objective: Objective, theta: Floats, G: Floats, sample: Problem, mixed: float) -> tuple[Floats, lbfgs.Pairs]:
    """Return the minimiser on a sample and no pairs yet around H₀, a share `mixed` of the covariance G in it."""
    inner = Objective(sample, objective.centre, objective.shifts, compiled=True)
    theta, hessian = sample_minimiser(inner, theta, G)
    R, q = theta.shape
    if mixed:
        H = hessian.reshape(R, q, R, q)
        for k in range(R):
            block = H[k, :, k]
            share = block[-1, -1] if sample.fit_intercept else np.trace(block) / max(np.trace(G), 1e-300)
            block[:-1, :-1] += mixed * share * G
    return theta, lbfgs.Pairs(inverse(hessian, R), scales=False)


def inverse(H: Floats, n_scores: int) -> Callable[[Floats], Floats]:
    """Return the function g ↦ H⁻¹g."""
    factor = newton.Factor(H, n_scores)
    return lambda g: _without_shift(factor.solve(g))


def sample_minimiser(inner: Objective, theta: Floats, G: Floats) -> tuple[Floats, Floats]:
    """Return the minimiser of the objective of a sample, as near as that is worth, and the Hessian close to it."""
    rough = copy(inner)
    rough.problem = replace(inner.problem, max_iter=25, tol=SAMPLE_TOL)
    theta = _near(rough, theta, G)
    end = newton.minimise(rough, theta, precision=1.0)
    # A sample that a hyperplane separates says where to go, not where to begin.
    if end.status is Status.CONVERGED:
        theta = end.theta - newton.Factor(end.hessian, len(theta)).solve(end.gradient)
    elif end.status is not Status.SEPARABLE:
        theta = end.theta
    return theta, end.hessian


def _near(inner: Objective, theta: Floats, G: Floats) -> Floats:
    """Return a point from which Newton's method is quick: far from the minimum its steps go astray, and these cost little."""
    rough = replace(inner.problem, max_iter=NEAR_STEPS, tol=NEAR_TOL)
    pairs = lbfgs.Pairs(_kronecker(rough, G, _curvatures(inner, theta)), scales=True)
    return answered(walk(rough, theta, pairs, rough=True), inner.at)[0]


def _curvatures(objective: Objective, theta: Floats) -> Floats:
    """Return the mean curvature of each score (R,) at θ, of some rows held; where there are none, as in a model without columns."""
    problem, rows = objective.problem, objective.problem.rows
    shares = problem.counts / problem.total
    flat: Floats = shares * (1.0 - shares) if len(theta) > 1 else np.ones(1)
    if rows.X is None or len(theta) == 1 or not isinstance(objective.loss, CrossEntropy):
        return flat
    step = max(1, rows.X.shape[0] // CURVED_ROWS)
    some = rows.X[::step]
    some = some.toarray() if rows.is_sparse else some
    P = posteriors_of((some - objective.centre) @ theta[:, :-1].T + theta[:, -1])
    bent: Floats = (P * (1.0 - P)).mean(axis=0)
    return np.maximum(bent, FLATTEST * flat)


def _kronecker(problem: Problem, G: Floats, curvatures: Floats) -> Callable[[Floats], Floats]:
    """Return the function g_k ↦ g_k (h_k G + λI)⁻¹ for the curvatures h (R,) of the scores, the intercepts' part divided by h.

    One factor for all scores where several would leave the cache, with the λ of their mean curvature.
    """
    h = curvatures if len(curvatures) > 1 else np.full(1, 1.0 / KRONECKER_RIDGE)
    if len(h) * G.size <= OWN_FACTORS:
        blocks, scale = ClassBlocks.of((own * G for own in h), problem.strength), np.ones_like(h)
    else:
        blocks, scale = ClassBlocks.of([G.copy()], problem.strength / float(h.mean())), h

    def solve(g: Floats) -> Floats:
        slopes = (g[:, :-1] / scale[:, None]).T
        d = np.empty_like(g)
        d[:, -1] = g[:, -1] / h
        d[:, :-1] = blocks.solve(slopes).reshape(slopes.shape).T
        return _without_shift(d)

    return solve

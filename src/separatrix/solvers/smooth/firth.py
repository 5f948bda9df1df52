"""Firth's logistic regression: the likelihood times Jeffreys' prior, whose maximum is finite for every data set.

    l*(γ) = l(γ) + ½ log det I(γ)

With I = Σ_i s_i D_i ⊗ z_i z_i', D = diag(p) − pp' over the classes 1 … m, V = I⁻¹ and Q_kl = z'V_kl z, the prior adds to the score

    ½ Σ_i s_i t_i ⊗ z_i,    t_k = p_k [Q_kk − Σ_l p_l Q_ll − 2 (Qp)_k + 2 p'Qp]

which is h(½ − p) z, h = p(1 − p) Q, for two classes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...data.threads import single_threaded_blas
from ...errors import InputError
from ..dependence import dependent_columns
from ..problem import Problem
from ..scores import posteriors_of
from ..solution import Solution, Status
from .likelihood import Likelihood, Point, maximise
from .objective import TILE_VALUES


class FirthLikelihood(Likelihood):
    """l*(γ), its score, and the Fisher information of l, which is what its steps and standard errors use.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]))
    >>> found = maximise(FirthLikelihood(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.0)), np.zeros(2))
    >>> bool(np.isclose(found.point.gamma[0], 2 * np.log(2.5 / 0.5)))  # as if half a row more were in every cell
    True
    """

    memory = 10

    def at(self, gamma: Floats) -> Point:
        """Return l* with its score, and the information of l."""
        point = super().at(gamma)
        log_det = float(np.linalg.slogdet(point.information)[1])
        return replace(point, value=point.value + 0.5 * log_det, score=point.score + self._prior_score(gamma, point.inverse))

    def value(self, gamma: Floats) -> float:
        """Return l* alone."""
        return self.at(gamma).value

    def _prior_score(self, gamma: Floats, V: Floats) -> Floats:
        m, q = self.shape
        grid, blocks = gamma.reshape(m, q), V.reshape(m, q, m, q)
        centre, one = self.centre, float(self.problem.fit_intercept)

        def part(block: Block) -> Floats:
            total = np.zeros((m, q))
            for tile in block.tiles(max(TILE_VALUES // q, 256)):
                Z = np.column_stack([tile.dense().astype(np.float64, copy=False) - centre, np.full(tile.n_rows, one)])
                t = pull(probabilities(Z @ grid.T), quadratic_forms(Z, blocks))
                total += (t if tile.weight is None else t * tile.weight[:, None]).T @ Z
            return total

        pulled: Floats = 0.5 * np.sum(list(self.problem.rows.map(part)), axis=0).ravel()
        return pulled


def probabilities(scores: Floats) -> Floats:
    """Return p (n, m) of the classes 1 … m from their scores against class 0."""
    return posteriors_of(np.column_stack([np.zeros(len(scores)), scores]))[:, 1:]


def quadratic_forms(Z: Floats, V: Floats) -> Floats:
    """Return Q (n, m, m), Q_kl = z'V_kl z, for V (m, q, m, q)."""
    m = len(V)
    Q = np.empty((len(Z), m, m))
    for k in range(m):
        for j in range(k + 1):
            Q[:, k, j] = Q[:, j, k] = np.einsum("ia,ia->i", Z @ V[k, :, j], Z)
    return Q


def pull(P: Floats, Q: Floats) -> Floats:
    """Return t (n, m), twice the derivative of ½ log det I by the scores, row by row."""
    own, QP = np.einsum("ikk->ik", Q), np.einsum("ikl,il->ik", Q, P)
    shared = 2.0 * np.einsum("ik,ik->i", P, QP) - np.einsum("ik,ik->i", P, own)
    slopes: Floats = P * (own - 2.0 * QP + shared[:, None])
    return slopes


def solve(problem: Problem) -> Solution:
    """Maximise l* and return the coefficients; `problem` must have no penalty of its own.

    References
    ----------
    Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80; Heinze and Schemper (2002), A solution to the
    problem of separation in logistic regression, Statistics in Medicine 21.
    """
    with single_threaded_blas():  # chunks of rows are the parallelism
        return _solved(problem)


def _solved(problem: Problem) -> Solution:
    likelihood = FirthLikelihood(problem)
    refuse_dependent(problem, likelihood)
    start = np.zeros(likelihood.shape).ravel() if problem.start is None else likelihood.baseline(*problem.start)
    found = maximise(likelihood, start, max_iter=max(problem.max_iter, 1))
    gradient = float(np.abs(found.point.score).max()) / problem.total
    f = -found.point.value / problem.total
    small = gradient <= problem.tol and found.decrement <= 0.01 * problem.tol * (1.0 + abs(found.point.value))
    coef, intercept = likelihood.coefficients(found.point.gamma)
    return Solution(
        coef=coef,
        intercept=intercept,
        status=Status.CONVERGED if found.is_converged or small else Status.MAX_ITER,
        iterations=found.iterations,
        passes=likelihood.objective.passes,
        objective=f,
        gradient_norm=gradient,
        gap=np.inf,
        solver="firth",
        why="firth=True: the likelihood is multiplied by Jeffreys' prior",
    )


def refuse_dependent(problem: Problem, likelihood: Likelihood) -> None:
    """Raise an error that names the columns that others determine: Jeffreys' prior is then 0 everywhere."""
    objective = likelihood.objective
    R, q = problem.n_scores, problem.n_features + 1
    H = objective.curved(np.zeros((R, q)))[2]
    if not np.isfinite(H).all():
        problem.rows.source.refuse_nonfinite()
    dependent = dependent_columns(H[:q, :q], objective.centre, problem.fit_intercept)
    if dependent is not None:
        named = ", ".join(problem.rows.source.column(int(j)) for j in dependent[:8]) + (", …" if len(dependent) > 8 else "")
        raise InputError(
            f"firth=True needs columns that do not determine each other, but {named} can be computed from the others (or are constant). "
            "Drop these columns, or use firth=False with a finite C, such as C=1.0."
        )

"""The log-likelihood of logistic regression and its maximum under linear equations: what tests and profiles are made of.

Coefficients are those of baseline logits: γ (m, q), m = K − 1 and q = p + 1, scores z_k = (x − c)'γ_k + γ_k0 for the classes
k = 1 … m against class 0, whose score is 0. The last column of γ belongs to the intercept at the centre c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats
from ...errors import InputError
from ..accepted_losses import require_loss
from ..problem import Problem
from .newton import column_means, unit_diagonal
from .objective import Objective

PRECISION = 1e-18
"""Estimated gap at which a maximisation ends, relative to 1 + |l|: coefficients to a billionth of their standard error."""
HALVINGS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A log-likelihood l at γ (mq,), its score U (mq,), the information I (mq, mq) and the inverse of that."""

    gamma: Floats
    value: float
    score: Floats
    information: Floats
    inverse: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """The end of a maximisation: the point, multipliers λ of the equations (∂l/∂v), how it went."""

    point: Point
    multipliers: Floats
    iterations: int
    decrement: float
    is_converged: bool


class Likelihood:
    """l(γ) = Σ_i s_i log p(y_i | x_i), with its score and Fisher information.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> likelihood = Likelihood(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.0))
    >>> round(likelihood.at(np.zeros(2)).value, 4), round(maximise(likelihood, np.zeros(2)).point.value, 4)
    (-2.7726, -2.3475)
    """

    memory: ClassVar[int] = 0
    """Pairs of steps and scores that correct the information towards the Hessian; none are needed where it is the Hessian."""

    def __init__(self, problem: Problem) -> None:
        require_loss(problem, "likelihood")
        self.problem = replace(problem, strength=0.0)
        self.objective = Objective(self.problem, *column_means(problem, also_streamed=True))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (m, q) of γ."""
        return self.problem.n_classes - 1, self.problem.n_features + 1

    @property
    def centre(self) -> Floats:
        """The point c (p,) at which the intercepts stand."""
        return self.objective.centre

    def at(self, gamma: Floats) -> Point:
        """Return the log-likelihood with its derivatives."""
        value, score, information = self.derivatives(gamma)
        return Point(gamma, value, score, information, inverse(information))

    def derivatives(self, gamma: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, its score and the information, which may have no inverse."""
        f, g, H = self.objective.curved(self._theta(gamma))
        if not (np.isfinite(f) and np.isfinite(H).all()):
            self.problem.rows.source.refuse_nonfinite()
        m, q = self.shape
        S, R = self.problem.total, len(g)
        information = S * H.reshape(R, q, R, q)[R - m :, :, R - m :].reshape(m * q, m * q)
        return -S * f, -S * g[R - m :].ravel(), information

    def value(self, gamma: Floats) -> float:
        """Return the log-likelihood alone."""
        return -self.problem.total * self.objective.at(self._theta(gamma))[0]

    def _theta(self, gamma: Floats) -> Floats:
        grid = gamma.reshape(self.shape)
        return grid if len(grid) == 1 else np.vstack([np.zeros_like(grid[:1]), grid])

    def baseline(self, coef: Floats, intercept: Floats) -> Floats:
        """Return γ (mq,) of coefficients (R, p) and intercepts (R,) as models have them."""
        theta = np.column_stack([coef, intercept + coef @ self.centre * self.problem.fit_intercept])
        return (theta if len(theta) == 1 else theta[1:] - theta[0]).ravel()

    def coefficients(self, gamma: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (R, p) and intercepts (R,) as models have them: for K > 2 their sums over the classes are 0."""
        theta = self._theta(gamma)
        if len(theta) > 1:
            theta = theta - theta.mean(axis=0)
        intercept = self.objective.intercept(theta) if self.problem.fit_intercept else np.zeros(len(theta))
        return np.ascontiguousarray(theta[:, :-1]), intercept


def maximise(
    likelihood: Likelihood,
    gamma: Floats,
    A: Floats | None = None,
    v: Floats | None = None,
    max_iter: int = 200,
    precision: float = PRECISION,
) -> Maximum:
    """Maximise l(γ) subject to A'γ = v, from γ on.

    Every step is d = I⁻¹(U − Aλ) with λ such that A'd = 0, halved until l does not fall; the first one leads into the plane A'γ = v.
    Where I is not the Hessian, pairs of steps and scores correct it (L-BFGS).

    Parameters
    ----------
    likelihood : Likelihood
    gamma : (mq,) where to begin
    A, v : (mq, r), (r,) equations, optional
    precision : float
        Estimated gap at which to end, relative to 1 + |l|.
    """
    point = likelihood.at(gamma)
    if A is None or v is None:
        A, v = np.zeros((len(gamma), 0)), np.zeros(0)
    else:
        lead = point.inverse @ A @ np.linalg.solve(A.T @ point.inverse @ A, v - A.T @ gamma)
        point = likelihood.at(gamma + lead)
    pairs: list[tuple[Floats, Floats]] = []
    iterations = 0
    while True:
        VA = point.inverse @ A
        multipliers: Floats = np.asarray(np.linalg.solve(A.T @ VA, VA.T @ point.score)) if len(v) else np.zeros(0)
        rest = point.score - A @ multipliers
        step = _quasi_newton(rest, pairs, point.inverse, VA, A)
        decrement = 0.5 * float(step @ rest)
        done = abs(decrement) <= precision * (1.0 + abs(point.value))
        if done or iterations == max_iter:
            break
        if decrement < 0.0:  # the pairs are from a place with another curvature
            pairs.clear()
            continue
        found = _halved(likelihood, point, step)
        if found is None and pairs:
            pairs.clear()
            continue
        if found is None:  # rounding lets no step improve l
            break
        if likelihood.memory:
            pairs = [*pairs, (found.gamma - point.gamma, point.score - found.score)][-likelihood.memory :]
        point, iterations = found, iterations + 1
    return Maximum(point, multipliers, iterations, decrement, done)


def _quasi_newton(U: Floats, pairs: list[tuple[Floats, Floats]], V: Floats, VA: Floats, A: Floats) -> Floats:
    """Return the step of L-BFGS from V within A'd = 0; without pairs (steps, losses of score) it is V(U − Aλ)."""
    r, alphas = U.copy(), []
    useful = [(s, g) for s, g in pairs if s @ g > 1e-12 * np.sqrt((s @ s) * (g @ g))]
    for s, g in reversed(useful):
        alphas.append(float(s @ r) / float(s @ g))
        r -= alphas[-1] * g
    d = V @ r
    if A.shape[1]:
        d -= VA @ np.linalg.solve(A.T @ VA, VA.T @ r)
    for (s, g), alpha in zip(useful, reversed(alphas), strict=True):
        d += s * (alpha - float(g @ d) / float(s @ g))
    return d


def _halved(likelihood: Likelihood, point: Point, step: Floats) -> Point | None:
    """Return the longest of the steps 1, ½, ¼ … that does not lower l; None if none does."""
    rounding = 1e-13 * (1.0 + abs(point.value))
    whole = likelihood.at(point.gamma + step)
    if whole.value >= point.value - rounding:
        return whole
    for k in range(1, HALVINGS):
        gamma = point.gamma + 0.5**k * step
        if likelihood.value(gamma) > point.value:
            return likelihood.at(gamma)
    return None


def inverse(A: Floats) -> Floats:
    """Return the inverse of a positive definite matrix.

    Examples
    --------
    >>> inverse(np.array([[2.0, 1.0], [1.0, 2.0]])).round(4).tolist()
    [[0.6667, -0.3333], [-0.3333, 0.6667]]
    """
    B, units = unit_diagonal(A)
    factor, info = lapack.dpotrf(B, lower=1)
    if info != 0:
        raise InputError(
            "The information matrix has no inverse: the rows do not determine all coefficients. Drop columns that others determine, "
            "or set C to a finite number."
        )
    V, _ = lapack.dpotri(factor, lower=1)
    V = np.tril(V) + np.tril(V, -1).T
    return np.asarray(V / units / units[:, None])

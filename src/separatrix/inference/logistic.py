"""What a logistic regression says about its coefficients: standard errors, fit, effective parameters.

Coefficients are baseline logits γ (m, q), m = K − 1, q = p + 1: log p_k/p_0 = x'w_k + b_k for the classes k = 1 … m against class 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import xlogy

from ..array_types import Bools, Floats, Ints
from ..data import Block
from ..data.threads import single_threaded_blas
from ..errors import InputError
from ..solvers.problem import Problem
from ..solvers.smooth.firth import probabilities
from ..solvers.smooth.likelihood import Likelihood, Point, inverse
from ..solvers.smooth.objective import TILE_VALUES

NULL = 1e-10
"""Eigenvalues of a Hessian with unit diagonal below this share of the largest belong to directions in which no score moves."""


@dataclass(frozen=True, slots=True, eq=False)
class FisherInformation:
    """The Fisher information of an unpenalised fit, with its coefficients and likelihoods: all that inference needs once rows are gone.

    Attributes
    ----------
    gamma : (m, q) coefficients; the last column are the intercepts at `centre`
    centre : (p,)
    information : (mq, mq) Fisher information −∂²l/∂γ², ordered as γ.ravel()
    log_likelihood, null_log_likelihood : float
        Of the model, and of the one without columns.
    counts : (K,) Σ s_i of each class
    fit_intercept : bool
    """

    gamma: Floats
    centre: Floats
    information: Floats
    log_likelihood: float
    null_log_likelihood: float
    counts: Floats
    fit_intercept: bool

    @classmethod
    def of(cls, likelihood: Likelihood, point: Point) -> Self:
        """Return the Fisher information at a point of an unpenalised likelihood."""
        problem = likelihood.problem
        null = null_log_likelihood(problem.counts, problem.fit_intercept)
        gamma = point.gamma.reshape(likelihood.shape)
        return cls(gamma, likelihood.centre, point.information, point.value, null, problem.counts, problem.fit_intercept)

    @classmethod
    def without(cls, likelihood: Likelihood, gamma: Floats, aliased: Ints) -> Self:
        """Return the Fisher information at γ (mq,) in the columns that are not aliased: they take over what the aliased ones add to scores.

        z_aliased = A'z_kept holds for every row, z = (x − centre, 1), so that any weighted moments of z give A: those of the information.
        """
        (m, q), problem = likelihood.shape, likelihood.problem
        value, _, information = likelihood.derivatives(gamma)
        blocks, kept = information.reshape(m, q, m, q), np.setdiff1d(np.arange(q), aliased)
        grid, first = gamma.reshape(m, q), blocks[0, :, 0]
        A = inverse(first[np.ix_(kept, kept)]) @ first[np.ix_(kept, aliased)]
        null = null_log_likelihood(problem.counts, problem.fit_intercept)
        own = blocks[:, kept][..., kept].reshape(m * len(kept), m * len(kept))
        folded = grid[:, kept] + grid[:, aliased] @ A.T
        return cls(folded, likelihood.centre[kept[:-1]], own, value, null, problem.counts, problem.fit_intercept)

    @property
    def n(self) -> float:
        """Number of rows, Σ s_i."""
        return float(self.counts.sum())

    @property
    def n_parameters(self) -> int:
        """Number of coefficients and intercepts, (K − 1)(p + 1)."""
        return self.gamma.size - (0 if self.fit_intercept else len(self.gamma))

    @property
    def coefficients(self) -> Floats:
        """γ (m, q) with intercepts at x = 0."""
        gamma = self.gamma.copy()
        gamma[:, -1] -= gamma[:, :-1] @ self.centre
        return gamma

    def at_zero(self, covariance: Floats) -> Floats:
        """Return a covariance (mq, mq) of coefficients whose intercepts stand at x = 0: TVT' with b = c − w'centre."""
        m, q = self.gamma.shape
        V = covariance.reshape(m, q, m, q).copy()
        V[:, -1] -= np.einsum("j,kjlb->klb", self.centre, V[:, :-1])
        V[..., -1] -= V[..., :-1] @ self.centre
        return V.reshape(m * q, m * q)

    def covariance(self, meat: Floats | None = None) -> Floats:
        """Return the covariance (mq, mq) of the coefficients, I⁻¹ or, given M = Σ s u u', the sandwich I⁻¹ M I⁻¹."""
        V = inverse(self.information)
        return self.at_zero(V if meat is None else V @ meat @ V)


def null_log_likelihood(counts: Floats, fit_intercept: bool = True) -> float:
    """Return the log-likelihood without columns: Σ n_k log(n_k/n), or −n log K where there is no intercept either.

    Examples
    --------
    >>> round(null_log_likelihood(np.array([1.0, 3.0])), 4)
    -2.2493
    """
    n = counts.sum()
    return float(xlogy(counts, counts / n).sum()) if fit_intercept else -float(n * np.log(len(counts)))


def score_products(likelihood: Likelihood, gamma: Floats) -> Floats:
    """Return M = Σ s_i u_i u_i' (mq, mq), u_i the score of one row: the middle of the sandwich (HC0).

    References
    ----------
    White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50.
    """
    m, q = likelihood.shape
    one = float(likelihood.problem.fit_intercept)

    def part(block: Block) -> Floats:
        total = np.zeros((m * q, m * q))
        for tile in block.tiles(max(TILE_VALUES // (m * q), 256)):
            Z = np.column_stack([tile.dense().astype(np.float64, copy=False) - likelihood.centre, np.full(tile.n_rows, one)])
            assert tile.codes is not None
            r = (tile.codes[:, None] == np.arange(1, m + 1)) - probabilities(Z @ gamma.reshape(m, q).T)
            if tile.weight is not None:
                r *= np.sqrt(tile.weight)[:, None]
            U = (r[:, :, None] * Z[:, None]).reshape(len(Z), -1)
            total += U.T @ U
        return total

    return np.asarray(np.sum(list(likelihood.problem.rows.map(part)), axis=0))


def pseudo_r2(log_likelihood: float, null: float, n: float) -> dict[str, float]:
    """Return the pseudo-R² of McFadden, of Cox and Snell, and of Nagelkerke.

        McFadden 1 − l/l₀      Cox–Snell 1 − e^(2(l₀ − l)/n)      Nagelkerke: Cox–Snell divided by its largest value, 1 − e^(2 l₀/n)

    Examples
    --------
    >>> {name: round(value, 4) for name, value in pseudo_r2(-12.8896, -20.5917, 32).items()}
    {'McFadden': 0.374, 'Cox-Snell': 0.3821, 'Nagelkerke': 0.5278}
    """
    cox = -np.expm1(2.0 * (null - log_likelihood) / n)
    return {"McFadden": 1.0 - log_likelihood / null, "Cox-Snell": float(cox), "Nagelkerke": float(-cox / np.expm1(2.0 * null / n))}


def effective_parameters(H: Floats, penalty: Floats, active: Bools | None = None) -> float:
    """Return tr((H + P)⁺ H): how many parameters a penalised fit uses.

    Parameters
    ----------
    H : (d, d) Hessian of the sum of losses, singular along shifts of all scores
    penalty : (d,) diagonal of P
    active : (d,) coefficients that are not 0, where an L1 penalty set some to 0

    Examples
    --------
    >>> effective_parameters(np.diag([1.0, 3.0]), np.array([1.0, 0.0]))
    1.5

    References
    ----------
    Hastie and Tibshirani (1990), Generalized Additive Models, section 6.8.
    """
    if active is not None:
        H, penalty = H[np.ix_(active, active)], penalty[active]
    inverse_, rank = pseudo_inverse(H + np.diag(penalty))
    # tr((H + P)⁺H) = rank − tr((H + P)⁺P): no cancellation where the penalty is small.
    return float(rank - np.diag(inverse_) @ penalty)


def pseudo_inverse(A: Floats) -> tuple[Floats, int]:
    """Return A⁺ up to directions in which no score moves, for a positive semidefinite A, and its rank.

    Examples
    --------
    >>> pseudo_inverse(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    (array([[ 0.25, -0.25],
           [-0.25,  0.25]]), 1)
    """
    if not np.isfinite(A).all():
        raise InputError("Second derivatives at these rows are beyond 1e308; rescale the columns of X, here and in the fit.")
    units = np.sqrt(np.where(np.diag(A) > 0.0, np.diag(A), 1.0))
    values, vectors = np.linalg.eigh(A / units / units[:, None])
    kept = values > NULL * values[-1]
    B = vectors[:, kept] / units[:, None]
    return (B / values[kept]) @ B.T, int(kept.sum())


def fisher_information(problem: Problem, coef: Floats, intercept: Floats, aliased: Ints | None) -> FisherInformation:
    """Return the Fisher information of a fit without penalty, in the columns that are not aliased."""
    with single_threaded_blas():  # chunks of rows are the parallelism
        likelihood = Likelihood(problem)
        gamma = likelihood.baseline(coef, intercept)
        return (
            FisherInformation.of(likelihood, likelihood.at(gamma))
            if aliased is None
            else FisherInformation.without(likelihood, gamma, aliased)
        )

"""Fits without single rows or folds, by Newton steps from the fit of all rows.

With F(θ) = Σ_i s_i ℓ(z_i) + ½ Σ_j π_j θ_j² + Σ_j κ_j |θ_j| (the *sum* of losses, so that C is held whatever is left out), H its Hessian at
the minimum and U = I⊗z_i, row i takes U s D U' with it, D the curvature of its loss. Woodbury gives the inverse without it,

    (H − U sD U')⁻¹ = V + VU (I − sDQ)⁻¹ sD U'V,    V = H⁻¹,  Q = U'VU

for all rows from one V. A first step from θ is the approximate leave-one-out formula; further steps with the true gradient of each left-out
fit polish it until nothing moves: then it is the refit. With an L1 penalty the steps move the coefficients that are not 0; signs and
slopes of the others are checked at the end, and what fails has to be refitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from ...array_types import Bools, Codes, Floats, Indices
from ...data.threads import ordered_map, single_threaded_blas, thread_count
from ...thresholds import NEWTON_VALUES

Curvature = Callable[[Indices, Floats], Floats]

STILL = 1e-5
"""Change of a held-out score below which a left-out fit has arrived."""
NEAR = 3e-3
"""The same where every step has a new Hessian."""
RUNAWAY = 1e6
"""Change of a score from which steps lead nowhere."""
ROUNDS = 12
"""Polishing steps before a refit is cheaper."""
DOUBTFUL = 0.1
"""det(I − sDQ) below which a row carries its own estimate."""
FAR = 0.25
"""Change of a score by the first step from which it is polished where not all rows are."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutRows:
    """The rows and the fit of all of them.

    Attributes
    ----------
    Z : (n, q) rows with the constant column, dense or CSR
    codes, s : (n,) class codes and weights
    theta : (R, q) coefficients; R = 1 for two classes
    ridge, kappa : (R, q) π and κ
    free : (R, q) of bool
        Coefficients that may move.
    hessian : (Rq, Rq) of F over the rows, penalty included
    still : change of a held-out score below which a left-out fit, its Hessian kept, has arrived
    near : the same for a fold, whose Hessian is new in every step: then the next change would be of the order of its square
    """

    Z: Any
    codes: Codes
    s: Floats
    theta: Floats
    ridge: Floats
    kappa: Floats
    free: Bools
    hessian: Floats
    still: float = STILL
    near: float = NEAR

    @property
    def inverse(self) -> Floats:
        """V (Rq, Rq): the inverse over the free coefficients, 0 elsewhere; shifts of all scores left out."""
        on = self.free.ravel()
        H = self.hessian[np.ix_(on, on)]
        units = np.sqrt(np.maximum(np.diag(H), 1e-300))
        values, vectors = np.linalg.eigh(H / units / units[:, None])
        kept = values > 1e-12 * values.max(initial=0.0)
        B = vectors[:, kept] / units[:, None]
        V = np.zeros_like(self.hessian)
        V[np.ix_(on, on)] = (B / values[kept]) @ B.T
        return V

    def slopes(self, S: Floats, rows: Any = slice(None)) -> Floats:
        """Return s dℓ/dz of scores (n, …, R)."""
        codes = self.codes[rows].reshape(-1, *[1] * (S.ndim - 2))
        s = self.s[rows].reshape(-1, *[1] * (S.ndim - 1))
        if S.shape[-1] == 1:
            with np.errstate(over="ignore"):
                weighted: Floats = s * (1.0 / (1.0 + np.exp(-S)) - (codes == 1)[..., None])
                return weighted
        P: Floats = np.exp(S - S.max(axis=-1, keepdims=True))
        P /= P.sum(axis=-1, keepdims=True)
        P -= codes[..., None] == np.arange(S.shape[-1])
        P *= s
        return P

    def curvatures(self, rows: Indices) -> Floats:
        """Return sD (B, R, R) of some rows at θ."""
        S = np.asarray(self.Z[rows] @ self.theta.T)
        if S.shape[1] == 1:
            P = 1.0 / (1.0 + np.exp(-np.abs(S)))
            curved: Floats = (self.s[rows, None] * P * (1.0 - P))[:, :, None]
            return curved
        P = np.exp(S - S.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        matrices: Floats = self.s[rows, None, None] * (P[:, :, None] * np.eye(P.shape[1]) - P[:, :, None] * P[:, None, :])
        return matrices

    def penalty_slopes(self, theta: Floats) -> Floats:
        """Return the gradient of the penalty at coefficients (B, R, q), the signs of θ held."""
        return self.ridge * theta + self.kappa * np.sign(self.theta)

    def is_certain(self, theta: Floats, gradient: Floats) -> Bools:
        """Return which left-out fits (B, R, q) keep all signs, with slopes of the zeros inside the L1 penalty."""
        if not self.kappa.any():
            return np.ones(len(theta), dtype=bool)
        lasso = self.kappa > 0
        signs = ((np.sign(theta) == np.sign(self.theta)) | ~(lasso & self.free)).all(axis=(1, 2))
        inside = ((np.abs(gradient) <= self.kappa * (1.0 + 1e-6)) | ~lasso | self.free).all(axis=(1, 2))
        certain: Bools = signs & inside
        return certain


def with_constant(X: Any, centre: Floats, one: float) -> Any:
    """Return rows with a last column of ones (or of zeros), dense ones minus a centre; CSR stays CSR."""
    column = np.full((X.shape[0], 1), one)
    if sp.issparse(X):
        return sp.hstack([X, sp.csr_array(column)], format="csr")
    return np.hstack([X - centre, column])


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutScores:
    """Scores (n, R) of held-out rows, which rows need a refit (n,), and whether every fit was polished until it stood still."""

    scores: Floats
    refit: Bools
    polished: bool


def leave_rows_out(rows: LeftOutRows, polish_all: bool, known: tuple[Floats, Bools] | None = None) -> LeftOutScores:
    """Return the scores of every row under the fit without it.

    Parameters
    ----------
    rows : LeftOutRows
    polish_all : bool
        Whether to polish every left-out fit, at O(nRq) each, or only those that the first step moves far.
    known : (n,) scores and which of them are certain, where one output has some: the fits of the others are then stepped to

    References
    ----------
    Rad and Maleki (2020), A scalable estimate of the out-of-sample prediction error via approximate leave-one-out
    cross-validation, Journal of the Royal Statistical Society B 82.
    """
    n, V = len(rows.codes), rows.inverse
    R, q = rows.theta.shape
    scores, refit, asked = np.asarray(rows.Z @ rows.theta.T), np.zeros(n, dtype=bool), np.arange(n)
    if known is not None:
        asked = np.flatnonzero(~known[1])
        scores[known[1], 0] = known[0][known[1]]
    size = min(NEWTON_VALUES.portion(n * R) if polish_all else n, NEWTON_VALUES.portion(R * R * q))
    for begin in range(0, len(asked), size):
        _one_batch(rows, V, asked[begin : begin + size], scores, refit, polish_all)
    return LeftOutScores(scores, refit, polish_all)


def _one_batch(rows: LeftOutRows, V: Floats, part: Indices, scores: Floats, refit: Bools, polish_all: bool) -> None:
    R, q = rows.theta.shape
    own = rows.Z[part]
    own = np.asarray(own.toarray() if hasattr(own, "toarray") else own)
    # VU (B, R, R, q): for each row and output, how all coefficients answer to a pull on that score.
    VU = (own @ V.reshape(R * q, R, q).transpose(2, 1, 0).reshape(q, -1)).reshape(len(part), R, R, q)
    Q = np.einsum("bkrj,bj->bkr", VU, own)
    sD = rows.curvatures(part)
    undo = np.linalg.inv(_away_from_singular(np.eye(R) - sD @ Q))
    doubtful = np.linalg.det(np.eye(R) - sD @ Q) < DOUBTFUL
    pull = rows.slopes(scores[part][:, None, :], part)[:, 0]
    theta = rows.theta + np.einsum("bk,bkrj->brj", np.einsum("bkl,bl->bk", undo, pull), VU)
    first = np.einsum("brj,bj->br", theta, own)
    moved = np.abs(first - scores[part]).max(axis=1)
    scores[part] = first
    # A row without slope, outside its margin, pulls on nothing: leaving it out changes nothing.
    active = np.flatnonzero(pull.any(axis=1) if polish_all else doubtful | (moved > FAR))
    limit = len(active) if polish_all else NEWTON_VALUES.portion(len(rows.codes) * R)
    for begin in range(0, len(active), max(limit, 1)):
        chosen = active[begin : begin + max(limit, 1)]
        found = _polished(rows, V, part[chosen], theta[chosen], own[chosen], VU[chosen], np.asarray(undo[chosen]), sD[chosen])
        scores[part[chosen]], refit[part[chosen]] = found


def _away_from_singular(M: Floats) -> Floats:
    """Return I − sDQ, or I where it has no inverse: such rows are polished or refitted."""
    bad = ~(np.abs(np.linalg.det(M)) > 1e-8)
    return np.where(bad[:, None, None], np.eye(M.shape[1]), M)


def _polished(
    rows: LeftOutRows, V: Floats, part: Indices, theta: Floats, own: Floats, VU: Floats, undo: Floats, sD: Floats
) -> tuple[Floats, Bools]:
    """Return the scores of rows under fits without them, polished until they stand still, and which of them do not."""
    going, final, refit = np.arange(len(part)), np.einsum("brj,bj->br", theta, own), np.ones(len(part), dtype=bool)
    for _ in range(ROUNDS):
        g = _gradients(rows, theta[going], part[going], own[going])
        flat = np.where(rows.free, g, 0.0).reshape(len(going), -1)
        step = (flat @ V).reshape(g.shape)
        own_pull = np.einsum("bkl,bl->bk", sD[going], np.einsum("brj,bj->br", step, own[going]))
        step += np.einsum("bk,bkrj->brj", np.einsum("bkl,bl->bk", undo[going], own_pull), VU[going])
        change = np.abs(np.einsum("brj,bj->br", step, own[going])).max(axis=1)
        theta[going] -= step
        still = (change <= rows.still * (1.0 + np.abs(final[going]).max(axis=1))) & (np.einsum("brj,brj->b", step, g) < rows.still)
        final[going] = np.einsum("brj,bj->br", theta[going], own[going])
        done = going[still]
        refit[done] = ~rows.is_certain(theta[done], g[still])
        going = going[~still & np.isfinite(change)]
        if not len(going):
            break
    return final, refit


def _gradients(rows: LeftOutRows, theta: Floats, part: Indices, own: Floats) -> Floats:
    """Return the gradient (B, R, q) of F without row part[b] at theta[b]."""
    B, R, q = theta.shape
    S = np.asarray(rows.Z @ theta.reshape(B * R, q).T).reshape(-1, B, R)
    G = rows.slopes(S)
    G[part, np.arange(B)] = 0.0
    return np.asarray(rows.Z.T @ G.reshape(-1, B * R)).T.reshape(B, R, q) + rows.penalty_slopes(theta)


def leave_folds_out(rows: LeftOutRows, folds: NDArray[np.integer], curvature_of: Curvature, n_jobs: int | None = None) -> LeftOutScores:
    """Return the scores of the rows of each fold under the fit without them.

    Parameters
    ----------
    rows : LeftOutRows
    folds : (n,) fold numbers, −1 for rows never held out
    curvature_of : (rows, θ) → (Rq, Rq)
        Hessian of the summed loss of some rows, without penalty.
    n_jobs : threads
    """
    scores, refit = np.full((len(folds), len(rows.theta)), np.nan), np.zeros(len(folds), dtype=bool)
    parts = [np.flatnonzero(folds == fold) for fold in range(int(folds.max()) + 1)]
    with single_threaded_blas():  # the folds are the parallelism
        found = ordered_map(lambda held: _one_fold(rows, held, curvature_of), parts, thread_count(n_jobs))
        for held, (own, certain) in zip(parts, found, strict=True):
            scores[held], refit[held] = own, not certain
    return LeftOutScores(scores, refit, True)


def _one_fold(rows: LeftOutRows, held: Indices, curvature_of: Curvature) -> tuple[Floats, bool]:
    """Take Newton steps from θ over the other rows; return the scores of those held out and whether the steps arrived."""
    kept, on = np.delete(np.arange(len(rows.codes)), held), rows.free.ravel()
    Z, theta = rows.Z[kept], rows.theta
    H = rows.hessian - curvature_of(held, theta)
    for _ in range(ROUNDS):
        g = np.asarray(Z.T @ rows.slopes(np.asarray(Z @ theta.T)[:, None, :], kept)[:, 0]).T + rows.penalty_slopes(theta)
        step = _newton_step(H, g.ravel(), on)
        if step is None:
            break
        theta = theta - step.reshape(theta.shape)
        change = float(np.abs(np.asarray(rows.Z[held] @ step.reshape(theta.shape).T)).max())
        if change <= rows.near:
            return np.asarray(rows.Z[held] @ theta.T), bool(rows.is_certain(theta[None], g[None])[0])
        if not change < RUNAWAY:
            break
        H = curvature_of(kept, theta) + np.diag(rows.ridge.ravel())
    return np.asarray(rows.Z[held] @ theta.T), False


def _newton_step(H: Floats, g: Floats, on: Bools) -> Floats | None:
    """Return H⁻¹g over some coefficients, 0 elsewhere; None where the rows kept, or rounding, leave them no positive definite H."""
    step, A = np.zeros(len(g)), H[np.ix_(on, on)]
    if len(A) == 0:
        return step
    A.flat[:: len(A) + 1] *= 1.0 + 1e-10  # shifts of all scores have no curvature, and no slope either
    factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1)
    if info != 0:
        return None
    step[on] = lapack.dpotrs(factor, g[on], lower=1)[0]
    return step

"""Averaged stochastic gradient steps: a model that learns rows as they come, each once.

For a batch of rows, θ ← θ − γ_t M⁻¹ĝ with ĝ the gradient of its penalised mean loss and γ_t falling like t^(−1/2). M are the
second moments of the rows seen so far: all of them for few columns, their diagonal for many, the mean squared length of a row
for sparse ones. The model is the mean of all θ (Polyak and Ruppert), its early part weighted down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats, Indices
from ...data import Block
from ...losses import SmoothLoss
from ...summaries.grouped import NO_WEIGHT

BATCH = 32
"""Rows of a step."""
DECAY = 0.5
"""Falling power of the step size."""
CURVATURE = 4.0
"""Inverse of the largest curvature of the logistic loss."""
FULL = 128
"""Columns up to which all second moments are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Averaged:
    """What the next step needs.

    Attributes
    ----------
    theta, mean : (R, p + 1), the last iterate and the average
    squares : Σ s_i [x_i, 1][x_i, 1]', (p + 1, p + 1) up to FULL columns; else its diagonal (p + 1,)
    total : float, Σ s_i
    steps : int
    """

    theta: Floats
    mean: Floats
    squares: Floats
    total: float
    steps: int

    @classmethod
    def begin(cls, coef: Floats, intercept: Floats) -> Self:
        """Start from given coefficients."""
        theta = np.column_stack([coef, intercept])
        q = theta.shape[1]
        return cls(theta, theta.copy(), np.zeros((q, q) if q <= FULL + 1 else q), 0.0, 0)

    def learn(self, block: Block, loss: SmoothLoss, C: float, fit_intercept: bool, rng: np.random.RandomState | None) -> Self:
        """Return the state after a block's rows, taken in the order of `rng`, or as they come."""
        state = self
        order = np.arange(block.n_rows) if rng is None else rng.permutation(block.n_rows)
        for begin in range(0, block.n_rows, BATCH):
            state = state._step(block, np.sort(order[begin : begin + BATCH]), loss, C, fit_intercept)
        return state

    def _step(self, block: Block, rows: Indices, loss: SmoothLoss, C: float, fit_intercept: bool) -> Self:
        assert block.codes is not None
        X, codes = block.X[rows], block.codes[rows]
        weight = np.ones(len(rows)) if block.weight is None else block.weight[rows]
        mass = float(weight.sum())
        if mass == 0.0:
            return self
        total, squares = self.total + mass, self.squares + self._moments(X, weight)
        S = np.asarray(X @ self.theta[:, :-1].T + self.theta[:, -1], dtype=np.float64)
        loss.residuals(S, codes, NO_WEIGHT if block.weight is None else weight)
        gradient = np.column_stack([np.asarray((X.T @ S).T), S.sum(axis=0)]) / mass
        gradient[:, :-1] += 0.0 if np.isinf(C) else self.theta[:, :-1] / (C * total)
        if not fit_intercept:
            gradient[:, -1] = 0.0
        step = _preconditioned(gradient, squares / total, len(rows), block.is_sparse)
        # Few rows know few second moments: short steps until they have settled.
        trust = self.steps / (self.steps + 10.0) if self.steps else 0.05
        theta = self.theta - trust * CURVATURE * (1.0 + self.steps) ** -DECAY * step
        if not fit_intercept:
            theta[:, -1] = 0.0
        share = min(1.0, 3.0 / (self.steps + 1.0))
        mean = self.mean + share * (theta - self.mean)
        return replace(self, theta=theta, mean=mean, squares=squares, total=total, steps=self.steps + 1)

    def _moments(self, X: Any, weight: Floats) -> Floats:
        """Return Σ s_i [x_i, 1][x_i, 1]' of a batch in the shape of `squares`."""
        if self.squares.ndim == 1:
            squares = X.power(2) if sp.issparse(X) else X.astype(np.float64) ** 2
            return np.append(weight @ squares, weight.sum())
        Z = np.column_stack([X.toarray() if sp.issparse(X) else X, np.ones(X.shape[0])]).astype(np.float64, copy=False)
        return np.asarray((Z * weight[:, None]).T @ Z)


def _preconditioned(gradient: Floats, moments: Floats, batch: int, is_sparse: bool) -> Floats:
    """Return M⁻¹g, shortened where a batch is small beside the number of directions it must settle."""
    q = gradient.shape[1]
    if moments.ndim == 2:
        M = moments + np.diag(1e-3 * np.diag(moments) + np.finfo(float).tiny)
        solved: Floats = batch / (batch + q) * np.linalg.solve(M, gradient.T).T
        return solved
    if is_sparse:
        # Most columns are rare: their own mean squares would make steps of any length.
        return gradient / max(float(moments.sum()), np.finfo(float).tiny)
    divided: Floats = batch / (batch + q) * gradient / np.where(moments > 0.0, moments, 1.0)
    return divided

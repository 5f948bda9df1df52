"""Approximate leave-one-out of logistic regression: one Newton step back from the full fit, for every row at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from ..array_types import Bools, Codes, Floats
from ..data import Block
from ..solvers.scores import posteriors_of
from ..solvers.smooth.firth import probabilities, quadratic_forms
from ..solvers.smooth.objective import TILE_VALUES, Objective
from .influence import hat, leverage_removed

SMALL = 0.1
"""det(I − sDQ) below which a row carries its own estimate, and one step is not to be trusted."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Log-loss (n,) of each row under the fit without it, its weight (n,), and whether one step is not to be trusted (n,)."""

    losses: Floats
    weight: Floats
    is_doubtful: Bools

    @property
    def mean(self) -> float:
        """Weighted mean log-loss."""
        return float(self.losses @ self.weight / self.weight.sum())


def approximate_leave_one_out(objective: Objective, theta: Floats, inverse: Floats) -> LeftOut:
    """Return the log-loss of each row under the fit without it, to one Newton step.

        z' = z + (I − sQD)⁻¹ sQ(p − y),    Q = (I⊗x)'(H + P)⁺(I⊗x),    D = diag(p) − pp'

    which is z + a sℓ'/(1 − a sℓ'') for two classes, a = x'(H + P)⁻¹x.

    Parameters
    ----------
    objective : Objective
        Of the rows.
    theta : (R, q) coefficients, intercepts at the objective's centre in the last column
    inverse : (Rq, Rq) (H + P)⁺ of the sum of losses, 0 where coefficients are held at 0

    References
    ----------
    Rad and Maleki (2020), A scalable estimate of the out-of-sample prediction error via approximate leave-one-out
    cross-validation, Journal of the Royal Statistical Society B 82.
    """
    R, q = theta.shape
    V, one = inverse.reshape(R, q, R, q), float(objective.problem.fit_intercept)

    def part(block: Block) -> list[tuple[Floats, Floats, Bools]]:
        found = []
        for tile in block.tiles(max(TILE_VALUES // (R * q), 256)):
            Z = np.column_stack([tile.dense().astype(np.float64, copy=False) - objective.centre, np.full(tile.n_rows, one)])
            s = np.ones(len(Z)) if tile.weight is None else tile.weight
            assert tile.codes is not None
            losses, is_doubtful = losses_without_row(Z @ theta.T, quadratic_forms(Z, V), tile.codes, s)
            found.append((losses, s, is_doubtful))
        return found

    parts = [values for chunk in objective.problem.rows.map(part) for values in chunk]
    losses, weight, doubtful = (np.concatenate(values) for values in zip(*parts, strict=True))
    return LeftOut(losses, weight, doubtful)


def losses_without_row(scores: Floats, Q: Floats, codes: Codes, s: Floats) -> tuple[Floats, Bools]:
    """Return the loss of each row at z' and whether det(I − sDQ) is small."""
    R = scores.shape[1]
    P = probabilities(scores) if R == 1 else posteriors_of(scores)
    y = (codes == 1)[:, None] if R == 1 else codes[:, None] == np.arange(R)
    DQ = hat(P, Q, s)
    is_doubtful = np.linalg.det(np.eye(R) - DQ) < SMALL
    # A row that carries its own estimate has no approximation, and 1 − leverage = 0 no inverse: only its first pull is taken back.
    DQ = np.where(is_doubtful[:, None, None], 0.0, DQ)
    # Q(I − sDQ)⁻¹ = (I − sQD)⁻¹Q
    moved = scores + (Q @ leverage_removed(DQ, s[:, None] * (P - y))[:, :, None])[:, :, 0]
    if R == 1:
        losses = np.logaddexp(0.0, np.where(codes == 1, -moved[:, 0], moved[:, 0]))
    else:
        losses = logsumexp(moved, axis=1) - moved[np.arange(len(moved)), codes]
    return losses, is_doubtful

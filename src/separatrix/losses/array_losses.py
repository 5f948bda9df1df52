"""The smooth losses in array-API code: for arrays of any library, in any float type, many classes at once.

Scores Z (n, R) come in and are overwritten where their library allows it; the losses of the rows (n,) and the slopes dℓ/dz (n, R) come out,
without weights. R = 1 for two classes, else K; margin losses of K classes are K machines, each class against the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array_types import Floats
from ..data.namespaces import add_to_own, device_of, exponential, log_shares, namespace
from ..errors import InputError
from .base import Loss
from .hinge import SquaredHinge
from .logistic import Logistic
from .softmax import Softmax


class ArrayLoss:
    """A loss for arrays of any library.

    Parameters
    ----------
    loss : Softmax, Logistic or SquaredHinge

    Examples
    --------
    >>> values, slopes = ArrayLoss(Softmax()).slopes(np.zeros((1, 2)), np.array([1]))
    >>> values.round(4).tolist(), slopes.tolist()
    ([0.6931], [[0.5, -0.5]])
    """

    def __init__(self, loss: Loss) -> None:
        if not isinstance(loss, Softmax | Logistic | SquaredHinge):
            raise InputError(f"The {loss.name} loss has no pass for arrays of other libraries; softmax, logistic and squared hinge have.")

        self.loss = loss
        self.slopes = {Softmax: _softmax, Logistic: _logistic, SquaredHinge: _squared_hinge}[type(loss)]

    @property
    def is_cross_entropy(self) -> bool:
        """Whether slopes are p − e_y."""
        return not isinstance(self.loss, SquaredHinge)

    def probabilities(self, Z: Any) -> Any:
        """Return the probabilities (n, R) that scores Z give, of a cross-entropy; Z may be overwritten."""
        if Z.shape[1] == 1:
            xp = namespace(Z)
            low = xp.exp(-xp.abs(Z))
            return xp.where(Z > 0, xp.ones_like(Z), low) / (1.0 + low)
        return exponential(log_shares(Z))

    def flat_curvature(self, counts: Floats) -> Floats:
        """Return the diagonal of the curvature (R,) where no column counts, for classes with these weights (K,): π_k of a softmax.

        With D that diagonal and C the projection along equal shifts, C D⁻¹ C is the inverse of diag(π) − ππ' where it has one.
        """
        shares = counts / counts.sum()
        if isinstance(self.loss, Softmax):
            return np.asarray(shares)
        if isinstance(self.loss, Logistic):
            return np.array([shares[0] * shares[1]])
        return np.full(1 if len(counts) == 2 else len(counts), 2.0)


def _softmax(Z: Any, codes: Any) -> tuple[Any, Any]:
    xp = namespace(Z)
    if isinstance(Z, np.ndarray):  # a logarithm of every share, as below, would cost another exponential
        Z -= Z.max(axis=1, keepdims=True)
        own = np.take_along_axis(Z, codes[:, None], axis=1)[:, 0]
        P = exponential(Z)
        total = P.sum(axis=1)
        P *= (1.0 / total)[:, None]
        return np.log(total) - own, add_to_own(xp, P, codes, -1.0)
    logs = log_shares(Z)
    values = -xp.take_along_axis(logs, codes[:, None], axis=1)[:, 0]
    return values, add_to_own(xp, exponential(logs), codes, -1.0)


def _logistic(Z: Any, codes: Any) -> tuple[Any, Any]:
    xp = namespace(Z)
    z, y = Z[:, 0], xp.astype(codes, Z.dtype)
    low = xp.exp(-xp.abs(z))
    positive = xp.astype(z > 0, Z.dtype)
    p = (positive + (1.0 - positive) * low) / (1.0 + low)
    return xp.log1p(low) + z * (positive - y), (p - y)[:, None]


def _squared_hinge(Z: Any, codes: Any) -> tuple[Any, Any]:
    xp = namespace(Z)
    targets = signs(xp, Z, codes)
    short = 1.0 - targets * Z
    short = short * xp.astype(short > 0, Z.dtype)
    return xp.sum(short * short, axis=1), -2.0 * targets * short


def signs(xp: Any, Z: Any, codes: Any) -> Any:
    """Return the targets ±1 (n, R) of each machine: of one, + for code 1; of K, + for the row's own class."""
    if Z.shape[1] == 1:
        return 2.0 * xp.astype(codes == 1, Z.dtype)[:, None] - 1.0
    own = codes[:, None] == xp.arange(Z.shape[1], dtype=codes.dtype, device=device_of(Z))[None, :]
    return 2.0 * xp.astype(own, Z.dtype) - 1.0

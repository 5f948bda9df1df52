"""The L1-penalised quadratic model of a softmax loss on some pairs of class and column, with the explicit Hessian of these pairs alone.

    H_kl = X_k' diag(s p_k (δ_kl − p_l)) X_l,   X_k the columns chosen for class k, and one of ones for its intercept

Where columns hang together, walking through them (`class_columns`) takes many sweeps, and the Hessian of all classes on every column in
question (`gram_proximal`) is mostly of coefficients that stay 0.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Bools, Floats, Indices
from ..products import scaled_gram
from .l1_quadratic import Quadratic


class ClassPairs:
    """The model at one point, as `ClassColumns`.

    Parameters
    ----------
    part : (n, c) the columns that any class has chosen, dense or CSC
    where : (K, c) bool, which class has chosen which of them
    P : (K, n) probabilities
    share : (n,) weights that add up to 1
    l1, l2 : float
        λ₁ and λ₂.
    fit_intercept : bool

    Examples
    --------
    >>> where = np.array([[True], [True], [False]])
    >>> model = ClassPairs(np.array([[1.0], [2.0]]), where, np.full((3, 2), 1 / 3), np.full(2, 0.5), 0.1, 0.0, False)
    >>> end, shift, V = model.minimise(np.array([-0.5, 0.15]), np.zeros(3), np.zeros(2), 0.0, 1e-12)
    >>> end.round(6).tolist(), V.round(6)[0].tolist()
    ([0.72, 0.0], [0.72, 1.44])
    """

    def __init__(self, part: Any, where: Bools, P: Floats, share: Floats, l1: float, l2: float, fit_intercept: bool) -> None:
        K = len(P)
        self.fit_intercept, self.edges = fit_intercept, np.append(0, where.sum(axis=1)).cumsum()
        q = int(self.edges[-1])
        self.parts = [part[:, own] for own in where]
        self.penalty = np.append(np.full(q, l1), np.zeros(K if fit_intercept else 0))
        own = [np.append(np.arange(a, b), np.arange(q + k, q + k + fit_intercept)) for k, (a, b) in enumerate(pairwise(self.edges))]
        rows = as_rows(part, np.nonzero(where)[1], K if fit_intercept else 0)
        scores = np.append(np.nonzero(where)[0], np.arange(K if fit_intercept else 0))
        H = -scaled_gram(rows, np.sqrt(share) * P, scores)
        for k, factors in enumerate(np.sqrt(share * P * rests(P))):
            H[own[k][:, None], own[k]] = scaled_gram(rows[own[k]], factors[None], np.zeros(len(own[k]), dtype=np.intp))
        np.einsum("jj->j", H)[:q] += l2
        if fit_intercept:
            # Singular along equal shifts of all intercepts: curvature that no slope ever asks about.
            H[q:, q:] += np.trace(H[q:, q:]) / K**2
        self.quadratic = Quadratic(H)

    def minimise(self, g: Floats, g_b: Floats, start: Floats, share: float, slack: float) -> tuple[Floats, Floats, Floats]:
        """Do as `ClassColumns.minimise`."""
        q, K = len(start), len(self.parts)
        begin, slope = (np.append(v, w) if self.fit_intercept else v for v, w in ((start, np.zeros(K)), (g, g_b)))
        found = self.quadratic.minimise(slope, begin, self.penalty, slack, share)
        end, shift = found[:q], found[q:] if self.fit_intercept else np.zeros(K)
        d = end - start
        V = np.array([part @ d[a:b] + c for part, a, b, c in zip(self.parts, self.edges, self.edges[1:], shift)])
        return end, shift, V


def as_rows(part: Any, columns: Indices, intercepts: int) -> Any:
    """Return columns of a part as rows, dense or CSR, and below them a row of ones for each intercept."""
    if not sp.issparse(part):
        return np.vstack([part.T[columns], np.ones((intercepts, part.shape[0]))])
    rows = sp.csr_array(part.T)[columns]
    return sp.vstack([rows, sp.csr_array(np.ones((intercepts, part.shape[0])))], format="csr") if intercepts else rows


def rests(P: Floats) -> Floats:
    """Return 1 − P (K, n) to full relative precision."""
    rest, top, others = 1.0 - P, P.argmax(axis=0), P.copy()
    columns = np.arange(P.shape[1])
    others[top, columns] = 0.0
    rest[top, columns] = others.sum(axis=0)
    return rest

"""The L1-penalised quadratic model of a softmax loss on some pairs of class and column, with the explicit Hessian of these pairs alone.

    H_kl = X_k' diag(s p_k (δ_kl − p_l)) X_l,   X_k the columns chosen for class k, and one of ones for its intercept

Where columns hang together, walking through them (`class_columns`) takes many sweeps, and the Hessian of all classes on every column in
question (`gram_proximal`) is mostly of coefficients that stay 0.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bools, Floats
from .l1_quadratic import Quadratic


class ClassPairs:
    """The model at one point, as `ClassColumns`.

    Parameters
    ----------
    part : (n, c) the columns that any class has chosen, dense
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

    def __init__(self, part: Floats, where: Bools, P: Floats, share: Floats, l1: float, l2: float, fit_intercept: bool) -> None:
        K, n = P.shape
        self.fit_intercept, self.edges = fit_intercept, np.append(0, where.sum(axis=1)).cumsum()
        q = int(self.edges[-1])
        self.parts = [part[:, own] for own in where]
        self.penalty = np.append(np.full(q, l1), np.zeros(K if fit_intercept else 0))
        A = np.empty((n, q + K if fit_intercept else q))
        root = np.sqrt(share)
        for k, (a, b) in enumerate(zip(self.edges, self.edges[1:])):
            np.multiply(self.parts[k], (root * P[k])[:, None], out=A[:, a:b])
        if fit_intercept:
            A[:, q:] = (root * P).T
        H = -(A.T @ A)
        for k, rest in enumerate(rests(P)):
            own = np.append(np.arange(self.edges[k], self.edges[k + 1]), np.arange(q + k, q + k + fit_intercept))
            weighted = np.column_stack([self.parts[k], np.ones((n, int(fit_intercept)))]) * (root * np.sqrt(P[k] * rest))[:, None]
            H[own[:, None], own] = weighted.T @ weighted
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


def rests(P: Floats) -> Floats:
    """Return 1 − P (K, n) to full relative precision."""
    rest, top, others = 1.0 - P, P.argmax(axis=0), P.copy()
    columns = np.arange(P.shape[1])
    others[top, columns] = 0.0
    rest[top, columns] = others.sum(axis=0)
    return rest

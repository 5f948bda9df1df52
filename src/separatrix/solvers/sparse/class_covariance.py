"""The quadratic step for softmax that costs no Hessian: their covariance, and what the last steps told.

Where no column counts, the Hessian of a mean softmax loss in W (K, p), intercepts at their best, is A ⊗ G: A the mean of
diag(p_i) − p_i p_i', G the covariance of the columns. Later it is that no longer, and the pairs (s, y) of the last steps, changes of W
and of the gradient, correct it (BFGS, in compact form):

    B = σ A ⊗ G − U M⁻¹ U',   U = [σ A S G, Y],   M = [S'(σA ⊗ G)S, L; L', −D]

with L and D the strict lower part and the diagonal of S'Y. The next point minimises, over pairs of class and column that may matter,

    Σ g_kj d_kj + ½ d'Bd + λ₂/2 ‖d‖² + λ₁ Σ |x_kj|,    d = x − x₀

by coordinate descent, of which a step costs a row of G, however many rows X has. A step of the solver then is one pass, where one with the
Hessian of all pairs (`class_pairs`) is as many as there are pairs for each class.

References
----------
Byrd, Nocedal and Schnabel (1994), Representations of quasi-Newton matrices and their use in limited memory methods, Math. Program. 63.
Lee, Sun and Saunders (2014), Proximal Newton-type methods for minimizing composite functions, SIAM J. Optim. 24.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import scipy.sparse as sp

from ...array_types import Bools, Floats, Indices, Ints
from ..products import Products
from ..work import PASS

MEMORY = 10
"""Pairs kept."""
ROWS, LEAST_ROWS = 8, 4_096
"""Rows for the covariance: in units of its columns, and at least."""
RIDGE = 1e-3
"""Share of its mean that is added to the curvature of each class, so that none is without."""
CANCELLED = 1e-12
"""Share of its mean square that is added to the variance of a sparse column, which is a difference."""
CURVED = 1e-12
"""Share of ‖s‖‖y‖ from which a step has curvature that rounding did not make."""
LEAST = 1e-3
"""Share of its curvature without the last steps that a coordinate keeps."""
SWEEPS, MOST_SWEEPS, SETTLED, INSIDE = 6, 60, 0.05, 3
"""Sweeps over all pairs, at least and at most, the share of the first violation that ends them, and sweeps over those not 0 after each."""
SWEPT = 5e-10
"""Seconds of an entry of G in a sweep."""


class ClassCovariance:
    """What is known of the curvature: G on the columns met so far, and the last steps.

    Parameters
    ----------
    products : Products
        X (n, p); of sparse rows few columns, for G is dense.
    share : (n,) weights that add up to 1
    fit_intercept : bool

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> products = Products(Rows.of(as_source([[1.0], [3.0]], [0, 1])))
    >>> model = ClassCovariance(products, np.full(2, 0.5), True)
    >>> pairs, P = np.array([[True], [True], [False]]), np.full((3, 2), 1 / 3)
    >>> end, shift, V = model.minimise(np.zeros((3, 1)), np.array([[-0.5], [0.15], [0.0]]), P, pairs, 0.1, 0.0)
    >>> end.round(1).tolist(), float(shift[0].round(1)), V[0].round(1).tolist()
    ([1.8, 0.0], -3.6, [-1.8, 1.8])
    """

    def __init__(self, products: Products, share: Floats, fit_intercept: bool) -> None:
        self.products, self.share, self.fit_intercept = products, share, fit_intercept
        self.known: Indices = np.empty(0, dtype=np.intp)
        self.place = np.full(products.shape[1], -1)
        self.centre, self.G = np.empty(0), np.empty((0, 0))
        n, p = products.shape
        # The same rows for all columns: else G may have directions of negative variance.
        self.stride = max(1, n // max(LEAST_ROWS, ROWS * p))
        self.forget()

    def forget(self) -> None:
        """Go on without what the last steps told."""
        self.steps: deque[tuple[Floats, Floats]] = deque(maxlen=MEMORY)
        self.products_of_steps: deque[Floats] = deque(maxlen=MEMORY)
        self.last: tuple[Floats, Floats] | None = None

    def see(self, W: Floats, gradient: Floats) -> None:
        """Take note of the gradient of the mean loss at a point, and of the step that led there."""
        if self.last is not None:
            s, y = W - self.last[0], gradient - self.last[1]
            curvature = float(np.vdot(s, y))
            if curvature > CURVED * float(np.linalg.norm(s) * np.linalg.norm(y)):
                self.steps.append((s, y))
                self.products_of_steps.append(s[:, self.known] @ self.G)
        self.last = W, gradient

    def minimise(self, W: Floats, gradient: Floats, P: Floats, pairs: Bools, l1: float, l2: float) -> tuple[Floats, Floats, Floats]:
        """Return where the model is least.

        Parameters
        ----------
        W, gradient : (K, p) coefficients, and the gradient of the mean loss in them
        P : (K, n) probabilities
        pairs : (K, p) bool, coefficients that may change; among them all that are not 0
        l1, l2 : float

        Returns
        -------
        (q,) coefficients of the pairs, (K,) change of the intercepts, and (K, n) change of the scores.
        """
        from ...kernels.proximal import covariance_sweep

        self._cover(np.flatnonzero(pairs.any(axis=0)))
        classes, columns = map(np.ascontiguousarray, np.nonzero(pairs))
        places = self.place[columns]
        A, low, back = self._curvature(P, classes, places)
        square = A[classes, classes] * self.G[places, places]
        square = np.maximum(square - np.einsum("cm,cm->c", low, back), LEAST * square) + l2
        start = W[pairs]
        x, R, u = start.copy(), np.zeros((len(W), len(self.known))), np.zeros(low.shape[1])
        fixed = self.G, A, gradient[pairs], start, square, classes, places, low, back, l1, l2
        order, first = np.argsort(places, kind="stable"), np.inf
        for turn in range(self._turns(len(x), len(W))):
            most = covariance_sweep(*fixed, order, x, R, u)
            first = most if turn == 0 else first
            if most <= SETTLED * first:
                break
            used = order[x[order] != 0.0]
            for _ in range(INSIDE):
                if covariance_sweep(*fixed, used, x, R, u) <= 0.5 * SETTLED * first:
                    break
        D = np.zeros_like(W)
        D[pairs] = x - start
        shift = -(D[:, self.known] @ self.centre) if self.fit_intercept else np.zeros(len(W))
        V = self.products.times(np.ascontiguousarray(D.T))
        V += shift
        return x, shift, V.T

    def _turns(self, count: int, classes: int) -> int:
        """Return how many turns of sweeps over so many pairs are worth a pass saved: of sparse rows, as many as take its time."""
        if not self.products.is_sparse:
            return SWEEPS
        turn = (1.0 + INSIDE) * SWEPT * count * (len(self.known) + classes + 4 * len(self.steps))
        return int(np.clip(PASS * self.products.X.nnz * classes / turn, SWEEPS, MOST_SWEEPS))

    def _curvature(self, P: Floats, classes: Indices, places: Ints) -> tuple[Floats, Floats, Floats]:
        """Return σA, and U M⁻¹ and U at the pairs (q, 2m)."""
        K = len(P)
        A = np.diag(P @ self.share) - (P * self.share) @ P.T
        A += RIDGE * np.trace(A) / K * np.eye(K)
        if not self.steps:
            return A, np.zeros((len(classes), 0)), np.zeros((len(classes), 0))
        S, Y = (np.array([step[i][:, self.known] for step in self.steps]) for i in (0, 1))
        BS = A @ np.array(self.products_of_steps)
        scale = float(np.vdot(S[-1], Y[-1]) / np.vdot(S[-1], BS[-1]))
        BS *= scale
        inner = np.einsum("akj,bkj->ab", S, Y)
        L = np.tril(inner, -1)
        M = np.block([[np.einsum("akj,bkj->ab", S, BS), L], [L.T, -np.diag(np.diag(inner))]])
        back = np.concatenate([BS, Y])[:, classes, places].T
        return scale * A, np.ascontiguousarray(back @ np.linalg.pinv(M)), np.ascontiguousarray(back)

    def _cover(self, columns: Indices) -> None:
        """Add the covariances of columns not met before."""
        new = columns[self.place[columns] < 0]
        if len(new) == 0:
            return
        old = len(self.known)
        self.known = np.append(self.known, new)
        self.place[new] = np.arange(old, len(self.known))
        G = np.empty((len(self.known), len(self.known)))
        G[:old, :old], G[old:] = self.G, self._sparse(new) if self.products.is_sparse else self._dense(new)
        G[:old, old:] = G[old:, :old].T
        self.G = G
        self.products_of_steps = deque((s[:, self.known] @ G for s, _ in self.steps), maxlen=MEMORY)

    def _dense(self, new: Indices) -> Floats:
        """Return the covariances of the last columns known with all."""
        X, share = self.products.X[:: self.stride], self.share[:: self.stride]
        part = X[:, self.known].astype(np.float64, copy=False)
        self.centre = np.append(self.centre, self.share @ self.products.X[:, new])
        if self.fit_intercept:
            part -= self.centre
        part *= np.sqrt(share / share.sum())[:, None]
        return np.asarray(part[:, -len(new) :].T @ part)

    def _sparse(self, new: Indices) -> Floats:
        """Do as `_dense`, over all rows: few of their values meet."""
        T = self.products.transposed
        self.centre = np.append(self.centre, T[new] @ self.share)
        met = (sp.csr_array(T[new] * self.share) @ T[self.known].T).toarray()
        if self.fit_intercept:
            own = np.arange(len(new)), np.arange(len(self.known) - len(new), len(self.known))
            squares = met[own]
            met -= np.outer(self.centre[-len(new) :], self.centre)
            met[own] += CANCELLED * squares
        return np.asarray(met)

"""The quadratic step of a proximal Newton method for softmax on sparse columns: all classes, without a Gram matrix.

With probabilities P (K, n), shares s_i = weight_i/S, and the change V = dX' of the scores (K, n) that a change d of the coefficients makes,

    minimise over x    Σ g_kj d_kj + ½ Σ_i s_i [Σ_k p_ik v_ik² − (Σ_k p_ik v_ik)²] + λ₂/2 ‖d‖² + λ₁ Σ |x_kj|,    d = x − x₀

over the pairs of class and column that may matter, and all intercepts. The curvature is that of softmax itself, no bound on it. One
coordinate still costs one column: within a class, t_i = s_i p_ik (v_ik − Σ_l p_il v_il)/r_i with r_i² = s_i p_ik(1 − p_ik) changes by
r_i x_ij d, which makes it the quadratic of `column_descent` with row curvatures r². Classes take turns; conjugate gradients on the support
of all classes then give the digits.

References
----------
Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent, J. Stat. Softw. 33.
Yuan, Ho and Lin (2012), An improved GLMNET for L1-regularized logistic regression, JMLR 13.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats, Indices, Ints, Parts
from .class_intercepts import intercept_inverse
from .column_descent import FLAT, MOVING, PRODUCTS, ColumnDescent, crossings

SWEEPS = 100
SETTLING = 12
"""Sweeps before conjugate gradients: classes share the support less readily than columns do, and a sign that changes wastes them."""


class ClassColumns:
    """The quadratic at probabilities P (K, n) of some columns for each class.

    Parameters
    ----------
    parts : data, indices and indptr of X by columns, indices unsigned
    chosen : K arrays of columns
    P : (K, n) probabilities
    share : (n,) weights that add up to 1
    l1, l2 : float
    fit_intercept : bool
    random : (1,) state of the shuffling generator, which goes on

    Examples
    --------
    >>> parts = np.array([1.0, 2.0]), np.array([0, 1], dtype=np.uint32), np.array([0, 2], dtype=np.uint32)
    >>> chosen = [np.array([0]), np.array([0]), np.array([], dtype=np.int64)]
    >>> model = ClassColumns(parts, chosen, np.full((3, 2), 1 / 3), np.full(2, 0.5), 0.1, 0.0, False, np.array([1]))
    >>> end, shift, V = model.minimise(np.array([-0.5, 0.15]), np.zeros(3), np.zeros(2), 1e-12, 0.0)
    >>> end.round(6).tolist(), V.round(6)[0].tolist()
    ([0.72, 0.0], [0.72, 1.44])
    """

    def __init__(
        self,
        parts: Parts,
        chosen: list[Ints],
        P: Floats,
        share: Floats,
        l1: float,
        l2: float,
        fit_intercept: bool,
        random: Ints,
    ) -> None:
        self.P, self.share, self.l1, self.l2, self.random = P, share, l1, l2, random
        self.classes = [ColumnDescent(parts, own, share * p * (1.0 - p), l1, l2, False, random) for own, p in zip(chosen, P)]
        # 0/0 for a row without weight, which pulls at nothing.
        self.pull = [share * p / np.where(own.root > 0.0, own.root, 1.0) for own, p in zip(self.classes, P)]
        self.edges = np.cumsum([0, *map(len, chosen)])
        self.inverse = intercept_inverse(P, share) if fit_intercept else None

    def minimise(self, g: Floats, g_b: Floats, start: Floats, share: float, slack: float) -> tuple[Floats, Floats, Floats]:
        """Return where the model is least.

        Parameters
        ----------
        g, start : (Σ q_k,) gradient and coefficients of the columns chosen, class after class
        g_b : (K,) gradient in the intercepts
        share : float
            Largest violation left, as a share of that at the start, both in units of the columns.
        slack : float
            Entry of the subgradient that counts as 0.

        Returns
        -------
        (Σ q_k,) coefficients, (K,) change of the intercepts, and (K, n) change of the scores.
        """
        state = State(start.copy(), np.zeros_like(self.P), np.zeros(len(self.share)), np.zeros(len(self.P)))
        orders = [np.arange(b - a) for a, b in zip(self.edges, self.edges[1:])]
        worst = [own.worst(g[a:b], start[a:b]) for own, a, b in zip(self.classes, self.edges, self.edges[1:])]
        active, limit, since, wanted = [len(order) for order in orders], np.inf, 0, share * max(worst)
        for _ in range(SWEEPS):
            self._intercepts(g_b, state)
            whole = sum(active) == len(g)
            most, changed = self._sweep(g, start, slack, orders, active, limit, state)
            limit, since = most, since + 1
            if most <= wanted:
                if whole:
                    break
                active, limit = [len(order) for order in orders], np.inf
            elif since >= SETTLING and changed <= MOVING * len(g):
                self._intercepts(g_b, state)
                self._polish(g, start, state, 0.1 * wanted)
                active, limit, since = [len(order) for order in orders], np.inf, 0
        self._intercepts(g_b, state)
        return state.x, state.shift, state.V

    def _sweep(
        self, g: Floats, start: Floats, slack: float, orders: list[Ints], active: list[int], limit: float, state: State
    ) -> tuple[float, float]:
        """Walk through the active columns of every class; return the largest violation met, and how many came to or left 0."""
        from ...kernels.dual_svm import shuffle
        from ...kernels.proximal import column_sweep

        most = changed = 0.0
        out = np.zeros(2)
        for k, own in enumerate(self.classes):
            if active[k] == 0:
                continue
            a, b = self.edges[k : k + 2]
            before = self.pull[k] * (state.V[k] - state.mean)
            t = before.copy()
            shuffle(orders[k], active[k], self.random)
            fixed = own.values, own.rows, own.starts, own.square, g[a:b], start[a:b], self.l1, self.l2, slack
            active[k] = column_sweep(*fixed, orders[k], active[k], limit, state.x[a:b], t, out)
            change = own.unweighted(t - before)
            state.V[k] += change
            state.mean += self.P[k] * change
            most, changed = max(most, out[0]), changed + out[1]
        return most, changed

    def _intercepts(self, g_b: Floats, state: State) -> None:
        """Move the intercepts to where their own slopes are 0."""
        d = self._balance(state.V, state.mean, g_b)
        state.V += d[:, None]
        state.mean += d @ self.P
        state.shift += d

    def _balance(self, V: Floats, mean: Floats, g_b: Floats | float) -> Floats:
        """Return the change of the intercepts that takes their slopes away."""
        if self.inverse is None:
            return np.zeros(len(V))
        slope = np.einsum("kn,kn,n->k", self.P, V, self.share) - self.P @ (self.share * mean) + g_b
        return np.asarray(-(self.inverse @ slope))

    def _polish(self, g: Floats, start: Floats, state: State, wanted: float) -> None:
        """Go to the minimum on the coefficients in use, or towards it while all keep their signs: conjugate gradients."""
        x = state.x
        used = np.flatnonzero(x)
        if len(used) == 0:
            return
        cuts = np.searchsorted(used, self.edges)
        places = [used[a:b] - edge for a, b, edge in zip(cuts, cuts[1:], self.edges)]
        r = -(self._slopes(places, state.V, state.mean) + g[used] + self.l2 * (x[used] - start[used]) + self.l1 * np.sign(x[used]))
        square = np.concatenate([own.square[place] for own, place in zip(self.classes, places)])
        scale = 1.0 / np.maximum(square + self.l2, np.finfo(float).tiny)
        roots = np.sqrt(scale)
        step, moved, shift = np.zeros(len(used)), np.zeros_like(state.V), np.zeros(len(state.V))
        s = scale * r
        d, old = s, float(r @ s)
        for _ in range(PRODUCTS):
            if (np.abs(r) * roots).max() <= wanted or old <= 0.0:
                break
            D = self._scores(places, d, cuts)
            mean = np.einsum("kn,kn->n", self.P, D)
            c = self._balance(D, mean, 0.0)
            D += c[:, None]
            Hd = self._slopes(places, D, mean + c @ self.P) + self.l2 * d
            curvature = float(d @ Hd)
            if curvature <= FLAT * float(d @ (d / scale)):
                # Equal changes of a column in all classes change nothing: along these the kinks alone end the step.
                a = float(crossings(x[used] + step, d).min())
                if np.isfinite(a):
                    step, shift = step + a * d, shift + a * c
                    moved += a * D
                break
            a = old / curvature
            step, shift = step + a * d, shift + a * c
            moved += a * D
            r = r - a * Hd
            s = scale * r
            new = float(r @ s)
            d, old = s + (new / old) * d, new
        crossing = crossings(x[used], step)
        t = min(1.0, float(crossing.min()))
        x[used] += t * step
        x[used[crossing <= t]] = 0.0
        state.add(t * moved, self.P, t * shift)

    def _scores(self, places: list[Ints], d: Floats, cuts: Indices) -> Floats:
        """Return the change (K, n) of the scores by changes d of the coefficients in use."""
        return np.array([own.unweighted(own.add(place, d[a:b])) for own, place, a, b in zip(self.classes, places, cuts, cuts[1:])])

    def _slopes(self, places: list[Ints], V: Floats, mean: Floats) -> Floats:
        """Return the change of the gradient, in the coefficients in use, by a change V of the scores."""
        return np.concatenate([own.dot(place, pull * (v - mean)) for own, place, pull, v in zip(self.classes, places, self.pull, V)])


class State:
    """Coefficients x, changes V (K, n) of the scores, their mean Σ_k p_ik v_ik (n,) in each row, and the shift (K,) of the intercepts."""

    __slots__ = ("V", "mean", "shift", "x")

    def __init__(self, x: Floats, V: Floats, mean: Floats, shift: Floats) -> None:
        self.x, self.V, self.mean, self.shift = x, V, mean, shift

    def add(self, V: Floats, P: Floats, shift: Floats) -> None:
        """Add changes of scores and intercepts, the latter being part of V."""
        self.V += V
        self.mean += np.einsum("kn,kn->n", P, V)
        self.shift += shift

"""Held-out scores of logistic regression on sets of columns: candidates ranked by score tests, and fitted many at once.

For two classes and an L2 penalty. The sets one move away have nearly the same coefficients, so Newton's method runs for all of them side by
side from those of the current set. A score test needs no fit: with g_j the gradient of column j at the current fit and h_jj·S its curvature
after the columns of the set,

    gain of taking j in ≈ ½ g_j²/h_jj·S           loss of taking j out ≈ ½ θ_j²/(H⁻¹)_jj

summed over the folds; both are the first Newton step's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ...array_types import Bools, Floats, Indices
from .scores import Part, SubsetScores

BATCH = 1 << 21
"""Values of designs held at once."""
CLOSE = 1e-12
"""Newton's decrement, relative to the objective, at which a fit is done."""


def fit_many(D: Floats, y: Floats, w: Floats, penalty: Floats, theta: Floats, max_iter: int = 100) -> Floats:
    """Return the minimisers (C, q) of Σ_i w_i [log(1 + e^η) − y η] + ½ Σ_j penalty_j θ_j², η = D_c θ_c, of C designs side by side.

    Parameters
    ----------
    D : (C, n, q)
    y, w : (n,) 0 or 1, and weights
    penalty : (q,)
    theta : (C, q) where to begin
    max_iter : int

    Examples
    --------
    >>> D = np.ones((1, 4, 1))
    >>> fit_many(D, np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4), np.zeros(1), np.zeros((1, 1))).round(6).tolist()  # log 3
    [[1.098612]]
    """
    theta = theta.copy()
    live = np.arange(len(D))
    for _ in range(max_iter):
        own = D[live]
        eta = np.matmul(own, theta[live][:, :, None])[:, :, 0]
        p = expit(eta)
        g = np.matmul((w * (p - y))[:, None, :], own)[:, 0] + penalty * theta[live]
        H = np.matmul((own * (w * p * (1.0 - p))[:, :, None]).transpose(0, 2, 1), own)
        H[:, np.arange(len(penalty)), np.arange(len(penalty))] += penalty
        step = np.linalg.solve(H, g[:, :, None])[:, :, 0]
        decrement = (g * step).sum(axis=1)
        now = _objective(eta, y, w, penalty, theta[live])
        theta[live] -= _length(own, y, w, penalty, theta[live], step, now, decrement)[:, None] * step
        live = live[decrement > CLOSE * (1.0 + now)]
        if len(live) == 0:
            break
    return theta


def _objective(eta: Floats, y: Floats, w: Floats, penalty: Floats, theta: Floats) -> Floats:
    values: Floats = (w * (np.logaddexp(0.0, eta) - y * eta)).sum(axis=1) + 0.5 * (penalty * theta**2).sum(axis=1)
    return values


def _length(own: Floats, y: Floats, w: Floats, penalty: Floats, theta: Floats, step: Floats, now: Floats, decrement: Floats) -> Floats:
    """Return step lengths (C,), halved until the objective falls enough."""
    length = np.ones(len(own))
    for _ in range(30):
        trial = theta - length[:, None] * step
        after = _objective(np.matmul(own, trial[:, :, None])[:, :, 0], y, w, penalty, trial)
        short = after > now - 1e-4 * length * decrement + CLOSE * (1.0 + np.abs(now))
        if not short.any():
            break
        length[short] *= 0.5
    return length


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFold:
    """Training rows by number, their targets (0, 1) and weights, and the held-out rows by number."""

    train: Indices
    y: Floats
    w: Floats
    test: Indices


class LogisticScores(SubsetScores):
    """Scores w'x + b of logistic regression for two classes, fitted for each candidate.

    Parameters
    ----------
    X : (n, p) all rows
    folds : list of LogisticFold
    penalty : float
        1/C: the objective is the sum of losses plus ½ penalty ‖w‖².
    fit_intercept : bool
    """

    def __init__(self, X: Floats, folds: list[LogisticFold], penalty: float, fit_intercept: bool) -> None:
        self.X, self.folds, self.penalty, self.fit_intercept = X, folds, penalty, fit_intercept
        # Centred once: it changes nothing but the intercept, which is not penalised.
        self.X = X - X.mean(axis=0) if fit_intercept else X
        self.n_folds = len(folds)
        self.begin([])

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        self.columns = list(columns)
        own = np.asarray(self.columns, dtype=np.intp)[None]
        self.theta = [self._fit(f, own, np.zeros((1, len(own[0]) + self.fit_intercept)))[0] for f in range(self.n_folds)]
        self.seen: dict[tuple[int, frozenset[int]], Floats] = {}

    def _design(self, rows: Indices, sets: Indices) -> Floats:
        """Return the designs (C, n, s + 1) of sets (C, s) of columns, the intercept last."""
        D = self.X[rows[:, None, None], sets].transpose(1, 0, 2)
        return np.concatenate([D, np.ones((*D.shape[:2], 1))], axis=2) if self.fit_intercept else np.ascontiguousarray(D)

    def _fit(self, f: int, sets: Indices, start: Floats) -> Floats:
        fold = self.folds[f]
        if sets.shape[1] + self.fit_intercept == 0:
            return start
        penalty = np.full(sets.shape[1] + self.fit_intercept, self.penalty)
        penalty[sets.shape[1] :] = 0.0
        return fit_many(self._design(fold.train, sets), fold.y, fold.w, penalty, start)

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return which groups hold a constant column: with a penalty all others can be fitted."""
        flat = np.ptp(self.X, axis=0) == 0
        return np.array([flat[group].any() for group in groups], dtype=bool)

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which groups hold no constant column."""
        return ~self.dependent(groups)

    def add(self, group: Indices) -> None:
        """Take a group of columns in."""
        self._go([*self.columns, *group.tolist()])

    def drop(self, group: Indices) -> None:
        """Take a group of columns out."""
        gone = set(group.tolist())
        self._go([column for column in self.columns if column not in gone])

    def _go(self, columns: list[int]) -> None:
        key = frozenset(columns)
        if (0, key) not in self.seen:
            self.begin(columns)
            return
        self.columns = columns
        self.theta = [self.seen[f, key] for f in range(self.n_folds)]
        self.seen = {}

    def now(self) -> Iterator[Part]:
        """Yield the scores of the set itself, as one candidate."""
        own = np.asarray(self.columns, dtype=np.intp)[None]
        for f in range(self.n_folds):
            yield f, np.zeros(1, dtype=np.intp), self._scores(f, own, self.theta[f][None])

    def _scores(self, f: int, sets: Indices, theta: Floats) -> Floats:
        """Return held-out scores (1, n_f, C)."""
        scores: Floats = np.matmul(self._design(self.folds[f].test, sets), theta[:, :, None])[:, :, 0].T[None]
        return scores

    def adding(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group more."""
        s = len(self.columns)
        for members in same_size(groups):
            more = np.stack([groups[g] for g in members])
            sets = np.hstack([np.tile(np.asarray(self.columns, dtype=np.intp), (len(members), 1)), more])
            start = [np.zeros((len(members), sets.shape[1] + self.fit_intercept)) for _ in self.folds]
            for f, theta in enumerate(self.theta):
                start[f][:, :s] = theta[:s]
                start[f][:, sets.shape[1] :] = theta[s:]
            yield from self._fitted(np.array(members), sets, start)

    def dropping(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group less."""
        own = np.asarray(self.columns, dtype=np.intp)
        for members in same_size(groups):
            stay = np.stack([np.flatnonzero(~np.isin(own, groups[g])) for g in members])
            rest = np.full((len(members), int(self.fit_intercept)), len(own))
            start = [theta[np.hstack([stay, rest])] for theta in self.theta]
            yield from self._fitted(np.array(members), own[stay], start)

    def _fitted(self, members: Indices, sets: Indices, start: list[Floats]) -> Iterator[Part]:
        for f, fold in enumerate(self.folds):
            step = max(1, BATCH // (len(fold.train) * (sets.shape[1] + 1)))
            for begin in range(0, len(sets), step):
                part = slice(begin, begin + step)
                theta = self._fit(f, sets[part], start[f][part])
                self.seen |= {(f, frozenset(own)): t for own, t in zip(sets[part].tolist(), theta, strict=True)}
                yield f, members[part], self._scores(f, sets[part], theta)

    def rank_adding(self, groups: Sequence[Indices]) -> Floats:
        """Return the gains expected of taking groups in, by score tests summed over the folds."""
        total = np.zeros(len(groups))
        own = np.asarray(self.columns, dtype=np.intp)[None]
        for fold, theta in zip(self.folds, self.theta, strict=True):
            D, X = self._design(fold.train, own)[0], self.X[fold.train]
            p = expit(D @ theta)
            v = fold.w * p * (1.0 - p)
            g = (fold.w * (p - fold.y)) @ X
            H = (D * v[:, None]).T @ D
            H[np.arange(len(own[0])), np.arange(len(own[0]))] += self.penalty
            C = (D * v[:, None]).T @ X
            solved = np.linalg.solve(H, C)
            h = np.einsum("ij,i,ij->j", X, v, X) - np.einsum("qj,qj->j", C, solved) + self.penalty
            single = 0.5 * g**2 / np.where(h > 0, h, np.inf)
            for i, group in enumerate(groups):
                if len(group) == 1:
                    total[i] += single[group[0]]
                else:
                    Z = X[:, group]
                    block = (Z * v[:, None]).T @ Z - C[:, group].T @ solved[:, group] + self.penalty * np.eye(len(group))
                    total[i] += 0.5 * g[group] @ np.linalg.lstsq(block, g[group])[0]
        return total

    def rank_dropping(self, groups: Sequence[Indices]) -> Floats:
        """Return minus the losses expected of taking groups out, by Wald statistics summed over the folds."""
        total = np.zeros(len(groups))
        own = np.asarray(self.columns, dtype=np.intp)
        for fold, theta in zip(self.folds, self.theta, strict=True):
            D = self._design(fold.train, own[None])[0]
            p = expit(D @ theta)
            H = (D * (fold.w * p * (1.0 - p))[:, None]).T @ D
            H[np.arange(len(own)), np.arange(len(own))] += self.penalty
            V = np.linalg.inv(H)
            for i, group in enumerate(groups):
                where = np.flatnonzero(np.isin(own, group))
                total[i] -= 0.5 * theta[where] @ np.linalg.solve(V[np.ix_(where, where)], theta[where])
        return total


def same_size(groups: Sequence[Indices]) -> list[list[int]]:
    """Return the numbers of groups in lists of equally large ones.

    Examples
    --------
    >>> same_size([np.array([0]), np.array([1, 2]), np.array([3])])
    [[0, 2], [1]]
    """
    found: dict[int, list[int]] = {}
    for g, group in enumerate(groups):
        found.setdefault(len(group), []).append(g)
    return [found[size] for size in sorted(found)]

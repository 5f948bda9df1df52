"""Held-out scores of Gaussian classes with covariances or variances of their own, on sets of columns.

Quadratic discriminants pivot one covariance per class; naive Bayes adds columns up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...array_types import Bools, Floats, Indices
from ..closed_form.discriminant import log_priors
from ..closed_form.whitening import NULL_VARIANCE
from ..scores import folded_classes
from .pivots import Entering, Leaving, own_units, scaled_by, with_null_variance
from .scores import CHUNK, Part, PivotScores, SubsetScores, reciprocal, whole_or_few


class QuadraticScores(PivotScores):
    """Scores of quadratic discriminants, O(n p K) per step for all candidates and folds together.

        δ_k(x) = log π_k − ½ log det Σ_k − ½ (x − μ_k)'Σ_k⁻¹(x − μ_k)

    One more column changes the distance by q²/d and log det by log d, with q and d the residuals of `pivots.py` in class k.

    Parameters
    ----------
    means, covariances, priors : of each training fold (K, p), (K, p, p), (K,)
    spreads : of each training fold (p,), total standard deviations
    rows : held-out rows of each fold (n_f, p)

    Examples
    --------
    >>> means, covariances = [np.array([[0.0], [2.0]])], [np.ones((2, 1, 1))]
    >>> scores = QuadraticScores(means, covariances, [np.array([0.5, 0.5])], [np.ones(1)], [np.array([[0.0], [1.0]])])
    >>> [part[2].ravel().tolist() for part in scores.adding([np.array([0])])]
    [[-2.0, 0.0]]
    """

    def __init__(
        self,
        means: Sequence[Floats],
        covariances: Sequence[Floats],
        priors: Sequence[Floats],
        spreads: Sequence[Floats],
        rows: list[Floats],
    ) -> None:
        self.n_folds, self.K = len(rows), len(priors[0])
        self.log_priors = [log_priors(p) for p in priors]
        spread = np.repeat(np.stack(spreads), self.K, axis=0)
        A = with_null_variance(np.concatenate(covariances), spread, NULL_VARIANCE * spread**2)
        self.unit = own_units(A, spread)
        self.log_unit = np.log(np.where(self.unit > 0, self.unit, 1.0))
        inverse = reciprocal(self.unit)
        own = [
            np.ascontiguousarray((np.asarray(part, dtype=np.float64) - m) * inverse[f * self.K + k])
            for f, part in enumerate(rows)
            for k, m in enumerate(means[f])
        ]
        super().__init__(scaled_by(A, self.unit), own, np.zeros((len(A), 0, A.shape[1])))

    def _base(self) -> list[Floats]:
        own, found = np.asarray(self.columns, dtype=np.intp), []
        for f in range(self.n_folds):
            scores = []
            for k in range(self.K):
                b = f * self.K + k
                score = np.full(len(self.rows[b]), self.log_priors[f][k] - self.log_unit[b, own].sum())
                if len(own):
                    state = self._leaving()
                    score -= 0.5 * np.einsum("ij,ij->i", self.rows[b][:, own], state.rows[b])
                    score += 0.5 * float(np.linalg.slogdet(state.inverse[b])[1])
                scores.append(score)
            found.append(folded_classes(np.stack(scores)))
        return found

    def _singles(self, state: Entering | Leaving, d: Floats, places: Indices, numbers: Indices, sign: float) -> Iterator[Part]:
        columns = places if isinstance(state, Entering) else np.asarray(state.columns)[places]
        index, given = whole_or_few(d.shape[1], places, numbers)
        constant = np.zeros_like(d)
        constant[:, places] = -0.5 * np.log(np.where(d > 0, d, 1.0))[:, places] - sign * self.log_unit[:, columns]
        weight = (-0.5 * sign * reciprocal(d))[:, index]
        constant = constant[:, index]
        for f in range(self.n_folds):
            own = range(f * self.K, (f + 1) * self.K)
            step = max(8, CHUNK // max(1, self.K * len(state.rows[own[0]])))
            for begin in range(0, len(given), step):
                part = slice(begin, begin + step)
                scores = np.stack([state.rows[b][:, index][:, part] ** 2 * weight[b, part] + constant[b, part] for b in own])
                yield f, given[part], folded_classes(scores) + self.base[f][:, :, None]

    def _group(self, state: Entering | Leaving, block: Floats, places: Indices, number: int, sign: float) -> Iterator[Part]:
        columns = places if isinstance(state, Entering) else np.asarray(state.columns)[places]
        constant = -0.5 * np.linalg.slogdet(block)[1] - sign * self.log_unit[:, columns].sum(axis=1)
        inverse = np.linalg.inv(block)
        for f in range(self.n_folds):
            scores = []
            for b in range(f * self.K, (f + 1) * self.K):
                q = state.rows[b][:, places]
                scores.append(constant[b] - 0.5 * sign * np.einsum("ig,gh,ih->i", q, inverse[b], q))
            yield f, np.array([number]), (folded_classes(np.stack(scores)) + self.base[f])[:, :, None]


class NaiveScores(SubsetScores):
    """Scores of Gaussian naive Bayes: log π_k − ½ Σ_j [log(2πσ²_kj) + (x_j − θ_kj)²/σ²_kj] with σ² = v + ε.

    Columns add up, except through ε, a share of the largest total variance in the set: where a candidate changes it, all is scored anew.

    Parameters
    ----------
    means, variances, totals, priors : of each training fold (K, p), (K, p) not smoothed, (p,), (K,)
    smoothing : float
        ε = smoothing · max_j totals_j over the set.
    rows : held-out rows of each fold (n_f, p)

    Examples
    --------
    >>> folds = [np.array([[0.0], [2.0]])], [np.ones((2, 1))], [np.array([2.0])], [np.array([0.5, 0.5])]
    >>> scores = NaiveScores(*folds, 0.0, [np.array([[0.0], [1.0]])])
    >>> [part[2].ravel().tolist() for part in scores.adding([np.array([0])])]
    [[-2.0, 0.0]]
    """

    def __init__(
        self,
        means: Sequence[Floats],
        variances: Sequence[Floats],
        totals: Sequence[Floats],
        priors: Sequence[Floats],
        smoothing: float,
        rows: list[Floats],
    ) -> None:
        self.means, self.variances, self.smoothing = means, variances, smoothing
        self.totals = np.stack(totals)
        self.offset = [log_priors(p) for p in priors]
        self.rows = [np.asarray(part, dtype=np.float64) for part in rows]
        self.n_folds = len(rows)
        self.begin([])

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        self.columns = list(columns)
        self.epsilon = self._epsilon(self.columns)
        self.base = [self._scores(f, self.columns, self.epsilon[f]) for f in range(self.n_folds)]

    def _epsilon(self, columns: Sequence[int]) -> Floats:
        epsilon: Floats = self.smoothing * self.totals[:, columns].max(axis=1, initial=0.0)
        return epsilon

    def _terms(self, f: int, columns: Indices, epsilon: float | Floats) -> Floats:
        """Return −½ [log 2πσ² + (x − θ)²/σ²] (K, n_f, c), or for two classes the difference."""
        rows, found = self.rows[f][:, columns], []
        for theta, v in zip(self.means[f][:, columns], self.variances[f][:, columns], strict=True):
            variance = v + epsilon
            variance = np.where(variance > 0, variance, 1.0)  # such columns are no candidates
            centred = rows - theta
            centred *= centred
            centred *= -0.5 / variance
            centred -= 0.5 * np.log(2.0 * np.pi * variance)
            found.append(centred)
        return folded_classes(np.stack(found))

    def _scores(self, f: int, columns: Sequence[int], epsilon: float) -> Floats:
        """Return the scores (R, n_f) of a set."""
        offset = folded_classes(self.offset[f])[:, None]
        if not len(columns):
            return np.repeat(offset, len(self.rows[f]), axis=1)
        scores: Floats = offset + self._terms(f, np.asarray(columns, dtype=np.intp), epsilon).sum(axis=2)
        return scores

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return, for each group, whether a column of it does not vary: within a class without smoothing, or at all."""
        flat = np.stack([v.min(axis=0) for v in self.variances]) <= 0
        found = np.array([flat[:, group].any() for group in groups], dtype=bool)
        for g in np.flatnonzero(found).tolist():
            epsilon = self._epsilon([*self.columns, *groups[g].tolist()])
            found[g] = (flat[:, groups[g]].any(axis=1) & (epsilon <= 0)).any()
        return found

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups vary: columns do not depend on each other here."""
        return ~self.dependent(groups)

    def add(self, group: Indices) -> None:
        """Take a group of columns in."""
        self.begin([*self.columns, *group.tolist()])

    def drop(self, group: Indices) -> None:
        """Take a group of columns out."""
        gone = set(group.tolist())
        self.begin([column for column in self.columns if column not in gone])

    def now(self) -> Iterator[Part]:
        """Yield the scores of the set itself, as one candidate."""
        for f, base in enumerate(self.base):
            yield f, np.zeros(1, dtype=np.intp), base[:, :, None]

    def adding(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group more."""
        largest = np.stack([self.totals[:, group].max(axis=1) for group in groups], axis=1)
        for f in range(self.n_folds):
            epsilon = np.maximum(self.epsilon[f], self.smoothing * largest[f])
            yield from self._moves(f, groups, epsilon, 1.0)

    def dropping(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group less."""
        left = [sorted(set(self.columns) - set(group.tolist())) for group in groups]
        largest = np.stack([self._epsilon(columns) for columns in left], axis=1)
        for f in range(self.n_folds):
            yield from self._moves(f, groups, largest[f], -1.0)

    def _moves(self, f: int, groups: Sequence[Indices], epsilon: Floats, sign: float) -> Iterator[Part]:
        """Yield base ± terms of single columns where the set's scores at the new ε are at hand, else the scores of the whole new set."""
        same = epsilon == self.epsilon[f]
        # Taking a column in leaves the others where they are, at another ε; taking out the one that gave ε is seldom.
        alone = np.array([g for g, group in enumerate(groups) if len(group) == 1 and (same[g] or sign > 0)], dtype=np.intp)
        step = max(8, CHUNK // max(1, len(self.rows[f])))
        for begin in range(0, len(alone), step):
            part = alone[begin : begin + step]
            scores = self._terms(f, np.array([groups[g][0] for g in part]), epsilon[part])
            scores *= sign
            scores += self.base[f][:, :, None] if same[part].all() else self._bases(f, epsilon[part])
            yield f, part, scores
        singly = set(alone.tolist())
        for g in [g for g in range(len(groups)) if g not in singly]:
            group = set(groups[g].tolist())
            after = [*self.columns, *groups[g].tolist()] if sign > 0 else [column for column in self.columns if column not in group]
            yield f, np.array([g]), self._scores(f, after, float(epsilon[g]))[:, :, None]

    def _bases(self, f: int, epsilon: Floats) -> Floats:
        """Return the scores (R, n_f, c) of the set at c values of ε: sums of squares times precisions, one product of matrices a class."""
        rows, found = self.rows[f][:, self.columns], []
        for theta, v, offset in zip(self.means[f][:, self.columns], self.variances[f][:, self.columns], self.offset[f], strict=True):
            variance = v[:, None] + epsilon
            variance = np.where(variance > 0, variance, 1.0)
            found.append(offset - 0.5 * ((rows - theta) ** 2 @ (1.0 / variance) + np.log(2.0 * np.pi * variance).sum(axis=0)))
        return folded_classes(np.stack(found))

"""Held-out scores of linear models on sets of columns: forms x_S'A_SS⁻¹v_S, which one pivot carries to the next set.

Linear discriminants have A the scatter within classes and v the class means; least squares have A the total scatter plus the penalty and v
its product with the targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..closed_form.discriminant import log_priors
from ..closed_form.least_squares import class_products
from ..closed_form.whitening import NULL_VARIANCE, total_spread
from ..scores import folded, folded_classes
from .subset_pivots import Entering, Floats, Ints, Leaving, own_units, scaled_by, with_null_variance
from .subset_scores import CHUNK, Part, PivotScores, SubsetScores, reciprocal, whole_or_few


@dataclass(frozen=True, slots=True, eq=False)
class LinearFolds:
    """What linear scores of F folds are made of: s_r(x) = ν (x'A⁻¹v_r − ½ v_r'A⁻¹v_r) + offset_r, without the ½ term if not `centred`.

    Attributes
    ----------
    A : (F, p, p)
    rows : F arrays (n_f, p), held out, minus the training mean
    forms : (F, V, p) v
    offset : (F, R)
    scale : (F,) ν
    centred : bool
        Whether −½ v'A⁻¹v belongs to the score.
    """

    A: Floats
    rows: list[Floats]
    forms: Floats
    offset: Floats
    scale: Floats
    centred: bool

    def in_own_units(self, spread: Floats) -> LinearFolds:
        """Return the same with columns divided by the square roots of A's diagonal; columns without variance become 0."""
        unit = own_units(self.A, spread)
        inverse = reciprocal(unit)
        rows = [np.ascontiguousarray(part * own) for part, own in zip(self.rows, inverse, strict=True)]
        return LinearFolds(scaled_by(self.A, unit), rows, self.forms * inverse[:, None, :], self.offset, self.scale, self.centred)


def discriminant_folds(
    counts: Sequence[Floats],
    means: Sequence[Floats],
    scatters: Sequence[Floats],
    priors: Sequence[Floats],
    divisors: Sequence[float],
    rows: list[Floats],
) -> SubsetScores:
    """Return the scores of linear discriminants, δ_k = ν(x'W⁻¹m_k − ½ m_k'W⁻¹m_k) + log π_k, from moments of training folds.

    Parameters
    ----------
    counts, means, scatters : of each fold (K,), (K, p), (p, p)
    priors : of each fold (K,)
    divisors : of each fold, ν of S = W/ν
    rows : held-out rows of each fold (n_f, p)

    References
    ----------
    McLachlan (1992), Discriminant Analysis and Statistical Pattern Recognition, section 12.3.
    """
    centres, spreads = zip(*(total_spread(n, m, np.diag(W)) for n, m, W in zip(counts, means, scatters, strict=True)), strict=True)
    forms = np.stack([m - c for m, c in zip(means, centres, strict=True)])
    offset = np.stack([log_priors(p) for p in priors])
    offset = folded_classes(offset, axis=1)
    parts = [np.asarray(part, dtype=np.float64) - c for part, c in zip(rows, centres, strict=True)]
    nu, total = np.array(divisors), np.stack(spreads) * np.sqrt([n.sum() for n in counts])[:, None]
    A = with_null_variance(np.stack(scatters), total, NULL_VARIANCE * nu[:, None] * np.stack(spreads) ** 2)
    return LinearScores(LinearFolds(A, parts, forms, offset, nu, centred=True).in_own_units(total))


def least_squares_folds(
    counts: Sequence[Floats],
    means: Sequence[Floats],
    scatters: Sequence[Floats],
    targets: Floats,
    mixing: Floats,
    shift: Floats,
    alpha: float,
    rows: list[Floats],
) -> SubsetScores:
    """Return the scores M(A'x + a) + b of least squares or ridge regression of class targets, from moments of training folds.

    Parameters
    ----------
    counts, means, scatters : of each fold (K,), (K, p), (p, p)
    targets : (K, T)
    mixing, shift : (R, T), (R,)
        M and b: from outputs to scores.
    alpha : float
        Ridge penalty.
    rows : held-out rows of each fold (n_f, p)
    """
    found = [class_products(n, m, W, targets) for n, m, W in zip(counts, means, scatters, strict=True)]
    A = np.stack([f.total for f in found])
    A[:, np.arange(A.shape[1]), np.arange(A.shape[1])] += alpha
    forms = np.stack([mixing @ f.right.T for f in found])
    offset = np.stack([mixing @ f.mean + shift for f in found])
    parts = [np.asarray(part, dtype=np.float64) - f.centre for part, f in zip(rows, found, strict=True)]
    # With a penalty even a constant column has a variance, and a coefficient of 0.
    spread = np.sqrt(np.stack([f.spread**2 * n.sum() for f, n in zip(found, counts, strict=True)]) + alpha)
    return LinearScores(LinearFolds(A, parts, forms, offset, np.ones(len(A)), centred=False).in_own_units(spread))


class LinearScores(PivotScores):
    """Scores of linear models by pivots, O(n p) per step for all candidates and folds together.

    Examples
    --------
    >>> A, rows = np.eye(2)[None], [np.array([[1.0, 2.0]])]
    >>> scores = LinearScores(LinearFolds(A, rows, np.array([[[3.0, 4.0]]]), np.zeros((1, 1)), np.ones(1), centred=False))
    >>> [part[2].ravel().tolist() for part in scores.adding([np.array([0]), np.array([1])])]
    [[3.0, 8.0]]
    """

    def __init__(self, folds: LinearFolds) -> None:
        self.folds, self.n_folds = folds, len(folds.rows)
        self.two = folds.centred and folds.forms.shape[1] == 2
        super().__init__(folds.A, folds.rows, folds.forms)

    def _base(self) -> list[Floats]:
        own, found = np.asarray(self.columns, dtype=np.intp), []
        for f, rows in enumerate(self.rows):
            base = np.repeat(self.folds.offset[f][:, None], len(rows), axis=1)
            if len(own):
                a, b = self._mix(self.folds.scale[f] * self._leaving().forms[f], self.forms[f][:, own])
                base += a @ rows[:, own].T + b.sum(axis=1)[:, None]
            found.append(base)
        return found

    def _mix(self, a: Floats, forms: Floats) -> tuple[Floats, Floats]:
        """Return a = ν d⁻¹ forms and −½ (forms ∘ a), one line per score: two classes have the difference alone."""
        b = -0.5 * forms * a if self.folds.centred else np.zeros_like(a)
        return folded(a, b) if self.two else (a, b)

    def _singles(self, state: Entering | Leaving, d: Floats, places: Ints, numbers: Ints, sign: float) -> Iterator[Part]:
        """Yield base ± ν(q n/d − ½ n²/d) for single columns at some places of the state's arrays."""
        places, given = whole_or_few(d.shape[1], places, numbers)
        weights = reciprocal(d[:, places]) * (sign * self.folds.scale)[:, None]
        forms = state.forms[:, :, places]
        for f, rows in enumerate(state.rows):
            a, b = self._mix(forms[f] * weights[f], forms[f])
            q = rows[:, places]
            step = max(8, CHUNK // max(1, len(self.base[f]) * len(rows)))
            for begin in range(0, q.shape[1], step):
                own = slice(begin, begin + step)
                scores = a[:, None, own] * q[:, own]
                scores += b[:, None, own]
                scores += self.base[f][:, :, None]
                yield f, given[own], scores

    def _group(self, state: Entering | Leaving, block: Floats, places: Ints, number: int, sign: float) -> Iterator[Part]:
        """Yield base ± ν(q d⁻¹ n − ½ n' d⁻¹ n) for columns that move together."""
        forms = state.forms[:, :, places]
        A = np.linalg.solve(block, forms.transpose(0, 2, 1)).transpose(0, 2, 1)
        for f, rows in enumerate(state.rows):
            a, b = self._mix(sign * self.folds.scale[f] * A[f], forms[f])
            scores = self.base[f] + a @ rows[:, places].T + b.sum(axis=1)[:, None]
            yield f, np.array([number]), scores[:, :, None]

"""Held-out scores of linear models on sets of columns: forms x_S'A_SS⁻¹v_S, which one pivot carries to the next set.

Linear discriminants have A the scatter within classes and v the class means; least squares have A the total scatter plus the penalty and v
its product with the targets.

For other losses a score test ranks the columns before any is refitted: with slopes r_i = dℓ/dz and curvatures v_i = d²ℓ/dz² of the rows at
the fit, one more column j would gain about ½ g_j²/h_j with g_j = Σ_i w_i r_i x_ij and h_j = Σ_i w_i v_i x_ij² after a regression on the
columns of the set; a column of the set would be missed by about ½ θ_j² h_j. Scores of several classes add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Codes, Floats, Indices
from ...losses import Loss, SmoothLoss
from ..closed_form.discriminant import log_priors
from ..closed_form.least_squares import class_products
from ..closed_form.whitening import NULL_VARIANCE, total_spread
from ..scores import folded, folded_classes
from .pivots import Entering, Leaving, own_units, scaled_by, with_null_variance
from .scores import CHUNK, Part, PivotScores, SubsetScores, reciprocal, whole_or_few

SINGULAR = 1e-12
"""Least eigenvalue, as a share of the largest, of columns that do not determine each other."""


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

    def _singles(self, state: Entering | Leaving, d: Floats, places: Indices, numbers: Indices, sign: float) -> Iterator[Part]:
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

    def _group(self, state: Entering | Leaving, block: Floats, places: Indices, number: int, sign: float) -> Iterator[Part]:
        """Yield base ± ν(q d⁻¹ n − ½ n' d⁻¹ n) for columns that move together."""
        forms = state.forms[:, :, places]
        A = np.linalg.solve(block, forms.transpose(0, 2, 1)).transpose(0, 2, 1)
        for f, rows in enumerate(state.rows):
            a, b = self._mix(sign * self.folds.scale[f] * A[f], forms[f])
            scores = self.base[f] + a @ rows[:, places].T + b.sum(axis=1)[:, None]
            yield f, np.array([number]), scores[:, :, None]


def rowwise(loss: Loss, scores: Floats, codes: Codes) -> tuple[Floats, Floats]:
    """Return slopes and curvatures (n, R) of the loss of each score; curvature 1 where the loss has none."""
    if loss.is_multiclass and isinstance(loss, SmoothLoss):
        slope, curved = loss.slope(scores, codes), loss.curvature(scores, codes)
        return slope, np.einsum("ikk->ik", curved)
    own = [1] if scores.shape[1] == 1 else np.arange(scores.shape[1])
    signs = np.where(codes[:, None] == own, 1.0, -1.0)
    slope = np.stack([loss.slope(z, s) for z, s in zip(scores.T, signs.T, strict=True)], axis=1)
    if not isinstance(loss, SmoothLoss):
        return slope, np.ones_like(slope)
    return slope, np.stack([loss.curvature(z, s) for z, s in zip(scores.T, signs.T, strict=True)], axis=1)


def expected_gains(X: Floats, inside: list[int], slope: Floats, curvature: Floats, weight: Floats, penalty: float) -> Floats:
    """Return ½ Σ_r g_rj²/h_rj (p,) of every column, h after the columns inside and an intercept.

    Examples
    --------
    >>> X, slope = np.array([[1.0, 0.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]), np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> expected_gains(X, [], slope, np.ones((4, 1)), np.ones(4), 0.0).tolist()  # x0 follows the slope, x1 is the same for both
    [2.0, 0.0]
    """
    D = np.column_stack([X[:, inside], np.ones(len(X))])
    total = np.zeros(X.shape[1])
    for r, v in zip(slope.T, curvature.T, strict=True):
        g, wv = (weight * r) @ X, weight * v
        H = (D * wv[:, None]).T @ D
        H[np.arange(len(inside)), np.arange(len(inside))] += penalty
        C = (D * wv[:, None]).T @ X
        whole = np.einsum("ij,i,ij->j", X, wv, X)
        h = whole - np.einsum("qj,qj->j", C, _inverse(H) @ C) + penalty
        total += 0.5 * np.divide(g**2, h, out=np.zeros_like(g), where=h > 1e-10 * (whole + penalty))
    return total


def expected_losses(Z: Floats, coef: Floats, curvature: Floats, weight: Floats, penalty: float) -> Floats:
    """Return ½ Σ_r θ_rj²/(H_r⁻¹)_jj (s,) of every column of a set Z (n, s) with coefficients (R, s).

    Examples
    --------
    >>> Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> expected_losses(Z, np.array([[3.0, 1.0]]), np.ones((4, 1)), np.ones(4), 0.0)
    array([9., 1.])
    """
    D = np.column_stack([Z, np.ones(len(Z))])
    s = Z.shape[1]
    total = np.zeros(s)
    for theta, v in zip(coef, curvature.T, strict=True):
        H = (D * (weight * v)[:, None]).T @ D
        H[np.arange(s), np.arange(s)] += penalty
        own = np.diag(_inverse(H))[:s]
        total += 0.5 * np.divide(theta**2, own, out=np.zeros(s), where=own > 0)
    return total


def _inverse(H: Floats) -> Floats:
    """Return H⁺, what is rounding being told in units of each column: columns of 1e-6 beside others of 1e6 count as much as these."""
    diagonal = np.diag(H)
    units = np.sqrt(np.where(diagonal > 1e-280, diagonal, 1.0))
    return np.asarray(np.linalg.pinv(H / units / units[:, None], rcond=SINGULAR, hermitian=True) / units / units[:, None])

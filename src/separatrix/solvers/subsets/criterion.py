"""Likelihoods of Gaussian classes on sets of columns that can be compared: those of all columns, whichever are in the set.

The joint likelihood of x_S and the class cannot be compared between sets, because each has another x. So all columns stay in the model:
the columns of the set depend on the class, the others depend on the class only through those of the set. With T and W_k the total scatter
and those of the classes, minus twice the log-likelihood is then a constant plus

    own covariances      Σ_k n_k log det(W_k,SS/n_k) − n log det(T_SS/n)        (K − 1)(s + s(s + 1)/2) more parameters than without S
    shared covariance    n log det W_SS − n log det T_SS = n log Λ_S (Wilks)    (K − 1)s
    naive Bayes          Σ_j [Σ_k n_k log(w_kj/n_k) − n log(t_j/n)]             2(K − 1)s

and the constant is such that the set of all columns has the criterion of the model itself.

References
----------
Fujikoshi (1985), Selection of variables in discriminant analysis and canonical correlation analysis, Multivariate Analysis VI.
Murphy, Dean and Raftery (2010), Variable selection and updating in model-based discriminant analysis, Annals of Applied Statistics 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...array_types import Bools, Floats, Indices
from ..closed_form.whitening import total_spread
from .pivots import Entering, independent, own_units, scaled_by

LOG_2PI = float(np.log(2.0 * np.pi))


class DeterminantCriterion:
    """Minus twice a log-likelihood, Σ_b n_b log det A_b,SS plus a constant, of sets of columns.

    Parameters
    ----------
    A : (B, p, p)
    n : (B,)
    spread : (p,) total standard deviations
    constant : float
    parameters : callable
        Number of parameters of a set of s columns.
    total : float
        n of BIC.

    Examples
    --------
    >>> found = DeterminantCriterion(np.array([[[2.0]], [[4.0]]]), np.array([10.0, -10.0]), np.ones(1), 0.0, lambda s: 1 + s, 10.0)
    >>> round(found.deviance([0]), 4), found.parameters(1)
    (-6.9315, 2)
    """

    def __init__(self, A: Floats, n: Floats, spread: Floats, constant: float, parameters: Callable[[int], float], total: float) -> None:
        unit = own_units(A, np.repeat(spread[None], len(A), axis=0))
        self.A, self.n, self.log_unit = scaled_by(A, unit), n, np.log(np.where(unit > 0, unit, 1.0))
        self.constant, self.parameters, self.total = constant, parameters, total
        self.columns: list[int] | None = None
        self.state = self._state([])

    def _state(self, columns: Sequence[int]) -> Entering:
        if self.columns != list(columns):
            if self.columns is not None and list(columns[:-1]) == self.columns:
                self.state.pivot(columns[-1])
            else:
                none = np.empty((0, self.A.shape[1]))
                self.state = Entering(self.A, [none] * len(self.A), np.zeros((len(self.A), 0, self.A.shape[1])), columns)
            self.columns = list(columns)
        return self.state

    def deviance(self, columns: Sequence[int]) -> float:
        """Return −2 log L of a set."""
        own = np.asarray(columns, dtype=np.intp)
        logs = np.linalg.slogdet(self.A[:, own[:, None], own])[1] + 2.0 * self.log_unit[:, own].sum(axis=1)
        return self.constant + float(self.n @ logs)

    def dependent(self, columns: Sequence[int], groups: Sequence[Indices]) -> Bools:
        """Return, for each group, whether a column of it does not vary in a class or can be computed from the set."""
        return self._state(columns).dependent(groups)

    def adding(self, columns: Sequence[int], groups: Sequence[Indices]) -> Floats:
        """Return −2 log L of the set with each group more."""
        state, now = self._state(columns), self.deviance(columns)
        alone = np.array([group[0] for group in groups if len(group) == 1], dtype=np.intp)
        logs = np.log(np.where(state.residual > 0, state.residual, 1.0)) + 2.0 * self.log_unit
        single = dict(zip(alone.tolist(), (self.n @ logs[:, alone]).tolist(), strict=True))
        return np.array([now + (single[int(group[0])] if len(group) == 1 else self._more(state, group)) for group in groups])

    def _more(self, state: Entering, group: Indices) -> float:
        return float(self.n @ (np.linalg.slogdet(state.block(group))[1] + 2.0 * self.log_unit[:, group].sum(axis=1)))

    def dropping(self, columns: Sequence[int], groups: Sequence[Indices]) -> Floats:
        """Return −2 log L of the set with each group less."""
        own = list(columns)
        place = {column: i for i, column in enumerate(own)}
        index = np.asarray(own, dtype=np.intp)
        inverse, now = np.linalg.inv(self.A[:, index[:, None], index]), self.deviance(own)
        found = []
        for group in groups:
            inside = np.array([place[int(j)] for j in group])
            logs = np.linalg.slogdet(inverse[:, inside[:, None], inside])[1] - 2.0 * self.log_unit[:, group].sum(axis=1)
            found.append(now + float(self.n @ logs))
        return np.array(found)


def shared_covariance_criterion(counts: Floats, means: Floats, scatter: Floats, priors_given: bool) -> DeterminantCriterion:
    """Return the criterion of linear discriminants, from moments (K,), (K, p), (p, p) of all rows."""
    return _criterion(counts, means, scatter[None], np.array([counts.sum()]), priors_given, lambda s, K: (K - 1) * s)


def own_covariances_criterion(counts: Floats, means: Floats, scatter: Floats, priors_given: bool) -> DeterminantCriterion:
    """Return the criterion of quadratic discriminants, from moments (K,), (K, p), (K, p, p) of all rows."""
    return _criterion(counts, means, scatter, counts, priors_given, lambda s, K: (K - 1) * (s + s * (s + 1) / 2))


def own_variances_criterion(counts: Floats, means: Floats, scatter: Floats, priors_given: bool) -> DeterminantCriterion:
    """Return the criterion of Gaussian naive Bayes, from moments (K,), (K, p), (K, p) of all rows."""
    K, p = means.shape
    full = np.zeros((K, p, p))
    full[:, np.arange(p), np.arange(p)] = scatter
    return _criterion(counts, means, full, counts, priors_given, lambda s, K: 2 * (K - 1) * s, diagonal=True)


def _criterion(
    counts: Floats,
    means: Floats,
    scatter: Floats,
    n: Floats,
    priors_given: bool,
    more: Callable[[int, int], float],
    diagonal: bool = False,
) -> DeterminantCriterion:
    total, K = float(counts.sum()), len(counts)
    centre, spread = total_spread(counts, means, np.einsum("kjj->j", scatter))
    V = means - centre
    T = (scatter.sum(axis=0) + (V.T * counts) @ V) / total
    T = np.diag(np.diag(T)) if diagonal else T
    A = np.concatenate([scatter / n[:, None, None], T[None]])
    varying = _independent(T, spread)
    q = len(varying)
    shares = counts[counts > 0]
    constant = total * (q * LOG_2PI + float(np.linalg.slogdet(T[np.ix_(varying, varying)])[1]) + q)
    constant -= 2.0 * float(shares @ np.log(shares / total))
    first = (2 * q if diagonal else q + q * (q + 1) / 2) + (0 if priors_given else K - 1)
    return DeterminantCriterion(A, np.append(n, -total), spread, constant, lambda s: first + more(s, K), total)


def _independent(T: Floats, spread: Floats) -> list[int]:
    """Return the columns, in their order, that those before do not determine."""
    A = scaled_by(T[None], own_units(T[None], spread[None]))
    return np.flatnonzero(independent(A, [np.array([j]) for j in range(len(T))])).tolist()

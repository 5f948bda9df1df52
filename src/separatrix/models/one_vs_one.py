"""One machine per pair of classes: duels, votes, and the rows that nobody wins."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Floats, Indices
from ..data import Source
from ..errors import one_of
from ..solvers.scores import largest
from .binary_machines import BinaryMachines, Task, fit_from_moments, fit_machines


class OneVsOne(BinaryMachines):
    """K(K − 1)/2 two-class machines g_ij, positive where class i beats class j.

    Rules for a clear winner, which differ from K = 5 on: "all_duels", the class with g_ij(x) > 0 for all j; "vote", the only class
    with the most duels won. Rows without one are *ambiguous*; the regions of "all_duels" are convex.

    Parameters
    ----------
    estimator : classifier, optional
        A two-class machine, of this package or of scikit-learn; default LogisticRegression().
    rule : "vote" or "all_duels"
    n_jobs : int, optional
        Machines fitted at a time; default: all CPUs.

    Attributes
    ----------
    classes_ : labels
    estimators_ : machines of the pairs (0, 1), (0, 2), …, (1, 2), …; each positive for the second class of its pair

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, OneVsOne
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOne(LinearDiscriminantAnalysis()).fit(X, y)
    >>> len(model.estimators_), int(model.ambiguous(X).sum()), int((model.predict(X) != y).sum())
    (3, 0, 3)

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2.
    """

    def __init__(self, estimator: Any = None, *, rule: Literal["vote", "all_duels"] = "vote", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.rule = rule
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.rule not in ("vote", "all_duels"):
            raise one_of("rule", self.rule, ["vote", "all_duels"])

    def _fit_all(self, source: Source, K: int) -> list[Any]:
        pairs = list(combinations(range(K), 2))
        moments = self._moments(source, K)
        if moments is not None:
            return fit_from_moments(self._machine, [moments.only(pair) for pair in pairs])
        each = np.arange(K)
        tasks = [Task(np.where(each == i, 0, np.where(each == j, 1, -1)), (i, j)) for i, j in pairs]
        return fit_machines(self._machine, source, tasks, self.n_jobs)

    def duels(self, X: Any) -> Floats:
        """Return g_ij(x) of all ordered pairs (n, K, K): positive where i beats j, antisymmetric, 0 on the diagonal.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        scores = self._machine_scores(X)
        K = len(self.classes_)
        table = np.zeros((len(scores), K, K))
        for t, (i, j) in enumerate(combinations(range(K), 2)):
            table[:, i, j], table[:, j, i] = -scores[:, t], scores[:, t]
        return table

    def _votes(self, X: Any) -> tuple[Indices, Floats]:
        """Return duels won (n, K), a tie going to the first class of the pair as in every machine, and scores that order equals."""
        table = self.duels(X)
        K = len(self.classes_)
        first = np.triu(np.ones((K, K), dtype=bool), 1)
        won = ((table > 0) | ((table == 0) & first)).sum(axis=2)
        total = np.clip(table, -1e300, 1e300).sum(axis=2)  # scores of 1e308 add up to infinity
        # Squeezed below one half, the sums break ties between equal votes and never overrule a vote.
        return won, won + total / 3.0 / (np.abs(total) + 1.0)

    def decision_function(self, X: Any) -> Floats:
        """Return votes, with ties ordered by the sums of the scores (n, K); two classes: the score of the one machine (n,).

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        scores = self._machine_scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else self._votes(X)[1]

    def _winners(self, X: Any) -> tuple[NDArray[np.integer], Bools]:
        won, scores = self._votes(X)
        most = won.max(axis=1)
        unclear = most < len(self.classes_) - 1 if self.rule == "all_duels" else (won == most[:, None]).sum(axis=1) > 1
        return largest(scores), unclear

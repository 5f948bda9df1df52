"""One machine per class against all others, with the regions where the machines disagree made explicit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..abilities import Abilities, abilities_of
from ..abilities.additive_scores import LinearScores
from ..abilities.parts import Reading
from ..array_types import Bools, Floats
from ..data import Source
from ..errors import InputTypeError, one_of
from ..solvers.scores import largest, unfolded
from .binary_machines import BinaryMachines, Task, fit_from_moments, fit_machines, lengths, linear_parts
from .state import State


class OneVsRest(BinaryMachines):
    """Two-class machines g_k, each of class k against the rest.

    A row is *ambiguous* unless exactly one g_k(x) > 0. With `machines="all_but_last"` there are K − 1 machines: a row that none
    claims belongs to the last class, and one that several claim is ambiguous.

    Parameters
    ----------
    estimator : classifier, optional
        A two-class machine, of this package or of scikit-learn; default LogisticRegression().
    machines : "all" or "all_but_last"
    scores : "raw" or "distance"
        Compare g_k, or the signed distances g_k/‖w_k‖, which do not depend on the scale of separately trained machines.
    n_jobs : int, optional
        Machines fitted at a time; default: all CPUs.

    Attributes
    ----------
    classes_, estimators_ : labels, and the machines in their order

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, OneVsRest
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsRest(LinearDiscriminantAnalysis()).fit(X, y)
    >>> int(model.ambiguous(X).sum()), model.predict(X[:1], ambiguous="reject").tolist()
    (29, [0])

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.2.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        machines: Literal["all", "all_but_last"] = "all",
        scores: Literal["raw", "distance"] = "raw",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.machines = machines
        self.scores = scores
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.machines not in ("all", "all_but_last"):
            raise one_of("machines", self.machines, ["all", "all_but_last"])
        if self.scores not in ("raw", "distance"):
            raise one_of("scores", self.scores, ["raw", "distance"])

    def _fit_all(self, source: Source, K: int) -> list[Any]:
        # Two classes need one machine: the other would be its mirror image.
        targets = [1] if K == 2 else list(range(K if self.machines == "all" else K - 1))
        moments = self._moments(source, K)
        if moments is not None:
            return fit_from_moments(self._machine, [moments.against(k) for k in targets])
        together = abilities_of(self._machine).against_rest
        machines = together.against_rest(source, targets) if together and K > 2 else None
        if machines is not None:
            return machines
        tasks = [Task((np.arange(K) == k).astype(np.intp), (0, 1)) for k in targets]
        return fit_machines(self._machine, source, tasks, self.n_jobs)

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict, as a table to print and parts to ask."""
        return replace(
            super().abilities(), reading=Reading("linear machines: the largest claim decides", lambda: LinearScores(*self._per_class()))
        )

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the fitted model that a state describes."""
        model = super().restore(state)
        if model.scores == "distance":
            lengths(model.estimators_)  # refuses machines without weights
        return model

    def _claims(self, X: Any) -> Floats:
        """Return g_k(x) (n, machines), divided by ‖w_k‖ if asked for."""
        scores = self._machine_scores(X)
        return scores / lengths(self.estimators_) if self.scores == "distance" else scores

    def _per_class(self) -> tuple[Floats, Floats]:
        """Return weights (K, p) and offsets (K,) of the scores, of which the largest decides."""
        parts = linear_parts(self.estimators_)
        if parts is None:
            raise InputTypeError(f"The machines of type {type(self.estimators_[0]).__name__} have no weights (coef_); use linear machines.")
        size = lengths(self.estimators_) if self.scores == "distance" else np.ones(len(parts[1]))
        coef, intercept = parts[0] / size[:, None], parts[1] / size
        if len(coef) == 1:
            return unfolded(coef, intercept)
        if len(coef) == len(self.classes_):
            return coef, intercept
        return np.vstack([coef, np.zeros_like(coef[:1])]), np.append(intercept, 0.0)  # the class without a machine scores 0

    def decision_function(self, X: Any) -> Floats:
        """Return g_k(x) of each class (n, K); two classes: (n,). The last class of K − 1 machines has score 0, the level of a claim.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        claims = self._claims(X)
        if len(self.classes_) == 2:
            return claims[:, 0]
        return np.column_stack([claims, np.zeros(len(claims))]) if claims.shape[1] < len(self.classes_) else claims

    def _winners(self, X: Any) -> tuple[NDArray[np.integer], Bools]:
        """Return the class of the largest claim, and whether the claims leave the row ambiguous."""
        claims, K = self._claims(X), len(self.classes_)
        if K == 2:
            return largest(claims), np.zeros(len(claims), dtype=bool)
        claimed = (claims > 0).sum(axis=1)
        if claims.shape[1] < K:
            return np.where(claimed == 0, K - 1, largest(claims)), claimed > 1
        return largest(claims), claimed != 1

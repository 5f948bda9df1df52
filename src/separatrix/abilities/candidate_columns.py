"""Penalised losses on sets of columns: which columns are worth a refit, and many fits side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..data import as_source
from ..decisions.class_weights import class_factors
from ..losses import Loss
from .page import Refused
from .protocols import Codes, Floats, Ints

if TYPE_CHECKING:
    from ..solvers.subsets.subset_logistic import LogisticScores


class LossModel(Protocol):
    """What is read of a model that minimises a penalised loss."""

    C: float
    class_weight: Any


@dataclass(frozen=True, slots=True)
class ColumnsRanked:
    """Columns ranked by a quadratic model of the loss at the fit of the current set."""

    model: LossModel
    loss: Any
    """From the number of classes to the loss."""
    how: ClassVar[str] = "a score test ranks the candidates, the first few are refitted"

    def ranks(self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], columns: list[int], adding: bool) -> Floats:
        """Return what each column (p,) is expected to gain if taken in, or minus what it is expected to be missed by."""
        from ..solvers.subsets.subset_ranking import expected_gains, expected_losses, rowwise

        model, w = self.model, np.ones(len(X)) if weight is None else weight
        K, inside = len(classes), sorted(columns)
        factors = class_factors(model.class_weight, classes, np.bincount(codes, w, minlength=K).astype(np.float64))
        w = w if factors is None else w * factors[codes]
        R = 1 if K == 2 else K
        scores, coef = np.zeros((len(X), R)), np.zeros((R, len(inside)))
        if inside:
            fitted = clone(model).fit(X[:, inside], classes[codes], sample_weight=weight)
            coef = fitted.coef_
            scores = X[:, inside] @ coef.T + fitted.intercept_
        slope, curvature = rowwise(self._loss(K), scores, codes)
        penalty = 0.0 if np.isinf(model.C) else 1.0 / float(model.C)
        if adding:
            return expected_gains(X, inside, slope, curvature, w, penalty)
        found = np.zeros(X.shape[1])
        found[inside] = -expected_losses(X[:, inside], coef, curvature, w, penalty)
        return found

    def _loss(self, K: int) -> Loss:
        found: Loss = self.loss(K)
        return found


class Logistic(LossModel, Protocol):
    """What is read of a logistic regression."""

    l1_ratio: float
    firth: bool
    fit_intercept: bool


@dataclass(frozen=True, slots=True)
class LogisticFits:
    """Logistic regressions for two classes with an L2 penalty on sets of columns, many at once."""

    model: Logistic
    how: ClassVar[str] = "two classes: many fits advance together"

    def fits(
        self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], splits: list[tuple[Ints, Ints]]
    ) -> LogisticScores | None:
        """Return held-out scores of sets of columns; None with more than two classes, or with weights that only the model itself judges."""
        from ..solvers.subsets.subset_logistic import LogisticFold, LogisticScores

        if len(classes) != 2 or (weight is not None and not _ordinary(weight)):
            return None
        if not np.isfinite(X).all():
            as_source(X, codes).refuse_nonfinite()
        folds = []
        for train, test in splits:
            own = codes[train]
            w = np.ones(len(train)) if weight is None else weight[train]
            factors = class_factors(self.model.class_weight, classes, np.bincount(own, w, minlength=2).astype(np.float64))
            folds.append(LogisticFold(train, (own == 1).astype(np.float64), w if factors is None else w * factors[own], test))
        return LogisticScores(X, folds, 1.0 / float(self.model.C), bool(self.model.fit_intercept))


def _ordinary(weight: Floats) -> bool:
    """Whether weights leave Hessians that can be inverted without a second look."""
    counted = weight[weight > 0]
    return bool(counted.min(initial=1.0) > 1e-12 and counted.max(initial=1.0) < 1e12)


def logistic_fits(model: Logistic) -> LogisticFits | Refused:
    """Return fits side by side, or why they run one by one."""
    if model.l1_ratio > 0 or model.firth or np.isinf(model.C):
        return Refused("an L2 penalty alone keeps every candidate's Hessian invertible")
    return LogisticFits(model)

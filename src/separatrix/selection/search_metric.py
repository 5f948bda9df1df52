"""Scores of candidates: many columns of held-out scores at once where the metric allows it, else one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.metrics import get_scorer, get_scorer_names

from ..errors import InputError
from ..evaluation.chosen_metrics import one_metric
from ..evaluation.metrics import METRICS, NEED_POSTERIORS, Answers, Judged, takes_weights, undefined_once

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

LOWER_IS_BETTER = ("error", "log_loss", "brier", "aic", "bic")
MOST_LOSS = float(-np.log(np.finfo(np.float64).eps))
"""Log-loss of a probability of 0: scikit-learn takes the smallest ε for it."""


class Decided(Answers):
    """Predictions already made, with decision values."""

    def __init__(self, labels: Any = None, posteriors: Any = None, classes: Any = None, scores: Any = None) -> None:
        super().__init__(labels, posteriors, classes)
        self.scores = scores

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of rows X."""
        return self.scores[np.ravel(X)]


class Metric:
    """A score of held-out rows.

    Parameters
    ----------
    metric : "error", "log_loss", "brier", "auc", "balanced_accuracy", any scikit-learn scorer or its name
    model : classifier

    Attributes
    ----------
    name : str
    sign : +1 where larger is better, else −1
    """

    def __init__(self, metric: Any, model: Any) -> None:
        self.has_posteriors = hasattr(model, "predict_proba")
        if not (isinstance(metric, str) or callable(metric)):
            raise InputError(f"metric={metric!r} must be the name of one metric, such as 'error' or 'log_loss', or a scikit-learn scorer.")
        if metric == "auc" and not self.has_posteriors:
            metric = "roc_auc"  # which takes decision values
        self.own: Any = None
        self.scorer: Any = None
        self.name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
        foreign = callable(metric) or (metric not in METRICS and metric in get_scorer_names())
        if foreign and (self.has_posteriors or callable(metric) or not asks_posteriors_alone(metric)):
            self.scorer = get_scorer(metric)
            self.weighs = takes_weights(self.scorer)
        else:
            self.own = one_metric(metric, self.has_posteriors, type(model).__name__).metric
        self.sign = -1.0 if self.name in LOWER_IS_BETTER else 1.0

    @property
    def by_row(self) -> bool:
        """Whether the score of many rows is the mean of the scores of the rows."""
        return self.name in ("error", "log_loss", "brier", "accuracy", "neg_log_loss")

    def of_scores(self, scores: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any]) -> Floats:
        """Return the metric (c,) of held-out scores (R, n, c): log-posteriors up to a shared term, or decision values."""
        if self.name == "error":
            return error_of(scores, codes, weight)
        if self.name == "log_loss":
            return log_loss_of(scores, codes, weight)
        found = [self._of_one(scores[:, :, j], codes, weight, classes) for j in range(scores.shape[2])]
        return np.array(found)

    def _of_one(self, scores: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any]) -> float:
        full = np.stack([np.zeros_like(scores[0]), scores[0]], axis=1) if len(scores) == 1 else scores.T
        said = predicted(scores[:, :, None])[:, 0]
        posteriors = softmax(full, axis=1) if self.has_posteriors else None
        if self.own is not None:
            return float(self.own(Judged(codes, said, posteriors, weight, None, classes)).value)
        answers = Decided(classes[said], posteriors, classes, scores[0] if len(scores) == 1 else full)
        with undefined_once(self.name):
            return float(self.scorer(answers, np.arange(len(codes))[:, None], classes[codes], **self._more(weight)))

    def of_model(self, fitted: Any, X: Any, codes: Codes, weight: Floats | None, classes: NDArray[Any]) -> float:
        """Return the metric of a fitted model on held-out rows."""
        if self.own is None:
            with undefined_once(self.name):
                return float(self.scorer(fitted, X, classes[codes], **self._more(weight)))
        posteriors = class_posteriors(fitted, X, classes) if self.name in NEED_POSTERIORS else None
        said = codes if posteriors is not None else np.searchsorted(classes, np.asarray(fitted.predict(X))).astype(np.int32)
        return float(self.own(Judged(codes, said, posteriors, weight, None, classes)).value)

    def _more(self, weight: Floats | None) -> dict[str, Floats]:
        return {} if weight is None or not self.weighs else {"sample_weight": weight}


def asks_posteriors_alone(scorer: str) -> bool:
    """Return whether a scorer of scikit-learn takes posteriors and no decision values.

    Examples
    --------
    >>> asks_posteriors_alone("neg_log_loss"), asks_posteriors_alone("roc_auc")
    (True, False)
    """
    asked = getattr(get_scorer(scorer), "_response_method", "predict")  # names: scikit-learn's scorers keep it there
    return asked in ("predict_proba", ("predict_proba",))


def class_posteriors(fitted: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Return the posteriors (n, K) of rows in the order of all classes, 0 for those the fit has not seen."""
    posteriors = np.zeros((X.shape[0], len(classes)))
    posteriors[:, np.searchsorted(classes, fitted.classes_)] = fitted.predict_proba(X)
    return posteriors


def predicted(scores: Floats) -> Codes:
    """Return the class codes (n, c) of scores (R, n, c)."""
    return (scores[0] > 0).astype(np.int32) if len(scores) == 1 else scores.argmax(axis=0).astype(np.int32)


def error_of(scores: Floats, codes: Codes, weight: Floats | None) -> Floats:
    """Return the share of wrong labels (c,) of scores (R, n, c).

    Examples
    --------
    >>> error_of(np.array([[[1.0, -1.0], [2.0, 3.0]]]), np.array([1, 1]), None).tolist()
    [0.0, 0.5]
    """
    if len(scores) == 1:
        wrong = (scores[0] > 0) != (codes == 1)[:, None]
    else:
        wrong = scores.argmax(axis=0) != codes[:, None]
    return wrong.mean(axis=0) if weight is None else weight @ wrong / weight.sum()


def log_loss_of(scores: Floats, codes: Codes, weight: Floats | None) -> Floats:
    """Return −mean log p(own class) (c,) of scores (R, n, c).

    Examples
    --------
    >>> log_loss_of(np.zeros((1, 2, 1)), np.array([0, 1]), None).round(4).tolist()
    [0.6931]
    """
    if len(scores) == 1:
        loss = np.logaddexp(0.0, np.where(codes == 1, -1.0, 1.0)[:, None] * scores[0])
    else:
        top = scores.max(axis=0)
        own = np.take_along_axis(scores, codes[None, :, None].astype(np.intp), axis=0)[0]
        loss = np.log(np.exp(scores - top).sum(axis=0)) + top - own
    loss = np.minimum(loss, MOST_LOSS)
    return loss.mean(axis=0) if weight is None else weight @ loss / weight.sum()

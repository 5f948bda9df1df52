"""What a search is judged on: rows cut into training and held-out rows, and the metric of a candidate's held-out scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.metrics import get_scorer, get_scorer_names

from ..argument_types import refused_as
from ..array_types import Codes, Floats, Indices
from ..data import Source, as_source
from ..data.source import ChunkedSource
from ..errors import CapacityError, InputError
from ..evaluation.metrics import METRICS, NEED_POSTERIORS, ScoredRows
from ..evaluation.plans import Plan
from ..evaluation.predictions import class_posteriors
from ..evaluation.row_groups import as_groups
from ..evaluation.scorers import StoredPredictions, one_metric, takes_weights, undefined_once
from ..evaluation.splits import pairs_of
from ..summaries import ClassMoments, FoldMoments, all_but_one
from ..summaries.class_moments import Kind, require_memory
from ..thresholds import KEPT

LOWER_IS_BETTER = ("error", "log_loss", "brier", "aic", "bic")
ROOM = 2.0
"""Rows of a table that are searched, as a share of those that may stay in memory for a fit: scores of all neighbours stand beside them."""
MOST_LOSS = float(-np.log(np.finfo(np.float64).eps))
"""Log-loss of a probability of 0: scikit-learn takes the smallest ε for it."""


@dataclass(frozen=True, slots=True)
class Split:
    """Numbers of the rows trained on and of those held out."""

    train: Indices
    test: Indices


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Labelled rows and how they are split.

    Attributes
    ----------
    source : Source
    X : rows as given, for refits
    codes, weight, classes : of all rows
    splits : tuple of Split
    """

    source: Source
    X: Any
    codes: Codes
    weight: Floats | None
    classes: NDArray[Any]
    splits: tuple[Split, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def y(self) -> NDArray[Any]:
        """Labels."""
        return self.classes[self.codes]

    @cached_property
    def dense(self) -> Floats:
        """All rows in one array of float64."""
        if self.source.origin is not None and KEPT.reached(ROOM * 8.0 * self.n * self.source.n_features):
            size = f"{self.n:,} × {self.source.n_features:,}"
            raise CapacityError(
                f"A search judges every set of columns on rows in memory, and {size} numbers with the room to work on them are too many. "
                "StepwiseDiscriminant and the filters read a table block by block; or search on fewer rows: open_table(…, where=[…])."
            )
        require_memory((self.n, self.source.n_features))
        parts = [np.asarray(block.dense(), dtype=np.float64) for block in self.source.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @cached_property
    def held_out(self) -> list[tuple[Codes, Floats | None]]:
        """Class codes and weights of the held-out rows of each split."""
        return [(self.codes[s.test], None if self.weight is None else self.weight[s.test]) for s in self.splits]

    def moments(self, kind: Kind) -> ClassMoments:
        """Return the moments of all rows."""
        found = self.source.reduce(ClassMoments.summarise(self.classes, kind))
        if not found.is_finite:
            self.source.refuse_nonfinite()
        return found

    def training(self, kind: Kind) -> list[ClassMoments]:
        """Return the moments of the training rows of each split, from one pass where each split trains on all rows it does not hold out."""
        if not all(len(s.train) + len(s.test) == self.n and len(np.intersect1d(s.train, s.test)) == 0 for s in self.splits):
            return [self._trained_on(split, kind) for split in self.splits]
        found: list[ClassMoments] = []
        for repeat in _repeats(self.splits):
            found += self._all_but_one(repeat, kind)
        return found

    def _trained_on(self, split: Split, kind: Kind) -> ClassMoments:
        weight = None if self.weight is None else self.weight[split.train]
        source = as_source(self.dense[split.train], self.codes[split.train], weight, classes=np.arange(len(self.classes)))
        found = source.reduce(ClassMoments.summarise(self.classes, kind))
        if not found.is_finite:
            self.source.refuse_nonfinite()
        return found

    def _all_but_one(self, splits: Sequence[Split], kind: Kind) -> list[ClassMoments]:
        F = len(splits)
        folds = np.full(self.n, F)
        for f, split in enumerate(splits):
            folds[split.test] = f
        count = F + int((folds == F).any())
        require_memory((count, self.source.n_features if kind != "diagonal" else 1, self.source.n_features))
        moments = self.source.reduce(FoldMoments.summarise(self.classes, kind, count, lambda a, b: folds[a:b]))
        if not all(part.is_finite for part in moments.parts):
            self.source.refuse_nonfinite()
        return all_but_one(moments.parts)[:F]


def search_rows(source: Source, X: Any, plan: Any, groups: Any = None) -> SearchRows:
    """Return the rows of a source with the splits of a plan: one of this package, a scikit-learn splitter or an int; None: no splits."""
    blocks = list(source.told(lambda block: (block.codes, block.weight)))
    codes = np.concatenate([codes for codes, _ in blocks])
    weight = None if blocks[0][1] is None else np.concatenate([w for _, w in blocks])
    assert source.classes is not None
    y, none = source.classes[codes], np.zeros((len(codes), 1))
    splits: tuple[Split, ...] = ()
    groups = as_groups(groups, len(codes))
    if plan is not None:
        if isinstance(plan, Plan):
            with refused_as("plan", "give another one, such as KFold(5)."):
                splits = tuple(Split(train, test) for train, test in plan.split(none, y, groups))
        else:
            splits = tuple(Split(pair.train, pair.held) for pair in pairs_of(plan, len(codes), y, groups))
        splits = tuple(split for split in splits if len(split.test))
        if not splits:
            raise InputError(f"plan={plan!r:.60} holds no row out; give another one, such as KFold(5).")
    rows = SearchRows(source, X if isinstance(source, ChunkedSource) else None, codes, weight, source.classes, splits)
    _require_training_classes(rows)
    return rows


def _repeats(splits: Sequence[Split]) -> list[list[Split]]:
    """Return the splits in lists in which no row is held out twice."""
    found: list[list[Split]] = []
    seen: set[int] = set()
    for split in splits:
        if not found or not seen.isdisjoint(split.test.tolist()):
            found.append([])
            seen = set()
        found[-1].append(split)
        seen.update(split.test.tolist())
    return found


def _require_training_classes(rows: SearchRows) -> None:
    for number, split in enumerate(rows.splits):
        there = np.bincount(rows.codes[split.train], minlength=len(rows.classes))
        if (there == 0).any():
            label = rows.classes.tolist()[int(there.argmin())]
            raise InputError(
                f"Split {number} trains on no row of class {label!r}. Use fewer folds, a stratified plan, or more rows of that class."
            )


class StoredDecisions(StoredPredictions):
    """Predictions already made, with decision values."""

    def __init__(self, labels: Any = None, posteriors: Any = None, classes: Any = None, scores: Any = None) -> None:
        super().__init__(labels, posteriors, classes)
        self.scores = scores

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of rows X."""
        return self.scores[np.ravel(X)]


class SearchMetric:
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
        chosen = predicted(scores[:, :, None])[:, 0]
        posteriors = softmax(full, axis=1) if self.has_posteriors else None
        if self.own is not None:
            return float(self.own(ScoredRows(codes, chosen, posteriors, weight, None, classes)).value)
        answers = StoredDecisions(classes[chosen], posteriors, classes, scores[0] if len(scores) == 1 else full)
        with undefined_once(self.name):
            return float(self.scorer(answers, np.arange(len(codes))[:, None], classes[codes], **self._more(weight)))

    def of_model(self, fitted: Any, X: Any, codes: Codes, weight: Floats | None, classes: NDArray[Any]) -> float:
        """Return the metric of a fitted model on held-out rows."""
        if self.own is None:
            with undefined_once(self.name):
                return float(self.scorer(fitted, X, classes[codes], **self._more(weight)))
        posteriors = class_posteriors(fitted, X, len(codes), classes) if self.name in NEED_POSTERIORS else None
        chosen = codes if posteriors is not None else np.searchsorted(classes, np.asarray(fitted.predict(X))).astype(np.int32)
        return float(self.own(ScoredRows(codes, chosen, posteriors, weight, None, classes)).value)

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


def predicted(scores: Floats) -> Codes:
    """Return the class codes (n, c) of scores (R, n, c)."""
    codes: Codes = (scores[0] > 0).astype(np.int32) if len(scores) == 1 else scores.argmax(axis=0).astype(np.int32)
    return codes


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
    errors: Floats = wrong.mean(axis=0) if weight is None else weight @ wrong / weight.sum()
    return errors


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
    losses: Floats = loss.mean(axis=0) if weight is None else weight @ loss / weight.sum()
    return losses

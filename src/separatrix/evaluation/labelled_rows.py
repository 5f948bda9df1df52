"""Labelled rows to evaluate on, and what was said about those held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..abilities import abilities_of
from ..data import Source, as_source
from ..errors import InputError
from .plans import NEVER, Folds

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Labelled rows to evaluate on: X as given, class codes, weights or None, and the classes."""

    X: Any
    codes: Codes
    weight: Floats | None
    classes: NDArray[Any]

    def __repr__(self) -> str:
        return f"LabelledRows({self.n} rows, {len(self.classes)} classes)"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def labels(self) -> NDArray[Any]:
        """Label of each row."""
        return self.classes[self.codes]

    @property
    def counts(self) -> Floats:
        """Summed weights of the classes (K,)."""
        return np.bincount(self.codes, self.weight, minlength=len(self.classes)).astype(np.float64)

    def source(self, n_jobs: int | None = None) -> Source:
        """Return the rows as a source whose labels are the codes."""
        return as_source(self.X, self.codes, self.weight, classes=np.arange(len(self.classes)), n_jobs=n_jobs)

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Which rows count: those of weight 0 do not."""
        return np.ones(self.n, dtype=bool) if self.weight is None else self.weight > 0

    def take(self, rows: NDArray[np.intp]) -> LabelledRows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return LabelledRows(_safe_indexing(self.X, rows), self.codes[rows], weight, self.classes)

    def but(self, row: int) -> LabelledRows:
        """Return all rows but one."""
        return self.take(np.delete(np.arange(self.n), row))

    def fit(self, model: Any, start: Any = None) -> Any:
        """Return a fitted clone of a model, begun at another fit where it can.

        Where one class is left, the model that always says it. LabelledRows of weight 0 are no rows.
        """
        if self.weight is not None and not self.weight.all():
            return self.take(np.flatnonzero(self.weight)).fit(model, start)
        if (self.codes == self.codes[0]).all():
            return DummyClassifier(strategy="most_frequent").fit(np.zeros((self.n, 1)), self.labels)
        fresh = clone(model)
        warm = abilities_of(fresh).warm_start if start is not None else None
        if warm:
            warm.begin_at(start)
        return fresh.fit(self.X, self.labels, **self._weights(model))

    def _weights(self, model: Any) -> dict[str, Any]:
        """Return the weights under the name by which the model's `fit` takes them."""
        if self.weight is None or isinstance(model, FrozenEstimator):  # which is fitted already, whatever the weights
            return {}
        if has_fit_parameter(model, "sample_weight") or get_config()["enable_metadata_routing"]:
            return {"sample_weight": self.weight}
        if hasattr(model, "steps") and has_fit_parameter(model.steps[-1][1], "sample_weight"):
            return {f"{model.steps[-1][0]}__sample_weight": self.weight}
        raise InputError(
            f"sample_weight was given, but {type(model).__name__}.fit takes none. Leave it out, or use a model that takes weights; for "
            "nested estimators, route it with sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight=True)."
        )

    def error_of(self, fitted: Any) -> float:
        """Return the share of the rows that a fitted model gets wrong."""
        return float(np.average(predicted_codes(fitted, self) != self.codes, weights=self.weight))

    def drawn(self, times: NDArray[np.int64], by_weight: bool) -> LabelledRows:
        """Return a resample: the same rows with other weights, or the rows repeated where a model takes no weights."""
        if not by_weight:
            return self.take(np.repeat(np.arange(self.n), times))
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        return LabelledRows(self.X, self.codes, weight, self.classes)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What was predicted for the rows held out in one repeat.

    Attributes
    ----------
    folds : (n,) fold in which each row was held out, −1 for never
    codes : (n,) predicted class, −1 where never held out
    posteriors : (n, K), NaN where never held out; None if the model has none
    method : the road taken
    fitted : the model fitted on all rows, where the road had need of it
    refitted : how many of the rows the road could not serve, so that they were refitted
    """

    folds: Folds = field(repr=False)
    codes: Codes = field(repr=False)
    posteriors: Floats | None = field(repr=False)
    method: str
    fitted: Any = None
    refitted: int = 0


def method_of(repeats: Sequence[HeldOut]) -> str:
    """Return how the rows of all repeats were held out: the road, and how many of them were refitted after all.

    Examples
    --------
    >>> folds = np.arange(4)
    >>> [method_of([HeldOut(folds, folds, None, "exact algebra", refitted=some)]) for some in (0, 1, 4)]
    ['exact algebra', 'exact algebra, 1 of 4 rows refitted', 'refits']
    """
    held, refitted = sum(int((repeat.folds != NEVER).sum()) for repeat in repeats), sum(repeat.refitted for repeat in repeats)
    return method_text(repeats[0].method, refitted, held, "rows")


def method_text(road: str, refitted: int, total: int, unit: str) -> str:
    """Return a road with how much of the work was done by refits in its place."""
    if not refitted:
        return road
    return "refits" if refitted == total else f"{road}, {refitted} of {total} {unit} refitted"


def predicted_codes(fitted: Any, rows: LabelledRows) -> Codes:
    """Return the codes of the labels that a fitted model gives some rows."""
    labels = np.asarray(fitted.predict(rows.X))
    try:
        codes = np.minimum(np.searchsorted(rows.classes, labels), len(rows.classes) - 1)
        wrong = rows.classes[codes] != labels
    except TypeError:  # None for rejected rows cannot be compared with a label
        wrong = np.array([label not in rows.classes.tolist() for label in labels.tolist()])
    if np.any(wrong):
        first = labels.tolist()[int(np.argmax(wrong))]
        raise InputError(
            f"{type(fitted).__name__} answers {first!r}, which is no class, so it has no error rate. Evaluate the model without its "
            "decision, then count costs: separatrix.decisions.saving(decision, estimate, y)."
        )
    return codes.astype(np.int32)


def answers(fitted: Any, rows: LabelledRows) -> tuple[Codes, Floats | None]:
    """Return codes and posteriors (in the order of all classes, 0 for those a fit has not seen) of some rows."""
    codes = predicted_codes(fitted, rows)
    if not hasattr(fitted, "predict_proba"):
        return codes, None
    full = np.zeros((rows.n, len(rows.classes)))
    full[:, np.searchsorted(rows.classes, fitted.classes_)] = fitted.predict_proba(rows.X)
    return codes, full


def gather(
    rows: LabelledRows, folds: Folds, found: list[tuple[Codes, Floats | None]], method: str, fitted: Any = None, refitted: int = 0
) -> HeldOut:
    """Put the answers of the folds in the order of the rows."""
    codes = np.full(rows.n, -1, dtype=np.int32)
    posteriors = None if any(own is None for _, own in found) else np.full((rows.n, len(rows.classes)), np.nan)
    for fold, (own, probability) in enumerate(found):
        codes[folds == fold] = own
        if posteriors is not None:
            posteriors[folds == fold] = probability
    return HeldOut(folds, codes, posteriors, method, fitted, refitted)

"""What models predict for held-out rows, as codes and posteriors in the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ..array_types import Codes, Floats, Folds
from ..data.namespaces import in_numpy
from ..errors import InputError
from ..models import TableClassifier
from ..prepare import TablePrep
from .evaluation_rows import EvaluationRows


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


def predicted_codes(fitted: Any, rows: EvaluationRows) -> Codes:
    """Return the codes of the labels that a fitted model gives some rows."""
    reader, X = rows.read_by(fitted)
    labels = in_numpy(reader.predict(X))
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


def training_error(fitted: Any, rows: EvaluationRows) -> float:
    """Return the share of the rows it was fitted to that a model gets wrong."""
    return float(np.average(predicted_codes(*as_trained(fitted, rows)) != rows.codes, weights=rows.weight))


def as_trained(fitted: Any, rows: EvaluationRows) -> tuple[Any, EvaluationRows]:
    """Return a model and the rows it was fitted to, as they were when it was fitted.

    The shares of classes that `predict` looks up were counted from the row's own label too, and would tell it; in a fit a row has those
    among other rows.
    """
    pipeline = fitted.pipeline_ if isinstance(fitted, TableClassifier) else fitted
    prep = pipeline[0] if isinstance(pipeline, Pipeline) else None
    if not isinstance(prep, TablePrep) or not prep.recipe_.looks_at_labels:
        return fitted, rows
    return pipeline[1:], rows.trained_by(prep)


def class_posteriors(fitted: Any, X: Any, n: int, classes: NDArray[Any]) -> Floats:
    """Return the posteriors (n, K) of n rows in the order of all classes, 0 for those the fit has not seen."""
    posteriors = np.zeros((n, len(classes)))
    posteriors[:, np.searchsorted(classes, fitted.classes_)] = in_numpy(fitted.predict_proba(X))
    return posteriors


def answers(fitted: Any, rows: EvaluationRows) -> tuple[Codes, Floats | None]:
    """Return codes and posteriors (in the order of all classes, 0 for those a fit has not seen) of some rows."""
    codes = predicted_codes(fitted, rows)
    if not hasattr(fitted, "predict_proba"):
        return codes, None
    return codes, class_posteriors(*rows.read_by(fitted), rows.n, rows.classes)


def gather(
    rows: EvaluationRows, folds: Folds, found: list[tuple[Codes, Floats | None]], method: str, fitted: Any = None, refitted: int = 0
) -> HeldOut:
    """Put the answers of the folds in the order of the rows."""
    codes = np.full(rows.n, -1, dtype=np.int32)
    posteriors = None if any(own is None for _, own in found) else np.full((rows.n, len(rows.classes)), np.nan)
    for fold, (own, probability) in enumerate(found):
        codes[folds == fold] = own
        if posteriors is not None:
            posteriors[folds == fold] = probability
    return HeldOut(folds, codes, posteriors, method, fitted, refitted)

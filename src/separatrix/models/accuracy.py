"""The share of rows decided as they are labelled: `score`, with labels and weights checked as `fit` checks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.labels import check_labels
from ..data.weights import check_weights
from ..errors import InputError


def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the share of rows whose predicted class is their label. Classifiers adopt this function as a method.

    Parameters
    ----------
    X : n rows
    y : (n,) labels
    sample_weight : (n,) weights, optional

    Returns
    -------
    accuracy : float in [0, 1]
    """
    predicted = self.predict(X)
    labels = labels_of_rows(y, len(predicted))
    if _is_text(labels) != _is_text(predicted):
        raise InputError(
            f"y holds labels such as {labels[:1].tolist()[0]!r}, but the model's classes are such as "
            f"{predicted[:1].tolist()[0]!r}; give labels of the type they had in fit."
        )
    return share_of(np.asarray(labels == predicted, dtype=bool), sample_weight)


def labels_of_rows(y: Any, n: int) -> NDArray[Any]:
    """Return labels as an array, one for each of n rows."""
    if y is None:
        raise InputError("score requires y to be passed, but the target y is None: pass one label per row of X, as in score(X, y).")
    labels = check_labels(y)
    if len(labels) != n:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows, y has {len(labels)} labels. "
            "Pass one label per row."
        )
    return labels


def share_of(right: NDArray[np.bool_], sample_weight: Any) -> float:
    """Return the weighted share of rows that are right.

    Examples
    --------
    >>> share_of(np.array([True, False]), [3, 1])
    0.75
    """
    weight = check_weights(sample_weight, len(right))
    # relative to the largest: weights of 1e308 have no sum
    return float(right.mean()) if weight is None else float(np.average(right, weights=weight / weight.max()))


def _is_text(labels: Any) -> bool:
    return bool(labels.dtype.kind in "US" or (labels.dtype.kind in "OT" and isinstance(labels[0], (str, bytes))))

"""What every perceptron checks before it starts: parameters, rows, and the weights it starts from."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ..data import Source, as_source
from ..errors import InputError, one_of
from .base import Classifier

Floats = NDArray[np.float64]


def check_number(name: str, value: Any, low: float, example: str, *, above: bool = False, whole: bool = False) -> None:
    """Raise an error unless a parameter is a finite number of at least `low` (`above` it, a `whole` one, if asked).

    Examples
    --------
    >>> check_number("eta0", 0.5, 0.0, "1.0", above=True)
    """
    kind = numbers.Integral if whole else numbers.Real
    good = not isinstance(value, bool) and isinstance(value, kind) and low <= float(value) < np.inf
    if not good or (above and value == low):
        needed = f"a {'whole ' if whole else ''}number {'>' if above else '≥'} {low:g}"
        raise InputError(f"{name}={value!r} must be {needed}; use {name}={example}.")


def rows_to_fit(X: Any, y: Any, sample_weight: Any, n_jobs: int | None) -> Source:
    """Return labelled rows of at least two classes."""
    source = as_source(X, y, sample_weight, n_jobs=n_jobs)
    if len(source.classes) < 2:  # type: ignore[arg-type]
        raise InputError(
            f"The number of classes has to be greater than one; got 1 class, {source.classes.tolist()[0]!r}. "  # type: ignore[union-attr]
            "A classifier needs rows of at least two classes."
        )
    return source


def rows_to_add(model: Classifier, X: Any, y: Any, classes: Any, sample_weight: Any, n_jobs: int | None) -> Source:
    """Return labelled rows for a model to go on with, coded by the classes it has, or those announced at the first call."""
    first = not hasattr(model, "classes_")
    if first and classes is None and not isinstance(X, Source):
        raise InputError("classes must be passed on the first call to partial_fit: list all labels, partial_fit(X, y, classes=[…]).")
    if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), model.classes_):
        raise InputError(
            f"classes={list(classes)!r} is not the same as on the last call to partial_fit, was: {model.classes_.tolist()!r}. "
            "All classes must be announced at the first call; start a new model to add one."
        )
    known = classes if first else model.classes_
    source = as_source(X, y, sample_weight, classes=known, n_jobs=n_jobs)
    if known is not None and isinstance(X, Source):
        source = X.with_classes(np.asarray(known))
    if first and len(source.classes) < 2:  # type: ignore[arg-type]
        raise InputError(f"classes={source.classes.tolist()} announces one class; a classifier needs at least two.")  # type: ignore[union-attr]
    if not first:
        if not isinstance(X, Source):
            validate_data(model, X, reset=False, skip_check_array=True)  # names of columns
        model._check_width(source)
    return source


def start_weights(model: Any, source: Source, coef_init: Any, intercept_init: Any, rng: Any) -> Floats:
    """Return the weights (R, p + 1) to start from, the intercept last: zeros, random ones, or those given.

    Random weights are independent and normal with variance 1. A threshold θ is an intercept of −θ, which stays.
    """
    if model.init not in ("zeros", "random"):
        raise one_of("init", model.init, ["zeros", "random"])
    K, p = len(source.classes), source.n_features  # type: ignore[arg-type]
    R, learned = 1 if K == 2 else K, model.threshold is None and bool(model.fit_intercept)
    weights = np.zeros((R, p + 1)) if model.init == "zeros" else rng.standard_normal((R, p + 1))
    if not learned:
        weights[:, -1] = 0.0
    if coef_init is not None:
        weights[:, :-1] = _given("coef_init", coef_init, (R, p), K)
        weights[:, -1] = 0.0
    if intercept_init is not None:
        weights[:, -1] = _given("intercept_init", intercept_init, (R,), K)
    if model.threshold is not None:
        weights[:, -1] = -_threshold(model.threshold, K, intercept_init)
    return weights


def _threshold(threshold: Any, K: int, intercept_init: Any) -> float:
    if not (isinstance(threshold, numbers.Real) and np.isfinite(float(threshold))):
        raise InputError(f"threshold={threshold!r} must be a finite number, or None to learn an intercept.")
    if K > 2:
        raise InputError(
            f"threshold={threshold!r} is for two classes; among {K} classes the largest score wins, and a common threshold changes "
            "nothing. Use threshold=None."
        )
    if intercept_init is not None:
        raise InputError("threshold fixes the intercept at −threshold, so intercept_init cannot be given too; leave one of them out.")
    return float(threshold)


def _given(name: str, value: Any, shape: tuple[int, ...], K: int) -> Floats:
    """Return weights given by the user in the shape asked; the first axis may be left out where it is 1."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} of dtype {array.dtype} does not hold real numbers; give an array of shape {shape}.")
    if array.shape != shape and not (shape[0] == 1 and array.shape == shape[1:]):
        either = f"{shape[1:] if len(shape) > 1 else 'a number'} or {shape}" if shape[0] == 1 else f"{shape}"
        raise InputError(f"{name} has shape {array.shape}; {either} is needed for {K} classes (coef_init: one weight per column).")
    if not np.isfinite(array).all():
        raise InputError(f"{name} contains NaN or infinity; give finite weights.")
    return array.astype(np.float64).reshape(shape)


def class_counts(source: Source) -> Floats:
    """Return the weight of each class."""
    K = len(source.classes)  # type: ignore[arg-type]
    return np.sum([np.bincount(b.codes, b.weight, K) for b in source.blocks()], axis=0, dtype=np.float64)  # type: ignore[arg-type]

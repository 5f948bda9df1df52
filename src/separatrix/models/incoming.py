"""Labelled rows as they come in: at a fit, and at every call that adds to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ..argument_types import refused_as
from ..data import Source, as_source
from ..errors import InputError, did_you_mean

if TYPE_CHECKING:
    from .base import Classifier
from ..data.labels import check_classes


def require_two_classes(classes: NDArray[Any]) -> None:
    """Raise an error if there is nothing to tell apart.

    Examples
    --------
    >>> require_two_classes(np.array(["ham", "spam"]))
    """
    if len(classes) < 2:
        raise InputError(
            f"The number of classes has to be greater than one; got 1 class, {classes.tolist()[0]!r}. "
            "A classifier needs rows of at least two classes."
        )


def require_announced(model: Any, X: Any, classes: Any) -> None:
    """Raise an error unless the classes are announced at the first call of partial_fit, and stay the same afterwards."""
    first = not hasattr(model, "classes_")
    if first and classes is None and not isinstance(X, Source):
        raise InputError("classes must be passed on the first call to partial_fit: list all labels, partial_fit(X, y, classes=[…]).")
    if not first and classes is not None and not np.array_equal(check_classes(classes), model.classes_):
        raise InputError(
            f"classes={classes!r:.80} is not the same as on the last call to partial_fit, was: {model.classes_.tolist()!r}. "
            "All classes must be announced at the first call; start a new model to add one."
        )


def rows_to_fit(X: Any, y: Any, sample_weight: Any, n_jobs: int | None) -> Source:
    """Return labelled rows of at least two classes."""
    source = as_source(X, y, sample_weight, n_jobs=n_jobs)
    require_two_classes(source.classes)  # type: ignore[arg-type]
    return source


def rows_to_add(model: Classifier, X: Any, y: Any, classes: Any, sample_weight: Any, n_jobs: int | None) -> Source:
    """Return labelled rows for a model to go on with, coded by the classes it has, or those announced at the first call."""
    require_announced(model, X, classes)
    first = not hasattr(model, "classes_")
    known = classes if first else model.classes_
    source = as_source(X, y, sample_weight, classes=known, n_jobs=n_jobs)
    if known is not None and isinstance(X, Source):
        source = X.with_classes(np.asarray(known))
    require_two_classes(source.classes)  # type: ignore[arg-type]
    if not first:
        if not isinstance(X, Source):
            with refused_as("X", "give the columns of the fit, in their order."):
                validate_data(model, X, reset=False, skip_check_array=True)  # names of columns
        model._check_width(source)
    return source


def labels_within(source: Source, classes: NDArray[Any]) -> Source:
    """Return labelled rows coded by the classes of a fitted model; a label outside them is an error."""
    known, found = classes.tolist(), source.classes.tolist()  # type: ignore[union-attr]
    for label in [label for label in found if label not in known]:
        hint = did_you_mean(label, known)
        raise InputError(f"y contains the label {label!r}, which is not a class of this model.{hint} Classes: {known}.")
    return source.with_classes(classes)

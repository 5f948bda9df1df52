"""The one door for rows: `fit`, `partial_fit`, `forget`, `predict` and the tables of a fitted model take what the user passes here.

A model opens X as it reads rows (`as_rows` for numbers, a source of its own for counts or tables). These functions add labels and weights,
and check classes and columns against those of the fit.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ..argument_types import refused_as
from ..array_types import Floats
from ..data import Block, Source, as_source
from ..data.device import is_on_device
from ..data.labels import check_classes
from ..data.namespaces import is_foreign
from ..errors import DataWarning, InputError, did_you_mean
from ..solvers.rows import Rows
from ..summaries.device_moments import class_weights_on_device


def label_rows(rows: Source, y: Any, sample_weight: Any, classes: Any = None) -> Source:
    """Return opened rows with their labels and weights, coded by the classes given or by those found in y."""
    source = as_source(rows, y, sample_weight, classes=classes)
    if source.unlabelled:
        said = "1 row of the table has no label and is" if source.unlabelled == 1 else f"{source.unlabelled} rows have no label and are"
        warnings.warn(f"{said} left out; to count them: table.as_columns().unlabelled.", DataWarning, stacklevel=5)
    if classes is None or np.array_equal(source.classes, classes):  # type: ignore[arg-type]
        return source
    return source.with_classes(np.asarray(classes))  # a table finds its own classes first


def rows_to_fit(rows: Source, y: Any, sample_weight: Any) -> Source:
    """Return opened rows with labels of at least two classes."""
    source = label_rows(rows, y, sample_weight)
    require_two_classes(source.classes)  # type: ignore[arg-type]
    return source


def rows_to_add(model: Any, X: Any, rows: Source, y: Any, classes: Any, sample_weight: Any) -> Source:
    """Return labelled rows that a model adds to its fit or takes out of it, coded by its classes or those announced at the first call.

    Parameters
    ----------
    model : classifier, fitted or not
    X : rows as the user passed them
    rows : the same, opened
    classes : what the user announced, or None
    """
    require_announced(model, X, classes)
    first = not hasattr(model, "classes_")
    source = label_rows(rows, y, sample_weight, classes if first else model.classes_)
    require_two_classes(source.classes)  # type: ignore[arg-type]
    if not first:
        check_columns(model, X, source)
    return source


def rows_of_fit(rows: Source, y: Any, sample_weight: Any, classes: NDArray[Any]) -> Source:
    """Return labelled rows coded by the classes of a fitted model; a label outside them is an error."""
    source = label_rows(rows, y, sample_weight)
    known, found = classes.tolist(), source.classes.tolist()  # type: ignore[union-attr]
    for label in [label for label in found if label not in known]:
        hint = did_you_mean(label, known)
        raise InputError(f"y contains the label {label!r}, which is not a class of this model.{hint} Classes: {known}.")
    return source.with_classes(classes)


def check_columns(model: Any, X: Any, source: Source) -> None:
    """Raise an error unless the columns of X, as passed and as opened, are those of the fit: names, order and number."""
    names = vars(model).get("feature_names_in_")
    if names is not None and source.feature_names == tuple(names):
        return
    if isinstance(X, Source):
        if names is not None and X.feature_names is not None and list(names) != list(X.feature_names):
            raise InputError(
                f"The feature names should match those that were passed during fit. Fitted on {list(names)}, "
                f"given {list(X.feature_names)}; open the table with columns=[…] in the order of the fit."
            )
    elif not (isinstance(X, np.ndarray) or sp.issparse(X) or is_foreign(X)) or names is not None:  # arrays have no names to compare
        with refused_as("X", "give the columns of the fit, in their order: X[model.feature_names_in_]."):
            validate_data(model, X, reset=False, skip_check_array=True)
    if source.n_features != model.n_features_in_:
        raise InputError(
            f"X has {source.n_features} features, but {type(model).__name__} is expecting {model.n_features_in_} features as input; "
            "give the columns of the fit, in their order."
        )


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


def require_weight(counts: Floats) -> None:
    """Raise an error where the weights of a table leave no row; those of rows in memory are looked at when they are opened.

    Examples
    --------
    >>> require_weight(np.array([0.0, 2.0]))
    """
    if not counts.any():
        raise InputError("All weights of the table are zero, so no row would count; give at least some rows a positive weight.")


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


def class_totals(rows: Source | Rows, n_classes: int) -> Floats:
    """Return the sum of weights of each class, (K,)."""

    def total(block: Block) -> Floats:
        assert block.codes is not None
        if is_on_device(block):
            return class_weights_on_device(block.codes, block.weight, n_classes)
        return np.bincount(block.codes, weights=block.weight, minlength=n_classes).astype(np.float64)

    totals: Floats = np.sum(list(rows.map(total)), axis=0)
    return totals

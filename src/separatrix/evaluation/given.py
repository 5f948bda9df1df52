"""What a user gives to evaluate: a model, rows and labels in any form, checked against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ..data import Source, as_source
from ..data.arrays import as_array
from ..data.labels import Labels
from ..data.opening import indexed_rows, is_frame
from ..data.selected import picked_from, warn_if_picked
from ..data.weights import check_weights
from ..errors import InputError, InputTypeError
from ..summaries.class_moments import require_memory
from .plans import count_rows
from .rows import Rows


def labelled_rows(X: Any, y: Any = None, sample_weight: Any = None, target: str | None = None) -> Rows:
    """Return rows with their class codes and weights, of two classes at least.

    Parameters
    ----------
    X : array, sparse matrix, frame, (n,) texts for a pipeline, or a table from `open_table`
        A table is read into memory; y and sample_weight then stay out.
    y : (n,) labels
    sample_weight : (n,) weights, optional
    target : column of a frame X that holds the labels, in place of y

    Examples
    --------
    >>> rows = labelled_rows([[1.0], [2.0], [4.0]], ["no", "yes", "no"])
    >>> rows.codes.tolist(), rows.classes.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    if isinstance(X, Source):
        rows = _read(X, y, sample_weight)
    else:
        if X is None:
            raise InputTypeError("X is None; give n rows × p columns, or a table from separatrix.open_table.")
        X, y = _with_target(X, y, target)
        X = _listed(X) if isinstance(X, list | tuple) else indexed_rows(X)
        if is_frame(X):
            from ..data.frames import open_frame

            open_frame(X)  # columns of one name are refused before rows of some of them are taken
        labels = Labels.of(y)
        if len(np.shape(X)) != 2 and getattr(getattr(X, "dtype", None), "kind", "O") in "biufc":  # texts stand in one column for pipelines
            raise InputError(
                f"Expected 2D array, got an X of shape {np.shape(X)} instead; give n rows × p columns, one column as X.reshape(-1, 1)."
            )
        if count_rows(X) != len(labels):
            raise InputError(f"X has {count_rows(X)} rows and y {len(labels)} labels; give one label for each row.")
        rows = Rows(X, labels.codes(0, len(labels)), check_weights(sample_weight, len(labels)), labels.classes)
    if len(rows.classes) < 2:
        raise InputError(f"y holds one class, {rows.classes.tolist()[0]!r}; there is nothing to tell apart.")
    if not rows.counts.all():
        label = rows.classes.tolist()[int(rows.counts.argmin())]
        raise InputError(f"All rows of class {label!r} have weight 0, so that it is not there; give one of them weight, or leave them out.")
    warn_if_picked(
        picked_from(X, None if isinstance(X, Source) else rows.codes),
        "the error estimated from these rows is too small",
        "Let every fold select anew: evaluate(make_pipeline(selector, model), X, y) with all columns.",
        stacklevel=5,
    )
    return rows


def _listed(X: Any) -> NDArray[Any]:
    # Texts as objects: an array of strings would give each the room of the longest.
    return np.array(X, dtype=object) if len(X) and isinstance(X[0], str) else as_array(X)


def _with_target(X: Any, y: Any, target: str | None) -> tuple[Any, Any]:
    if target is None and y is None:
        raise InputError("There are no labels: pass y, or name their column in a frame: target='…'.")
    if target is None:
        return X, y
    if y is not None:
        raise InputError("Labels were given twice: in y and as target; leave one of them out.")
    if not is_frame(X):
        raise InputTypeError(f"target={target!r} names a column, but X is a {type(X).__name__} without column names; pass a frame, or y.")
    from ..data.frames import without_target

    return without_target(X, target)


def _read(table: Source, y: Any, sample_weight: Any) -> Rows:
    """Read a table whole: rows are held out many times, and files are slow to read again."""
    source = as_source(table, y, sample_weight)
    assert source.classes is not None
    if source.n_rows is not None:
        require_memory((source.n_rows, source.n_features))
    blocks = list(source.blocks())
    parts = [block.X for block in blocks]
    X = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
    weights = [block.weight for block in blocks if block.weight is not None]
    codes = np.concatenate([block.codes for block in blocks]).astype(np.int32)
    return Rows(X, codes, np.concatenate(weights) if weights else None, source.classes)


def require_classifier(model: Any) -> None:
    """Refuse what is no classifier, before any row is looked at.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> require_classifier(LinearRegression())
    Traceback (most recent call last):
    ...
    separatrix.errors.InputTypeError: LinearRegression() is a regressor; give a classifier, such as LogisticRegression().
    """
    if isinstance(model, type):
        raise InputTypeError(f"{model.__name__} is a class, not a model; write {model.__name__}().")
    if not all(hasattr(model, name) for name in ("fit", "predict", "get_params")):  # names: those of the contract
        shown = repr(model) if isinstance(model, str) else f"a {type(model).__name__}"
        raise InputTypeError(f"{shown} is not a model; give a classifier with fit and predict, such as LinearDiscriminantAnalysis().")
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise InputTypeError(f"{model!r} is a regressor; give a classifier, such as LogisticRegression().")

"""Tables as people have them, for models that read numbers: the columns are prepared inside every training part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from ..data import Source
from ..data.columns import ColumnBatch
from ..data.opening import is_frame
from ..errors import InputError
from ..models import MixedNB, TableClassifier
from ..prepare import TablePrep
from .evaluation_rows import EvaluationRows


def prepared(model: Any, rows: EvaluationRows) -> tuple[Any, EvaluationRows]:
    """Return the model behind a `TablePrep`, and the rows with their columns read once, where the rows are a table it could not read.

    Each fit then learns a recipe from its own training rows.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> rows = EvaluationRows(pd.DataFrame({"city": ["Oslo", "Rome", "Oslo"]}), np.array([0, 1, 0]), None, np.array(["no", "yes"]))
    >>> model, rows = prepared(LinearDiscriminantAnalysis(), rows)
    >>> [type(step).__name__ for _, step in model.steps], type(rows.X).__name__
    (['TablePrep', 'LinearDiscriminantAnalysis'], 'ColumnBatch')
    """
    if not needs_preparation(model, rows.X):
        return model, rows
    return make_pipeline(TablePrep(), model), read_once(rows)


def prepared_for_permutations(model: Any, rows: EvaluationRows) -> tuple[Any, EvaluationRows]:
    """Return model and rows for labels that are shuffled many times.

    A recipe that looks at no labels is the same however they are shuffled, so it is learned once, from all rows; one that does is learned
    anew in every training part of every permutation.
    """
    if not needs_preparation(model, rows.X):
        return model, rows
    batch = read_once(rows).X
    prep = TablePrep().fit(batch) if isinstance(batch, Source) else TablePrep().fit(batch, rows.labels, rows.weight)
    if prep.recipe_.looks_at_labels:
        return make_pipeline(TablePrep(), model), replace(rows, X=batch)
    return model, replace(rows, X=prep.transform(batch))


def prepared_once(model: Any, rows: EvaluationRows, what: str) -> tuple[Any, EvaluationRows]:
    """Return the model, and the rows as numbers by a recipe learned from all of them, which is only allowed where it looks at no labels.

    Parameters
    ----------
    model : classifier
    rows : EvaluationRows
    what : what the rows are prepared for, as the error says it
    """
    if not needs_preparation(model, rows.X):
        return model, rows
    batch = read_once(rows).X
    prep = TablePrep().fit(batch) if isinstance(batch, Source) else TablePrep().fit(batch, rows.labels, rows.weight)
    if prep.recipe_.looks_at_labels:
        column = next(step.column for step in prep.recipe_.steps if step.kind == "levels")
        raise InputError(
            f"{what} holds one preparation of the columns for all rows, and column {column!r} has so many levels that it is prepared by "
            "the labels, which would leak. Use plan=KFold(10), or TablePrep(many_levels='hash') before the model: "
            "make_pipeline(TablePrep(many_levels='hash'), model)."
        )
    return model, replace(rows, X=prep.transform(batch))


def read_once(rows: EvaluationRows) -> EvaluationRows:
    """Return the rows of a frame with every column read once, text as codes, for all parts that will be taken of them.

    A table that is left where it is is read by every fit.
    """
    if isinstance(rows.X, ColumnBatch | Source):
        return rows
    from ..data.whole_tables import whole_table

    return replace(rows, X=whole_table(rows.X))


def needs_preparation(model: Any, X: Any) -> bool:
    """Whether X is a table with text, dates or gaps, and the model neither prepares it itself nor reads it as it is."""
    if isinstance(X, ColumnBatch) or (isinstance(X, Source) and X.is_columns):
        return not reads_tables(model)
    if not is_frame(X) or reads_tables(model):
        return False
    from ..data.frames import is_numeric

    if not is_numeric(X):
        return True
    return not _takes_gaps(model) and has_gaps(X)


def has_gaps(X: Any) -> bool:
    """Whether any value of a frame of numbers is missing."""
    from ..data.frames import gaps_in

    return gaps_in(X)


def reads_tables(model: Any) -> bool:
    """Whether a model has steps of its own that may prepare a table, or reads one."""
    if isinstance(model, Pipeline | MixedNB | TableClassifier):
        return True
    inner = model.get_params(deep=False).get("estimator")  # names: scikit-learn's own parameter for a model inside another
    return hasattr(inner, "fit") and reads_tables(inner)


def _takes_gaps(model: Any) -> bool:
    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.allow_nan)

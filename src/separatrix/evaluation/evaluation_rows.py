"""Labelled rows to evaluate on, and the checks that make them of what a user passes as model, X and y."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..abilities import abilities_of
from ..abilities.protocols import SolvedFromSummary
from ..argument_types import MOST_JOBS
from ..array_types import Bools, Codes, Floats, Indices, Ints
from ..data import Source, as_source
from ..data.arrays import as_array
from ..data.columns import ColumnBatch
from ..data.device import DeviceSource
from ..data.labels import Labels
from ..data.namespaces import is_foreign
from ..data.opening import check_weights, indexed_rows, is_frame
from ..data.whole_tables import whole_table
from ..errors import InputError, InputTypeError, no_rows, short_text
from ..inference.selected_columns import PICKS, picked_from, warn_if_picked
from ..models.singular import columns_named, recipe_names
from ..prepare import TablePrep
from ..prepare.column_scaler import ColumnScaler
from ..summaries.class_moments import require_memory
from ..thresholds import KEPT
from .plans import Plan, count_rows


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """Labelled rows to evaluate on: X as given, class codes, weights or None, and the classes.

    Where rows without a label were left out of a table, `kept` has the numbers of the others there; `target` is the column of the labels.
    """

    X: Any
    codes: Codes
    weight: Floats | None
    classes: NDArray[Any]
    kept: Indices | None = None
    target: str | None = None
    on_device: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"EvaluationRows({self.n} rows, {len(self.classes)} classes)"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of X."""
        return np.shape(self.X)

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
    def has_weight(self) -> Bools:
        """Which rows have a positive weight (n,); the others count as no rows."""
        return np.ones(self.n, dtype=bool) if self.weight is None else self.weight > 0

    def take(self, rows: Indices) -> EvaluationRows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        X = self.X.take(rows) if isinstance(self.X, ColumnBatch) else _safe_indexing(self.X, rows)
        return EvaluationRows(X, self.codes[rows], weight, self.classes)

    def read_by(self, fitted: Any) -> tuple[Any, Any]:
        """Return what predicts these rows, and the rows as it reads them."""
        return fitted, self.X

    def behind(self, steps: Any) -> tuple[EvaluationRows, Any]:
        """Return the rows behind the first steps of a pipeline, and these steps, fitted on them."""
        Z = steps.fit_transform(self.X, self.labels)
        return EvaluationRows(Z, self.codes, self.weight, self.classes), steps

    def through(self, steps: Any) -> EvaluationRows:
        """Return the rows behind fitted steps of a pipeline, to be predicted."""
        return EvaluationRows(steps.transform(self.X), self.codes, None, self.classes)

    def trained_by(self, prep: Any) -> EvaluationRows:
        """Return the rows as a TablePrep that was fitted to them prepared them for the fit."""
        Z = prep.recipe_.transform_training(whole_table(self.X), prep.is_sparse)
        return EvaluationRows(Z, self.codes, self.weight, self.classes)

    def taken(self, rows: Indices) -> Indices:
        """Return the numbers of rows in the order in which `take` gives them."""
        return rows

    def with_codes(self, codes: Codes) -> EvaluationRows:
        """Return the same rows with other labels."""
        return EvaluationRows(self.X, codes, self.weight, self.classes)

    @property
    def names(self) -> NDArray[Any] | None:
        """Names of the columns, where they have names."""
        # The columns of an Arrow table are arrays; their names have a name of their own.
        return np.asarray(getattr(self.X, "column_names", self.X.columns), dtype=object) if hasattr(self.X, "columns") else None

    def of_kept(self, values: Any) -> Any:
        """Return values given for all rows of a table, such as groups, for those that have a label."""
        return values if values is None or self.kept is None else take_kept(values, self.kept, "groups")

    def require_followed(self, plan: Any) -> None:
        """Refuse pairs of row numbers for a table of which rows without a label were left out: they would point to other rows."""
        if self.kept is not None and not isinstance(plan, Plan | int) and not hasattr(plan, "split"):
            raise InputError(
                f"The plan names rows by number, and rows without a label in column {self.target!r} were left out, so that the numbers no "
                "longer fit; drop these rows before."
            )

    def in_one_block(self) -> EvaluationRows:
        """Return the same rows for models that read numbers, those of a frame converted once for all rows that will be taken."""
        if not is_frame(self.X):
            return self
        from ..data.frames import in_one_block

        return EvaluationRows(in_one_block(self.X), self.codes, self.weight, self.classes)

    def without_row(self, row: int) -> EvaluationRows:
        """Return all rows but one."""
        return self.take(np.delete(np.arange(self.n), row))

    def fit(self, model: Any, start: Any = None) -> Any:
        """Return a fitted clone of a model, begun at another fit, of the last step of a pipeline, where it can.

        Where one class is left, the model that always says it. Rows of weight 0 are no rows.
        """
        if self.weight is not None and not self.weight.all():
            return self.take(np.flatnonzero(self.weight)).fit(model, start)
        if (self.codes == self.codes[0]).all():
            return DummyClassifier(strategy="most_frequent").fit(np.zeros((self.n, 1)), self.labels)
        fresh = clone(model)
        last = fresh.steps[-1][1] if isinstance(fresh, Pipeline) else fresh
        warm = abilities_of(last).warm_start if start is not None else None
        if warm:
            warm.begin_at(start)
        return self.fitted(fresh)

    def fitted(self, model: Any) -> Any:
        """Return the model given, fitted on the rows."""
        with columns_named(recipe_names(model)):
            return model.fit(self.X, self.labels, **self._weights(model))

    def _weights(self, model: Any) -> dict[str, Any]:
        """Return the weights under the name by which the model's `fit` takes them."""
        if self.weight is None or isinstance(model, FrozenEstimator):  # which is fitted already, whatever the weights
            return {}
        if has_fit_parameter(model, "sample_weight") or get_config()["enable_metadata_routing"]:
            return {"sample_weight": self.weight}
        if hasattr(model, "steps") and has_fit_parameter(model.steps[-1][1], "sample_weight"):
            taking = [name for name, step in model.steps if isinstance(step, TablePrep | ColumnScaler) or name == model.steps[-1][0]]
            return {f"{name}__sample_weight": self.weight for name in taking}
        raise InputError(
            f"sample_weight was given, but {type(model).__name__}.fit takes none. Leave it out, or use a model that takes weights; for "
            "nested estimators, route it with sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight=True)."
        )

    def resampled(self, times: Ints, by_weight: bool) -> EvaluationRows:
        """Return a resample: the same rows with other weights, or the rows repeated where a model takes no weights."""
        if not by_weight:
            again = np.repeat(np.arange(self.n), times)
            found = self.take(again)
            return replace(found, X=replace(found.X, copies=again)) if isinstance(found.X, ColumnBatch) else found
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        return EvaluationRows(self.X, self.codes, weight, self.classes)


def rows_to_evaluate(
    X: Any, y: Any = None, sample_weight: Any = None, target: str | None = None, takes_columns: bool = False
) -> EvaluationRows:
    """Return rows with their class codes and weights, of two classes at least.

    Parameters
    ----------
    X : array, sparse matrix, frame, (n,) texts for a pipeline, or a table from `open_table`
        Arrays of torch, CuPy and JAX stay on their device. A table is read into memory where it fits, and left where it is where not;
        y and sample_weight then stay out.
    y : (n,) labels
    sample_weight : (n,) weights, optional
    target : column of a frame X that holds the labels, in place of y
    takes_columns : bool
        Whether a table that is left where it is may have columns of text, dates and gaps; else it is refused.

    Examples
    --------
    >>> rows = rows_to_evaluate([[1.0], [2.0], [4.0]], ["no", "yes", "no"])
    >>> rows.codes.tolist(), rows.classes.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    if isinstance(X, Source) and not isinstance(X, DeviceSource):
        from .table_rows import is_large, left_where_it_is

        with X.unchanged():
            held = None if is_large(X) else _read(X, y, sample_weight)
            rows = left_where_it_is(X, y, sample_weight, takes_columns) if held is None else held
    elif isinstance(X, DeviceSource) or is_foreign(X):
        from .device_rows import rows_on_device

        rows = rows_on_device(X, y if isinstance(X, DeviceSource) else _with_target(X, y, target)[1], sample_weight)
    else:
        if X is None:
            raise InputTypeError("X is None; give n rows × p columns, or a table from separatrix.open_table.")
        X, y, kept = _with_target(X, y, target)
        sample_weight = sample_weight if sample_weight is None or kept is None else take_kept(sample_weight, kept, "sample_weight")
        X = _listed(X) if isinstance(X, list | tuple) else X if type(X) is np.ndarray else indexed_rows(X)
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
        weight = None if sample_weight is None else check_weights(sample_weight, len(labels))
        rows = EvaluationRows(X, labels.codes(0, len(labels)), weight, labels.classes, kept, target)
    if len(rows.classes) < 2:
        raise InputError(f"y holds one class, {rows.classes.tolist()[0]!r}; there is nothing to tell apart.")
    if not rows.counts.all():
        label = rows.classes.tolist()[int(rows.counts.argmin())]
        raise InputError(f"All rows of class {label!r} have weight 0, so that it is not there; give one of them weight, or leave them out.")
    if PICKS:
        warn_if_picked(
            picked_from(X, None if isinstance(X, Source) else rows.codes),
            "the error estimated from these rows is too small",
            "Let every fold select anew: evaluate(make_pipeline(selector, model), X, y) with all columns.",
            stacklevel=5,
        )
    return rows


def take_kept(values: Any, kept: Indices, name: str) -> Any:
    """Return values given for all rows of a table, for those that have a label."""
    if np.ndim(values) == 0 or len(values) <= int(kept.max()):
        raise InputError(f"{name} must have one value for each row of the table, those without a label among them.")
    return _safe_indexing(values, kept)


def _listed(X: Any) -> NDArray[Any]:
    # Texts as objects: an array of strings would give each the room of the longest.
    return np.array(X, dtype=object) if len(X) and isinstance(X[0], str) else as_array(X)


def _with_target(X: Any, y: Any, target: str | None) -> tuple[Any, Any, Indices | None]:
    if target is None and y is None:
        raise InputError("There are no labels: pass y, or name their column in a frame: target='…'.")
    if target is None:
        return X, y, None
    if y is not None:
        raise InputError("Labels were given twice: in y and as target; leave one of them out.")
    if not is_frame(X):
        raise InputTypeError(f"target={target!r} names a column, but X is a {type(X).__name__} without column names; pass a frame, or y.")
    from ..data.targets import split_target

    return split_target(X, target)


def _read(table: Source, y: Any, sample_weight: Any) -> EvaluationRows | None:
    """Read a table whole: rows are held out many times, and files are slow to read again. None where memory should not hold them."""
    # As columns, of which rows without a label are left out: as numbers they are refused.
    source: Any = as_source(table if table.origin is None else table.as_columns(), y, sample_weight)
    assert source.classes is not None
    if source.n_rows is not None:
        require_memory((source.n_rows, source.n_features))
    blocks, values = list[Any](), 0
    with closing(source.told(_itself)) as found:
        for block in found:
            blocks.append(block)
            values += block.n_rows * block.n_features
            if source.origin is not None and KEPT.reached(8.0 * values):
                return None
    if not blocks:
        raise no_rows()
    if source.unlabelled:
        from ..data.targets import warn_of_unlabelled

        rows = source.unlabelled + sum(len(block.codes) for block in blocks)
        warn_of_unlabelled(source.target, source.unlabelled, rows, stacklevel=5)
    if isinstance(blocks[0], ColumnBatch):
        batch = ColumnBatch.joined(blocks)
        gaps = any(column.type != "number" or column.absent.any() for column in batch.columns or ())
        X: Any = batch if gaps else batch.numbers(range(batch.n_features))
    else:
        parts = [block.X for block in blocks]
        X = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
    weights = [block.weight for block in blocks if block.weight is not None]
    codes = np.concatenate([block.codes for block in blocks]).astype(np.int32)
    return EvaluationRows(X, codes, np.concatenate(weights) if weights else None, source.classes)


def _itself(block: Any) -> Any:
    return block


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


def require_jobs(n_jobs: Any) -> None:
    """Refuse a number of processes that is none.

    Examples
    --------
    >>> require_jobs("a")
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: n_jobs='a' must be a number of processes: 1, 2, …, -1 for all CPUs, or None.
    """
    if n_jobs is None or (isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool) and 0 < abs(int(n_jobs)) <= MOST_JOBS):
        return
    raise InputError(f"n_jobs={short_text(n_jobs)} must be a number of processes: 1, 2, …, -1 for all CPUs, or None.")


def from_summary(model: Any, summary: Any, rows: EvaluationRows) -> Any:
    """Return the model fitted from a summary, with the names of the rows' columns."""
    names = rows.names
    if names is None:
        return model.fit_summary(summary)
    with columns_named(names.tolist()):
        fitted = model.fit_summary(summary)
    fitted.feature_names_in_ = names
    return fitted


def summary_of(summary: SolvedFromSummary, rows: EvaluationRows) -> Any:
    """Return the summary that a model would keep of some rows."""
    if isinstance(rows.X, Source):
        return summary.summarise(rows.X)
    return summary.summarise(summary.source(rows.X, rows.labels, rows.weight, rows.classes))

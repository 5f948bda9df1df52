"""How often a selector chooses each column over random halves of the rows: what it chooses by chance, it does not choose again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state

from ..array_types import Bools, Codes, Floats, Indices
from ..data.columns import ColumnBatch
from ..data.opening import check_weights
from ..data.source import ChunkedSource, Source, unchanged
from ..errors import InputError, InputTypeError, NoFeatureLeftError, SeparatrixWarning
from ..evaluation.table_rows import TableRows, left_where_it_is
from ..inference.selected_columns import silence
from ..inference.tables import Column, Table
from ..loading import maker
from ..progress import task
from .column_positions import column_name
from .searched_table import chosen_columns, is_table, labelled_table
from .selector import Selector


class StabilitySelection(MetaEstimatorMixin, Selector):
    """Keep the columns that a selector chooses in at least a share of many random subsamples of the rows.

        frequency_j = (1/B) Σ_b [column j is chosen in subsample b],   keep j where frequency_j ≥ threshold

    A subsample has a share of the rows of each class, drawn without replacement. With halves and a threshold π > ½, the expected number
    of columns kept that say nothing is at most q²/((2π − 1)p), q being the mean number chosen, if such columns are as likely to be chosen
    as each other.

    Parameters
    ----------
    selector : any selector with `get_support`, of this package or of scikit-learn; it is cloned, never changed
    n_subsamples : int
    fraction : float
        Share of the rows of each class in a subsample.
    threshold : float
        Least frequency of a column that is kept.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Processes. The result does not depend on it.

    Attributes
    ----------
    frequencies_ : (p,)
    n_subsamples_ : int
        Subsamples that were finished: fewer than asked for after Ctrl-C.
    expected_false_ : float
        The bound above, NaN where it does not hold.
    support_ : (p,) booleans

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import CorrelationFilter
    >>> stable = StabilitySelection(CorrelationFilter(k=2), n_subsamples=20, random_state=0).fit(*load_iris(return_X_y=True))
    >>> stable.frequencies_
    array([0., 0., 1., 1.])

    References
    ----------
    Meinshausen and Bühlmann (2010), Stability selection, Journal of the Royal Statistical Society B 72.
    """

    frequencies_: Floats
    n_subsamples_: int
    takes_tables: ClassVar[bool] = True
    expected_false_: float

    def __init__(
        self,
        selector: Any,
        *,
        n_subsamples: int = 100,
        fraction: float = 0.5,
        threshold: float = 0.6,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.n_subsamples = n_subsamples
        self.fraction = fraction
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Run the selector on every subsample.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table`, which is read for every subsample (then y stays out)
            Columns of a frame with text, gaps or dates are prepared in every subsample, as by `TablePrep`, for selectors of numbers; a
            column is chosen where any number that it became is.
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Handed to the selector with the rows.
        """
        self._check_given()
        with unchanged(X):
            tabular = is_table(self.selector, X)
            source = self._labelled(labelled_table(X) if tabular else X, y)
            if not isinstance(source, ChunkedSource) or source.labels is None:
                return self._fit_table(source)
            # A frame keeps its names; a list has no rows to index, nor have some sparse formats.
            rows = X if hasattr(X, "shape") and not issparse(X) and not tabular else source.rows(0, source.n_rows)
            weight = check_weights(sample_weight, source.n_rows)
            codes = source.labels.codes(0, source.n_rows)
            drawn = subsamples(codes, self.n_subsamples, self.fraction, self.random_state)
            with silence():  # what a subsample chooses is nothing to remember
                chosen = self._run(
                    source.n_features, ((self.selector, rows, source.labels.values, weight, part) for part in drawn), self.n_jobs
                )
            return self._chosen(source, chosen, tabular)

    def _fit_table(self, source: Source) -> Self:
        """Run the selector on every subsample of a table, which is read again for each."""
        if not type(self.selector).__module__.startswith("separatrix."):
            raise InputError(
                f"{type(self.selector).__name__} takes rows in memory, and X is a table; use a selector of this package, such as "
                "CorrelationFilter(k=10), or load the table first."
            )
        rows = left_where_it_is(source, None, None)
        drawn = subsamples(rows.codes, self.n_subsamples, self.fraction, self.random_state)
        with silence():
            chosen = self._run(source.n_features, ((self.selector, rows, rows.codes, None, part) for part in drawn), n_jobs=None)
        return self._chosen(source, chosen, False)

    def _chosen(self, source: Source, chosen: Bools, tabular: bool) -> Self:
        frequencies = chosen.mean(axis=0)
        attributes = {
            "frequencies_": frequencies,
            "n_subsamples_": len(chosen),
            "expected_false_": expected_false(chosen.sum(axis=1).mean(), self.threshold, source.n_features, self.fraction),
        }
        return self._adopt(source, frequencies >= self.threshold, attributes | ({"table_": True} if tabular else {}))

    def _run(self, p: int, work: Iterator[tuple[Any, ...]], n_jobs: int | None) -> Bools:
        """Return what each subsample chose, (B, p); those finished where Ctrl-C was pressed."""
        found: list[Bools] = []
        runs = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(choose)(p, *item) for item in work)
        with task("stability", total=self.n_subsamples) as progress:
            try:
                for support in runs:
                    found.append(support)
                    progress.advance(f"{int(support.sum())} columns chosen")
            except KeyboardInterrupt:
                if not found:
                    raise
                warnings.warn(
                    f"Stopped after {len(found)} of {self.n_subsamples} subsamples; the frequencies are those of the finished ones.",
                    SeparatrixWarning,
                    stacklevel=3,
                )
        return np.array(found)

    def _check_params(self) -> None:
        if not hasattr(self.selector, "get_support") or isinstance(self.selector, type):
            raise InputTypeError(f"selector={self.selector!r} must be a selector with get_support, such as CorrelationFilter(k=10).")
        if isinstance(self.n_subsamples, bool) or not isinstance(self.n_subsamples, int | np.integer) or self.n_subsamples < 1:
            raise InputError(f"n_subsamples={self.n_subsamples!r} must be a whole number of at least 1.")
        for name in ("fraction", "threshold"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(f"{name}={getattr(self, name)!r} must lie above 0 and up to 1.")

    def _loosen(self) -> str:
        return f"None was chosen in {float(self.threshold):.0%} of the subsamples; lower threshold, or let the selector keep more."

    def chart(self) -> Any:
        """Return how often columns were chosen as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.searches.frequencies")(self.table(), self.threshold)

    def table(self) -> Table:
        """Return the columns with their frequencies, the most frequent first."""
        kept = self.get_support()
        order = np.argsort(-self.frequencies_, kind="stable")
        names = getattr(self, "feature_names_in_", None)
        columns = (
            Column("column", [column_name(int(j), names) for j in order]),
            Column("frequency", self.frequencies_[order], ".3f"),
            Column("kept", ["yes" if kept[j] else "no" for j in order]),
        )
        return Table(f"Chosen in {self.n_subsamples_} subsamples", columns)


def choose(p: int, selector: Any, X: Any, y: NDArray[Any], weight: Floats | None, rows: Indices) -> Bools:
    """Return which of p columns a clone of the selector chooses from some rows: none where none is good enough, or varies."""
    more = {} if weight is None else {"sample_weight": weight[rows]}
    try:
        if isinstance(X, TableRows):
            return np.asarray(clone(selector).fit(X.take(rows).X).get_support(), dtype=bool)
        if isinstance(X, ColumnBatch):
            part, fresh = X.take(rows), clone(selector)
            if not getattr(selector, "takes_tables", False):
                return chosen_columns(fresh, part, y[rows], more.get("sample_weight"))
            return np.asarray(fresh.fit(part, y[rows], **more).get_support(), dtype=bool)
        return np.asarray(clone(selector).fit(_safe_indexing(X, rows), y[rows], **more).get_support(), dtype=bool)
    except NoFeatureLeftError:
        return np.zeros(p, dtype=bool)


def subsamples(codes: Codes, count: int, fraction: float, random_state: Any) -> Iterator[Indices]:
    """Yield the rows of each subsample: a share of each class, one row at least, in the order of the data."""
    rng = check_random_state(random_state)
    classes = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    for _ in range(count):
        parts = [rng.choice(rows, max(1, round(fraction * len(rows))), replace=False) for rows in classes]
        yield np.sort(np.concatenate(parts))


def expected_false(chosen: float, threshold: float, p: int, fraction: float) -> float:
    """Return the bound q²/((2π − 1)p) on the expected number of columns kept by chance; NaN unless π > ½ and subsamples are halves at most.

    Examples
    --------
    >>> expected_false(chosen=10, threshold=0.75, p=200, fraction=0.5)
    1.0
    """
    return float(chosen**2 / ((2.0 * threshold - 1.0) * p)) if threshold > 0.5 and fraction <= 0.5 else float("nan")

"""What naive Bayes needs of a table whose columns are of different kinds: moments, totals and categories by class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats
from ..data import Block
from ..data.columns import ColumnBatch
from ..errors import InputError
from .categories import CategoryCounts, as_objects, starts_of
from .column_moments import ColumnMoments
from .counting import CountingRule
from .counts import Counts, class_totals
from .grouped import rows_per_class
from .remainder import emptied, never_learned

COUNT_KINDS = ("bernoulli", "poisson", "multinomial")
KINDS = ("gaussian", *COUNT_KINDS, "categorical")


@dataclass(frozen=True, slots=True)
class Parts:
    """A batch by kinds of columns: measurements (n, a), switches and counts (n, b), and codes with levels of each column of categories."""

    measured: Any
    counts: Any
    categories: list[tuple[Codes, list[Any]]]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The kind of each column, and whether it holds text.

    Attributes
    ----------
    kinds : (p,) array of "gaussian", "bernoulli", "poisson", "multinomial", "categorical"
    text : (p,) array of bool
    """

    kinds: NDArray[Any]
    text: Bools

    def of(self, *kinds: str) -> list[int]:
        """Return the columns of these kinds."""
        return [j for j, kind in enumerate(self.kinds.tolist()) if kind in kinds]

    def split(self, batch: ColumnBatch, skip_missing: bool) -> Parts:
        """Return a batch by kinds, or the error that names a value which its column cannot hold."""
        self._refuse_other_types(batch)
        measured, counted = self.of("gaussian"), self.of(*COUNT_KINDS)
        found = [batch.numbers(indices) for indices in (measured, counted)]
        for X, indices in zip(found, (measured, counted)):
            _refuse_values(X, np.isinf, batch, indices, "Input X contains infinity: {place}. Finite numbers are needed; drop such rows.")
            if not skip_missing:
                _refuse_values(X, np.isnan, batch, indices, MISSING)
        for kind, (bad, text) in LIMITS.items():
            own = [place for place, j in enumerate(counted) if self.kinds[j] == kind]
            if own:
                _refuse_values(_columns(found[1], own), bad, batch, [counted[place] for place in own], text, skip_weightless=True)
        categories = [batch.column(j).categories() for j in self.of("categorical")]
        for j, (codes, _) in zip(self.of("categorical"), categories):
            if not skip_missing and (codes < 0).any():
                raise InputError(MISSING.format(place=_place(batch, int(np.argmax(codes < 0)), j)))
        return Parts(found[0], found[1], categories)

    def _refuse_other_types(self, batch: ColumnBatch) -> None:
        for j, column in enumerate(batch.columns or ()):
            if (column.type == "text") == self.text[j] or column.is_empty:
                continue
            there, now = ("text", "numbers") if self.text[j] else ("numbers", f"text such as {column.levels[0]!r}")  # type: ignore[index]
            raise InputError(
                f"C{batch.name(j)[1:]} held {there} when the model was first fitted (kind {self.kinds[j]!r}) and now holds {now}; "
                "give it the type it had."
            )
        if batch.columns is None and self.text.any():
            raise InputError(
                f"The model was fitted on columns of text, such as {batch.name(int(np.argmax(self.text)))}; X holds numbers only."
            )


MISSING = (
    "Input X contains NaN: {place} is missing. Use missing='ignore' to leave missing values out of the product, or fill them in first, for "
    "instance with sklearn.impute.SimpleImputer."
)
LIMITS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bernoulli": (
        lambda x: (x != 0) & (x != 1) & ~np.isnan(x),
        "A 'bernoulli' column holds 0 and 1 only, but {place} holds {value:g}; name another kind: kinds={{{key!r}: 'poisson'}} for counts, "
        "'gaussian' for measurements, 'categorical' for codes.",
    ),
    "poisson": (
        lambda x: (x < 0) | ((x != np.floor(x)) & ~np.isnan(x)),
        "A 'poisson' column holds counts 0, 1, 2, …, but {place} holds {value:g}; name another kind: kinds={{{key!r}: 'gaussian'}}.",
    ),
    "multinomial": (
        lambda x: x < 0,
        "A 'multinomial' column holds counts ≥ 0, but {place} holds {value:g}; name another kind: kinds={{{key!r}: 'gaussian'}}.",
    ),
}


def _refuse_values(
    X: Any, bad: Callable[[Any], Any], batch: ColumnBatch, indices: list[int], text: str, skip_weightless: bool = False
) -> None:
    if not indices or not (found := bad(X.data if sp.issparse(X) else X)).any():
        return
    if sp.issparse(X):
        entries = X.tocoo()
        rows, places, values = entries.row[found], entries.col[found], entries.data[found]
    else:
        rows, places = np.nonzero(found)
        values = X[rows, places]
    if skip_weightless and batch.weight is not None:
        # A row of weight 0 counts as if it were not there, so its values need not suit the kinds chosen without it.
        counted = batch.weight[rows] > 0
        rows, places, values = rows[counted], places[counted], values[counted]
    if not len(rows):
        return
    row, j, value = int(rows[0]), indices[int(places[0])], values[0]
    key: Any = batch.columns[j].name if batch.columns is not None else j
    raise InputError(text.format(place=_place(batch, row, j), value=float(value), key=key))


def _place(batch: ColumnBatch, row: int, j: int) -> str:
    return f"row {batch.start + row}, {batch.name(j)}"


def _columns(X: Any, indices: list[int]) -> Any:
    return X if len(indices) == X.shape[1] else X[:, indices]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCounts:
    """Weighted number of rows of K classes, and what each column's kind needs: moments, totals, or counts of categories.

    Attributes
    ----------
    classes, counts : (K,) labels, and sums of weights
    layout : kinds of the p columns
    moments : ColumnMoments of the columns of kind "gaussian", in their order
    totals : Counts of those of kind "bernoulli", "poisson" and "multinomial"
    categories : CategoryCounts of those of kind "categorical", with named levels
    """

    classes: NDArray[Any]
    counts: Floats
    layout: Layout
    moments: ColumnMoments
    totals: Counts
    categories: CategoryCounts

    @classmethod
    def summarise(
        cls, classes: Any, layout: Layout, skip_missing: bool, names: Any = None
    ) -> Callable[[Block | ColumnBatch], ColumnCounts]:
        """Return the pass: a function from a batch of columns, or a block of numbers, to its counts."""
        K = len(classes)

        def of(block: Block | ColumnBatch) -> ColumnCounts:
            batch = ColumnBatch.of(block, names)
            assert batch.codes is not None
            parts = layout.split(batch, skip_missing)
            counts = np.bincount(batch.codes, batch.weight, minlength=K).astype(np.float64)
            some = parts.measured.shape[1] > 0
            moments = ColumnMoments.of(parts.measured, batch.codes, batch.weight, K) if some else ColumnMoments.empty(K, 0)
            counted = Block(parts.counts, batch.codes, batch.weight, batch.start)
            rows = rows_per_class(batch.codes, batch.weight, K)
            totals = Counts(classes, counts, rows, *class_totals(counted, K, CountingRule(skip_missing=True)))
            return cls(classes, counts, layout, moments, totals, count_levels(totals, batch, parts))

        return of

    @classmethod
    def empty(cls, classes: Any, layout: Layout) -> Self:
        """Return the counts of no rows."""
        classes, K = np.asarray(classes), len(classes)
        measured, counted, named = (len(layout.of(*kinds)) for kinds in (("gaussian",), COUNT_KINDS, ("categorical",)))
        categories = replace(CategoryCounts.empty(classes, named), levels=as_objects([]))
        return cls(classes, np.zeros(K), layout, ColumnMoments.empty(K, measured), Counts.empty(classes, counted), categories)

    @property
    def n_features(self) -> int:
        """Number of columns p."""
        return len(self.layout.kinds)

    @property
    def is_finite(self) -> bool:
        """False if sums overflowed; bad values are refused by the pass itself."""
        return bool(np.isfinite(self.moments.total[2]).all()) and self.totals.is_finite

    def merge(self, other: Self) -> Self:
        """Return the counts of both sets of rows together."""
        self._check_fits(other)
        return replace(
            self,
            counts=self.counts + other.counts,
            moments=self.moments.merge(other.moments),
            totals=self.totals.merge(other.totals),
            categories=self.categories.merge(other.categories),
        )

    def subtract(self, other: Self) -> Self:
        """Return the counts without rows that are among those counted."""
        self._check_fits(other)
        totals, moments = self.totals.subtract(other.totals), self.moments.subtract(other.moments)
        emptied(totals.rows, moments.counts)
        if not totals.columns(self.layout.kinds[self.layout.of(*COUNT_KINDS)] == "bernoulli").are_switches:
            raise never_learned("a switch would be on in more rows than are left")
        return replace(
            self,
            counts=totals.counts,
            moments=moments,
            totals=totals,
            categories=self.categories.subtract(other.categories),
        )

    def scaled(self, factors: Floats) -> Self:
        """Return the counts after multiplying the weights of class k by factors_k."""
        parts = (self.moments.scaled(factors), self.totals.scaled(factors), self.categories.scaled(factors))
        return replace(self, counts=self.counts * factors, moments=parts[0], totals=parts[1], categories=parts[2])

    def _check_fits(self, other: Self) -> None:
        if self.layout.kinds.tolist() != other.layout.kinds.tolist() or not np.array_equal(self.classes, other.classes):
            raise InputError("Counts of columns of different kinds, or of different classes, do not go together; count both with the same.")


def count_levels(totals: Counts, batch: ColumnBatch, parts: Parts) -> CategoryCounts:
    """Return how often each category occurs in each class; categories are sorted, and those without weight left out."""
    K = len(totals.classes)
    cells, names = [np.zeros((K, 0))], []
    sizes = []
    for codes, levels in parts.categories:
        known = codes >= 0
        weight = None if batch.weight is None else batch.weight[known]
        place = batch.codes[known].astype(np.int64) * len(levels) + codes[known]  # type: ignore[index]
        found = np.bincount(place, weight, minlength=K * len(levels)).reshape(K, len(levels))
        order = sorted(range(len(levels)), key=levels.__getitem__)
        cells.append(found[:, order].astype(np.float64))
        names += [levels[c] for c in order]
        sizes.append(len(levels))
    starts = starts_of(np.array(sizes, dtype=np.int64))
    return CategoryCounts(totals.classes, totals.counts, totals.rows, starts, np.hstack(cells), as_objects(names)).compact()

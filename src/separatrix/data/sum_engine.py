"""Sums where the rows are: a pass may say what it sums, and an engine that holds the rows sums it there.

A pass is a function of a block. Some can say more: that of class moments is nothing but counts, means and scatters by class, and a
database finds these by a query, without a row leaving it. Such a pass has a second method, `ask`, which asks a `SumEngine` for them. A
source whose rows an engine holds calls it in `reduce`; all others run the pass over their blocks. Models know nothing of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from ..array_types import Codes, Floats, Ints

MomentKind = Literal["full", "pooled", "diagonal"]


@dataclass(frozen=True, slots=True, eq=False)
class GroupMoments:
    """Sums of weights (K,), numbers of rows that have a weight (K,), means (K, p) and centred scatters of the classes.

    The scatter is (K, p, p) of kind "full", (p, p) "pooled", (K, p) "diagonal". Means of a class without rows are zeros.
    """

    counts: Floats
    rows: Ints
    means: Floats
    scatter: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTotals:
    """Sums of weights (K,), numbers of rows (K,), column totals (K, p), NaN where a value cannot be counted, and weights of gaps (K, p)."""

    counts: Floats
    rows: Ints
    totals: Floats
    gaps: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LevelCounts:
    """Sums of weights (K,), numbers of rows (K,), for each column its values (L,) with their weights in the classes (K, L), and whether
    values are missing, which are none of these.
    """

    counts: Floats
    rows: Ints
    columns: Sequence[tuple[Floats, Floats]]
    has_gaps: bool


@dataclass(frozen=True, slots=True)
class KeyFolds:
    """Folds of rows by the md5 of a column, as :mod:`separatrix.data.key_hash` defines them."""

    key: str
    n_splits: int
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FoldScores:
    """Some rows: codes of their labels (n,), folds (n,), weights (n,) or None, and scores (n, R) by the model of their fold."""

    codes: Codes
    folds: Ints
    weight: Floats | None
    scores: Floats


ModelWriter = Callable[[int, str, str, list[str]], str]
"""From a fold, a SELECT, a dialect and names of columns to the SELECT that has these columns, the label and the posteriors by its model."""


class NotSummed(Exception):  # noqa: N818  # no error: the pass is run over the blocks instead
    """The engine has no such sum."""


class SumEngine(Protocol):
    """What an engine sums over the rows of a labelled source; classes are in the order of the source's `classes`."""

    def moments(self, kind: MomentKind) -> GroupMoments:
        """Return the moments of the classes; a NaN or a gap among the values is an error that names its column."""
        ...

    def fold_moments(self, kind: MomentKind, folds: KeyFolds) -> list[GroupMoments]:
        """Return the moments of the classes within each fold."""
        ...

    def fold_scores(self, folds: KeyFolds, coef: Floats, intercept: Floats) -> Iterator[FoldScores]:
        """Yield all rows, each scored by the linear model of its fold: coef (F, R, p), intercept (F, R)."""
        ...

    def fold_posteriors(self, folds: KeyFolds, write: ModelWriter) -> Iterator[FoldScores]:
        """Yield all rows with the logarithms of their posteriors, by models that `write` writes in the language of the engine."""
        ...

    def totals(self, threshold: float | None, switches: bool, nonnegative: bool, skip_missing: bool) -> ColumnTotals:
        """Return the column totals of the classes: of the values as they are, or of those above a threshold, counted."""
        ...

    def levels(self) -> LevelCounts:
        """Return the weight of every distinct value of every column, by class; gaps are left out."""
        ...

    def fourth_powers(self, means: Floats, scale: Floats) -> Floats:
        """Return Σ w_i ‖(x_i − means_k) / scale_k‖⁴ of each class, (K,), for means and scales (K, p)."""
        ...


T_co = TypeVar("T_co", covariant=True)


@runtime_checkable
class AskedPass(Protocol[T_co]):
    """A pass that can say what it sums."""

    def __call__(self, block: Any) -> T_co:
        """Return the value of a block."""
        ...

    def ask(self, engine: SumEngine) -> T_co:
        """Return the value of all rows, as an engine sums them."""
        ...

"""Moments of every fold in one pass, and of all folds but one without subtracting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data import Block, as_source
from ..data.device import is_on_device
from ..data.merging import Mergeable
from ..data.namespaces import like
from ..errors import InputError
from .class_moments import ClassMoments, Kind
from .grouped import Grouping, grouped_moments, rows_per_class

M = TypeVar("M", bound=Mergeable)


def all_but_one(parts: Sequence[M]) -> list[M]:
    """Return, for each part, the merge of all the others, by prefix and suffix merges: no subtraction, no cancellation.

    Examples
    --------
    >>> from separatrix.summaries import Counts
    >>> parts = [Counts(np.array(["a"]), np.array([n]), np.array([1]), np.array([[n]])) for n in (1.0, 2.0, 4.0)]
    >>> [float(rest.counts[0]) for rest in all_but_one(parts)]
    [6.0, 5.0, 3.0]
    """
    if len(parts) < 2:
        raise InputError(f"At least two folds are needed to leave one out; {len(parts)} given.")
    prefix, suffix = [parts[0]], [parts[-1]]
    for part in parts[1:-1]:
        prefix.append(prefix[-1].merge(part))
    for part in parts[-2:0:-1]:
        suffix.append(part.merge(suffix[-1]))
    suffix.reverse()
    middle = [before.merge(after) for before, after in zip(prefix[:-1], suffix[1:], strict=True)]
    return [suffix[0], *middle, prefix[-1]]


def _grouped_codes(fold: NDArray[np.integer], block: Block, K: int) -> Any:
    """Return fold · K + class of each row, beside the rows."""
    if is_on_device(block):
        return like(fold.astype(np.int64) * K, block.codes) + block.codes
    return (fold * K + block.codes).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class FoldMoments:
    """Class moments of each of F folds.

    Examples
    --------
    >>> folds = FoldMoments.from_data([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1], folds=[0, 1, 0, 1])
    >>> folds.training()[0].means.tolist()
    [[2.0], [6.0]]
    """

    parts: tuple[ClassMoments, ...]

    @classmethod
    def from_data(cls, X: Any, y: Any, folds: Any, sample_weight: Any = None, kind: Kind = "pooled") -> FoldMoments:
        """Summarise rows whose fold numbers 0 … F − 1 are given."""
        source = as_source(X, y, sample_weight)
        numbers = np.asarray(folds)
        if numbers.shape != (source.n_rows,) or numbers.dtype.kind not in "iu" or numbers.min() < 0:
            raise InputError(f"folds must hold one fold number ≥ 0 for each of the {source.n_rows} rows; got shape {numbers.shape}.")
        moments = source.reduce(cls.summarise(source.classes, kind, int(numbers.max()) + 1, lambda a, b: numbers[a:b]))
        if not all(part.is_finite for part in moments.parts):
            source.refuse_nonfinite()
        return moments

    @classmethod
    def summarise(
        cls, classes: Any, kind: Kind, n_folds: int, fold_of: Callable[[int, int], NDArray[np.integer]]
    ) -> Callable[[Block], FoldMoments]:
        """Return the pass; `fold_of(begin, end)` gives the folds of the source's rows begin to end."""
        K = len(classes)
        groups = np.arange(n_folds * K)
        slots, n_slots = (groups, n_folds * K) if kind == "full" else (groups // K, n_folds)
        grouping = Grouping(n_folds * K, slots, n_slots, diagonal=kind == "diagonal")

        def of(block: Block) -> FoldMoments:
            assert block.codes is not None
            fold = np.asarray(fold_of(block.start, block.start + block.n_rows))
            codes = _grouped_codes(fold, block, K)
            counts, means, scatter = grouped_moments(block, codes, grouping)
            rows = rows_per_class(codes, block.weight, n_folds * K)
            parts = []
            for f in range(n_folds):
                own = slice(f * K, (f + 1) * K)
                part = scatter[f] if kind == "pooled" else scatter[own]
                parts.append(ClassMoments(classes, counts[own], means[own], part, kind, rows[own]))
            return cls(tuple(parts))

        return of

    def merge(self, other: Self) -> Self:
        """Return the moments of both sets of rows, fold by fold."""
        return replace(self, parts=tuple(a.merge(b) for a, b in zip(self.parts, other.parts, strict=True)))

    def training(self) -> list[ClassMoments]:
        """Return, for each fold, the moments of all the other folds."""
        return all_but_one(self.parts)

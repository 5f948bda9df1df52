"""The rows of a search, cut into pairs of training and held-out rows, and the moments of the training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import refused_as
from ..data import Source, as_source
from ..data.source import ChunkedSource
from ..errors import InputError
from ..evaluation.plans import Plan
from ..evaluation.splits import pairs_of
from ..summaries import ClassMoments, FoldMoments, all_but_one
from ..summaries.class_moments import Kind, require_memory

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Split:
    """Numbers of the rows trained on and of those held out."""

    train: Ints
    test: Ints


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Labelled rows and how they are split.

    Attributes
    ----------
    source : Source
    X : rows as given, for refits
    codes, weight, classes : of all rows
    splits : tuple of Split
    """

    source: Source
    X: Any
    codes: NDArray[np.int32]
    weight: Floats | None
    classes: NDArray[Any]
    splits: tuple[Split, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def y(self) -> NDArray[Any]:
        """Labels."""
        return self.classes[self.codes]

    @cached_property
    def dense(self) -> Floats:
        """All rows in one array of float64."""
        require_memory((self.n, self.source.n_features))
        parts = [np.asarray(block.dense(), dtype=np.float64) for block in self.source.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @cached_property
    def held_out(self) -> list[tuple[NDArray[np.int32], Floats | None]]:
        """Class codes and weights of the held-out rows of each split."""
        return [(self.codes[s.test], None if self.weight is None else self.weight[s.test]) for s in self.splits]

    def moments(self, kind: Kind) -> ClassMoments:
        """Return the moments of all rows."""
        found = self.source.reduce(ClassMoments.summarise(self.classes, kind))
        if not found.is_finite:
            self.source.refuse_nonfinite()
        return found

    def training(self, kind: Kind) -> list[ClassMoments]:
        """Return the moments of the training rows of each split, from one pass where each split trains on all rows it does not hold out."""
        if not all(len(s.train) + len(s.test) == self.n and len(np.intersect1d(s.train, s.test)) == 0 for s in self.splits):
            return [self._trained_on(split, kind) for split in self.splits]
        found: list[ClassMoments] = []
        for repeat in _repeats(self.splits):
            found += self._all_but_one(repeat, kind)
        return found

    def _trained_on(self, split: Split, kind: Kind) -> ClassMoments:
        weight = None if self.weight is None else self.weight[split.train]
        source = as_source(self.dense[split.train], self.codes[split.train], weight, classes=np.arange(len(self.classes)))
        found = source.reduce(ClassMoments.summarise(self.classes, kind))
        if not found.is_finite:
            self.source.refuse_nonfinite()
        return found

    def _all_but_one(self, splits: Sequence[Split], kind: Kind) -> list[ClassMoments]:
        F = len(splits)
        folds = np.full(self.n, F)
        for f, split in enumerate(splits):
            folds[split.test] = f
        count = F + int((folds == F).any())
        require_memory((count, self.source.n_features if kind != "diagonal" else 1, self.source.n_features))
        moments = self.source.reduce(FoldMoments.summarise(self.classes, kind, count, lambda a, b: folds[a:b]))
        if not all(part.is_finite for part in moments.parts):
            self.source.refuse_nonfinite()
        return all_but_one(moments.parts)[:F]


def search_rows(source: Source, X: Any, plan: Any, groups: Any = None) -> SearchRows:
    """Return the rows of a source with the splits of a plan: one of this package, a scikit-learn splitter or an int; None: no splits."""
    blocks = list(source.map(lambda block: (block.codes, block.weight)))
    codes = np.concatenate([codes for codes, _ in blocks])
    weight = None if blocks[0][1] is None else np.concatenate([w for _, w in blocks])
    assert source.classes is not None
    y, none = source.classes[codes], np.zeros((len(codes), 1))
    splits: tuple[Split, ...] = ()
    if plan is not None:
        if isinstance(plan, Plan):
            with refused_as("plan", "give another one, such as KFold(5)."):
                splits = tuple(Split(train, test) for train, test in plan.split(none, y, groups))
        else:
            splits = tuple(Split(pair.train, pair.held) for pair in pairs_of(plan, len(codes), y, groups))
        splits = tuple(split for split in splits if len(split.test))
        if not splits:
            raise InputError(f"plan={plan!r:.60} holds no row out; give another one, such as KFold(5).")
    rows = SearchRows(source, X if isinstance(source, ChunkedSource) else None, codes, weight, source.classes, splits)
    _require_training_classes(rows)
    return rows


def _repeats(splits: Sequence[Split]) -> list[list[Split]]:
    """Return the splits in lists in which no row is held out twice."""
    found: list[list[Split]] = []
    seen: set[int] = set()
    for split in splits:
        if not found or not seen.isdisjoint(split.test.tolist()):
            found.append([])
            seen = set()
        found[-1].append(split)
        seen.update(split.test.tolist())
    return found


def _require_training_classes(rows: SearchRows) -> None:
    for number, split in enumerate(rows.splits):
        there = np.bincount(rows.codes[split.train], minlength=len(rows.classes))
        if (there == 0).any():
            label = rows.classes.tolist()[int(there.argmin())]
            raise InputError(
                f"Split {number} trains on no row of class {label!r}. Use fewer folds, a stratified plan, or more rows of that class."
            )

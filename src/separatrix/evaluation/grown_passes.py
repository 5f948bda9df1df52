"""A learning curve from two passes over rows that are not in memory.

The first pass summarises, for every fold, the rows between one size and the next: the summary of a size is that of the last one, merged
with that of the rows between, so that all sizes of all folds are solved without another pass. The second scores each row by all of them
and adds up what the metric needs, apart for rows held out and rows trained on. Where the summaries of all folds do not fit side by side,
folds take turns in the first pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..array_types import Bools, Floats, Indices, Ints
from ..data import Block
from ..progress import task
from ..solvers.scores import posteriors_of
from ..summaries import FoldMoments
from ..summaries.class_moments import Kind
from ..thresholds import HELD_SUMS
from .evaluation_rows import EvaluationRows, from_summary
from .metrics import ScoredRows
from .out_of_bag import BATCHED, ROW_LOSSES
from .resampled_passes import TILE, FitsOfMany


def by_passes(
    model: Any, rows: EvaluationRows, held: list[Bools], orders: list[Indices], counts: Ints, metric: str
) -> tuple[Floats, Floats] | None:
    """Return scores (2, m, F) of rows held out and of rows trained on, and of the rows of all folds held out (m,); None: refits.

    Parameters
    ----------
    model : classifier
    rows : of a table
    held : for each of F folds which rows are held out, (n,)
    orders : for each fold the other rows, in the order in which they are added
    counts : (m,) sizes
    metric : name
    """
    summary = abilities_of(model).summary
    if not summary or summary.kind is None or not summary.suffices(rows.n, rows.shape[1]) or metric not in BATCHED:
        return None
    places = np.stack([_places(*fold, counts) for fold in zip(held, orders, strict=True)])
    source, p, m = rows.source(model.n_jobs), rows.shape[1], len(counts)
    scatters = {"pooled": p * p, "full": len(rows.classes) * p * p, "diagonal": len(rows.classes) * p}[summary.kind]
    turn = HELD_SUMS.portion((m + 1) * (scatters + len(rows.classes) * p))
    fits = []
    with task("learning curve", total=len(held) + 1) as work:
        for begin in range(0, len(held), turn):
            some = places[begin : begin + turn]
            for fold in source.reduce(GrownPass(rows.classes, summary.kind, some, m)).folds:
                if not all(part.is_finite for part in fold.parts):
                    source.refuse_nonfinite()
                grown = accumulate(fold.parts[:m], lambda before, more: before.merge(more))
                fits += [offered(abilities_of(from_summary(clone(model), moments, rows)).scores) for moments in grown]
            work.advance(f"{begin + len(some)} of {len(held)} folds", len(some))
        sums = source.reduce(CurvePass(rows.classes, FitsOfMany.of(fits), places, m, metric))
        work.advance("scores")
    pooled = replace(sums, right=sums.right[0].sum(axis=0), held=sums.held[0].sum(axis=0), loss=sums.loss[0].sum(axis=0))
    return sums.value(metric).transpose(0, 2, 1), pooled.value(metric)


def _places(held: Bools, order: Indices, counts: Ints) -> NDArray[np.int16]:
    """Return for each row the first size that trains on it, m where it is held out, m + 1 where it is not used."""
    found = np.full(len(held), len(counts) + 1, dtype=np.int16)
    found[held] = len(counts)
    found[order[: counts[-1]]] = np.repeat(np.arange(len(counts)), np.diff(counts, prepend=0))
    return found


@dataclass(frozen=True, slots=True)
class GrownMoments:
    """Moments of the rows between sizes, for each fold."""

    folds: tuple[FoldMoments, ...]

    def merge(self, other: Self) -> Self:
        """Return the moments of both sets of rows."""
        return replace(self, folds=tuple(a.merge(b) for a, b in zip(self.folds, other.folds, strict=True)))


@dataclass(frozen=True, slots=True)
class GrownPass:
    """The pass to the moments of rows by the first size that trains on them, for every fold; rows beyond all sizes come last."""

    classes: NDArray[Any]
    kind: Kind
    places: NDArray[np.int16]
    n_sizes: int

    def __call__(self, block: Block) -> GrownMoments:
        """Summarise a block once for each fold."""
        return GrownMoments(tuple(self._of(block, own) for own in self.places))

    def _of(self, block: Block, places: NDArray[np.int16]) -> FoldMoments:
        numbers = np.minimum(places[block.start : block.start + block.n_rows], self.n_sizes)
        return FoldMoments.summarise(self.classes, self.kind, self.n_sizes + 1, lambda begin, end: numbers)(block)


@dataclass(frozen=True, slots=True)
class CurveSums:
    """By side (rows held out, rows trained on), fold and size: rows right and all rows by class (2, F, m, K), losses (2, F, m)."""

    right: Floats
    held: Floats
    loss: Floats

    def merge(self, other: Self) -> Self:
        """Return the sums of both sets of rows."""
        return type(self)(self.right + other.right, self.held + other.held, self.loss + other.loss)

    def value(self, metric: str) -> Floats:
        """Return the metric."""
        n, there = self.held.sum(axis=-1), self.held > 0
        found: Floats = self.loss / n
        if metric == "error":
            found = 1.0 - self.right.sum(axis=-1) / n
        elif metric == "balanced_accuracy":
            found = (self.right / np.where(there, self.held, 1.0)).sum(axis=-1) / there.sum(axis=-1)
        return found


@dataclass(frozen=True, slots=True)
class CurvePass:
    """The pass that scores rows by the fits of all folds and sizes (F·m, folds first)."""

    classes: NDArray[Any]
    fits: FitsOfMany
    places: NDArray[np.int16]
    n_sizes: int
    metric: str

    def __call__(self, block: Block) -> CurveSums:
        """Return the sums of a block."""
        F, m, K = len(self.places), self.n_sizes, len(self.classes)
        sums = CurveSums(np.zeros((2, F, m, K)), np.zeros((2, F, m, K)), np.zeros((2, F, m)))
        for tile in block.tiles(max(64, TILE // (F * m * K))):
            assert tile.codes is not None
            scores = self.fits.scores(tile.dense().astype(np.float64, copy=False), K)
            for f, own in enumerate(self.places[:, tile.start : tile.start + tile.n_rows]):
                for s in range(m):
                    for side, inside in enumerate((own == m, own <= s)):
                        self._add(sums, (side, f, s), tile.codes[inside], scores[:, f * m + s, inside].T)
        return sums

    def _add(self, sums: CurveSums, at: tuple[int, int, int], truth: Any, scores: Floats) -> None:
        K, said = len(self.classes), scores.argmax(axis=1).astype(np.int32)
        sums.right[at] += np.bincount(truth[said == truth], minlength=K)
        sums.held[at] += np.bincount(truth, minlength=K)
        if self.metric in ROW_LOSSES and len(truth):
            sums.loss[at] += ROW_LOSSES[self.metric](ScoredRows(truth, said, posteriors_of(scores), None, None, self.classes)).sum()

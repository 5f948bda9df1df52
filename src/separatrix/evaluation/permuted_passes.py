"""Many permutations of the labels in two passes over rows that are not in memory.

The moments of the folds are found once: the total scatter of the training rows knows no labels. For as many permutations as fit side by
side, one pass adds up the rows of every fold by their permuted class, a product of the rows with indicators (n, B·K); then all
permutations are solved, and a second pass scores each row by the fit without its fold and counts those that are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..abilities import abilities_of
from ..abilities.protocols import Permutes
from ..array_types import Floats, Folds, Ints
from ..data import Block
from ..progress import task
from ..solvers.held_out.permuted import TrainingTotals
from ..summaries import ClassMoments, all_but_one
from ..thresholds import HELD_SUMS
from .evaluation_rows import EvaluationRows
from .held_out import fold_moments
from .shuffled import STRETCH, Permutations, Shuffled

TILE = 500_000
"""Indicators of a tile of rows at a time."""


def right_by_class(model: Any, rows: EvaluationRows, folds: Folds, shuffled: Shuffled, B: int) -> Floats | None:
    """Return how many held-out rows of each class are told right under each of B permutations (B, K); None where refits are needed.

    Parameters
    ----------
    model : classifier
    rows : of a table, without weights
    folds : (n,) fold numbers, −1 for never
    shuffled : the permutations
    B : how many
    """
    permutes, K, p = abilities_of(model).permutations, len(rows.classes), rows.shape[1]
    if not permutes or rows.weight is not None:
        return None
    parts = fold_moments("pooled", model.n_jobs, rows, folds)
    training = [TrainingSummary.of(moments) for moments in all_but_one(parts)][: int(folds.max()) + 1]
    centre, places = _total_mean(parts), np.where(folds < 0, len(parts) - 1, folds).astype(np.int32)
    size = HELD_SUMS.portion(len(parts) * K * p + (rows.n // STRETCH + 1) * len(parts) * K)
    found = np.empty((B, K))
    with task("permutation test", total=B) as work:
        for begin in range(0, B, size):
            some = shuffled.some(begin, min(begin + size, B))
            solved = _solved(permutes, training, parts, rows, places, some, centre)
            if solved is None:
                return None
            found[begin : begin + some.count] = rows.source(model.n_jobs).reduce(solved).right
            work.advance(f"{begin + some.count} permutations", some.count)
    return found


def _total_mean(parts: list[ClassMoments]) -> Floats:
    counts = np.array([part.counts.sum() for part in parts])
    mean: Floats = counts @ np.stack([part.grand_mean for part in parts]) / counts.sum()
    return mean


@dataclass(frozen=True, slots=True)
class TrainingSummary:
    """Mean and scale (p,) of the training rows of a fold, and what depends on no label in these units."""

    mean: Floats
    scale: Floats
    totals: TrainingTotals

    @classmethod
    def of(cls, moments: ClassMoments) -> Self:
        """Return the moments of all classes taken as one."""
        mean = moments.grand_mean
        apart = np.sqrt(moments.counts)[:, None] * (moments.means - mean)
        total = moments.scatter + apart.T @ apart
        scale = np.sqrt(np.where(np.diagonal(total) > 0, np.diagonal(total), 1.0))
        return cls(mean, scale, TrainingTotals(int(moments.rows.sum()), total / scale[:, None] / scale))


def _solved(
    permutes: Permutes,
    training: list[TrainingSummary],
    parts: list[ClassMoments],
    rows: EvaluationRows,
    places: Any,
    some: Permutations,
    centre: Floats,
) -> ScorePass | None:
    """Return the pass that scores rows under some permutations; None where the algebra does not hold in some fold."""
    K, counts = len(rows.classes), np.stack([part.counts for part in parts])  # the same under every permutation, which stays in the folds
    sums = rows.source().reduce(SumPass(some, places, len(parts), K, centre)).sums
    every, coefs, offsets = sums.sum(axis=0), [], []
    for fold, own in enumerate(training):
        others, scale = counts.sum(axis=0) - counts[fold], own.scale[:, None, None]
        about_mean = (every - sums[fold]) - others * (own.mean - centre)[:, None, None]
        found = permutes.solve(own.totals, about_mean / scale, np.tile(others, (some.count, 1)), own.scale, rows.classes)
        if found is None:
            return None
        coefs.append(found[0] / scale)
        offsets.append(found[1] - np.einsum("pbk,p->bk", coefs[-1], own.mean - centre))
    return ScorePass(some, places, np.stack(coefs), np.stack(offsets), centre)


@dataclass(frozen=True, slots=True)
class PermutedSums:
    """Sums of rows by fold, permutation and class, (F, p, B, K)."""

    sums: Floats

    def merge(self, other: Self) -> Self:
        """Return the sums of both sets of rows."""
        return type(self)(self.sums + other.sums)


@dataclass(frozen=True, slots=True)
class SumPass:
    """The pass to the sums of rows about a centre, by the fold they are in and their permuted class."""

    some: Permutations
    places: Ints
    n_folds: int
    n_classes: int
    centre: Floats

    def __call__(self, block: Block) -> PermutedSums:
        """Return the sums of a block."""
        B, K = self.some.count, self.n_classes
        found = np.zeros((self.n_folds, block.n_features, B, K))
        for tile in block.tiles(max(64, TILE // (B * K))):
            end = tile.start + tile.n_rows
            U, codes, places = tile.dense() - self.centre, self.some.rows(tile.start, end), self.places[tile.start : end]
            for fold in np.unique(places):
                own = np.flatnonzero(places == fold)
                for k in range(K):
                    found[fold, :, :, k] += U[own].T @ (codes[own] == k).astype(np.float64)
        return PermutedSums(found)


@dataclass(frozen=True, slots=True)
class PermutedHits:
    """Held-out rows that are told right, by permutation and class, (B, K)."""

    right: Floats

    def merge(self, other: Self) -> Self:
        """Return the hits among both sets of rows."""
        return type(self)(self.right + other.right)


@dataclass(frozen=True, slots=True)
class ScorePass:
    """The pass to the rows that are told right under each permutation by the fit without their fold."""

    some: Permutations
    places: Ints
    coef: Floats
    offset: Floats
    centre: Floats

    def __call__(self, block: Block) -> PermutedHits:
        """Return the hits of a block; folds beyond those solved hold rows that are never held out."""
        F, p, B, K = self.coef.shape
        right = np.zeros((B, K))
        for tile in block.tiles(max(64, TILE // (B * K))):
            end = tile.start + tile.n_rows
            U, codes, places = tile.dense() - self.centre, self.some.rows(tile.start, end), self.places[tile.start : end]
            for fold in np.unique(places[places < F]):
                own = np.flatnonzero(places == fold)
                scores = (U[own] @ self.coef[fold].reshape(p, -1)).reshape(len(own), B, K) + self.offset[fold]
                said = scores[:, :, 1] > scores[:, :, 0] if K == 2 else scores.argmax(axis=2)
                hit = said == codes[own]
                for k in range(K):
                    right[:, k] += (hit & (codes[own] == k)).sum(axis=0)
        return PermutedHits(right)

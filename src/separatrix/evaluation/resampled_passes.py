"""All resamples of a bootstrap from three passes over rows that are not held together: files, a cluster, a large array.

| pass | what it gives |
|---|---|
| 1 | the moments of all rows: the fit of all, and the class means that sums of the next pass are taken about |
| 2 | sums of every resample: weighted rows, and their products, about these means; they add up over blocks |
| 3 | what each resample says of the rows it did not draw, and what the fit of all rows says of each |

Resamples whose sums do not fit side by side take turns in pass 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..abilities.protocols import ScoresBlocks
from ..array_types import Bools, Codes, Floats
from ..data import Block, Source
from ..data.threads import single_threaded_blas
from ..progress import task
from ..solvers.scores import largest, per_class
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from ..summaries.resampled import SortedRows, WeightedSums
from ..thresholds import HELD_SUMS
from .draws import Draws
from .evaluation_rows import EvaluationRows, from_summary
from .out_of_bag import OutOfBag
from .table_rows import TableRows

TILE = 1_000_000
"""Products, or scores, of a tile of rows at a time."""


@dataclass(frozen=True, slots=True)
class PassedResamples:
    """Which resamples are left to refits (B,), and the class that the fit of all rows gives each row (n,)."""

    left: Bools
    codes: Codes


def by_passes(model: Any, rows: EvaluationRows, draws: Draws, bag: OutOfBag) -> PassedResamples | None:
    """Add what all resamples say to the bag; None where the model or the metrics need refits.

    Parameters
    ----------
    model : classifier
    rows : EvaluationRows
    draws : resamples that have every class
    bag : OutOfBag
    """
    abilities = abilities_of(model)
    summary, kind = abilities.summary, abilities.summary.kind if abilities.summary else None
    plain = isinstance(rows, TableRows) or (isinstance(rows.X, np.ndarray) and rows.X.ndim == 2 and rows.X.dtype.kind in "fiu")
    if not summary or kind is None or bag.others or not plain or not summary.suffices(rows.n, rows.shape[1]):
        return None
    source = rows.source(model.n_jobs)
    with task("bootstrap", total=3) as work:
        whole = source.reduce(ClassMoments.summarise(rows.classes, kind))
        if not whole.is_finite:
            source.refuse_nonfinite()
        fitted = from_summary(clone(model), whole, rows)
        work.advance("fit of all rows")
        scorers, sure = _solved(model, rows, source, draws, whole)
        work.advance("fits of the resamples")
        judge = Judge(draws.only(sure), scorers, offered(abilities_of(fitted).scores), bag.chosen, bag.posteriors is not None, rows.classes)
        found = list(source.told(judge))
        work.advance("rows left out")
    bag.add_parts((part for parts, _ in found for part in parts), int(sure.sum()))
    return PassedResamples(~sure, np.concatenate([codes for _, codes in found]))


def _solved(model: Any, rows: EvaluationRows, source: Source, draws: Draws, whole: ClassMoments) -> tuple[FitsOfMany, Bools]:
    """Return the fits of all resamples, and which resamples have one that is sure."""
    kind, p, K = whole.kind, whole.n_features, len(rows.classes)
    size = HELD_SUMS.portion({"pooled": 1, "full": K, "diagonal": 0}[kind] * p * (p + 1) // 2 + 2 * K * (p + 1))
    solves, sure = abilities_of(model).resamples, np.zeros(draws.n_resamples, dtype=bool)
    found: list[Any] = []
    for begin in range(0, draws.n_resamples, size):
        turn = np.arange(begin, min(begin + size, draws.n_resamples))
        sums: WeightedSums = source.reduce(ResampledPass(draws.only(turn), whole.means, kind))
        moments = sums.moments(whole.means, kind)
        sure[turn] = moments.varies(whole.diagonals(), kind)
        if solves:
            with single_threaded_blas():  # many small systems: threads would only wait for each other
                coef, intercept, certain = solves.solve(moments, rows.classes)
            sure[turn] &= certain
            found += [LinearFit(coef[b], intercept[b]) for b in np.flatnonzero(sure[turn])]
            continue
        for b in np.flatnonzero(sure[turn]):
            own = ClassMoments(rows.classes, moments.counts[b], moments.means[b], moments.scatter[b], kind, sums.drawn[b])
            found.append(offered(abilities_of(from_summary(clone(model), own, rows)).scores))
    return FitsOfMany.of(found), sure


@dataclass(frozen=True, slots=True)
class ResampledPass:
    """The pass from a block to the sums of its rows under every resample, about the means of their classes."""

    draws: Draws
    means: Floats
    kind: Kind

    def __call__(self, block: Block) -> WeightedSums:
        """Return the sums of a block, tile by tile."""
        p, found = block.n_features, None
        for tile in block.tiles(max(64, TILE // (p * (p + 1) // 2 + self.draws.n_resamples))):
            assert tile.codes is not None
            weights = self.draws.part(tile.start, tile.start + tile.n_rows).astype(np.float64, copy=False)
            weights = weights if tile.weight is None else weights * tile.weight
            rows = SortedRows(tile.dense().astype(np.float64, copy=False), tile.codes, len(self.means), self.means)
            sums = rows.sums(weights, self.kind)
            found = sums if found is None else found.merge(sums)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Scores X coef' + intercept."""

    coef: Floats
    intercept: Floats

    def linear(self) -> tuple[Floats, Floats]:
        """Return coef (R, p) and intercept (R,)."""
        return self.coef, self.intercept


@dataclass(frozen=True, slots=True)
class FitsOfMany:
    """Fits that score the same rows: all linear, by one matrix product, or each in its own way."""

    coef: Floats | None
    intercept: Floats | None
    fits: tuple[Any, ...]

    @classmethod
    def of(cls, fits: list[Any]) -> FitsOfMany:
        """Return the fits, joined where all are linear in the rows."""
        parts = [part for part in (fit.linear() for fit in fits) if part is not None]
        if not fits or len(parts) < len(fits):
            return cls(None, None, tuple(fits))
        return cls(np.stack([coef for coef, _ in parts]), np.stack([intercept for _, intercept in parts]), ())

    def scores(self, X: Floats, n_classes: int) -> Floats:
        """Return the scores (K, B, n) of rows."""
        if self.coef is None or self.intercept is None:
            each = [per_class(fit.scores(Block(X))).T for fit in self.fits]
            return np.stack(each, axis=1) if each else np.empty((n_classes, 0, len(X)))
        B, R, p = self.coef.shape
        found = (self.coef.transpose(1, 0, 2).reshape(-1, p) @ X.T).reshape(R, B, len(X)) + self.intercept.T[:, :, None]
        return found if R > 1 else np.concatenate([np.zeros_like(found), found])


@dataclass(frozen=True, slots=True)
class Judge:
    """The pass from a block to what each resample says of the rows it did not draw, by tiles, and what the fit of all rows says."""

    draws: Draws
    fits: FitsOfMany
    whole: ScoresBlocks
    chosen: dict[str, Any]
    has: bool
    classes: NDArray[Any]

    def __call__(self, block: Block) -> tuple[list[tuple[int, OutOfBag]], Codes]:
        """Return parts of the bag with their first rows, and classes of the rows."""
        parts, codes = [], []
        for tile in block.tiles(max(16, TILE // max(1, len(self.classes) * self.draws.n_resamples))):
            assert tile.codes is not None
            X = tile.dense().astype(np.float64, copy=False)
            part = OutOfBag(EvaluationRows(None, tile.codes, tile.weight, self.classes), self.chosen, self.has)
            part.add_many(self.fits.scores(X, len(self.classes)), self.draws.part(tile.start, tile.start + tile.n_rows) == 0)
            parts.append((tile.start, part))
            codes.append(largest(self.whole.scores(Block(X))))
        return parts, np.concatenate(codes)

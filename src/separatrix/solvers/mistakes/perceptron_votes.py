"""All weights a perceptron has had, each with as many votes as it survived visits.

The weights after t updates are w_t = w_0 + Σ_{s ≤ t} ± step_s (x_s, unit), so that their scores of a row x need the products
x'x_s alone: the rows stepped on are kept once each, whatever the number of updates (sparse ones stay sparse), one matrix product
gives all x'x_s, and a running sum the scores of all w_t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...array_types import Codes, Floats, Ints
from ...data import Block, Source
from ...data.threads import spread, thread_count
from ...thresholds import THREADS
from .perceptron_rows import take_rows
from .perceptron_trace import Trace

PRODUCTS = 4_000_000
"""Products x'x_s held at a time by a thread: 32 megabytes."""
TOGETHER, FEW = 128, 16
"""Rows that go through the updates together; fewer than FEW are quicker one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """A CSR array as plain arrays."""

    data: Floats
    indices: NDArray[np.int32]
    indptr: NDArray[np.int32]
    columns: int

    @classmethod
    def of(cls, X: Any) -> Self:
        """Return the parts of a CSR array."""
        return cls(X.data, X.indices, X.indptr, int(X.shape[1]))

    def matrix(self) -> Any:
        """Return the CSR array."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(len(self.indptr) - 1, self.columns))


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """The weights at the start, T updates, and the votes of the T + 1 weights there were.

    Attributes
    ----------
    start : (R, p + 1), the intercept last
    unit : float, 1 where the intercept is learned, else 0
    support : (S, p) distinct rows stepped on
    index, own, rival, step : (T,) row of the support, class, rival and length of each update
    survived : (T + 1,) weight of the visits that the weights after t updates stood
    """

    start: Floats
    unit: float
    support: Floats | SparseRows
    index: Ints
    own: Codes
    rival: Codes
    step: Floats
    survived: Floats

    @classmethod
    def of(cls, trace: Trace, source: Source, first_row: int, clock: tuple[float, float]) -> Self:
        """Return the ballots of a trace; `first_row` is the number of the source's first row in it, clock that before and after."""
        rows, index = np.unique(trace.row - first_row, return_inverse=True)
        X = take_rows(source, rows)
        support = SparseRows.of(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        survived = np.diff(trace.clock, prepend=clock[0], append=clock[1])
        return cls(trace.start, trace.unit, support, index.astype(np.int64), trace.own, trace.rival, trace.step, survived)

    def then(self, later: Self) -> Self:
        """Return these and later ones, which began where these ended: the weights in between stood in both."""
        a, b = self._rows(), later._rows()
        sparse = sp.issparse(a) and sp.issparse(b)
        both = sp.vstack([a, b], format="csr") if sparse else np.vstack([_dense(a), _dense(b)])
        middle = self.survived[-1] + later.survived[0]
        return replace(
            self,
            support=SparseRows.of(both) if sparse else both,
            index=np.append(self.index, later.index + a.shape[0]),
            own=np.append(self.own, later.own),
            rival=np.append(self.rival, later.rival),
            step=np.append(self.step, later.step),
            survived=np.concatenate([self.survived[:-1], [middle], later.survived[1:]]),
        )

    def _rows(self) -> Any:
        return self.support.matrix() if isinstance(self.support, SparseRows) else self.support

    def weights(self) -> Floats:
        """Return all weights there were of two classes, (T + 1, p + 1), the intercept last."""
        rows = np.column_stack([_dense(self._rows())[self.index], np.full(len(self.index), self.unit)])
        steps = np.where(self.own == 1, self.step, -self.step)[:, None] * rows
        return np.vstack([self.start, self.start + np.cumsum(steps, axis=0)])

    def votes(self, block: Block, n_jobs: int | None = None) -> Floats:
        """Return the votes (n, R) of a block's rows: those of each class, or + for the second minus those for the first of two.

        A row that is not finite has NaN votes.
        """
        support = self._rows()
        tiles = list(block.tiles(max(1, min(TOGETHER, PRODUCTS // max(support.shape[0], 1)))))
        threads = thread_count(n_jobs) if THREADS.reached(block.n_rows * len(self.survived)) else 1
        return np.vstack(spread(lambda tile: self._of_tile(tile, support), tiles, threads))

    def _of_tile(self, tile: Block, support: Any) -> Floats:
        from ...kernels.votes import cast_votes, cast_votes_together

        # Sparse rows times dense support and the other way round: scipy multiplies sparse from the left only.
        mixed = tile.is_sparse and not sp.issparse(support)
        G = _dense((tile.X @ support.T).T if mixed else support @ tile.X.T)
        f = np.asarray(tile.X @ self.start[:, :-1].T, dtype=np.float64) + self.start[:, -1]
        finite, R = np.asarray(np.isfinite(f).all(axis=1)), f.shape[1]
        updates = self.index, self.own, self.rival, self.step, self.unit, self.survived
        if tile.n_rows < FEW:
            votes = np.zeros((tile.n_rows, R))
            cast_votes(np.ascontiguousarray(G.T, dtype=np.float64), f, *updates, votes)
        else:
            counted = np.zeros((max(R, 2), tile.n_rows))
            cast_votes_together(np.ascontiguousarray(G, dtype=np.float64), np.ascontiguousarray(f.T), *updates, counted)
            votes = counted.T if R > 1 else (counted[1] - counted[0])[:, None]
        return np.where(finite[:, None], votes, np.nan)


def _dense(X: Any) -> Floats:
    rows: Floats = X.toarray() if sp.issparse(X) else X
    return rows

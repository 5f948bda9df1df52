"""How a perceptron comes by its rows: one after the other, in the order given or shuffled anew for every epoch.

The shuffle cuts the rows into blocks of 256, puts the blocks in random order and then shuffles the rows of every 16 blocks
together: neighbours come from all over the rows, and memory is still read in runs (in half the time of a full permutation). Up to
4,096 rows it is a full permutation. It depends on the number of rows and the seed alone, so that all roads over rows in memory
see the same order:

- held: C-ordered floats and CSR arrays are visited where they lie, many epochs in one call of a kernel; others, and
  frames, of up to 12 megabytes are converted for that;
- gathered: larger arrays that kernels cannot read (Fortran order, whole numbers, float32 CSR) are converted tile by tile, in
  the order of the visits;
- streamed: larger frames, and files, come chunk by chunk and are shuffled within the chunk; a frame's chunks in random order,
  those of a file as they stand there (sort no file by its labels), read once where they fit into memory;
- mixed: rows on other machines are learned there (`perceptron_mixing.py`).

While one tile is being learned, threads prepare the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...array_types import Floats, Ints
from ...data import Block, Source
from ...data.arrays import ArraySource
from ...data.kept import kept
from ...data.source import ChunkedSource, as_float
from ...data.threads import ended, ordered_map, thread_count

BLOCK = 256
"""Rows that stay together in the first step of the shuffle: long runs are read fast."""
WINDOW = 16
"""Blocks shuffled together."""
ONCE = 1_500_000
"""Values up to which rows that kernels cannot read are converted once, all together: 12 megabytes, as a chunk has."""
TILE_VALUES = 400_000
"""Values converted in one go where there are more: about three megabytes."""
BURST = 4_000_000
"""Values visited in one call of a kernel, a few milliseconds, so that Ctrl-C is heard."""
NO_WEIGHT, NO_INDEX = np.empty(0), np.empty(0, dtype=np.int32)


@dataclass(slots=True, eq=False)
class Learner:
    """What changes while a perceptron learns, as the kernels hold it (see kernels/perceptron.py).

    `weights` and `memory` are (R, p + 1), or (p + 1, R) while rows are sparse; the memory is empty unless weights are averaged.
    Rows are numbered from `first_row` on; `rows` is how many there are.
    """

    weights: Floats
    memory: Floats
    tally: Floats
    dice: NDArray[np.uint64]
    eta: float
    unit: float
    shuffle: bool
    record: bool
    first_row: int = 0
    rows: int = 0
    is_turned: bool = False
    logged: list[Floats] = field(default_factory=list)

    def turn(self, is_sparse: bool) -> None:
        """Turn weights and memory to suit the rows."""
        if is_sparse != self.is_turned:
            self.weights, self.memory = np.ascontiguousarray(self.weights.T), np.ascontiguousarray(self.memory.T)
            self.is_turned = is_sparse

    def arguments(self, is_sparse: bool) -> tuple[float, float, Floats, Floats, Floats]:
        """Return the last arguments of the kernels but for the log; weights of two classes have one dimension."""
        self.turn(is_sparse)
        if self.weights.shape[int(is_sparse)] == 1:
            return self.eta, self.unit, self.weights.reshape(-1), self.memory.reshape(-1), self.tally
        return self.eta, self.unit, self.weights, self.memory, self.tally

    def log(self, n: int) -> Floats:
        """Return a log with room for n visits, or none where nothing is recorded."""
        return np.empty((n if self.record else 0, 6))

    def keep(self, log: Floats, rows: Ints | None, epoch: int, first: int = 0) -> None:
        """Keep what is in a log; `rows` maps its row numbers to those of the source."""
        from ...kernels import perceptron as kernels

        used = log[: int(self.tally[kernels.LOGGED])].copy()
        self.tally[kernels.LOGGED] = 0.0
        if len(used):
            own = used[:, kernels.ROW].astype(np.int64)
            used[:, kernels.ROW] = self.first_row + first + (own if rows is None else rows[own])
            self.logged.append(np.column_stack([np.full(len(used), float(epoch)), used]))

    def order(self, rows: Ints) -> Ints:
        """Return the order in which to visit some rows."""
        if not self.shuffle:
            return rows
        from ...kernels import perceptron as kernels

        order = np.empty_like(rows)
        kernels.shuffle_rows(rows, order, BLOCK, WINDOW, self.dice)
        return order

    def visit(self, block: Block, order: Ints, rows: Ints | None, epoch: int, first: int) -> bool:
        """Visit the rows of a block, prepared for the kernels, once; return whether all scores were finite."""
        from ...kernels import perceptron as kernels

        log, rest = self.log(len(order)), self.arguments(block.is_sparse)
        weight = NO_WEIGHT if block.weight is None else block.weight
        finite = kernels.visit(*arrays(block), block.codes, weight, order, *rest, log)
        self.keep(log, rows, epoch, first)
        return bool(finite)


class Road(Protocol):
    """A way to visit all rows."""

    def run(self, learner: Learner, epochs: int) -> bool:
        """Visit all rows for at most `epochs` epochs, until one has no mistake; return whether all scores were finite."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """All rows in one block, as the kernels read them."""

    block: Block
    rows: Ints

    def run(self, learner: Learner, epochs: int) -> bool:
        """See `Road.run`."""
        from ...kernels import perceptron as kernels

        block, rest = self.block, learner.arguments(self.block.is_sparse)
        learner.rows = block.n_rows
        values = block.X.nnz * learner.weights.shape[1] if block.is_sparse else block.X.size * len(learner.weights)
        epochs = 1 if learner.record else min(epochs, 1 + BURST // max(values, 1))
        order = self.rows.copy() if learner.shuffle else self.rows
        size = BLOCK if learner.shuffle else 0
        weight = NO_WEIGHT if block.weight is None else block.weight
        log = learner.log(len(order))
        finite = kernels.train(*arrays(block), block.codes, weight, self.rows, order, size, WINDOW, learner.dice, epochs, *rest, log)
        learner.keep(log, None, int(learner.tally[kernels.EPOCHS]))
        return bool(finite)


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """All rows in memory, but not as the kernels read them: gathered and converted tile by tile."""

    block: Block
    rows: Ints
    n_jobs: int | None

    def run(self, learner: Learner, epochs: int) -> bool:
        """See `Road.run`; one epoch."""
        learner.rows = self.block.n_rows
        order = learner.order(self.rows)
        values = self.block.X.nnz / self.block.n_rows if self.block.is_sparse else self.block.n_features
        size = max(1, int(TILE_VALUES / max(values, 1.0)))
        cuts = (order[begin : begin + size] for begin in range(0, len(order), size))
        with one_epoch(learner) as epoch:
            for rows, tile in ordered_map(self.tile, cuts, thread_count(self.n_jobs)):
                if not learner.visit(tile, np.arange(len(rows)), rows, epoch, 0):
                    return False
        return True

    def tile(self, rows: Ints) -> tuple[Ints, Block]:
        """Return some rows as the kernels read them."""
        assert self.block.codes is not None
        weight = None if self.block.weight is None else self.block.weight[rows]
        return rows, Block(gather(self.block.X, rows), self.block.codes[rows], weight)


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """Rows that come chunk by chunk."""

    source: Source
    factors: Floats | None

    def run(self, learner: Learner, epochs: int) -> bool:
        """See `Road.run`; one epoch."""
        with one_epoch(learner) as epoch, ended(self.blocks(learner)) as blocks:
            for block in blocks:
                learner.rows = max(learner.rows, block.start + block.n_rows)
                order = learner.order(kept_rows(block))
                if len(order) and not learner.visit(block, order, None, epoch, block.start):
                    return False
        return True

    def blocks(self, learner: Learner) -> Iterator[Block]:
        """Yield all blocks, those in memory in random order if rows are shuffled."""
        if not isinstance(self.source, ChunkedSource):
            yield from self.source.told(self.prepared)
            return
        from ...kernels.perceptron import deal

        source, starts = self.source, np.arange(0, self.source.n_rows, self.source.chunk_rows)
        if learner.shuffle:
            deal(starts, 0, len(starts), learner.dice)
        yield from ordered_map(lambda begin: self.prepared(source.chunk(begin)), starts.tolist(), thread_count(source.n_jobs))

    def prepared(self, block: Block) -> Block:
        """Return a block as the kernels read it, with class factors in its weights."""
        return weighted(replace(block, X=fitting(block.X)), self.factors)


@contextmanager
def one_epoch(learner: Learner) -> Iterator[int]:
    """Count what happens inside as one epoch, however many visits it takes; give its number."""
    from ...kernels.perceptron import EPOCHS, LAST, LOSS, MISTAKES

    tally = learner.tally
    before = float(tally[MISTAKES])
    tally[EPOCHS] += 1.0
    tally[LOSS] = 0.0
    yield int(tally[EPOCHS])
    tally[LAST] = tally[MISTAKES] - before


def road_to(source: Source, factors: Floats | None) -> Road:
    """Return the road to the rows of a source; `factors` multiply the weights of the classes."""
    X: Any = source.X if isinstance(source, ArraySource) else None
    if source.is_remote:
        from .perceptron_mixing import Mixed

        return Mixed(source.persisted(), factors)
    if not isinstance(source, ChunkedSource):
        return Streamed(kept(source, fitting), factors)
    values = X.nnz if sp.issparse(X) else source.n_rows * source.n_features
    if (X is None or not fits(X)) and values <= ONCE:
        X = fitting(source.rows(0, source.n_rows))
    if X is None:
        return Streamed(source, factors)
    assert source.labels is not None
    block = weighted(Block(X, source.labels.codes(0, source.n_rows), source.weight), factors)
    return Held(block, kept_rows(block)) if fits(X) else Gathered(block, kept_rows(block), source.n_jobs)


def weighted(block: Block, factors: Floats | None) -> Block:
    """Return a block with class factors in its weights."""
    if factors is None:
        return block
    own = factors[block.codes]
    return replace(block, weight=own if block.weight is None else own * block.weight)


def kept_rows(block: Block) -> Ints:
    """Return the numbers of the rows that count: a row of weight 0 is not there, so that it changes no shuffle either."""
    if block.weight is None or block.weight.all():
        return np.arange(block.n_rows)
    return np.flatnonzero(block.weight)


def arrays(block: Block) -> tuple[Any, Any, Any]:
    """Return a block's rows as the first arguments of a kernel: X or the stored values, indices and indptr, these empty for dense rows."""
    if block.is_sparse:
        return block.X.data, block.X.indices.view(np.uint32), block.X.indptr
    return block.X, NO_INDEX.view(np.uint32), NO_INDEX


def fits(X: Any) -> bool:
    """Whether kernels can read X: C-ordered float32 or float64, or CSR of float64 and int32."""
    if sp.issparse(X):
        readable: bool = X.dtype == np.float64 and X.indices.dtype == np.int32 and X.indptr.dtype == np.int32
        return readable
    return X.dtype in (np.float32, np.float64) and X.dtype.isnative and X.flags.c_contiguous and X.flags.aligned


def fitting(X: Any) -> Any:
    """Return X in a form kernels can read, itself if it is in one."""
    if fits(X):
        return X
    if not sp.issparse(X):
        return np.require(as_float(X), requirements=["C", "A"])
    parts = X.data.astype(np.float64), X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=X.shape)


def gather(X: Any, rows: Ints) -> Any:
    """Return some rows of X in the form kernels read."""
    # Not numpy.take: it would first copy all of an X that is not C-ordered.
    return fitting(X[rows])


def take_rows(source: Source, rows: Ints) -> Any:
    """Return some rows of a source, their numbers rising, as one dense or CSR array."""
    if isinstance(source, ArraySource):
        return gather(source.X, rows)
    parts = []
    for block in source.blocks():
        low, high = np.searchsorted(rows, [block.start, block.start + block.n_rows])
        parts.append(gather(block.X, rows[low:high] - block.start))
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)

"""Labelled rows as the solvers of losses read them: again and again, with class factors in their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from ..array_types import Codes, Floats
from ..data import Block, Source
from ..data.device import is_on_device
from ..data.kept import kept
from ..data.merging import Mergeable
from ..data.namespaces import like, namespace
from ..data.source import ChunkedSource, as_float
from ..data.stored_block import by_rows
from ..data.threads import ended, ordered_map, single_threaded_blas, spread, thread_count
from ..thresholds import KEPT, THREADS

M = TypeVar("M", bound=Mergeable)
R = TypeVar("R")

CHUNK_VALUES = 250_000
"""Values of a chunk of a sparse matrix or of a sample: a millisecond of work, so that threads share a matrix of a few millions evenly."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows with codes and weights s_i = weight_i · factors[codes_i].

    In memory, the blocks are cut once and held: C-ordered float arrays and CSR arrays are views of the user's data; other dense
    rows (frames, Fortran order, whole numbers) are converted once. Those of files stay in memory after the first pass if they fit, and are
    read anew on every pass if they do not.

    Attributes
    ----------
    held : list of Block, or None where rows are read anew
    X : the whole matrix where it is held in one piece, C-ordered or CSR; else None
    codes, weight : of all rows held, or None
    """

    source: Source
    factors: Floats | None
    held: list[Block] | None
    X: Any = None
    codes: Codes | None = None
    weight: Floats | None = None

    @classmethod
    def of(cls, source: Source, factors: Floats | None = None) -> Self:
        """Return the rows of a source with labels; `factors` (K,) multiply the weights of the classes."""
        if not isinstance(source, ChunkedSource):
            return cls(kept(source, by_rows), factors, None)
        assert source.labels is not None
        codes = source.labels.codes(0, source.n_rows)
        weight = source.weight
        if factors is not None:
            weight = factors[codes] if weight is None else weight * factors[codes]
        X = getattr(source, "X", None)
        if X is None or not sp.issparse(X):
            X = _in_order(source, X)
        return cls(source, None, _cut(X, codes, weight, source.chunk_rows), X, codes, weight)

    @classmethod
    def of_arrays(cls, X: Any, codes: Codes, weight: Floats | None, source: Source) -> Self:
        """Return rows given as arrays; `source` is where they came from."""
        return cls(source, None, _cut(X, codes, weight, max(1, CHUNK_VALUES // X.shape[1])), X, codes, weight)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        # Rows may be coordinates of others, or some columns of theirs: then the source has more.
        return int(self.source.n_features if self.X is None else self.X.shape[1])

    @property
    def n_rows(self) -> int | None:
        """Number of rows, if it is known before a pass."""
        return self.source.n_rows if self.codes is None else len(self.codes)

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are held as CSR."""
        sparse: bool = sp.issparse(self.X)
        return sparse

    @property
    def values(self) -> int:
        """Number of values held: stored ones if sparse."""
        return 0 if self.X is None else int(self.X.nnz if self.is_sparse else self.X.size)

    @property
    def threads(self) -> int:
        """Threads a pass over rows held may use."""
        return thread_count(self.source.n_jobs) if THREADS.reached(self.values) else 1

    def in_pieces(self, count: int) -> Self:
        """Return dense rows held cut into about `count` blocks, or fewer where those would be short."""
        assert self.held is not None and self.codes is not None
        n, p = self.X.shape
        return replace(self, held=_cut(self.X, self.codes, self.weight, max(-(-n // count), CHUNK_VALUES // p, 1)))

    def gathered(self) -> Self | None:
        """Return the rows in memory in one piece; None where they lie on other machines or take too much of it."""
        if self.source.is_remote:
            return None
        parts, size = list[Block](), 0
        for block in self.map(lambda block: block):
            parts, size = [*parts, block], size + block.X.nbytes
            if KEPT.reached(size):
                return None
        codes, weights = (np.concatenate([part.codes for part in parts]), [part.weight for part in parts if part.weight is not None])
        X = np.concatenate([part.X for part in parts])
        return type(self).of_arrays(X, codes, np.concatenate(weights) if weights else None, self.source)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; of rows read anew, the listeners are told how many are read."""
        if self.held is None:
            return self.source.told(lambda block: function(self._weighted(block)))
        if self.threads == 1 or len(self.held) == 1:
            return map(function, self.held)
        return self._on_threads(function)

    def _on_threads(self, function: Callable[[Block], R]) -> Iterator[R]:
        assert self.held is not None
        with single_threaded_blas():
            yield from ordered_map(function, self.held, self.threads)

    def first(self, function: Callable[[Block], R]) -> R:
        """Return function(block) of the first block alone; what reads ahead has stopped when it is returned."""
        if self.held is not None:
            return function(self.held[0])
        with ended(self.source.map(lambda block: function(self._weighted(block)))) as values:
            return next(values)

    def collect(self, function: Callable[[Block], R]) -> list[R]:
        """Return function(block) of all blocks in order: as `map`, and quicker where results are small."""
        if self.held is None or self.threads == 1 or len(self.held) == 1:
            return list(self.map(function))
        with single_threaded_blas():
            return spread(function, self.held, self.threads)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back, in the order of the blocks: where the rows are, if that is elsewhere."""
        if self.held is None:
            return self.source.reduce(lambda block: pass_(self._weighted(block)))
        values = iter(self.map(pass_))
        result = next(values)
        for value in values:
            result = result.merge(value)
        return result

    def _weighted(self, block: Block) -> Block:
        if self.factors is None:
            return block
        if is_on_device(block):
            own = namespace(block.X).take(like(self.factors, block.X), block.codes)
        else:
            own = self.factors[block.codes]
        return replace(block, weight=own if block.weight is None else own * block.weight)


def _in_order(source: ChunkedSource, X: Any) -> Any:
    """Return all rows as one C-ordered float array: the user's own where it is one."""
    if X is not None and X.flags.c_contiguous and as_float(X) is X:
        return X
    first = source.rows(0, min(1, source.n_rows))
    whole = np.empty((source.n_rows, source.n_features), dtype=first.dtype)
    for begin in range(0, source.n_rows, source.chunk_rows):
        end = min(begin + source.chunk_rows, source.n_rows)
        whole[begin:end] = source.rows(begin, end)
    return whole


def _cut(X: Any, codes: Codes, weight: Floats | None, chunk_rows: int) -> list[Block]:
    """Return blocks whose boundaries depend on the rows alone."""
    n = X.shape[0]
    whole = Block(X, codes, weight)
    if sp.issparse(X):
        marks = np.arange(0, X.nnz, CHUNK_VALUES)
        edges = np.unique(np.append(np.searchsorted(X.indptr, marks, side="left").clip(0, n), [0, n]))
    else:
        edges = np.append(np.arange(0, n, chunk_rows), n)
    return [whole] if len(edges) == 2 else [whole.part(int(a), int(b)) for a, b in pairwise(edges)]

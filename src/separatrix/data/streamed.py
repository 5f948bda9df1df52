"""Rows in host memory or in files that are more than a device holds: every pass streams them there, block by block, one ahead.

Codes and weights stay on the host, a few bytes a row. Rows of files are kept in host memory after the first pass, where they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..array_types import Codes, Indices
from ..errors import InputError, InputTypeError, no_rows
from ..thresholds import KEPT
from .arrays import check_dense, refuse_empty
from .device import DeviceSource, in_parts
from .device_copies import Copies
from .labels import Labels, check_classes, encode
from .namespaces import compute_type, device_of, is_foreign, library, namespace, require_float64
from .opening import check_weights
from .source import Block, Source

R = TypeVar("R")

PIECE = 2**28
"""Bytes that are copied at a time: enough for the device to be busy with, little beside its memory."""
SAMPLED = 2**28
"""Values of a sample of the rows that is held on the device, at most."""


def streamed(X: Any, y: Any = None, sample_weight: Any = None, *, device: str = "cuda") -> StreamedSource:
    """Return rows for models to read on a device that is too small for them: blocks are copied there in every pass, one ahead.

    What stays on a device (see `docs/probes.md`) is fitted and evaluated there: `model.fit(streamed(X, y))`. Predictions come back as
    NumPy.

    Parameters
    ----------
    X : (n, p) NumPy array, also a memory map; CPU tensor of torch, best pinned; or a table from `open_table`
    y, sample_weight : (n,) labels and weights on the host; those of a table are its own
    device : str
        Of torch: "cuda", "cuda:1"; "cpu" to try it.

    Examples
    --------
    >>> from separatrix import NearestMean, streamed
    >>> rows = streamed(np.array([[0.0], [1.0], [5.0]]), ["low", "low", "high"], device="cpu")
    >>> NearestMean().fit(rows).predict(rows).tolist()
    ['low', 'low', 'high']
    """
    check_arguments(streamed, locals())
    copies = Copies(device)
    if isinstance(X, DeviceSource):
        raise InputTypeError("These rows are on a device already, or on their way; pass them to the model as they are.")
    if isinstance(X, Source):
        if y is not None or sample_weight is not None:
            raise InputError("y and sample_weight belong to the table: open_table(…, target=…, weight=…).")
        X.require_numbers()
        return StreamedSource(_FilePieces(X), copies)._with_own_labels()
    rows = StreamedSource(_ArrayPieces(X), copies)
    return rows if y is None and sample_weight is None else rows.labelled(y, sample_weight)


class _ArrayPieces:
    """Rows of an array on the host."""

    def __init__(self, X: Any) -> None:
        if is_foreign(X) and (library(X) != "torch" or device_of(X).type != "cpu"):
            raise InputTypeError("Rows are streamed from the host: pass a NumPy array, a CPU tensor or a table from open_table.")
        self.X = X.detach() if is_foreign(X) else check_dense(X)
        refuse_empty(tuple(self.X.shape))
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.example, self.feature_names = self.X[:1], None

    def __call__(self) -> Iterator[Block]:
        item = self.X.dtype.itemsize
        size = max(PIECE // (item * self.n_features), 1)
        return (Block(self.X[begin : begin + size], start=begin) for begin in range(0, self.n_rows, size))


class _FilePieces:
    """Rows of a table, several of its blocks at a time; they stay on the host after the first pass, where they fit."""

    def __init__(self, source: Source) -> None:
        self.source, self.n_features, self.feature_names, self.classes = source, source.n_features, source.feature_names, source.classes
        self.held: list[Block] | None = None
        held, size = list[Block](), 0
        codes: list[Any] = []
        weights: list[Any] = []
        for piece in self():
            size += piece.X.nbytes
            held = [] if KEPT.reached(size) else [*held, Block(piece.X, start=piece.start)]
            codes.append(piece.codes)
            weights.append(piece.weight)
            self.n_rows, self.example = piece.start + piece.n_rows, piece.X[:1]
        if not codes:
            raise no_rows()
        self.codes, self.weight = (None if parts[0] is None else np.concatenate(parts) for parts in (codes, weights))
        self.held = held or None

    def __call__(self) -> Iterator[Block]:
        return self._read() if self.held is None else iter(self.held)

    def _read(self) -> Iterator[Block]:
        held: list[Block] = []
        size = start = 0
        for block in self.source.map(lambda block: block):
            held.append(block)
            size += block.dense().nbytes
            if size >= PIECE:
                yield _piece(held, start)
                start, size, held = start + sum(part.n_rows for part in held), 0, []
        if held:
            yield _piece(held, start)


def _piece(blocks: list[Block], start: int) -> Block:
    codes, weight = ([getattr(block, name) for block in blocks] for name in ("codes", "weight"))
    X = np.concatenate([block.dense() for block in blocks])
    return Block(X, None if codes[0] is None else np.concatenate(codes), None if weight[0] is None else np.concatenate(weight), start)


class StreamedSource(DeviceSource):
    """Rows on the host whose blocks are copied to a device. X is an array of no rows there, which tells library, device and type.

    Parameters
    ----------
    pieces : where the rows come from
    copies : to which device
    """

    is_streamed = True

    def __init__(self, pieces: Any, copies: Copies) -> None:
        self.pieces, self.copies = pieces, copies
        self.n_rows, self.n_features, self.feature_names = pieces.n_rows, pieces.n_features, pieces.feature_names
        self.X = copies.empty(0, self.n_features, pieces.example)
        require_float64(self.X)
        self.xp, self.type = namespace(self.X), compute_type(self.X)
        self.classes: NDArray[Any] | None = None
        self.index: Indices | None = None
        self.codes: Codes | None = None
        self.weight: Any = None
        self.sample: tuple[int, Block] | None = None

    def _with_own_labels(self) -> StreamedSource:
        self.classes, self.codes, self.weight = self.pieces.classes, self.pieces.codes, self.pieces.weight
        return self

    @property
    def whole(self) -> Any:
        """None: the rows are nowhere on the device at once."""
        return None

    @property
    def example(self) -> Any:
        """A row of no meaning that has the type in which the rows are computed."""
        return self.xp.zeros((1, self.n_features), dtype=self.type, device=device_of(self.X))

    @property
    def most_at_once(self) -> int:
        """Rows of a sample, at most."""
        return min(self.n_rows, max(SAMPLED // self.n_features, 1))

    def labelled(self, y: Any, sample_weight: Any = None, classes: Any = None) -> StreamedSource:
        """Return the same rows with labels and weights of the host."""
        if y is None or is_foreign(y) or is_foreign(sample_weight):
            raise InputError("Labels and weights of streamed rows are on the host: pass NumPy arrays, as in streamed(X, y).")
        labels, other = Labels.of(y, classes), copy(self)
        if len(labels) != self.n_rows:
            raise InputError(f"X has {self.n_rows} rows, y has {len(labels)} labels; pass one label per row.")
        other.classes, other.codes, other.sample = labels.classes, labels.codes(0, len(labels)), None
        other.weight = check_weights(sample_weight, self.n_rows)
        return other

    def with_classes(self, classes: Any) -> StreamedSource:
        """Return the same rows with codes in terms of the classes given; a label outside them is an error."""
        assert self.classes is not None and self.codes is not None
        other, known = copy(self), check_classes(classes)
        other.codes, other.classes, other.sample = encode(self.classes, known, None)[self.codes].astype(np.int32), known, None
        return other

    def without_labels(self) -> StreamedSource:
        """Return rows to predict."""
        other = copy(self)
        other.classes = other.codes = other.weight = other.sample = None
        return other

    def require_host(self) -> None:
        """Raise an error: blocks come to the device."""
        raise InputTypeError("This model computes in NumPy, not on a device; pass the rows as they were before `streamed`.")

    def take(self, rows: Indices) -> StreamedSource:
        """Return some of the rows, by number and in the order in which they stand: a view."""
        other, rows = copy(self), np.sort(rows)
        other.n_rows, other.sample = len(rows), None
        other.index = rows if self.index is None else self.index[rows]
        other.codes = None if self.codes is None else self.codes[rows]
        other.weight = None if self.weight is None else self.weight[rows]
        return other

    def every(self, step: int) -> Block:
        """Return every so many-th row, on the device; those of the last sample asked for without a pass."""
        if self.sample is None or self.sample[0] != step:
            self.sample = (step, _joined(self.xp, list(self.copies.ahead(_thinned(self._pieces(), step)))))
        return self.sample[1]

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block, on the device and converted to floats where they are none."""
        for block in self.copies.ahead(self._pieces()):
            yield block if block.X.dtype == self.type else replace(block, X=self.xp.astype(block.X, self.type))

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) for every block, in order; a block that does not fit into memory is halved."""
        for block in self.blocks():
            yield from in_parts(function, block)

    def _pieces(self) -> Iterator[Block]:
        """Yield the rows of this view on the host, with codes and weights."""
        for piece in self.pieces():
            begin, end, X = piece.start, piece.start + piece.n_rows, piece.X
            if self.index is not None:
                begin, end = np.searchsorted(self.index, [begin, end])
                X = X[self.index[begin:end] - piece.start]
            if end > begin:
                codes: Any = None if self.codes is None else self.codes[begin:end].astype(np.int64)
                yield Block(X, codes, None if self.weight is None else self.weight[begin:end], int(begin))


def _thinned(pieces: Iterator[Block], step: int) -> Iterator[Block]:
    for piece in pieces:
        own = slice((-piece.start) % step, None, step)
        if piece.X[own].shape[0]:
            codes = None if piece.codes is None else piece.codes[own]
            yield Block(piece.X[own], codes, None if piece.weight is None else piece.weight[own], piece.start)


def _joined(xp: Any, blocks: list[Block]) -> Block:
    codes, weight = ([getattr(block, name) for block in blocks] for name in ("codes", "weight"))
    return Block(
        xp.concat([block.X for block in blocks]),
        None if codes[0] is None else xp.concat(codes),
        None if weight[0] is None else xp.concat(weight),
    )

"""Columns that a selector picked by the labels: error estimates and p-values from the same rows are then too good, and users are warned.

A selector leaves a few hashes here; an evaluation or a table of p-values asks whether its columns, rows and labels are among them. The
memory belongs to the process and not to an object, because what joins a selection and a later test is the array of numbers alone: users
pass `selector.transform(X)`, or columns copied by hand, to a model that has never seen the selector.
Nothing else is kept, and no more than some thousand values are looked at. Columns may have been moved and rescaled meanwhile.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Codes, Indices
from ..data.batch_table import BatchTable
from ..data.columns import Column, ColumnBatch
from ..data.opening import as_rows, is_frame
from ..data.source import ChunkedSource, Source
from ..data.whole_tables import whole_table
from ..errors import SelectionWarning

VALUES = 20_000
"""Values looked at in all: every row of small data."""
LEAST_ROWS = 96
COLUMNS = 1_000
"""Columns looked at."""
TOO_SMALL = "its p-values are too small and its intervals too narrow, for they take the columns as given beforehand"
DIGITS = 4
"""Digits compared of values between a column's smallest (0) and largest (1)."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A selection remembered: who picked, out of how many columns, and hashes of the rows, labels and columns picked."""

    selector: str
    candidates: int
    size: int
    n_rows: int | None
    labels: int
    columns: frozenset[int]

    def __str__(self) -> str:
        rows = "rows" if self.n_rows is None else f"{self.n_rows} rows"
        return f"{self.selector} picked these {self.size} columns out of {self.candidates} by the labels of these same {rows}"


PICKS: deque[Pick] = deque(maxlen=64)
"""The selections of this process, the last 64 of them; empty unless a selector has run."""
_silent: ContextVar[bool] = ContextVar("silent", default=False)


def remember(selector: str, source: Source, picked: Indices) -> None:
    """Keep in mind that a selector picked columns, by number, with the labels of a source."""
    if not _silent.get() and 0 < len(picked) < source.n_features and _can_be_told(source):
        prints = _column_prints(source, picked)
        if prints is not None:
            PICKS.append(Pick(selector, source.n_features, len(picked), source.n_rows, _label_print(source), prints))


def forget_all() -> None:
    """Forget every selection of this process."""
    PICKS.clear()


def picked_from(X: Any, codes: Codes | None = None) -> str | None:
    """Return who picked the columns of X by the labels of its rows, as a sentence without an end, or None if nobody is known to have.

    Parameters
    ----------
    X : a Source with labels, or rows, then with the `codes` of their classes
    """
    if not PICKS or _silent.get():
        return None
    width = X.n_features if isinstance(X, Source) else (X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0)
    near = [pick for pick in PICKS if pick.size == width]
    if not near:
        return None
    try:
        source = _opened(X)
        if not _can_be_told(source, codes):
            return None
        near = [pick for pick in near if pick.n_rows == source.n_rows and pick.labels == _label_print(source, codes)]
        prints = _column_prints(source, np.arange(width)) if near else None
    except (TypeError, ValueError):
        return None  # columns that are no numbers, which no selector can have picked
    return next((str(pick) for pick in reversed(near) if pick.columns == prints), None)


def warn_if_picked(pick: str | None, consequence: str, remedy: str, stacklevel: int = 3) -> None:
    """Warn that what follows is too good, if columns were picked."""
    if pick is not None and not _silent.get():
        warnings.warn(f"{pick}: {consequence}. {remedy}", SelectionWarning, stacklevel=stacklevel)


@contextmanager
def silence() -> Iterator[None]:
    """Neither warn nor remember inside: a search judges columns it has picked itself, and knows it."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def _opened(X: Any) -> Source:
    """Return rows as a source: of a table with text, gaps or dates one of columns."""
    if isinstance(X, ColumnBatch):
        return BatchTable(X)
    if is_frame(X):
        from ..data.frames import gaps_in, is_numeric

        if not is_numeric(X) or gaps_in(X):
            return BatchTable(whole_table(X))
    return as_rows(X)


def _can_be_told(source: Source, codes: Codes | None = None) -> bool:
    if source.origin is not None:
        return True
    return isinstance(source, ChunkedSource) and (source.labels is not None or codes is not None)


def _label_print(source: Source, codes: Codes | None = None) -> int:
    """Return a hash of the classes of some rows, whatever the classes are called."""
    if not isinstance(source, ChunkedSource):
        return hash(source.origin)
    rows = np.linspace(0, source.n_rows - 1, min(source.n_rows, 1024)).astype(np.intp)
    if codes is None:
        assert source.labels is not None
        labels = source.labels
        codes = labels.codes_at(rows)
    else:
        codes = codes[rows]
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    return hash(np.argsort(np.argsort(first))[places].astype(np.int32).tobytes())


def _column_prints(source: Source, columns: Indices) -> frozenset[int] | None:
    """Return hashes of the columns, or None if they cannot be told from others."""
    if not isinstance(source, ChunkedSource):
        names = range(source.n_features) if source.feature_names is None else source.feature_names
        return frozenset(hash((source.origin, names[j])) for j in columns)
    rows = min(source.n_rows, max(LEAST_ROWS, VALUES // len(columns)))
    begin = (source.n_rows - rows) // 2
    if isinstance(source, BatchTable):
        part = source.rows(begin, begin + rows)
        told = [_content(part.column(int(j))) for j in columns[:COLUMNS]]
        return frozenset(hash(own) for own in told if len(set(own)) > 1) or None
    X = source.rows(begin, begin + rows)[:, columns[:COLUMNS]]
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    # A column that is the same all along says nothing. Where most are, such as rare words, others would be taken for these.
    if 2 * varies.sum() < len(varies):
        return None
    scaled = np.ascontiguousarray(((X - low) / np.where(varies, high - low, 1.0)).round(DIGITS).T)
    return frozenset(hash(scaled[j].tobytes()) for j in np.flatnonzero(varies))


def _content(column: Column) -> tuple[Any, ...]:
    """Return what a column of a table holds, None where it is missing."""
    values = column.values if column.levels is None else np.asarray(column.levels, dtype=object)[column.values]
    return tuple(None if absent else value for value, absent in zip(values.tolist(), column.absent.tolist(), strict=True))

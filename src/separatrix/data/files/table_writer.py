"""Rows written to a file as they come: Parquet, Arrow, delimited text or JSON lines, whole under their name or not at all."""

from __future__ import annotations

import io
import json
import lzma
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ...array_types import Codes
from ...errors import InputError
from ...storage import atomic_path
from .byte_streams import PACKED
from .paths import ENDINGS, format_of

GROUP_ROWS = 262_144
"""Rows of a row group: those of smaller batches are put together."""


class TableWriter:
    """Takes batches of named columns and writes them; all batches have the same columns.

    Parameters
    ----------
    sink : binary file, Arrow's or Python's
    kind : "parquet", "ipc", "csv", "tsv" or "json"
    """

    def __init__(self, sink: Any, kind: str) -> None:
        self.sink, self.kind, self.rows = sink, kind, 0
        self._writer: Any = None
        self._waiting: list[Any] = []

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write some rows: Arrow arrays, or arrays of numbers or text, by name."""
        batch = pa.record_batch({name: as_arrow(values) for name, values in columns.items()})
        self.rows += len(batch)
        if self.kind != "parquet":
            self._put(batch)
            return
        self._waiting.append(batch)
        if sum(map(len, self._waiting)) >= GROUP_ROWS:
            self._put_waiting()

    def close(self) -> None:
        """Write what is waiting, and the end of the file."""
        self._put_waiting()
        if self._writer is not None and self.kind != "json":
            self._writer.close()

    def _put_waiting(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting).unify_dictionaries()
            self._waiting = []
            if self._writer is None:
                self._writer = self._open(table.schema)
            self._writer.write_table(table, row_group_size=GROUP_ROWS)

    def _put(self, batch: Any) -> None:
        if self.kind == "json":
            self.sink.write(_json_lines(batch))
            return
        if self.kind in ("csv", "tsv"):
            batch = _without_codes(batch)
        if self._writer is None:
            self._writer = self._open(batch.schema)
        self._writer.write_batch(batch)

    def _open(self, schema: Any) -> Any:
        if self.kind == "parquet":
            coded = [field.name for field in schema if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type)]
            return pq.ParquetWriter(self.sink, schema, use_dictionary=coded, write_statistics=False)
        if self.kind == "ipc":
            # Files of Arrow have one set of codes per column unless they say otherwise.
            return pa.ipc.new_file(self.sink, schema, options=pa.ipc.IpcWriteOptions(unify_dictionaries=True))
        options = pa_csv.WriteOptions(delimiter="\t" if self.kind == "tsv" else ",", quoting_style="needed")
        return pa_csv.CSVWriter(self.sink, schema, write_options=options)


@contextmanager
def table_writer(path: str) -> Iterator[TableWriter]:
    """Give a writer for a file, whose format its ending says; the file appears under its name when all is written.

    Parameters
    ----------
    path : str
        Ending as those that `open_table` reads.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with table_writer(f"{folder}/scores.csv") as out:
    ...         out.write({"label": np.array(["no", "yes"], dtype=object), "p_yes": np.array([0.25, 0.75])})
    ...     print(Path(folder, "scores.csv").read_text(), end="")
    "label","p_yes"
    "no",0.25
    "yes",0.75
    """
    kind = require_format(path)
    with atomic_path(path) as unfinished, ExitStack() as stack:
        sink = stack.enter_context(_opened(os.fspath(unfinished), os.path.splitext(path)[1].lower()))
        out = TableWriter(sink, kind)
        yield out
        out.close()


@contextmanager
def stream_writer(stream: BinaryIO, kind: str) -> Iterator[TableWriter]:
    """Give a writer for a stream such as standard output, whose rows leave as they come."""
    out = TableWriter(_Passing(stream) if kind != "json" else stream, kind)
    yield out
    out.close()
    stream.flush()


def require_format(path: str) -> str:
    """Return the format that the end of a name announces, or raise an error that lists the endings."""
    kind = format_of(path)
    if kind is None:
        raise InputError(f"The format to write is not known by the name {path!r}; use one of {ENDINGS}.")
    return kind


def as_arrow(values: Any) -> Any:
    """Return a column as Arrow has it: lists of parts joined, text as text."""
    if isinstance(values, list):
        parts = [part.dictionary_decode() if hasattr(part, "dictionary") else part for part in values]
        return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
    return plain_array(values) if isinstance(values, np.ndarray) else values


def plain_array(values: NDArray[Any]) -> Any:
    """Return numbers or text as an Arrow array, of the same memory where that can be.

    By its buffers: `pa.array` imports pandas wherever it is installed, 40 megabytes and half a second.

    Examples
    --------
    >>> plain_array(np.array([0.5, 1.0])).to_pylist(), plain_array(np.array(["no", "yes"], dtype=object)).to_pylist()
    ([0.5, 1.0], ['no', 'yes'])
    """
    if values.dtype.kind in "iuf":
        flat = np.ascontiguousarray(values)
        return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [None, pa.py_buffer(flat)])
    if all(isinstance(value, str) for value in values.tolist()):
        letters = [value.encode() for value in values.tolist()]
        ends = np.cumsum([0, *map(len, letters)], dtype=np.int64).astype(np.int32)
        return pa.Array.from_buffers(pa.string(), len(letters), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(letters))])
    return pa.array(values.tolist())


def coded_column(codes: Codes, levels: Any) -> Any:
    """Return values by their places among a few levels as an Arrow column, which holds each level once.

    Examples
    --------
    >>> coded_column(np.array([1, 0, 1], dtype=np.int32), ["no", "yes"]).to_pylist()
    ['yes', 'no', 'yes']
    """
    found = list(levels)
    none = [i for i, level in enumerate(found) if level is None]
    known = plain_array(_as_array([level for level in found if level is not None]))
    if none:  # a row that was rejected has no label
        place = np.cumsum([0 if level is None else 1 for level in found]) - 1
        missing = np.isin(codes, none)
        return pa.DictionaryArray.from_arrays(pa.array(np.where(missing, 0, place[codes]).astype(np.int32), mask=missing), known)
    return pa.DictionaryArray.from_arrays(plain_array(np.asarray(codes, dtype=np.int32)), known)


def _as_array(levels: list[Any]) -> NDArray[Any]:
    """Return labels as an array, of numbers where all are; texts as objects, since an array of texts gives each the room of the longest."""
    if all(type(level) in (int, float) for level in levels):
        return np.array(levels)
    found = np.empty(len(levels), dtype=object)
    found[:] = levels
    return found


class _Passing(io.RawIOBase):
    """A stream that Arrow may close without closing what is behind it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.stream.write(memoryview(data))
        self.stream.flush()
        return len(data)


@contextmanager
def _opened(path: str, ending: str) -> Iterator[Any]:
    if ending == ".xz":
        with lzma.open(path, "wb") as file:
            yield file
    elif ending in PACKED:
        with pa.output_stream(path, compression=PACKED[ending]) as file:
            yield file
    else:
        with open(path, "wb") as file:
            yield file


def _without_codes(batch: Any) -> Any:
    """Return rows whose texts are plain, which is all that delimited text knows."""
    columns = {
        name: column.dictionary_decode() if hasattr(column, "dictionary") else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }
    return pa.record_batch(columns)


def _json_lines(batch: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in batch.to_pylist()).encode()

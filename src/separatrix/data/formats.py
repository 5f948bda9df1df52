"""How Parquet, Arrow and text files are read, piece by piece. The only file that imports pyarrow."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from pyarrow import types

from ..errors import InputError
from .batches import Piece

Stamp = tuple[int, int]
"""Size of a file and when it was last written: a file that has another one is no longer the file that was opened."""
Reader = Callable[[str, dict[str, Any], int, bool], Generator[Any]]
"""Yields batches of a file, given the columns by name and type, the rows of a batch, and whether to use threads."""

STREAM_BYTES = 65_536
"""What is read of a Parquet column in one go; the decoded batch and one page per column (1 MB by default) come on top."""
TEXT_BYTES = 4_194_304
"""What is read of a text file in one go; the types of its columns are those of the first such part."""
TOO_LONG = "a line is longer than 4 megabytes; write so wide a table as Parquet"


def stamp_of(file: str) -> Stamp:
    """Return what tells whether a file was written since."""
    try:
        status = os.stat(file)
    except OSError as error:
        raise _unreadable(file, error) from error
    return status.st_size, status.st_mtime_ns


def count_rows(file: str) -> int:
    """Return the number of rows of a Parquet file, which stands at its end."""
    return int(pq.read_metadata(file).num_rows)


def schema_of(file: str, kind: str, target: str | None = None) -> Any:
    """Return the columns of a file; numbers of a text file are floats, whatever its first rows look like."""
    try:
        if kind == "parquet":
            schema = pq.read_schema(file)
        elif kind == "ipc":
            with pa.OSFile(file) as raw, pa.ipc.open_file(raw) as opened:
                schema = opened.schema
        else:
            schema = _text_schema(file, kind, target)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(file, error) from error
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise InputError(f"Two columns of {file!r} are called {twice!r}; give every column a name of its own.")
    return schema


def _text_schema(file: str, kind: str, target: str | None) -> Any:
    _refuse_other_encodings(file, _header(file))
    with open_text(file, kind, {}) as opened:
        fields = [(f.name, pa.float64() if types.is_integer(f.type) and f.name != target else f.type) for f in opened.schema]
        if all(types.is_null(type_) for _, type_ in fields) and not any(len(batch) for batch in opened):
            raise InputError(f"The file {file!r} has a header and no rows; leave it out, or write it with at least one row.")
    return pa.schema(fields)


def _header(file: str) -> bytes:
    """Return the first line of a text file, a .gz undone, or as much of it as can be read in one go."""
    found = b""
    with pa.input_stream(file) as raw:
        while len(found) < TEXT_BYTES and b"\n" not in found and (more := raw.read(STREAM_BYTES)):
            found += more
    if len(found) >= TEXT_BYTES and b"\n" not in found[:TEXT_BYTES]:
        raise pa.ArrowInvalid(TOO_LONG)
    return found.split(b"\n")[0]


def _refuse_other_encodings(file: str, header: bytes) -> None:
    """Raise an error if the header of a text file is not UTF-8."""
    remedy = "Write it in UTF-8, for instance: pandas.read_csv(file, encoding={!r}).to_csv(file, index=False)."
    if b"\0" in header or header.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(
            f"The file {file!r} holds bytes of zero, as UTF-16 text does; text files are read as UTF-8. {remedy.format('utf-16')}"
        )
    try:
        header.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"The header of {file!r} is not UTF-8: byte {error.start} is {header[error.start]:#x}, {chr(header[error.start])!r} "
            f"in Latin-1. {remedy.format('latin-1')}"
        ) from None


def open_text(file: str, kind: str, columns: dict[str, Any], use_threads: bool = False) -> Any:
    """Open a text file, all its columns or those of given types. An empty field of text is missing, as it is for pandas."""
    return pa_csv.open_csv(
        file,
        read_options=pa_csv.ReadOptions(block_size=TEXT_BYTES, use_threads=use_threads),
        parse_options=pa_csv.ParseOptions(delimiter="\t" if kind == "tsv" else ","),
        convert_options=pa_csv.ConvertOptions(strings_can_be_null=True, column_types=columns, include_columns=list(columns)),
    )


def kind_of(type_: Any) -> str:
    """Return "number", "text", or the name of another type.

    Examples
    --------
    >>> kind_of(pa.bool_()), kind_of(pa.dictionary(pa.int8(), pa.string())), kind_of(pa.date32())
    ('number', 'text', 'date32[day]')
    """
    if types.is_dictionary(type_):
        return kind_of(type_.value_type)
    if types.is_boolean(type_) or types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    return "text" if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_) else str(type_)


def kinds_of(schema: Any, kind: str) -> dict[str, str]:
    """Return the kind of each column, by its name. Text that is not UTF-8 comes out of a text file as bytes."""
    kinds = {field.name: kind_of(field.type) for field in schema}
    if kind in ("csv", "tsv"):
        return {name: "text that is not UTF-8" if type_ == "binary" else type_ for name, type_ in kinds.items()}
    return kinds


def is_single(type_: Any) -> bool:
    """Whether a column holds floats of 32 bits."""
    return bool(type_ == pa.float32())


def read_file(file: str, stamp: Stamp, kind: str, columns: dict[str, Any], rows: int, use_threads: bool) -> Generator[Piece]:
    """Yield the columns of one file, given by name and type, in pieces of about `rows` rows."""
    # Not by a dataset's scanner, whose memory is not bounded: 2 GB for 5,000,000 × 50 in Parquet; with the least read-ahead it still
    # decodes whole row groups, and on one thread it reads a CSV into memory.
    row = 0
    _refuse_changed(file, stamp)
    read: Reader = {"parquet": _read_parquet, "ipc": _read_ipc}.get(kind, partial(_read_text, kind=kind))
    try:
        with closing(read(file, columns, rows, use_threads)) as batches:
            for batch in batches:
                # Compiled code trusts the codes of categories and the ends of texts, which a damaged file may have anywhere.
                batch.validate(full=True)
                yield Piece(batch.select(list(columns)), file, row)
                row += len(batch)
    except (pa.ArrowException, OSError) as error:
        _refuse_changed(file, stamp)
        raise _unreadable(file, error, f" beyond row {row}") from error
    _refuse_changed(file, stamp)


def _refuse_changed(file: str, stamp: Stamp) -> None:
    if stamp_of(file) != stamp:
        raise InputError(f"The file {file!r} has changed since the table was opened; open it again with open_table.")


def _unreadable(file: str, error: Exception, where: str = "") -> InputError:
    said = str(error)
    if "straddling" in said:
        said = TOO_LONG
    elif "Empty CSV" in said:
        said = "it is empty, or a header without rows. Leave it out, or write it with at least one row"
    return InputError(f"The file {file!r} cannot be read{where}: {said.rstrip('.')}. Check its ending, or write it anew.")


def _read_parquet(file: str, columns: dict[str, Any], rows: int, use_threads: bool) -> Generator[Any]:
    names = list(columns)
    with pq.ParquetFile(file, buffer_size=STREAM_BYTES, pre_buffer=False) as opened:
        sizes = [opened.metadata.row_group(g).num_rows for g in range(opened.num_row_groups)]
        # Row groups of about a batch are decoded whole, which takes a quarter less time than page by page. Larger ones would not fit
        # (500,000 × 50 are 200 MB), smaller ones are put together.
        for whole, groups in groupby(range(len(sizes)), lambda g: rows / 4 <= sizes[g] <= rows * 4):
            if whole:
                for g in groups:
                    yield from opened.read_row_group(g, names, use_threads=use_threads).to_batches()
            else:
                yield from opened.iter_batches(rows, list(groups), names, use_threads=use_threads)


def _read_ipc(file: str, columns: dict[str, Any], rows: int, use_threads: bool) -> Generator[Any]:
    with pa.OSFile(file) as raw, pa.ipc.open_file(raw) as opened:
        fields = [opened.schema.get_field_index(name) for name in columns]
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=use_threads)
    with pa.OSFile(file) as raw, pa.ipc.open_file(raw, options=options) as opened:
        yield from map(opened.get_batch, range(opened.num_record_batches))


def _read_text(file: str, columns: dict[str, Any], rows: int, use_threads: bool, kind: str) -> Generator[Any]:
    with open_text(file, kind, columns, use_threads) as opened:
        yield from opened

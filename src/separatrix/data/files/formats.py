"""How files of every format are read, piece by piece, and the columns they hold."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial, reduce
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from ...errors import InputError, no_rows
from ..batches import Piece
from .arrow_types import agreed, coded, common, kind_of
from .byte_streams import BROKEN, STREAM_BYTES, TOO_LONG
from .csv_files import csv_schema, explain, read_csv, refuse_not_utf8, settled_types
from .json_lines import json_schema, read_json

Stamp = tuple[int, int]
"""Size of a file and when it was last written: a file that has another one is no longer the file that was opened."""
Reader = Callable[[str, dict[str, Any], int, bool], Generator[Any]]
"""Yields batches of a file, given the columns by name and type, the rows of a batch, and whether to use threads."""
CSV = ("csv", "tsv")
TEXTS = (*CSV, "json")
"""Formats whose files do not say the types of their columns."""


def stamp_of(file: str) -> Stamp:
    """Return what tells whether a file was written since."""
    try:
        status = os.stat(file)
    except OSError as error:
        raise unreadable(file, error) from error
    return status.st_size, status.st_mtime_ns


def group_sizes(file: str) -> list[int]:
    """Return the number of rows of each row group of a Parquet file, which stand at its end."""
    found = pq.read_metadata(file)
    return [int(found.row_group(g).num_rows) for g in range(found.num_row_groups)]


def schema_of(file: str, kind: str, target: str | None = None) -> Any:
    """Return the columns of a file, None of a CSV that is a header alone; numbers of texts are floats, whatever their first rows are."""
    try:
        if kind == "parquet":
            schema = pq.read_schema(file)
        elif kind == "ipc":
            with pa.OSFile(file) as raw, pa.ipc.open_file(raw) as opened:
                schema = opened.schema
        else:
            schema = json_schema(file, target) if kind == "json" else csv_schema(file, kind, target)
    except BROKEN as error:
        raise _explained(file, kind, {}, error) or unreadable(file, error) from error
    if schema is not None:
        _refuse_names(file, schema.names)
    return schema


def with_rows(read: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of those files that may have rows: a part of a table that is a header alone says no more than a part less."""
    found = {file: schema for file, schema in read.items() if schema is not None}
    if not found:
        raise InputError(f"The file {next(iter(read))!r} has a header and no rows; write it with at least one row.")
    return found


def _refuse_names(file: str, names: Sequence[str]) -> None:
    unnamed = [i for i, name in enumerate(names) if not name.strip()]
    if unnamed:
        raise InputError(
            f"Column {unnamed[0]} of {file!r} has no name (counted from 0); give every column one. The index of a frame is left out "
            "by frame.to_csv(file, index=False)."
        )
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        lost = (
            " If the file has no line of names, write one above its first row."
            if name.strip().lstrip("-").replace(".", "").isdigit()
            else ""
        )
        raise InputError(f"Two columns of {file!r} are called {name!r}; give every column a name of its own.{lost}")


def shared_types(schemas: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the schemas of text files with the types that suit all of these files; those of other files as they are.

    Rows of JSON need not name every column, so each of its files has the columns of all.
    """
    if kind not in TEXTS or len(schemas) == 1:
        return dict(schemas)
    found: dict[str, list[Any]] = {}
    for schema in schemas.values():
        for field in schema:
            found.setdefault(field.name, []).append(field.type)
    shared = {name: reduce(common, each) for name, each in found.items()}
    return {
        file: pa.schema([(name, shared[name]) for name in (shared if kind == "json" else schema.names)]) for file, schema in schemas.items()
    }


def widest(schemas: Mapping[str, Any]) -> Any:
    """Return the columns of the first file, each of the type that suits all files where there is one; see `agreed`."""
    first, *others = schemas.values()
    for other in others:
        for i, field in enumerate(first):
            found = agreed(field.type, other.field(field.name).type) if field.name in other.names else None
            first = first if found is None else first.set(i, pa.field(field.name, found))
    return first


def refuse_other_encodings(schemas: Mapping[str, Any], kind: str, used: Sequence[str]) -> None:
    """Raise an error for a column of a text file that is used and not UTF-8, which comes out as bytes."""
    for file, schema in schemas.items() if kind in CSV else ():
        other = {field.name for field in schema if types.is_binary(field.type)}
        for name in filter(other.__contains__, used):
            refuse_not_utf8(file, kind, name)


def kinds_of(schema: Any) -> dict[str, str]:
    """Return the kind of each column, by its name."""
    return {field.name: kind_of(field.type) for field in schema}


def as_text(schema: Any, kind: str, names: Sequence[str]) -> Any:
    """Return the schema with some columns as text; other files than CSV say themselves what their columns are."""
    if kind not in CSV:
        return schema
    return pa.schema([(field.name, pa.string() if field.name in names else field.type) for field in schema])


def settled_schema(stamps: Mapping[str, Stamp], kind: str, schema: Any, used: Sequence[str]) -> Any:
    """Return the schema with types that suit every row of all files; those of a CSV were told by the first part of it."""
    if kind not in CSV:
        return schema
    found = {name: schema.field(name).type for name in used}
    before: dict[str, Any] = {}
    while found != before:  # what the last file makes text has to be text in the first as well
        before = found
        for file, stamp in stamps.items():
            _refuse_changed(file, stamp)
            try:
                found = settled_types(file, kind, found)
            except BROKEN as error:
                _refuse_changed(file, stamp)
                raise _explained(file, kind, found, error) or unreadable(file, error) from error
            _refuse_changed(file, stamp)
        if len(stamps) == 1:
            break
    return pa.schema([(field.name, found.get(field.name, field.type)) for field in schema])


def read_file(
    file: str,
    stamp: Stamp,
    kind: str,
    columns: dict[str, Any],
    rows: int,
    use_threads: bool,
    as_codes: bool = False,
    groups: Sequence[int] | None = None,
) -> Generator[Piece]:
    """Yield the columns of one file, given by name and type, in pieces of about `rows` rows; text as codes where asked for.

    Of a Parquet file some row groups may be read alone.
    """
    # Not by a dataset's scanner, whose memory is not bounded: 2 GB for 5,000,000 × 50 in Parquet; with the least read-ahead it still
    # decodes whole row groups, and on one thread it reads a CSV into memory.
    row = 0
    _refuse_changed(file, stamp)
    try:
        with closing(_reader(kind, as_codes, groups)(file, columns, rows, use_threads)) as batches:
            for batch in batches:
                if as_codes:
                    _give_back()
                # Compiled code trusts the codes of categories and the ends of texts, which a damaged file may have anywhere.
                batch.validate(full=True)
                yield Piece(_agreeing(batch.select(list(columns)), columns), file, row)
                row += len(batch)
    except BROKEN as error:
        _refuse_changed(file, stamp)
        raise _explained(file, kind, columns, error) or unreadable(file, error, f" beyond row {row}") from error
    if kind != "parquet" or as_codes:  # pages of numbers are small, and their memory serves the next file
        _give_back()
    _refuse_changed(file, stamp)


def joined_rows(batches: Iterable[Any], schema: Any, target: str | None) -> Any:
    """Return batches of rows as one Arrow table; texts that were read as codes stay so, but for those of the target.

    Columns that files store in several types are of those of the schema.
    """
    found = list(batches)
    if not found:
        raise no_rows()
    mixed = {name for name in found[0].schema.names if len({str(batch.schema.field(name).type) for batch in found}) > 1}
    tables = [_as_shared(pa.Table.from_batches([batch]), mixed, schema) for batch in found]
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    if target is not None and types.is_dictionary(table.schema.field(target).type):
        place = table.schema.get_field_index(target)
        table = table.set_column(place, target, table.column(place).cast(table.schema.field(target).type.value_type))
    return table


def _as_shared(table: Any, names: Iterable[str], schema: Any) -> Any:
    """Return rows with some columns in the types that the schema has for them, categories as what they are categories of."""
    for name in names:
        i, type_ = table.schema.get_field_index(name), table.schema.field(name).type
        values = table.column(i).cast(type_.value_type) if types.is_dictionary(type_) else table.column(i)
        shared = schema.field(name).type
        table = table.set_column(i, name, values if types.is_dictionary(shared) else values.cast(shared, safe=False))
    return table


def _give_back() -> None:
    """Let go of memory that Arrow's allocator keeps of what was read: 100 MB for texts of 5,000,000 × 20. It takes about 1 ms."""
    pa.default_memory_pool().release_unused()


def _agreeing(batch: Any, columns: Mapping[str, Any]) -> Any:
    """Return rows of which texts, and columns without a value, are of the types that they are read as.

    Texts that are views of others become plain strings: Arrow cannot take some of them. Categories and numbers stay as they are stored,
    unless other files have the categories as plain numbers.
    """
    for i, field in enumerate(batch.schema):
        asked = pa.string() if types.is_string_view(field.type) else columns[field.name]
        if types.is_dictionary(field.type) and not types.is_dictionary(asked) and kind_of(asked) != "text":
            batch = batch.set_column(i, field.name, batch.column(i).dictionary_decode())
        if field.type != asked and (types.is_null(field.type) or (kind_of(field.type) == "text" and not types.is_dictionary(field.type))):
            plain = asked.value_type if types.is_dictionary(asked) else pa.string() if types.is_string_view(asked) else asked
            batch = batch.set_column(i, field.name, batch.column(i).cast(plain))
    return batch


def _reader(kind: str, as_codes: bool, groups: Sequence[int] | None) -> Reader:
    if kind in CSV:
        return partial(_read_csv, kind=kind, as_codes=as_codes)
    if kind == "parquet":
        return partial(_read_parquet_as_codes if as_codes else _read_parquet, groups=groups)
    return _read_ipc if kind == "ipc" else _read_json


def _refuse_changed(file: str, stamp: Stamp) -> None:
    if stamp_of(file) != stamp:
        raise InputError(f"The file {file!r} has changed since the table was opened; open it again with open_table.")


def _explained(file: str, kind: str, columns: Mapping[str, Any], error: Exception) -> InputError | None:
    said = explain(file, kind, columns, error) if kind in CSV else None
    return None if said is None else InputError(said)


def unreadable(file: str, error: Exception, where: str = "") -> InputError:
    """Return the error that a file, or what stands beyond some place of it, cannot be read."""
    said = str(error)
    if "straddling" in said:
        said = TOO_LONG
    if isinstance(error, PermissionError):
        remedy = "Ask for the right to read it"
    elif isinstance(error, FileNotFoundError):
        remedy = "Put it back, or open the others anew"
    else:
        remedy = "Check its ending, or write it anew"
    return InputError(f"The file {file!r} cannot be read{where}: {said.rstrip('.')}. {remedy}.")


def _read_parquet_as_codes(
    file: str, columns: dict[str, Any], rows: int, use_threads: bool, groups: Sequence[int] | None = None
) -> Generator[Any]:
    # On one thread: others make columns of what was read meanwhile, and each that reads texts keeps memory of its own.
    text = _stored_as_codes(file, [name for name, type_ in columns.items() if types.is_string(type_)])
    return _read_parquet(file, columns, rows, False, groups, text)


def _read_parquet(
    file: str,
    columns: dict[str, Any],
    rows: int,
    use_threads: bool,
    groups: Sequence[int] | None = None,
    coded_text: Sequence[str] = (),
) -> Generator[Any]:
    names = list(columns)
    # A page that was damaged where no length tells it decodes to other numbers: its checksum says so, where the file has one.
    with pq.ParquetFile(
        file, buffer_size=STREAM_BYTES, pre_buffer=False, read_dictionary=coded_text, page_checksum_verification=True
    ) as opened:
        # Some pages of each column at a time: whole row groups may not fit into memory.
        yield from opened.iter_batches(rows, None if groups is None else list(groups), names, use_threads=use_threads)


def _stored_as_codes(file: str, names: Sequence[str]) -> list[str]:
    """Return the columns of text that take fewer than four bytes a row, the length of a plain text alone: these are codes already.

    Read as codes, other columns would gather the texts of a whole row group.
    """
    found = pq.read_metadata(file)
    groups = [found.row_group(g) for g in range(found.num_row_groups)]
    places = {found.schema.column(i).path: i for i in range(found.num_columns)}
    sizes = {name: sum(group.column(places[name]).total_uncompressed_size for group in groups) for name in names if name in places}
    return [name for name, size in sizes.items() if size < 4 * found.num_rows]


def _read_ipc(file: str, columns: dict[str, Any], rows: int, use_threads: bool) -> Generator[Any]:
    with pa.OSFile(file) as raw, pa.ipc.open_file(raw) as opened:
        fields = [opened.schema.get_field_index(name) for name in columns]
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=use_threads)
    with pa.OSFile(file) as raw, pa.ipc.open_file(raw, options=options) as opened:
        yield from map(opened.get_batch, range(opened.num_record_batches))


def _read_csv(file: str, columns: dict[str, Any], rows: int, use_threads: bool, kind: str, as_codes: bool) -> Generator[Any]:
    wanted = {name: coded(type_) if as_codes else type_ for name, type_ in columns.items()}
    return read_csv(file, kind, wanted, use_threads)


def _read_json(file: str, columns: dict[str, Any], rows: int, use_threads: bool) -> Generator[Any]:
    return read_json(file, columns)

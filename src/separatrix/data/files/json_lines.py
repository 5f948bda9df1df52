"""JSON lines: files with one object per row. Their columns are known only when all of the file is read, which opening it does."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json

from ...errors import InputError
from .arrow_types import common, read_as
from .byte_streams import whole_lines

PLACE = re.compile(r"JSON parse error: (.*?)\.? in row (\d+)")


def json_schema(file: str, target: str | None) -> Any:
    """Return the columns of all rows of a file, of types that suit all of their values: what is text somewhere is text."""
    found: dict[str, Any] = {}
    row = 0
    for part in whole_lines(file):
        table = _parse(file, part, row, None)
        row += len(table)
        for field in table.schema:
            type_ = read_as(field.type, field.name == target)
            found[field.name] = common(found.get(field.name, pa.null()), type_)
    if not row:
        raise InputError(f"The file {file!r} is empty; leave it out, or write it with at least one row.")
    return pa.schema(list(found.items()))


def read_json(file: str, columns: Mapping[str, Any]) -> Generator[Any]:
    """Yield batches of some columns of a file."""
    row = 0
    for part in whole_lines(file):
        table = _parse(file, part, row, pa.schema(list(columns.items())))
        row += len(table)
        yield from table.combine_chunks().to_batches()


def _parse(file: str, part: bytes, row: int, schema: Any) -> Any:
    """Return the rows of some lines, as a table of the columns of the schema, or of those found.

    Parameters
    ----------
    row : number of the first row
    """
    _refuse_other_encodings(file, part, row)
    if not part.strip():
        return pa.table({})
    unexpected = "infer" if schema is None else "ignore"
    try:
        return pa_json.read_json(
            pa.BufferReader(part),
            read_options=pa_json.ReadOptions(use_threads=False, block_size=len(part) + 1),
            parse_options=pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected),
        )
    except pa.ArrowInvalid as error:
        if "Column(/" in str(error) and "changed from" in str(error):  # text and numbers in one column, which Arrow does not read
            return _parse_mixed(file, part, row, schema)
        raise _no_object(file, error, row) from None


def _parse_mixed(file: str, part: bytes, row: int, schema: Any) -> Any:
    """Return the same, read by Python: a column that holds values of several types is text."""
    rows = []
    for line in filter(str.strip, part.decode("utf-8-sig").split("\n")):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise _no_object(file, error, row + len(rows)) from None
    if schema is None:
        return pa.table({name: _values([each.get(name) for each in rows]) for name in dict.fromkeys(key for each in rows for key in each)})
    return pa.table({field.name: _values([each.get(field.name) for each in rows], field.type) for field in schema})


def _values(values: list[Any], type_: Any = None) -> Any:
    if type_ is not None and pa.types.is_timestamp(type_):
        return pa.array(values, pa.string()).cast(type_)
    try:
        if type_ is None or type_ != pa.string():
            return pa.array(values, type_)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if type_ is not None:
            raise
    return pa.array([value if value is None or isinstance(value, str) else json.dumps(value) for value in values], pa.string())


def _no_object(file: str, error: Exception, row: int) -> InputError:
    told = PLACE.search(str(error))
    where, why = (row + int(told[2]), told[1]) if told else (row, str(error))
    return InputError(
        f"Row {where} of {file!r} is not a JSON object ({why}); write one object for each row, on a line of its own, such as "
        '{"age": 31, "town": "Ulm"}.'
    )


def _refuse_other_encodings(file: str, part: bytes, row: int) -> None:
    try:
        part.decode()
    except UnicodeDecodeError as error:
        line = row + part[: error.start].count(b"\n")
        raise InputError(
            f"Row {line} of {file!r} is not UTF-8: it holds the byte {part[error.start]:#x}. Write it in UTF-8, for instance: "
            "open(file, 'w', encoding='utf-8')."
        ) from None

"""CSV files: how fields are told apart, the types of columns, and what is wrong where one cannot be read."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Generator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
from pyarrow import types

from ...errors import InputError
from . import byte_streams
from .arrow_types import kind_of, read_as, wider
from .byte_streams import STREAM_BYTES, TOO_LONG, open_bytes, seen_whole

DELIMITERS = {"csv": ",;\t|", "tsv": "\t,;|"}
"""Delimiters that a header is searched for; the first where none stands there, or two equally often."""
MISSING = [*pa_csv.ConvertOptions().null_values, "None", "<NA>"]
"""Fields without a value, those of pandas.read_csv: empty, NA, N/A, NaN, null, None, … Others, such as "?" and " ", are text."""
REMEDY = "Write it in UTF-8 under another name: Path('new.csv').write_text(Path(file).read_text({!r}), 'utf-8')."
HEADER = re.compile(rb'(?:[^"\r\n]+|(?<![^,;\t|])"[^"]*"|")*')
"""A line, in which values that begin with a quote may hold newlines."""
CONVERSION = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to [^:]*: (?:invalid value '(.*)'|invalid UTF8)", re.S
)
RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", re.S)


def header_of(file: str) -> bytes:
    """Return the first line of a text file, up to a newline outside quotes, or as much of it as can be read in one go."""
    found, header = b"", b""
    with open_bytes(file) as raw:
        while len(found) < byte_streams.TEXT_BYTES and len(header) == len(found) and (more := raw.read(STREAM_BYTES)):
            found = (found + more).removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
            header = HEADER.match(found)[0]  # type: ignore[index]
    if len(header) >= byte_streams.TEXT_BYTES:
        raise pa.ArrowInvalid(TOO_LONG)
    return header


def delimiter_of(header: bytes, kind: str) -> str:
    r"""Return the delimiter that a header uses most: , ; | or a tab, outside quotes.

    Examples
    --------
    >>> delimiter_of(b'age;"town, street";y', "csv"), delimiter_of(b"age", "csv")
    (';', ',')
    """
    bare = re.sub(rb'"[^"]*"', b"", header)
    return max(DELIMITERS[kind], key=lambda mark: bare.count(mark.encode()))


def open_csv(file: str, kind: str, columns: Mapping[str, Any], use_threads: bool = False) -> Any:
    """Open a text file, all its columns or those of given types. An empty field of text is missing, as it is for pandas."""
    return pa_csv.open_csv(
        open_bytes(file),
        read_options=pa_csv.ReadOptions(block_size=byte_streams.TEXT_BYTES, use_threads=use_threads),
        # newlines_in_values: else a part of the file may end within a quoted value. It costs no time that can be measured.
        parse_options=pa_csv.ParseOptions(delimiter=delimiter_of(header_of(file), kind), newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            strings_can_be_null=True, null_values=MISSING, column_types=dict(columns), include_columns=list(columns)
        ),
    )


def csv_schema(file: str, kind: str, target: str | None) -> Any:
    """Return the columns of a text file by its first part, None where it is a header alone; text that is not UTF-8 is binary."""
    header = header_of(file)
    _refuse_other_encodings(file, header)
    if not header.strip():
        raise InputError(f"The file {file!r} is empty; leave it out, or write it with a header at least.")
    try:
        with open_csv(file, kind, {}) as opened:
            fields = [(field.name, read_as(field.type, field.name == target)) for field in opened.schema]
            if all(types.is_null(type_) for _, type_ in fields) and not any(len(batch) for batch in opened):
                return None
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):  # a header without an end
            return None
        raise
    return pa.schema(fields)


def read_csv(file: str, kind: str, columns: Mapping[str, Any], use_threads: bool) -> Generator[Any]:
    """Yield batches of some columns of a text file, and of its last column, which would show a quote that is never closed."""
    last = _last_name(file, kind)
    row, batch = 0, None
    with open_csv(file, kind, {last: pa.binary(), **columns}, use_threads) as opened:
        for batch in opened:
            yield batch
            row += len(batch)
    if batch is not None and len(batch):
        _refuse_open_quote(file, last, batch.column(last)[-1].as_py(), row - 1)


def settled_types(file: str, kind: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return types that suit every row of the file, not its first part alone: numbers that turn out to be text are text from the first."""
    found = dict(columns)
    while not seen_whole(file):
        checked = {name: type_ for name, type_ in found.items() if kind_of(type_) != "text"}
        try:
            for _ in read_csv(file, kind, checked, use_threads=True) if checked else ():
                pass
            return found
        except pa.ArrowInvalid as error:
            told = CONVERSION.search(str(error))
            if told is None:
                raise
            name = _names(file, kind)[int(told[1])]
            found[name] = wider(found[name])
    return found


def explain(file: str, kind: str, columns: Mapping[str, Any], error: Exception) -> str | None:
    """Return what is wrong with a text file that could not be read, by column and row; None where that is not known.

    Parameters
    ----------
    columns : types by name, as they were to be read
    error : what Arrow said; on several threads it does not say the row, so the file is read again on one
    """
    said = str(error)
    if not CONVERSION.search(said) and not RAGGED.search(said):
        return None
    if "Row #" not in said:
        try:
            for _ in read_csv(file, kind, columns, use_threads=False):
                pass
        except pa.ArrowInvalid as again:
            said = str(again)
    if told := CONVERSION.search(said):
        number, line, value = told.groups()
        name = _names(file, kind)[int(number)]
        return _not_utf8(file, name, line) if value is None else _other_kind(file, name, columns.get(name), line, value)
    line, wanted, got, text = RAGGED.search(said).groups()  # type: ignore[union-attr]
    return (
        f"Row {_row(line)} of {file!r} has {got} field{'s' * (got != '1')} where the header has {wanted}: {text.strip()!r:.80}. "
        "Correct the row, or quote values that hold the delimiter."
    )


def refuse_not_utf8(file: str, kind: str, name: str) -> None:
    """Raise the error that names the first row of a column which is not UTF-8."""
    try:
        for _ in read_csv(file, kind, {name: pa.string()}, use_threads=False):
            pass
    except pa.ArrowInvalid as error:
        raise InputError(explain(file, kind, {name: pa.string()}, error) or str(error)) from None


def _last_name(file: str, kind: str) -> str:
    header = header_of(file)
    *_, last = next(csv.reader(io.StringIO(header.decode(), newline=""), delimiter=delimiter_of(header, kind)))
    return last


def _refuse_open_quote(file: str, name: str, value: Any, row: int) -> None:
    """Raise an error if the last value of a file holds newlines, and therefore was quoted, but the file does not end in a quote."""
    text = value.encode() if isinstance(value, str) else value
    if not isinstance(text, bytes) or (b"\n" not in text and b"\r" not in text):
        return
    end = b""
    with open_bytes(file) as raw:
        while more := raw.read(STREAM_BYTES):
            end = end[-1:] + more
            end = end.rstrip(b"\r\n") or end[-1:]
    if not end.endswith(b'"'):
        raise InputError(
            f"Row {row} of {file!r} opens a quote in column {name!r} that is never closed, so the rest of the file became one value. Close "
            'it, or write a quote that is part of a value twice: "".'
        )


def _names(file: str, kind: str) -> list[str]:
    with open_csv(file, kind, {}) as opened:
        return list(opened.schema.names)


def _row(line: str | None) -> str:
    """Return the number of a row, of which the first after the header is row 0; Arrow counts the header as the first."""
    return "?" if line is None else str(int(line) - 2)


def _not_utf8(file: str, name: str, line: str | None) -> str:
    return f"Column {name!r} of {file!r} is not UTF-8 in row {_row(line)}. {REMEDY.format('latin-1')}"


def _other_kind(file: str, name: str, type_: Any, line: str | None, value: str) -> str:
    kind = "no values" if type_ is None or types.is_null(type_) else {"number": "numbers", "date": "dates", "time": "times"}[kind_of(type_)]
    return (
        f"Column {name!r} of {file!r} holds {value!r:.60} in row {_row(line)}, and {kind} in the first "
        f"{byte_streams.TEXT_BYTES / 2**20:.2g} megabytes, by which its kind was told. Correct the value or leave the column out, "
        "columns=[…]; TablePrep and MixedNB, which read table.as_columns(), take features and labels of this kind as text."
    )


def _refuse_other_encodings(file: str, header: bytes) -> None:
    """Raise an error if the header of a text file is not UTF-8."""
    if b"\0" in header or header.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(
            f"The file {file!r} holds bytes of zero, as UTF-16 text does; text files are read as UTF-8. {REMEDY.format('utf-16')}"
        )
    try:
        header.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"The header of {file!r} is not UTF-8: byte {error.start} is {header[error.start]:#x}, {chr(header[error.start])!r} "
            f"in Latin-1. {REMEDY.format('latin-1')}"
        ) from None

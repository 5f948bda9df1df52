"""Text files as streams of bytes, whatever they are compressed by."""

from __future__ import annotations

import lzma
import os
from collections.abc import Generator
from typing import Any

import pyarrow as pa

TEXT_BYTES = 4_194_304
"""What is read of a text file in one go; the types of a CSV's columns are those of the first such part, until they are checked."""
STREAM_BYTES = 65_536
"""What is read at once where little is needed: of a Parquet column, or of a header."""
TOO_LONG = "a line is longer than 4 megabytes, or a quote is never closed; close it, or write so wide a table as Parquet"
BROKEN = (pa.ArrowException, OSError, EOFError, lzma.LZMAError, UnicodeDecodeError)
"""What reading a damaged file may raise."""
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""Compressions that Arrow undoes, by the end of a name; .xz is undone by Python."""


def open_bytes(file: str) -> Any:
    """Return the stream of what a file holds, its compression undone."""
    ending = os.path.splitext(file)[1].lower()
    if ending == ".xz":
        return pa.PythonFile(lzma.open(file), mode="r")
    return pa.input_stream(file, compression=PACKED.get(ending))


def is_packed(file: str) -> bool:
    """Whether a file's name says that it is compressed.

    Examples
    --------
    >>> is_packed("rows.csv.xz"), is_packed("rows.csv")
    (True, False)
    """
    return os.path.splitext(file)[1].lower() in (*PACKED, ".xz")


def seen_whole(file: str) -> bool:
    """Whether the first part that is read of a text file is all of it."""
    return not is_packed(file) and os.path.getsize(file) <= TEXT_BYTES


def whole_lines(file: str) -> Generator[bytes]:
    """Yield the parts of a text file, each some lines from beginning to end."""
    held = b""
    with open_bytes(file) as raw:
        while more := raw.read(TEXT_BYTES):
            held += more
            end = held.rfind(b"\n") + 1
            if end:
                yield held[:end]
                held = held[end:]
            elif len(held) > TEXT_BYTES:
                raise pa.ArrowInvalid(TOO_LONG)
    if held:
        yield held

"""Standard input as a file that can be read more than once, its format told by its first bytes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ...errors import InputError

MAGIC = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\xfd7zXZ\x00": ".xz",
}
"""First bytes of formats and compressions."""


@contextmanager
def spooled(stream: BinaryIO, kind: str = "csv") -> Iterator[str]:
    r"""Write a stream to a temporary file, which is removed at the end, and yield its path.

    Parameters
    ----------
    stream : bytes of a Parquet or Arrow file, of JSON lines or delimited text
    kind : "csv", "tsv" or "jsonl": what compressed bytes hold

    Examples
    --------
    >>> import io
    >>> from pathlib import Path
    >>> with spooled(io.BytesIO(b'{"age": 31}\n')) as path:
    ...     os.path.splitext(path)[1], Path(path).read_text()
    ('.jsonl', '{"age": 31}\n')
    """
    head = stream.read(4096)
    if not head.strip():
        raise InputError("Standard input is empty; pipe a table into it, as in: cat table.csv | separatrix look -")
    with tempfile.TemporaryDirectory(prefix="separatrix-") as folder:
        path = os.path.join(folder, f"standard input{ending_of(head, kind)}")
        with open(path, "wb") as file:
            file.write(head)
            shutil.copyfileobj(stream, file, 1 << 20)
        yield path


def ending_of(head: bytes, kind: str = "csv") -> str:
    """Return the end of the name that a file with these first bytes should have.

    Examples
    --------
    >>> ending_of(b"PAR1..."), ending_of(b"a,b"), ending_of(bytes([31, 139, 8]), "jsonl")
    ('.parquet', '.csv', '.jsonl.gz')
    """
    found = next((ending for first, ending in MAGIC.items() if head.startswith(first)), None)
    if found in (".parquet", ".arrow"):
        return found
    if found is not None:
        return f".{kind}{found}"
    return ".jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else f".{kind}"

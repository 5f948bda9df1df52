"""Which files a path, a folder, a glob or a list of them names, in a fixed order."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from ...argument_types import is_listed
from ...errors import InputError, InputTypeError, did_you_mean

TEXTS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "json", ".ndjson": "json"}
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    **{text + packed: kind for text, kind in TEXTS.items() for packed in ("", ".gz", ".bz2", ".zst", ".xz")},
}
"""How files are read, by the end of their names."""
ENDINGS = ".parquet, .pq, .arrow, .feather, .ipc, .csv, .tsv, .jsonl, .ndjson, the last four also with .gz, .bz2, .zst or .xz after it"


def find_files(path: Any) -> tuple[list[str], str]:
    """Return the files that `path` names and their format.

    The files of a folder or glob are sorted by path; those of a list stand in the order of the list.

    Parameters
    ----------
    path : str, path, or a list of them
        A file, a folder (with its subfolders; names that begin with "_" or "." are left out), or a glob.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "_SUCCESS"):
    ...         Path(folder, name).touch()
    ...     files, kind = find_files(folder)
    >>> [os.path.basename(file) for file in files], kind
    (['a.csv', 'b.csv'], 'csv')
    """
    if isinstance(path, (str, os.PathLike)):
        files = _expand(os.fspath(path))
    elif is_listed(path):
        files = [file for each in path for file in _expand(_as_text(each))]
    else:
        files = _expand(_as_text(path))
    if not files:
        raise InputError("The list of paths is empty; name at least one file, folder or glob.")
    _refuse_twice(files)
    kinds = {format_of(file): file for file in reversed(files)}
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise InputError(
            f"The files are of different kinds, {other!r} and {one!r}; open one kind at a time, for instance with a glob such as "
            "'folder/*.parquet'."
        )
    return files, str(next(iter(kinds)))


def _refuse_twice(files: list[str]) -> None:
    """Raise an error where two paths lead to one file: 'a.csv' and './a.csv', or a link to it."""
    seen: dict[str, str] = {}
    for count, file in enumerate(files, 1):
        first = seen.setdefault(os.path.realpath(file), file)
        if len(seen) < count:
            also = "" if first == file else f", as {first!r} and as {file!r}"
            raise InputError(f"The file {first!r} is named twice{also}, so its rows would count twice; name every file once.")


def format_of(file: str) -> str | None:
    """Return the format that the end of a file's name announces, or None.

    Examples
    --------
    >>> format_of("rows.PARQUET"), format_of("rows.csv.gz"), format_of("rows.xlsx")
    ('parquet', 'csv', None)
    """
    return next((kind for ending, kind in FORMATS.items() if file.lower().endswith(ending)), None)


def _as_text(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(
            f"A path must be a string or a pathlib.Path, got {type(path).__name__}; data in memory go to fit(X, y) directly."
        )
    return str(os.fspath(path))


def _expand(path: str) -> list[str]:
    """Return the files of one path. What exists is taken by its name, so a file called 'a[1].csv' can be named."""
    path = os.path.expanduser(path)
    if os.path.isfile(path):
        if format_of(path) is None:
            raise InputError(f"The kind of file {path!r} is not known by its name; use one of {ENDINGS}.")
        return [path]
    found = [path] if os.path.isdir(path) else sorted(glob.glob(path, recursive=True))
    for special in (each for each in found if not os.path.isdir(each) and not os.path.isfile(each) and os.path.exists(each)):
        raise InputError(
            f"{special!r} is a pipe or a device, which can be read only once; a table is read for every pass. Write it to a file first."
        )
    within = [file for each in found for file in (_inside(each) if os.path.isdir(each) else [each])]
    # A glob such as 'a/**' matches a folder and also the files in it.
    files = sorted({file for file in within if format_of(file)})
    if not files:
        raise InputError(_nothing_found(path, found))
    return files


def _inside(folder: str) -> list[str]:
    names = [file.relative_to(folder) for file in Path(folder).rglob("*") if file.is_file()]
    return [os.path.join(folder, name) for name in names if not any(part[0] in "_." for part in name.parts)]


def _nothing_found(path: str, found: list[str]) -> str:
    """Say what is there instead, so that a slip in the path is seen."""
    if found:
        return f"No file under {path!r} ends in {ENDINGS}; name the files to read."
    folder = os.path.dirname(path) or "."
    while glob.has_magic(folder):
        folder = os.path.dirname(folder) or "."
    if not os.path.isdir(folder):
        return f"No file matches {path!r}: there is no folder {folder!r} (the working folder is {os.getcwd()!r}). Check the path."
    names = sorted(os.listdir(folder))
    listed = ", ".join(repr(name) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return f"No file matches {path!r}.{did_you_mean(os.path.basename(path), names)} The folder {folder!r} holds {listed or 'nothing'}."

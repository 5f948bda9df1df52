"""Which files a path, a folder, a glob or a list of them names, in a fixed order."""

from __future__ import annotations

import glob
import os
from errno import EACCES
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
    >>> from pathlib import Path
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
    found = [path] if os.path.isdir(path) else _matching(path)
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


def _matching(path: str) -> list[str]:
    """Return what a glob names; a folder on its way that may not be listed is an error, since the glob alone would leave it out."""
    folder = os.path.dirname(path)
    while glob.has_magic(folder):
        for each in glob.iglob(folder, recursive=True):
            _require_listable(each)
        folder = os.path.dirname(folder)
    _require_listable(folder or ".")
    return sorted(glob.glob(path, recursive=True))


def _require_listable(folder: str) -> None:
    if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
        raise _not_listed(PermissionError(EACCES, os.strerror(EACCES), folder))


def _not_listed(error: OSError) -> InputError:
    return InputError(
        f"The folder {error.filename!r} cannot be listed: {error.strerror}. Its rows would be missing without a word; ask for the right to "
        "read it, or name the files to read."
    )


def _inside(folder: str) -> list[str]:
    """Return the files of a folder and its subfolders, links to folders among them."""

    def refuse(error: OSError) -> None:
        raise _not_listed(error) from None

    found, seen = [], set[str]()
    for here, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        again = (real := os.path.realpath(here)) in seen  # a link to a folder above
        seen.add(real)
        folders[:] = [] if again else [name for name in folders if name[0] not in "_."]
        for file in (os.path.join(here, name) for name in names if not again and name[0] not in "_."):
            if os.path.islink(file) and not os.path.exists(file) and format_of(file):
                raise InputError(
                    f"{file!r} is a link to {os.readlink(file)!r}, where nothing is; put the file there, or remove the link, so that its "
                    "rows are not missing without a word."
                )
            found += [file] if os.path.isfile(file) else []
    return found


def _nothing_found(path: str, found: list[str]) -> str:
    """Say what is there instead, so that a slip in the path is seen."""
    if "://" in path:
        return f"{path!r} is an address, and files are read from folders of this machine; copy them here, or mount where they are."
    if found:
        return f"No file under {path!r} ends in {ENDINGS}; name the files to read."
    folder = os.path.dirname(path) or "."
    while glob.has_magic(folder):
        folder = os.path.dirname(folder) or "."
    if not os.path.isdir(folder):
        return f"No file matches {path!r}: there is no folder {folder!r} (the working folder is {os.getcwd()!r}). Check the path."
    _require_listable(folder)
    names = sorted(os.listdir(folder))
    listed = ", ".join(repr(name) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return f"No file matches {path!r}.{did_you_mean(os.path.basename(path), names)} The folder {folder!r} holds {listed or 'nothing'}."

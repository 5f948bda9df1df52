"""Files that appear under their name whole, or not at all.

The rows go to a hidden file in the same folder; when it is complete and on the disk (fsync), it is renamed. A rename within a folder is
atomic: whoever opens the name finds the old file or the new one, also after a crash. Of two processes that write the same name, the last
to finish wins, with a whole file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ..errors import InputTypeError, WriteError, did_you_mean, short_text

NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "the file would be larger than allowed here",
}
FAULTS = {*NO_ROOM, errno.EIO, errno.EROFS, errno.ENXIO, errno.ESTALE}
"""Errors of writing, which come without a file's name; others within the block are the caller's own."""


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of an empty file beside `path` to write to; at the end it takes the place of `path`.

    Whatever goes wrong, Ctrl-C among it, the unfinished file is removed and the old one stays.

    Parameters
    ----------
    path : where the file is to stand; a link is followed, so that it stays a link

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_path(f"{folder}/scores.csv") as unfinished:
    ...         _ = unfinished.write_text("row,score")
    ...     Path(folder, "scores.csv").read_text()
    'row,score'
    """
    try:
        target = _target(path)
    except WriteError:
        raise
    except OSError as error:
        raise _unwritten(path, error) from error
    unfinished = target.with_name(f".{target.name[:40]}.{token_hex(6)}.part")
    try:
        _create(unfinished, target)
        yield unfinished
        _to_disk(unfinished)
        os.replace(unfinished, target)
        _to_disk(target.parent)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(error, OSError) and (error.errno in FAULTS or error.filename == os.fspath(unfinished)):
            raise _unwritten(path, error) from error
        raise


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a binary file to write to; at the end it takes the place of `path`, as `atomic_path` has it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/a.bin") as file:
    ...         _ = file.write(b"whole")
    ...     Path(folder, "a.bin").read_bytes()
    b'whole'
    """
    with atomic_path(path) as unfinished, open(unfinished, "wb") as file:
        yield file


def path_text(path: object) -> str:
    """Return a path as text, or raise an error for what is none.

    Examples
    --------
    >>> path_text(Path("a.sptx"))
    'a.sptx'
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"path={short_text(path)} is no path; pass the name of a file as text.")
    return os.fsdecode(path)


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the place to write to, or raise an error that says why nothing can stand there."""
    given = path_text(path)
    if not given:
        raise WriteError("The name of the file is empty; name one.")
    if "\0" in given:
        raise WriteError(f"{given!r} has a zero character, which no file name can have; leave it out.")
    target = Path(os.path.realpath(given))
    if target.is_dir():
        raise WriteError(f"{given!r} is a folder; name a file in it.")
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise WriteError(f"{given!r} is no ordinary file and cannot be replaced; name a new file.")
    if not target.parent.is_dir():
        raise WriteError(_no_folder(given, target.parent))
    return target


def _no_folder(given: str, folder: Path) -> str:
    kin = [each.name for each in folder.parent.iterdir() if each.is_dir()] if folder.parent.is_dir() else []
    guess = did_you_mean(folder.name, kin)
    return f"{given!r} cannot be written: there is no folder {os.path.dirname(given)!r}.{guess} Make it first, or name another."


def _create(unfinished: Path, target: Path) -> None:
    """Create the empty file, with the rights of the file it replaces, or else those that a new file gets here."""
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    if target.exists():
        unfinished.chmod(stat.S_IMODE(target.stat().st_mode))


def _to_disk(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows opens no folders; its renames need none
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritten(path: str | os.PathLike[str], error: OSError) -> WriteError:
    given, code = path_text(path), error.errno or 0
    if code in NO_ROOM:
        return WriteError(
            f"{given!r} cannot be written: {NO_ROOM[code]}; make room, or name another folder. What stood there is unchanged."
        )
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WriteError(f"{given!r} cannot be written: the folder may not be written to; name another folder.")
    return WriteError(f"{given!r} cannot be written: {os.strerror(code)}; name another file. What stood there is unchanged.")

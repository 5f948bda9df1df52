"""Arrays beside one JSON document in a file: safetensors, with a checksum, read without trust.

    8 bytes   length of the header, little-endian
    header    JSON: "__metadata__" {"sha256", "format", "kind", "document"}, and for each array {"dtype", "shape", "data_offsets"}
    arrays    one after the other, C-contiguous, little-endian

The document is JSON within a string, because safetensors allows texts only. The checksum is SHA-256 over the whole file, with zeros in
its own place: it finds damage, and is no signature, because whoever changes a file can compute it anew. Every length is checked against
the size of the file before memory is asked for, so that no header makes a reader allocate more than the file itself has.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import DamagedFileError, InputError, MissingFileError, did_you_mean
from .atomic import atomic_file, path_text
from .json_text import read_json, write_json

FORMAT = "separatrix 1"
LONGEST_HEADER = 8 * 2**20
"""Bytes. With MOST_VALUES it keeps the memory of a hostile header below 100 MB."""
HIGHEST_RANK = 8
DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(code): name for name, code in DTYPES.items()}
_NO_SUM = "0" * 64


@dataclass(frozen=True)
class Container:
    """What a file holds: its kind ("model", "moments", "checkpoint"), a document as JSON has it, and arrays by name."""

    kind: str
    document: Any
    arrays: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _Place:
    """An array as the header announces it, with its first byte and the one after its last."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int


def write_container(path: str | os.PathLike[str], kind: str, document: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a document and arrays to a file, whole or not at all; the same content gives the same bytes.

    Parameters
    ----------
    path : of the file
    kind : what the file is, which the reader asks for
    document : lists, objects, texts and finite numbers; `tagged_number` writes others
    arrays : numbers or switches by name

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_container(f"{folder}/a", "moments", {"rows": 3}, {"mean": np.array([1.0, 2.0])})
    ...     read_container(f"{folder}/a", "moments").arrays["mean"]
    array([1., 2.])
    """
    stored = {name: _stored(name, arrays[name]) for name in arrays}
    # Wide types first, as safetensors itself has them: every array is then aligned.
    order = sorted(stored, key=lambda name: (-stored[name].itemsize, name))
    metadata = {"sha256": _NO_SUM, "format": FORMAT, "kind": kind, "document": write_json(document)}
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name in order:
        start, end = end, end + stored[name].nbytes
        header[name] = {"dtype": _NAMES[stored[name].dtype], "shape": list(stored[name].shape), "data_offsets": [start, end]}
    text = write_json(header).encode()
    if len(text) > LONGEST_HEADER:
        raise InputError(
            f"The document and the names of the arrays take {len(text):,} bytes, more than {LONGEST_HEADER:,}; store fewer texts."
        )
    text += b" " * (-len(text) % 8)
    total = hashlib.sha256(len(text).to_bytes(8, "little") + text)
    for name in order:
        total.update(_bytes_of(stored[name]))
    with atomic_file(path) as file:
        file.write(len(text).to_bytes(8, "little") + text.replace(_NO_SUM.encode(), total.hexdigest().encode(), 1))
        for name in order:
            file.write(_bytes_of(stored[name]))


def _stored(name: str, array: NDArray[Any]) -> NDArray[Any]:
    found = np.ascontiguousarray(array).reshape(np.shape(array))
    if found.dtype.newbyteorder("<") not in _NAMES or found.ndim > HIGHEST_RANK:
        raise InputError(
            f"The array {name!r} has type {found.dtype} and {found.ndim} axes; numbers and switches of at most "
            f"{HIGHEST_RANK} axes can be stored."
        )
    if name == "__metadata__":
        raise InputError("No array can be called '__metadata__': safetensors keeps the document there.")
    return found.astype(found.dtype.newbyteorder("<"), copy=False)


def read_container(path: str | os.PathLike[str], kind: str) -> Container:
    """Return what a file of this kind holds, or raise one error that says what is wrong with it.

    The arrays own their memory and can be written to.

    Examples
    --------
    >>> read_container("no_such.sptx", "model")
    Traceback (most recent call last):
    separatrix.errors.MissingFileError: There is no file 'no_such.sptx'.
    """
    given = path_text(path)
    try:
        with open(_present(given), "rb") as file:
            return _read(file, os.path.basename(given), kind)
    except OSError as error:
        if isinstance(error, MissingFileError):
            raise
        raise DamagedFileError(f"The file {given!r} cannot be read: {error.strerror}.") from error


def _present(given: str) -> str:
    if "\0" in given or not given:
        raise MissingFileError(f"{given!r} is no name of a file; name one.")
    found = Path(given)
    if found.is_dir():
        raise DamagedFileError(f"{given!r} is a folder; name a file in it.")
    if not found.exists():
        kin = [each.name for each in found.parent.iterdir()] if found.parent.is_dir() else []
        raise MissingFileError(f"There is no file {given!r}.{did_you_mean(found.name, kin)}")
    if not stat.S_ISREG(found.stat().st_mode):
        raise DamagedFileError(f"{given!r} is no ordinary file; copy it to one first.")
    return given


def _read(file: BinaryIO, name: str, kind: str) -> Container:
    size = os.fstat(file.fileno()).st_size
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > LONGEST_HEADER or length > size - 8:
        raise _foreign(name, first, length, size, kind)
    text = file.read(length)
    header = _header(text, name, kind)
    document, found = _metadata(header.pop("__metadata__", None), name, kind)
    places = _places(header, name, size - 8 - length)
    total = hashlib.sha256(first + text.replace(found.encode(), _NO_SUM.encode(), 1))
    del text, header
    arrays = {place.name: _array(file, place, name, total) for place in places}
    if total.hexdigest() != found:
        raise DamagedFileError(f"{name!r} is damaged: its checksum does not fit its content; copy it again from where it was written.")
    return Container(kind, read_json(document, f"The document of {name!r}"), arrays)


def _writer(kind: str) -> str:
    """Return what writes files of a kind."""
    return {"model": "separatrix.save", "moments": "ClassMoments.save, or `separatrix moments`"}.get(kind, "this package")


def _foreign(name: str, first: bytes, length: int, size: int, kind: str) -> DamagedFileError:
    if size < 8 or 8 <= length <= LONGEST_HEADER:
        return DamagedFileError(f"{name!r} is cut off: it has {size:,} bytes and announces more; copy it again from where it was written.")
    if first[:2] in (b"\x80\x04", b"\x80\x05", b"PK"):
        return DamagedFileError(
            f"{name!r} looks like a pickle or an archive, which could run code and is not read; write it with {_writer(kind)}."
        )
    return DamagedFileError(f"{name!r} is no file of this package; write it with {_writer(kind)}.")


def _header(text: bytes, name: str, kind: str) -> dict[str, Any]:
    try:
        # ASCII holds a character in a byte; a single other one would make it four, and is never written.
        header = read_json(text.decode("ascii"), f"The header of {name!r}")
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{name!r} is damaged, or no file of this package: its header is no text; write it anew.") from error
    if not isinstance(header, dict):
        raise DamagedFileError(f"{name!r} is no file of this package: its header is no object; write it with {_writer(kind)}.")
    return header


def _metadata(given: Any, name: str, kind: str) -> tuple[str, str]:
    """Return the document and the checksum."""
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()) or "format" not in given:
        raise DamagedFileError(f"{name!r} is a safetensors file of another program; {_writer(kind)} writes what can be read here.")
    if given["format"] != FORMAT:
        raise DamagedFileError(f"{name!r} has the format {given['format'][:40]!r}; this version reads {FORMAT!r}. Upgrade separatrix.")
    if given.keys() != {"sha256", "format", "kind", "document"} or not re.fullmatch("[0-9a-f]{64}", given["sha256"]):
        raise DamagedFileError(f"{name!r} is damaged: its header lacks the checksum, the kind or the document; write it anew.")
    if given["kind"] != kind:
        raise DamagedFileError(f"{name!r} holds {given['kind'][:40]!r}, and {kind!r} was asked for.")
    if not given["document"].isascii():
        raise DamagedFileError(f"{name!r} is damaged: its document is not ASCII; write it anew.")
    return given["document"], given["sha256"]


def _places(header: dict[str, Any], name: str, size: int) -> list[_Place]:
    """Return the arrays in the order of the file, which they must fill without gap or overlap."""
    places = sorted((_place(key, about, name) for key, about in header.items()), key=lambda place: (place.start, place.end))
    end = 0
    for place in places:
        if place.start != end:
            raise DamagedFileError(f"{name!r} is damaged: the arrays leave a gap or overlap before {place.name[:60]!r}; write it anew.")
        end = place.end
    if end != size:
        what = "cut off" if end > size else "longer than its header says"
        raise DamagedFileError(f"{name!r} is {what}: {size:,} bytes of arrays instead of {end:,}; copy it again from where it was written.")
    return places


def _place(key: str, about: Any, name: str) -> _Place:
    def wrong(what: str) -> DamagedFileError:
        return DamagedFileError(f"{name!r} is damaged: the array {key[:60]!r} {what}; write it anew.")

    if not isinstance(about, dict) or about.keys() != {"dtype", "shape", "data_offsets"}:
        raise wrong("lacks its type, shape or place")
    if not isinstance(about["dtype"], str) or about["dtype"] not in DTYPES:
        raise wrong("has a type that is not read here")
    shape, offsets = about["shape"], about["data_offsets"]
    if not _naturals(shape) or len(shape) > HIGHEST_RANK or not _naturals(offsets) or len(offsets) != 2:
        raise wrong("has no possible shape or place")
    dtype = np.dtype(DTYPES[about["dtype"]])
    if math.prod(shape) * dtype.itemsize != offsets[1] - offsets[0]:
        raise wrong(f"of shape {str(tuple(shape))[:60]} does not fit its {offsets[1] - offsets[0]:,} bytes")
    return _Place(key, dtype, tuple(shape), offsets[0], offsets[1])


def _naturals(given: Any) -> bool:
    return isinstance(given, list) and all(type(number) is int and 0 <= number < 2**62 for number in given)


def _array(file: BinaryIO, place: _Place, name: str, total: Any) -> NDArray[Any]:
    array = np.empty(place.shape, place.dtype)
    view = _bytes_of(array)
    if file.readinto(view) != len(view):  # type: ignore[attr-defined]  # a file opened here has it
        raise DamagedFileError(f"{name!r} is cut off; copy it again from where it was written.")
    total.update(view)
    if array.dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
        raise DamagedFileError(f"{name!r} is damaged: the array {place.name[:60]!r} has switches that are neither 0 nor 1; write it anew.")
    return array


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data

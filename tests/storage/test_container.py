"""What is written is read, bit by bit; what is damaged is refused before memory is asked for."""

import hashlib
import json
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from separatrix.errors import DamagedFileError, InputError, MissingFileError
from separatrix.storage import read_container, write_container
from separatrix.storage.container import DTYPES

DOCUMENT = {"rows": 3, "names": ["é", "a,b"], "deep": {"c": [0.1, None, True]}}
ARRAYS = {f"a.{name}": np.arange(6).reshape(2, 3).astype(code) for name, code in DTYPES.items()} | {
    "none": np.empty((0, 3)),
    "one": np.array(1.5),
    "turned": np.arange(12.0).reshape(3, 4).T,
    "big": np.arange(3, dtype=">f8"),
    "special": np.array([np.nan, -np.inf, -0.0]),
}


@pytest.fixture
def path(tmp_path):
    write_container(tmp_path / "a.sptx", "model", DOCUMENT, ARRAYS)
    return tmp_path / "a.sptx"


def edited(path, change, checksum=True):
    """Write the file with another header, its checksum computed anew, as somebody hostile would."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    rest = change(header) or content[8 + length :]
    header["__metadata__"]["sha256"] = "0" * 64
    text = json.dumps(header).encode()
    whole = len(text).to_bytes(8, "little") + text + rest
    path.write_bytes(whole.replace(b"0" * 64, hashlib.sha256(whole).hexdigest().encode(), 1) if checksum else whole)


def test_what_is_written_is_read(path):
    found = read_container(path, "model")
    assert found.kind == "model" and found.document == DOCUMENT and found.arrays.keys() == ARRAYS.keys()
    for name, array in found.arrays.items():
        given = np.asarray(ARRAYS[name])
        assert array.dtype == given.dtype.newbyteorder("<") and array.shape == given.shape and array.flags.writeable and array.flags.aligned
        np.testing.assert_array_equal(array, given)
    assert np.signbit(found.arrays["special"][2])


def test_the_same_content_gives_the_same_bytes(path):
    write_container(path.with_name("b"), "model", DOCUMENT, dict(reversed(ARRAYS.items())))
    assert path.read_bytes() == path.with_name("b").read_bytes()


def test_safetensors_reads_the_arrays(path):
    for name, array in load_file(path).items():
        np.testing.assert_array_equal(array, ARRAYS[name])


def test_every_cut_and_addition_is_refused(path):
    content = path.read_bytes()
    for end in [*range(0, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:end])
        with pytest.raises(DamagedFileError, match="cut off|no file of this package|no JSON"):
            read_container(path, "model")
    path.write_bytes(content + b"\0")
    with pytest.raises(DamagedFileError, match="longer than its header says"):
        read_container(path, "model")


def test_every_flipped_bit_is_refused(path, rng):
    content = path.read_bytes()
    for place in rng.integers(0, 8 * len(content), 300):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with pytest.raises(DamagedFileError):
            read_container(path, "model")


def place(**fields):
    return lambda header: header["a.F64"].update(fields)


def meta(**fields):
    return lambda header: header["__metadata__"].update(fields)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (place(dtype="F128"), "a type that is not read here"),
        (place(dtype=["F64"]), "a type that is not read here"),
        (place(shape=[2**40, 2**40]), "does not fit its 48 bytes"),
        (place(shape=[2**61, 0]), "does not fit its 48 bytes"),
        (place(shape=[-2, -3]), "no possible shape"),
        (place(shape=[True, 6]), "no possible shape"),
        (place(shape=[1] * 9 + [6]), "no possible shape"),
        (place(shape=6), "no possible shape"),
        (place(data_offsets=[8, 56]), "a gap or overlap"),
        (place(data_offsets=[0, 2**60], shape=[2**57]), "a gap or overlap|cut off"),
        (place(extra=1), "lacks its type"),
        (lambda header: header.update({"a.F64": 3}), "lacks its type"),
        (lambda header: header.pop("a.F64") and None, "a gap or overlap"),
        (meta(format="separatrix 9"), "has the format 'separatrix 9'.*Upgrade"),
        (meta(kind="moments"), "holds 'moments', and 'model' was asked for"),
        (meta(document="[" * 99), "more than 32 levels"),
        (meta(document="ü"), "not ASCII"),
        (meta(more=""), "lacks the checksum"),
        (meta(more=3), "another program"),
    ],
)
def test_hostile_headers_with_a_right_checksum_are_refused(path, change, said):
    edited(path, change)
    with pytest.raises(DamagedFileError, match=said):
        read_container(path, "model")


def test_a_wrong_checksum_is_named(path):
    edited(path, lambda header: None, checksum=False)
    with pytest.raises(DamagedFileError, match="checksum does not fit"):
        read_container(path, "model")


def test_switches_other_than_0_and_1_are_refused(path):
    edited(
        path,
        lambda header: path.read_bytes()[8 + int.from_bytes(path.read_bytes()[:8], "little") :].replace(b"\0\1\1\1\1\1", b"\0\1\2\1\1\1"),
    )
    with pytest.raises(DamagedFileError, match="neither 0 nor 1"):
        read_container(path, "model")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cut off"),
        (b"\x80\x05\x95\0\0\0\0\0\0", "could run code and is not read"),
        (b"PK\x03\x04" + b"\0" * 20, "could run code"),
        (b"a,b\n1,2\n3,4\n", "no file of this package"),
        (b"\xff" * 100, "no file of this package"),
        ((2).to_bytes(8, "little") + b"{}", "another program"),
        ((2).to_bytes(8, "little") + b"[]", "no object"),
        ((4).to_bytes(8, "little") + b'"\xc3\xa9"', "no text"),
    ],
)
def test_other_files_are_refused(path, content, said):
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=said):
        read_container(path, "model")


def test_safetensors_of_other_programs_are_refused(path):
    save_file({"a": np.ones(2)}, path)
    with pytest.raises(DamagedFileError, match="another program"):
        read_container(path, "model")


def test_missing_files_and_folders_are_named(path):
    with pytest.raises(MissingFileError, match="Did you mean 'a.sptx'"):
        read_container(path.with_name("b.sptx"), "model")
    with pytest.raises(DamagedFileError, match="is a folder"):
        read_container(path.parent, "model")
    os.mkfifo(path.with_name("pipe"))
    with pytest.raises(DamagedFileError, match="no ordinary file"):
        read_container(path.with_name("pipe"), "model")


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([None]), np.ones([1] * 9), np.array(["2020-01-01"], "M8[D]")])
def test_arrays_that_cannot_be_stored_leave_the_old_file(path, array):
    content = path.read_bytes()
    with pytest.raises(InputError, match="The array 'x' has type"):
        write_container(path, "model", {}, {"x": array})
    assert path.read_bytes() == content

"""What a path names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from separatrix.data.files.paths import find_files
from separatrix.errors import InputError, InputTypeError

NAMES = ["b.parquet", "a.parquet", "c[1].parquet", "sub/d.parquet", "sub/_temporary/e.parquet", "_SUCCESS", ".a.parquet.crc", "notes.txt"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ["a.parquet", "b.parquet", "c[1].parquet", "sub/d.parquet"]),
        ("*.parquet", ["a.parquet", "b.parquet", "c[1].parquet"]),
        ("*", ["a.parquet", "b.parquet", "c[1].parquet", "sub/d.parquet"]),
        ("**", ["a.parquet", "b.parquet", "c[1].parquet", "sub/_temporary/e.parquet", "sub/d.parquet"]),
        ("s*", ["sub/d.parquet"]),
        ("c[1].parquet", ["c[1].parquet"]),
        (["b.parquet", "a.parquet"], ["b.parquet", "a.parquet"]),
        (["sub", "[ab].parquet"], ["sub/d.parquet", "a.parquet", "b.parquet"]),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_files_in_order(path: Any, expected: list[str], kind: Any, folder: Path) -> None:
    given = [kind(folder / each) for each in path] if isinstance(path, list) else kind(folder / path)
    files, format_ = find_files(given)
    assert [os.path.relpath(file, folder) for file in files] == expected and format_ == "parquet"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("*.pqt", r"No file matches '.*\*\.pqt'.*holds '\.a\.parquet\.crc', '_SUCCESS', 'a\.parquet'"),
        ("d.parquet", r"No file matches '.*d\.parquet'\. Did you mean 'a\.parquet'|Did you mean 'b\.parquet'"),
        ("none/*.parquet", "there is no folder '.*none'"),
        ("notes.txt", r"kind of file '.*notes\.txt' is not known.*\.parquet"),
        ("*.txt", r"No file under '.*\*\.txt' ends in \.parquet"),
        (["a.parquet", "a.parquet"], "named twice"),
        ([], "list of paths is empty"),
    ],
)
def test_nothing_to_read(path: Any, message: str, folder: Path) -> None:
    with pytest.raises(InputError, match=message):
        find_files([folder / each for each in path] if isinstance(path, list) else folder / path)


def test_one_file_by_two_names_is_named_twice(folder: Path) -> None:
    (folder / "link.parquet").symlink_to(folder / "a.parquet")
    for other in ("./a.parquet", "sub/../a.parquet", "link.parquet"):
        with pytest.raises(InputError, match=rf"a\.parquet' is named twice, as '.*a\.parquet' and as '.*{other}', so its rows"):
            find_files([str(folder / "a.parquet"), f"{folder}/{other}"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_table(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    for path in (folder / "pipe.csv", folder / "*.csv", [folder / "pipe.csv"], Path(os.devnull)):
        with pytest.raises(InputError, match="is a pipe or a device, which can be read only once.*Write it to a file first"):
            find_files(path)


def test_different_kinds_and_no_path(folder: Path) -> None:
    (folder / "z.csv").touch()
    with pytest.raises(InputError, match=r"different kinds, '.*a\.parquet' and '.*z\.csv'"):
        find_files(folder)
    with pytest.raises(InputTypeError, match=r"got int; .*fit\(X, y\)"):
        find_files(3)

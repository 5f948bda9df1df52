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


def barred(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let a folder be one that may not be listed, for root too."""
    access, scandir = os.access, os.scandir

    def list_others(path: Any = ".") -> Any:
        if os.fspath(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", list_others)
    monkeypatch.setattr(os, "access", lambda path, mode, **more: os.fspath(path) != str(folder) and access(path, mode, **more))


@pytest.mark.parametrize("pattern", ["", "*", "*/a.csv", "**", "**/*.csv", "year=2024/*.csv", "year=2024"])
def test_a_folder_that_may_not_be_listed_is_no_folder_without_rows(pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        (tmp_path / f"year={year}" / "a.csv").touch()
    barred(monkeypatch, tmp_path / "year=2024")
    with pytest.raises(InputError, match=r"folder '.*year=2024' cannot be listed: Permission denied.*name the files to read"):
        find_files(os.path.join(tmp_path, pattern))
    assert len(find_files(tmp_path / "year=2023")[0]) == 1


def test_links_to_folders_are_followed_once_and_links_to_nothing_refused(tmp_path: Path) -> None:
    (tmp_path / "rows" / "inner").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.csv").touch()
    (tmp_path / "rows" / "a.csv").touch()
    (tmp_path / "rows" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "rows" / "inner" / "above").symlink_to(tmp_path / "rows")
    assert [Path(file).name for file in find_files(tmp_path / "rows")[0]] == ["a.csv", "b.csv"]
    (tmp_path / "rows" / "notes.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "rows" / "c.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(InputError, match=r"c\.csv' is a link to '.*gone\.csv', where nothing is"):
        find_files(tmp_path / "rows")


@pytest.mark.parametrize("path", ["s3://bucket/a.parquet", "https://host/*.csv"])
def test_addresses_are_no_folders(path: str) -> None:
    with pytest.raises(InputError, match="is an address, and files are read from folders of this machine"):
        find_files(path)

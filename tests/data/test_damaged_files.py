"""Files that are damaged, in another encoding, empty or written anew are refused in words, and never read in part."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from separatrix import GaussianNB, MixedNB, open_table
from separatrix.data.files import byte_streams
from separatrix.errors import InputError

WRITERS: dict[str, Callable[..., None]] = {
    "parquet": pq.write_table,
    "arrow": pyarrow.feather.write_feather,
    "csv": pyarrow.csv.write_csv,
}
ROWS = pa.table({"a": np.arange(40.0), "b": np.sin(np.arange(40.0)), "y": ["no", "yes"] * 20})


def wrong_codes(code: int = 7) -> pa.DictionaryArray:
    """Return categories of which one is the `code`-th of two."""
    codes = pa.array([0, 1] * 19 + [0, code], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(["no", "yes"]), safe=False)


@pytest.mark.parametrize("code", [2, 10**9, -3])
def test_categories_beyond_the_list_are_refused_in_files(code: int, tmp_path: Path) -> None:
    table = ROWS.set_column(2, "y", wrong_codes(code))
    pyarrow.feather.write_feather(table, tmp_path / "a.arrow", compression="uncompressed")
    for classes in (None, ["no", "yes"]):
        with pytest.raises(InputError, match=r"a\.arrow' cannot be read beyond row 0: .*(index|indices|value)"):
            GaussianNB().fit(open_table(tmp_path / "a.arrow", "y", classes=classes))


def test_texts_that_end_outside_are_refused_in_files(tmp_path: Path) -> None:
    ends = np.arange(0, 82, 2, dtype=np.int32)
    ends[17] = 10**9
    text = pa.StringArray.from_buffers(40, pa.py_buffer(ends), pa.py_buffer(b"ab" * 40))
    pyarrow.feather.write_feather(pa.table({"x": np.arange(40.0), "y": text}), tmp_path / "a.arrow", compression="uncompressed")
    with pytest.raises(InputError, match=r"a\.arrow' cannot be read"):
        open_table(tmp_path / "a.arrow", "y").classes  # noqa: B018


def test_damaged_arrow_data_in_memory_are_refused() -> None:
    X, bad = ROWS.select(["a", "b"]), wrong_codes(10**9)
    with pytest.raises(InputError, match="The Arrow data of y are damaged"):
        GaussianNB().fit(X, bad)
    with pytest.raises(InputError, match="The Arrow data of y are damaged"):
        GaussianNB().fit(X, pa.chunked_array([bad]))
    with pytest.raises(InputError, match="The Arrow data of X are damaged"):
        MixedNB().fit(X.append_column("c", bad), ROWS["y"])


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "more rows": lambda t: pa.concat_tables([t, t]),
    "fewer rows": lambda t: t.slice(0, 20),
    "no column b": lambda t: t.drop_columns(["b"]),
    "no target": lambda t: t.drop_columns(["y"]),
    "text in b": lambda t: t.set_column(1, "b", pa.array(["?"] * 40)),
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_file_written_anew_must_be_opened_anew(change: Callable[[pa.Table], pa.Table], ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a.{ending}"
    WRITERS[ending](ROWS, file)
    table = open_table(file, "y", classes=["no", "yes"])
    list(table.blocks())
    WRITERS[ending](change(ROWS), file)
    with pytest.raises(InputError, match=r"has changed since the table was opened; open it again"):
        list(table.blocks())
    file.unlink()
    with pytest.raises(InputError, match=r"cannot be read: .*No such file"):
        list(table.blocks())


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    pyarrow.csv.write_csv(ROWS, file)
    blocks = open_table(file, "y", classes=["no", "yes"], batch_rows=5, n_jobs=1).blocks()
    next(blocks)
    os.utime(file, ns=(1, 1))
    with pytest.raises(InputError, match="has changed since"):
        list(blocks)


TEXT = "größe,y\n1,no\n2,yes\n"
TEXTS: dict[str, tuple[bytes, str]] = {
    "latin-1": (TEXT.encode("latin-1"), r"header of .* is not UTF-8: byte 2 is 0xf6, 'ö' in Latin-1.*read_text\('latin-1'"),
    "utf-16": (TEXT.encode("utf-16"), r"as UTF-16 text does.*read_text\('utf-16'"),
    "utf-16 unmarked": ("a,y\n1,no\n".encode("utf-16-le"), "as UTF-16 text does"),
    "header only": (b"a,y\n", "has a header and no rows"),
    "header without end": (b"a,y", "a header without rows"),
    "empty": (b"", "it is empty, or a header without rows"),
    "latin-1 labels": ("a,y\n1,né\n2,no\n".encode("latin-1"), r"Column 'y' of .* is not UTF-8 in row 0\. .*read_text\('latin-1'"),
    "same names": (b"a,a,y\n1,2,no\n", "Two columns of .* are called 'a'"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", TEXTS.values(), ids=TEXTS.keys())
def test_texts_that_are_no_tables(case: tuple[bytes, str], packed: bool, tmp_path: Path) -> None:
    file = tmp_path / ("a.csv.gz" if packed else "a.csv")
    file.write_bytes(gzip.compress(case[0]) if packed else case[0])
    with pytest.raises(InputError, match=case[1]):
        open_table(file, "y")


def test_a_marked_utf8_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TEXT, encoding="utf-8-sig")
    assert open_table(tmp_path / "a.csv", "y").feature_names == ("größe",)


def test_many_columns_and_long_lines(tmp_path: Path, monkeypatch: Any) -> None:
    names = [f"c{j}" for j in range(3000)]
    file = tmp_path / "a.csv"
    file.write_text(f"{','.join(names)},y\n" + f"{'1,' * 3000}no\n{'2,' * 3000}yes\n")
    assert next(open_table(file, "y").blocks()).X.shape == (2, 3000)
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 2**13)
    with pytest.raises(InputError, match="a line is longer than .* write so wide a table as Parquet"):
        open_table(file, "y")

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

from separatrix import GaussianNB, LogisticRegression, MixedNB, open_table
from separatrix.data.files import byte_streams
from separatrix.errors import InputError
from separatrix.progress import listening
from separatrix.thresholds import moved

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


@pytest.mark.parametrize("harm", [os.unlink, lambda file: os.utime(file, ns=(1, 1))], ids=["vanishes", "changes"])
def test_a_file_that_is_lost_between_passes_leaves_no_model(harm: Callable[[Path], None], tmp_path: Path) -> None:
    for name in "ab":
        pq.write_table(ROWS, tmp_path / f"{name}.parquet")
    model, passes = LogisticRegression(), 0

    def listen(event: Any) -> None:
        nonlocal passes
        passes += event.done == 0 and "read" in event.task
        if passes == 2 and (tmp_path / "b.parquet").exists():
            harm(tmp_path / "b.parquet")

    with moved(0), listening(listen), pytest.raises(InputError, match=r"b\.parquet' (has changed|cannot be read: .*No such file)"):
        model.fit(open_table(tmp_path, "y", n_jobs=1))
    assert passes >= 2 and not hasattr(model, "coef_")


TEXT = "größe,y\n1,no\n2,yes\n"
TEXTS: dict[str, tuple[bytes, str]] = {
    "latin-1": (TEXT.encode("latin-1"), r"header of .* is not UTF-8: byte 2 is 0xf6, 'ö' in Latin-1.*read_text\('latin-1'"),
    "utf-16": (TEXT.encode("utf-16"), r"as UTF-16 text does.*read_text\('utf-16'"),
    "utf-16 unmarked": ("a,y\n1,no\n".encode("utf-16-le"), "as UTF-16 text does"),
    "header only": (b"a,y\n", "has a header and no rows"),
    "header without end": (b"a,y", "has a header and no rows"),
    "empty": (b"", "is empty; leave it out, or write it with a header"),
    "blank": (b"\n\n", "is empty; leave it out, or write it with a header"),
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


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("header", [b"a,y\n", b"a,y", b"a,y\r\n\r\n"])
def test_parts_of_a_header_alone_have_no_rows(header: bytes, packed: bool, tmp_path: Path) -> None:
    write = (lambda name, data: (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))) if packed else None
    for name, data in (("a.csv", header), ("b.csv", b"a,y\n1,no\n2,yes\n"), ("c.csv", header)):
        write(name, data) if write else (tmp_path / name).write_bytes(data)
    table = open_table(tmp_path, "y")
    assert len(table.files) == 1 and [block.X.tolist() for block in table.blocks()] == [[[1.0], [2.0]]]


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


def test_a_damaged_page_is_found_by_its_checksum(tmp_path: Path) -> None:
    file, rows = tmp_path / "a.parquet", pa.table({"a": np.random.default_rng(0).normal(size=4_000), "y": ["no", "yes"] * 2_000})
    pq.write_table(rows, file, write_page_checksum=True, use_dictionary=False, compression="none")
    whole = bytearray(file.read_bytes())
    whole[5_000] ^= 64
    file.write_bytes(whole)
    with pytest.raises(InputError, match=r"a\.parquet' cannot be read beyond row 0: .*(CRC|checksum|corrupt)"):
        GaussianNB().fit(open_table(file, "y"))


GAPS = {
    "label": ({"y": ["no", None] * 20}, {}, r"'y' misses a value in row 1 of .*b\.parquet'\. Leave such rows out.*where=\[\('y', 'in'"),
    "nan": ({"y": [0.0, float("nan")] * 20}, {}, r"column 'y', row 1 of .*b\.parquet'\. Leave such rows out.*where=\[\('y', 'in'"),
    "weight": ({"w": [1.0, None] * 20}, {"weight": "w"}, r"'w' misses a value in row 1 of .*b\.parquet'\. Give every row a weight"),
    "feature": ({"b": [1.0, None] * 20}, {}, r"'b' misses a value in row 1 of .*b\.parquet'\. Drop such rows, fill them in.*TablePrep"),
}


@pytest.mark.parametrize(("columns", "asked", "said"), GAPS.values(), ids=GAPS.keys())
def test_a_gap_names_file_row_and_what_to_do_about_such_a_column(columns: Any, asked: Any, said: str, tmp_path: Path) -> None:
    full = {"a": np.arange(40.0), "b": np.arange(40.0), "w": np.ones(40), "y": ["no", "yes"] * 20, **columns}
    for name, table in (("a", pa.table(full).slice(0, 1)), ("b", pa.table(full))):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=said):
        GaussianNB().fit(open_table(tmp_path, "y", columns=["a", "b"], **asked))


def test_rows_without_a_label_are_left_out_as_the_error_says(tmp_path: Path) -> None:
    rows = ROWS.append_column("t", pa.array(["no", "yes", None, "yes"] * 10))
    pq.write_table(rows, tmp_path / "a.parquet")
    fitted = GaussianNB().fit(open_table(tmp_path, "t", columns=["a", "b"], where=[("t", "in", ["no", "yes"])]))
    assert fitted.class_count_.tolist() == [10, 20]

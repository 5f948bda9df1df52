"""Files as batches of columns: what a frame holds, every format gives, text, dates and gaps included."""

from __future__ import annotations

import bz2
import copy
import datetime
import gzip
import lzma
import pickle
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from separatrix import GaussianNB, LogisticRegression, open_table
from separatrix.data.files import byte_streams
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError, InputTypeError

N = 60
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True)),
}


def a_table() -> pd.DataFrame:
    """Return rows with text, dates, gaps, and labels that are missing in rows 4 and 33."""
    rows = np.arange(N)
    table = pd.DataFrame(
        {
            "age": np.where(rows % 7 == 3, np.nan, rows / 4),
            "town": np.array(["Ulm", "Åse", "a, b", "北京"], dtype=object)[rows * rows % 4],
            "when": pd.Timestamp("2020-02-28 12:30:00") + pd.to_timedelta(rows, unit="D"),
            "member": rows % 3 == 0,
            "w": rows % 2 + 1.0,
            "y": np.array(["no", "yes"], dtype=object)[rows % 2],
        }
    )
    table.loc[rows % 5 == 2, "town"] = None
    table.loc[rows % 11 == 1, "when"] = pd.NaT
    table.loc[[4, 33], "y"] = None
    return table


def write(table: pd.DataFrame, file: Path) -> Path:
    """Write a frame in the format that the name announces."""
    kind, packed = file.suffixes[0], "".join(file.suffixes[1:])
    if kind == ".parquet":
        table.to_parquet(file, index=False, row_group_size=13)
    elif kind == ".arrow":
        pyarrow.feather.write_feather(pa.Table.from_pandas(table, preserve_index=False), file, chunksize=11)
    elif kind == ".jsonl":
        file.write_bytes(PACKERS[packed](table.to_json(orient="records", lines=True, date_format="iso", date_unit="s").encode()))
    else:
        file.write_bytes(PACKERS[packed](table.to_csv(index=False, sep="\t" if kind == ".tsv" else ",").encode()))
    return file


def values_of(column: Any) -> list[Any]:
    """Return the values of a column, None where missing."""
    if column.type == "text":
        codes, levels = column.categories()
        return [levels[code] if code >= 0 else None for code in codes]
    if column.type == "date":
        return [None if np.isnat(v) else v for v in column.values]
    return [None if np.isnan(v) else v for v in column.numbers()]


def whole(table: Any) -> dict[str, list[Any]]:
    """Return the columns of all batches, one after the other, and their labels."""
    batches = list(table.blocks())
    found: dict[str, list[Any]] = {name: [] for name in table.feature_names}
    for batch in batches:
        for column in batch.columns:
            found[column.name] += values_of(column)
    return found | {"y": [table.classes.tolist()[code] for batch in batches for code in batch.codes]}


FILES = ["a.parquet", "a.arrow", "a.tsv", *(f"a.csv{packed}" for packed in PACKERS), *(f"a.jsonl{packed}" for packed in PACKERS)]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_format_gives_the_columns_of_the_frame(name: str, n_jobs: int, tmp_path: Path) -> None:
    frame = a_table()
    columns = open_table(write(frame, tmp_path / name), "y", weight="w", batch_rows=7, n_jobs=n_jobs).as_columns()
    rows = frame[frame.y.notna()]
    found, dates = whole(columns), rows.when.to_numpy().astype("datetime64[us]")
    assert found["age"] == [None if np.isnan(v) else v for v in rows.age] and found["member"] == rows.member.tolist()
    assert found["town"] == [None if pd.isna(v) else v for v in rows.town] and found["y"] == rows.y.tolist()
    if not name.startswith("a.jsonl"):  # pandas writes a zone into JSON, which Arrow leaves as text
        assert found["when"] == [None if np.isnat(v) else v for v in dates]
    assert columns.unlabelled == 2 and columns.n_rows == (N - 2 if name == "a.parquet" else None)
    assert [(batch.start, batch.n_rows) for batch in columns.blocks()] == [(s, min(7, N - 2 - s)) for s in range(0, N - 2, 7)]
    assert np.concatenate(list(columns.map(lambda batch: batch.weight))).tolist() == rows.w.tolist()


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv"])
def test_files_and_frames_give_the_same_batches(name: str, tmp_path: Path) -> None:
    frame = a_table()
    [found] = open_table(write(frame, tmp_path / name), "y").as_columns().blocks()
    expected = whole_table(frame[frame.y.notna()].drop(columns="y"))
    assert found.types() == expected.types() and [column.name for column in found.columns] == [column.name for column in expected.columns]
    for ours, theirs in zip(found.columns, expected.columns, strict=True):
        assert values_of(ours) == values_of(theirs)


@pytest.mark.parametrize("cuts", [(), (1, 2, 45)])
@pytest.mark.parametrize("group", [1, 7, 1000])
@pytest.mark.parametrize("codes", [False, True])
def test_batches_do_not_depend_on_how_files_are_cut_or_coded(cuts: Any, group: int, codes: bool, tmp_path: Path) -> None:
    frame = a_table()
    rows = frame.astype({"town": pd.CategoricalDtype(["x", "Ulm", "a, b", "Åse", "北京"])}) if codes else frame
    for i, (begin, end) in enumerate(pairwise([0, *cuts, N])):
        rows[begin:end].to_parquet(tmp_path / f"{i}.parquet", row_group_size=group, index=False)
    batches = list(open_table(tmp_path, "y", columns=["town"], batch_rows=8).as_columns().blocks())
    expected = frame[frame.y.notna()].town
    for i, batch in enumerate(batches):
        own = expected.iloc[8 * i : 8 * i + 8]
        found, levels = batch.column(0).categories()
        assert levels == list(dict.fromkeys(own.dropna())) and found.tolist() == [levels.index(v) if v == v and v else -1 for v in own]


DAY = np.datetime64("2020-01-01", "us")
COLUMNS: list[tuple[pa.Array, str, list[Any]]] = [
    (pa.array([True, None, False]), "number", [1, None, 0]),
    (pa.array([2**63, None, 1], pa.uint64()), "number", [2.0**63, None, 1]),
    (pa.array([Decimal("1.25"), None, Decimal("-3.00")]), "number", [1.25, None, -3]),
    (pa.array([Decimal("1.25"), None, Decimal("-3.00")], pa.decimal256(60, 2)), "number", [1.25, None, -3]),
    (pa.array([1.5, None, np.nan], pa.float32()), "number", [1.5, None, None]),
    (pa.array([DAY, None, DAY + 1]), "date", [DAY, None, DAY + 1]),
    (pa.array([datetime.date(2020, 1, 1), None, datetime.date(1, 1, 1)]), "date", [DAY, None, np.datetime64("0001-01-01")]),
    (pa.array([datetime.date(2020, 1, 1), None, None], pa.date64()), "date", [DAY, None, None]),
    (pa.array([1577836800_000000001, None, 0], pa.timestamp("ns", "Europe/Rome")), "date", [DAY, None, np.datetime64("1970-01-01")]),
    (pa.array([datetime.time(1, 0, 1), None, datetime.time(0)], pa.time32("ms")), "number", [3601, None, 0]),
    (pa.array([datetime.time(1, 0, 1), None, datetime.time(0)]), "number", [3601, None, 0]),
    (pa.array([datetime.timedelta(seconds=1.5), None, datetime.timedelta(-1)]), "number", [1.5, None, -86400]),
    (pa.array(["b", None, ""]), "text", ["b", None, ""]),
    (pa.array(["b", None, "a"], pa.large_string()), "text", ["b", None, "a"]),
    (pa.array(["b", None, "a"], pa.string_view()), "text", ["b", None, "a"]),
    (pa.DictionaryArray.from_arrays([2, None, 0], ["a", "unused", "b"]), "text", ["b", None, "a"]),
    (pa.DictionaryArray.from_arrays([2, 1, 0], ["a", None, "b"]), "text", ["b", None, "a"]),
    (pa.DictionaryArray.from_arrays([2, None, 0], [7, 8, 9]), "number", [9, None, 7]),
    (pa.DictionaryArray.from_arrays([1, None, 0], pa.array([DAY, DAY + 1])), "date", [DAY + 1, None, DAY]),
    (pa.nulls(3), "number", [None, None, None]),
]


@pytest.mark.parametrize(("values", "kind", "expected"), COLUMNS, ids=[str(values.type) for values, *_ in COLUMNS])
@pytest.mark.parametrize("batch_rows", [2, 3])
def test_columns_of_every_type(values: pa.Array, kind: str, expected: list[Any], batch_rows: int, tmp_path: Path) -> None:
    pyarrow.feather.write_feather(pa.table({"x": values}), tmp_path / "a.arrow")
    columns = [batch.column(0) for batch in open_table(tmp_path, batch_rows=batch_rows).as_columns().blocks()]
    assert columns[0].type == kind and [value for column in columns for value in values_of(column)] == expected


def test_ordered_categories_keep_their_order(tmp_path: Path) -> None:
    sizes = pd.Categorical(["large", "small"], ["small", "medium", "large"], ordered=True)
    pd.DataFrame({"size": sizes}).to_parquet(tmp_path / "a.parquet")
    [batch] = open_table(tmp_path).as_columns().blocks()
    assert batch.column(0).ordered and batch.column(0).categories()[1] == ["small", "medium", "large"]


def test_fields_without_a_value_are_those_of_pandas(tmp_path: Path) -> None:
    marks = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A", "n/a", "?", " ", "-", "none", "na"]
    (tmp_path / "a.csv").write_text("t,x,q,y\n" + "".join(f"{m},{m if i < 11 else 2.5},1,{i % 2}\n" for i, m in enumerate(marks)))
    frame, table = pd.read_csv(tmp_path / "a.csv"), open_table(tmp_path / "a.csv", "y").as_columns()
    found = whole(table)
    assert found["t"] == [None if pd.isna(v) else v for v in frame.t] and found["x"] == [None] * 11 + [2.5] * 5
    assert [column.type for column in next(table.blocks()).columns] == ["text", "number", "number"]


def test_a_table_of_columns_can_be_copied_and_keeps_some_columns(tmp_path: Path) -> None:
    table = open_table(write(a_table(), tmp_path / "a.csv"), "y", weight="w").as_columns()
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table)), table.as_columns()):
        assert whole(other) == whole(table)
    assert whole(table.only([1, 3])) == {name: whole(table)[name] for name in ("town", "member", "y")}
    assert next(table.with_classes(["maybe", "no", "yes"]).blocks()).codes.tolist()[:3] == [1, 2, 1]


def test_rows_without_a_label_are_counted_where_classes_are_announced(tmp_path: Path) -> None:
    for name in ("a.csv", "a.parquet"):
        table = open_table(write(a_table(), tmp_path / name), "y", classes=["no", "yes"]).as_columns()
        assert table.unlabelled == 2 and sum(batch.n_rows for batch in table.blocks()) == N - 2


def test_rows_are_named_as_in_their_file_where_others_are_left_out(tmp_path: Path) -> None:
    write(a_table().assign(w=[-1.0 if i == 40 else 1.0 for i in range(N)]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"weight in row 40 of"):
        whole(open_table(tmp_path, "y", weight="w", batch_rows=9).as_columns())


def test_rows_to_predict_need_no_label(tmp_path: Path) -> None:
    pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.0], "y": [0, 0, 1, 1]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"x": [0.0, 5.0], "y": [None, 7.0]}).to_parquet(tmp_path / "new.parquet")
    model = GaussianNB().fit(open_table(tmp_path / "a.parquet", "y"))
    assert model.predict(open_table(tmp_path / "new.parquet", "y")).tolist() == [0, 1]


def test_models_of_numbers_refuse_text_before_any_row_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    table = open_table(write(a_table(), tmp_path / "a.parquet"), "y")
    columns = table.as_columns()
    monkeypatch.setattr("separatrix.data.files.file_parts.read_file", None)
    for model in (LogisticRegression(), GaussianNB()):
        with pytest.raises(InputError, match=r"'town', 'when' hold dates or text, .*columns=\['age', 'member', 'w'\].*TablePrep\(\)"):
            model.fit(table)
        with pytest.raises(InputTypeError, match="pass the table that open_table gave"):
            model.fit(columns)


def test_text_that_comes_late_makes_a_column_text(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 500)
    start = "late,empty,day,clock,label\n" + "1,,2020-01-01,2020-01-01 10:00:00,0\n" * 60
    (tmp_path / "a.csv").write_text(start + "oops,5,2020-01-01 10:00:00,2020-01-01 10:00:00.123456789,yes\n" + "2,6.5,,,0\n")
    found = whole(table := open_table(tmp_path, "label", batch_rows=25, n_jobs=2).as_columns())
    assert found["late"] == ["1"] * 60 + ["oops", "2"] and found["empty"] == [None] * 60 + [5, 6.5]
    assert found["day"] == [DAY] * 60 + [DAY + np.timedelta64(10, "h"), None] and found["y"] == ["0"] * 60 + ["yes", "0"]
    assert found["clock"][60] == np.datetime64("2020-01-01T10:00:00.123456") and table.classes.tolist() == ["0", "yes"]


def test_files_of_text_agree_on_types_that_suit_all(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 200)
    (tmp_path / "1.csv").write_text("a,b,c,y\n" + "1,1,,0\n" * 60)
    (tmp_path / "2.csv").write_text("y,c,b,a\n" + "1,9,1,2\n" * 60 + "1,9,x,2\n")
    (tmp_path / "3.csv").write_text("a,b,c,y\nu,1,2020-01-01,0\n")
    found = whole(open_table(tmp_path, "y").as_columns())
    assert found["a"] == ["1"] * 60 + ["2"] * 61 + ["u"] and found["b"] == ["1"] * 120 + ["x", "1"]
    assert found["c"] == [None] * 60 + ["9"] * 61 + ["2020-01-01"]


def test_rows_of_json_may_differ_in_keys_and_types(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 200)
    (tmp_path / "1.jsonl").write_text('{"a": 1, "y": "no"}\n\n' * 30 + '{"a": "u", "b": 2, "y": "yes"}\r\n{"b": null, "a": true}')
    (tmp_path / "2.jsonl").write_text('\n{"c": {"d": 1}, "b": 2.5, "y": "no", "a": 7}\n')
    found = whole(table := open_table(tmp_path, "y", columns=["a", "b"]).as_columns())
    assert found["a"] == ["1"] * 30 + ["u", "7"] and found["b"] == [None] * 30 + [2, 2.5] and table.unlabelled == 1
    with pytest.raises(InputError, match=r"Column 'c' holds struct.* neither numbers nor text nor dates.*columns=\['a', 'b'\]"):
        open_table(tmp_path, "y").as_columns()

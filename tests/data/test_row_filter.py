"""`where` and folders such as year=2024/: rows are those that a filtered frame has, and what cannot hold such rows is not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from separatrix import GaussianNB, LinearDiscriminantAnalysis, open_table
from separatrix.errors import InputError, InputTypeError

pd = pytest.importorskip("pandas")

FRAME = pd.DataFrame({"a": np.arange(60.0), "b": np.tile([1.0, 2.0, 4.0], 20), "town": ["Ulm", "Rom"] * 30, "y": np.tile([0, 1, 1, 0], 15)})
WHERE = [
    ([("a", ">=", 35)], FRAME["a"] >= 35),
    ([("a", ">", 10), ("b", "!=", 2.0)], (FRAME["a"] > 10) & (FRAME["b"] != 2.0)),
    ([("town", "in", ["Ulm", "Bonn"])], FRAME["town"] == "Ulm"),
    ([[("a", "<", 5)], [("a", ">", 50), ("town", "=", "Rom")]], (FRAME["a"] < 5) | ((FRAME["a"] > 50) & (FRAME["town"] == "Rom"))),
    ([("a", "not in", [0, 1, 2])], FRAME["a"] > 2),
]


@pytest.fixture(params=["parquet", "csv"])
def file(request: Any, tmp_path: Path) -> Path:
    path = tmp_path / f"rows.{request.param}"
    FRAME.to_csv(path, index=False) if request.param == "csv" else FRAME.to_parquet(path, row_group_size=10, index=False)
    return path


def values(table: Any) -> Any:
    return np.concatenate([block.X for block in table.blocks()])


@pytest.mark.parametrize(("where", "expected"), WHERE, ids=lambda given: str(given)[:30])
def test_rows_are_those_that_meet_the_conditions(where: Any, expected: Any, file: Path) -> None:
    table = open_table(file, target="y", columns=["b"], where=where, batch_rows=7)
    assert_array_equal(values(table)[:, 0], FRAME["b"][expected])
    assert_array_equal(np.concatenate([block.codes for block in table.blocks()]), FRAME["y"][expected])


def test_row_groups_without_such_rows_are_not_read(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=10, index=False)
    table = open_table(tmp_path, target="y", columns=["a"], where=[("a", ">=", 35)])
    assert [g for g, _ in table.parts[0].groups] == [3, 4, 5]
    assert open_table(tmp_path, target="y", columns=["a"], where=[("a", ">", 99)], classes=[0, 1]).parts[0].rows == 0


def test_folders_name_columns(tmp_path: Path) -> None:
    for year in (2023, 2024):
        folder = tmp_path / f"year={year}" / "town=New%20York"
        folder.mkdir(parents=True)
        FRAME.drop(columns="town").assign(a=FRAME["a"] + year).to_parquet(folder / "rows.parquet", index=False)
    whole = open_table(tmp_path, target="y", columns=["a", "year"])
    assert_array_equal(np.unique(values(whole)[:, 1]), [2023, 2024])
    late = open_table(tmp_path, target="y", columns=["a"], where=[("year", ">", 2023), ("town", "=", "New York")])
    assert len(late.parts) == 1 and values(late).min() == 2024
    assert_array_equal(LinearDiscriminantAnalysis().fit(late).means_.shape, (2, 1))


def test_whole_and_broken_numbers_may_be_mixed_between_files(tmp_path: Path) -> None:
    for i, kind in enumerate(("int64", "float64", "int32")):
        FRAME[["a", "y"]].astype({"a": kind}).to_parquet(tmp_path / f"{i}.parquet", index=False)
    assert_array_equal(values(open_table(tmp_path, target="y"))[:, 0], np.tile(FRAME["a"], 3))


BAD = [
    (("a", ">", 1), InputTypeError, r"is one condition; write it in a list: where=\["),
    ([], InputTypeError, "must be a list of tuples"),
    ([("c", ">", 1)], InputError, "Column 'c' .in where. is not in the table"),
    ([("a", "~", 1)], InputError, "'~' is not known; use one of"),
    ([("a", ">", "ten")], InputError, "compares 'ten' with column 'a', which is double"),
    ([("a", "in", 3)], InputTypeError, "needs a list of values"),
    ([("a", ">")], InputTypeError, "is no condition; write .column, operator, value"),
]


@pytest.mark.parametrize(("where", "error", "message"), BAD, ids=[message[:20] for *_, message in BAD])
def test_conditions_that_are_none_are_refused(where: Any, error: Any, message: str, file: Path) -> None:
    with pytest.raises(error, match=message):
        open_table(file, target="y", columns=["a"], where=where)


def test_no_row_left_is_an_error_and_folders_must_agree(tmp_path: Path, file: Path) -> None:
    with pytest.raises(InputError, match="There are no rows in the data"):
        LinearDiscriminantAnalysis().fit(open_table(file, target="y", columns=["a"], where=[("a", ">", 99)]))
    (tmp_path / "year=2024").mkdir()
    (tmp_path / "year=2024" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(InputError, match=r"name the columns \['year'\], those of"):
        open_table(tmp_path, target="y")


@pytest.mark.parametrize("condition", [("a", ">", None), ("a", "=", float("nan")), ("a", "in", [1.0, None])])
def test_a_missing_value_is_no_condition(condition: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": [0, 1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="meets no condition; compare column 'a'"):
        open_table(tmp_path, "y", where=[condition])


def test_conditions_that_no_row_meets_are_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": [0, 1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"no rows in the data that meet where=\[\[\('a', '>', 3.0\)\]\]; loosen"):
        GaussianNB().fit(open_table(tmp_path, "y", where=[("a", ">", 3.0)]))


def test_a_folder_without_a_key_names_no_column(tmp_path: Path) -> None:
    (tmp_path / "=3").mkdir()
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": [0, 1]}), tmp_path / "=3" / "a.parquet")
    assert open_table(tmp_path, "y").feature_names == ("a",)

"""`where` and folders such as year=2024/: rows are those that a filtered frame has, and what cannot hold such rows is not read."""

from __future__ import annotations

import operator as op
from datetime import UTC, date, datetime
from decimal import Decimal
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
    ([[]], InputTypeError, r"\[\] in where=\[\[\]\] is neither a condition"),
    ([("a", ">", [1, 2])], InputTypeError, r"needs one value; for several write \('a', 'in'"),
    ([("town", "=", 3)], InputError, "compares 3 with column 'town', which is (large_)?string"),
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


MIXED = {
    "n": pa.array([1, 2, 2**53 + 1, None, 16_777_217, 3]),
    "big": pa.array([2**63 + i for i in range(5)] + [None], pa.uint64()),
    "f": pa.array([0.0, -0.0, float("nan"), None, float("inf"), 1.5]),
    "half": pa.array(np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0], np.float16)),
    "town": pa.array(["Ulm", None, "Rom", "Ulm", "", "Rom"]).dictionary_encode(),
    "on": pa.array([True, None, False, True, False, None]),
    "day": pa.array([date(2024, 1, d) for d in range(1, 6)] + [None]),
    "at": pa.array([datetime(2024, 1, d, 12) for d in range(1, 6)] + [None], pa.timestamp("ns")),
    "cost": pa.array([Decimal(d) / 4 for d in range(5)] + [None], pa.decimal128(6, 2)),
}
CONDITIONS: list[tuple[str, str, Any]] = [
    *[("n", sign, value) for sign in ("=", "!=", "<", "<=", ">", ">=") for value in (2, 2.0, 2.5, -2.5, np.inf, -np.inf)],
    *[("n", "in", [2, 2.5, 3.0]), ("n", "not in", [2, 2.5]), ("n", "in", []), ("town", "not in", []), ("town", "in", np.array(["Ulm"]))],
    *[("big", sign, 2**63 + 2) for sign in ("=", "<", ">=")],
    *[("big", "in", [2**63]), ("f", "in", [0]), ("f", "not in", [-0.0]), ("f", "!=", 1.5), ("f", "<", np.inf), ("half", ">", 1.5)],
    *[("town", "not in", ["Ulm"]), ("town", "!=", "Ulm"), ("on", "!=", True), ("on", "not in", [False]), ("cost", ">", 0.3)],
    *[
        ("day", ">", date(2024, 1, 3)),
        ("day", ">", datetime(2024, 1, 3)),
        ("at", ">", date(2024, 1, 3)),
        ("at", "<=", datetime(2024, 1, 3, 12)),
    ],
    *[("at", ">", np.datetime64("2024-01-03T12")), ("cost", ">=", Decimal("0.5")), ("cost", "in", [Decimal("0.5"), 1])],
]
COMPARE = {
    "=": op.eq,
    "!=": op.ne,
    "<": op.lt,
    "<=": op.le,
    ">": op.gt,
    ">=": op.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
@pytest.mark.parametrize("row_group_size", [1, 6])
def test_a_missing_value_meets_no_condition_however_rows_are_grouped(condition: Any, row_group_size: int, tmp_path: Path) -> None:
    pq.write_table(pa.table({**MIXED, "id": np.arange(6.0)}), tmp_path / "a.parquet", row_group_size=row_group_size)
    name, sign, value = condition
    moments = name == "at" or isinstance(value, datetime)
    plain = np.datetime64(value) if moments and not isinstance(value, np.datetime64) else value
    own = [np.datetime64(v) if moments and v is not None else v for v in MIXED[name].to_pylist()]
    expected = [i for i, v in enumerate(own) if v is not None and v == v and COMPARE[sign](v, plain)]
    table = open_table(tmp_path, columns=["id"], where=[condition])
    if expected:
        assert values(table)[:, 0].tolist() == expected
    else:
        with pytest.raises(InputError, match="There are no rows in the data that meet where"):
            table.counted(), LinearDiscriminantAnalysis().fit(open_table(tmp_path, "id", columns=["f"], where=[condition]))


OTHERS: list[tuple[str, str, Any, str]] = [
    ("n", "=", 2**70, "int64; give a value of that type"),
    ("n", "=", True, "int64; give"),
    ("f", "=", "1.5", "double; give"),
    ("on", "=", 1, "bool; give a value of that type, such as True"),
    ("day", "=", "2024-01-31", r"such as datetime.date\(2024, 1, 31\)"),
    ("day", "=", datetime(2024, 1, 3, 12), r"such as datetime.date\("),
    ("at", "<", datetime(2024, 1, 3, tzinfo=UTC), r"such as datetime.datetime\("),
]


@pytest.mark.parametrize(("name", "sign", "value", "said"), OTHERS, ids=str)
def test_values_of_another_type_are_refused_before_a_row_is_read(name: str, sign: str, value: Any, said: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({**MIXED, "id": np.arange(6.0)}), tmp_path / "a.parquet")
    for condition in ((name, sign, value), (name, "in", [value])):
        with pytest.raises(InputError, match=rf"in where compares .* with column '{name}', which is .*{said}"):
            open_table(tmp_path, columns=["id"], where=[condition])


def test_conditions_may_be_lists(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, 2.0, 3.0]}), tmp_path / "a.parquet")
    for where in ([["a", ">", 1]], [[["a", ">", 1]], [["a", ">", 5]]]):
        assert values(open_table(tmp_path, where=where)).tolist() == [[2.0], [3.0]]


@pytest.mark.parametrize("stored", [pa.array([2122.5] * 2), pa.array(["MMXXII"] * 2), pa.array([date(2122, 1, 1)] * 2)], ids=str)
def test_a_column_in_the_files_themselves_is_not_read_from_folders(stored: Any, tmp_path: Path) -> None:
    for year in (2022, 2023):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"a": [1.0, 2.0], "year": stored}), tmp_path / f"year={year}" / "a.parquet")
    table = open_table(tmp_path, where=[("year", "=", stored[0].as_py())])
    assert table.arrow()["year"].to_pylist() == stored.to_pylist() * 2
    pq.write_table(pa.table({"a": [1.0, 2.0]}), tmp_path / "year=2023" / "a.parquet")
    with pytest.raises(InputError, match=r"'year', which also stands in '.*2022/a.parquet', and not in '.*2023/a.parquet'; write it"):
        open_table(tmp_path)

"""A planted fault is found by its alert; a clean table has none."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from separatrix import KFold, LeaveOneOut, TimeSplit, open_table
from separatrix.errors import InputError
from separatrix.facts import alerts_of_rows, drift
from tests.facts.tables import PLANTED, clean


def found(frame: Any, **options: Any) -> list[tuple[str, str]]:
    return [(alert.code, alert.subject) for alert in alerts_of_rows(frame, target="target", **options)]


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_with_numbers_and_a_remedy(name: str, rng: np.random.Generator) -> None:
    code, subject, plant = PLANTED[name]
    frame = plant(clean(rng), rng)
    alert = next(alert for alert in alerts_of_rows(frame, target="target") if alert.code == code)
    assert alert.subject == subject
    assert all(part.endswith(".") for part in (alert.seen, alert.why, alert.do))
    assert re.search(r"\d|exactly|every row|in the order of", alert.seen)  # a number, or a word that needs none


@pytest.mark.parametrize("name", PLANTED)
def test_without_the_fault_there_is_no_alert(name: str, rng: np.random.Generator) -> None:
    assert found(clean(rng)) == []
    plant = PLANTED[name][2]
    extra = {"SPX005", "SPX009", "SPX014"}  # a column that gives the target away also separates, and its gaps differ
    assert {code for code, _ in found(plant(clean(rng), rng))} - {PLANTED[name][0]} <= extra


@pytest.mark.parametrize("shape", ["category", "number", "measurement"])
def test_several_classes_leak_too(shape: str, rng: np.random.Generator) -> None:
    frame = clean(rng, 600, 3)
    code = frame["target"].map({"no": 2, "yes": 0, "maybe": 1})
    outcome = {"category": frame["target"].str.upper(), "number": code, "measurement": code + rng.uniform(-0.4, 0.4, len(frame))}[shape]
    assert ("SPX005", "outcome") in found(frame.assign(outcome=outcome))
    assert found(frame) == []


def test_an_easy_problem_is_no_leak(rng: np.random.Generator) -> None:
    # Six columns that each tell the classes apart: none is far ahead of the others.
    y = rng.integers(0, 2, 300)
    X = y[:, None] * 5.0 + rng.normal(size=(300, 6))
    assert "SPX005" not in {alert.code for alert in alerts_of_rows(X, y)}


def test_few_rows_prove_no_leak(rng: np.random.Generator) -> None:
    # Of 5,000 columns of noise some separate four rows from four by chance.
    X, y = rng.normal(size=(8, 5000)), np.repeat([0, 1], 4)
    assert "SPX005" not in {alert.code for alert in alerts_of_rows(X, y, plan=KFold(2))}


def test_rows_that_few_categories_describe_are_no_copies(rng: np.random.Generator) -> None:
    frame = pd.DataFrame({name: rng.choice(list("abc"), 1000) for name in "pqrs"})
    assert "SPX006" not in {alert.code for alert in alerts_of_rows(frame, rng.integers(0, 2, 1000))}


def test_an_identifier_does_not_hide_copies(rng: np.random.Generator) -> None:
    frame = PLANTED["copies"][2](clean(rng), rng)
    frame["id"] = [f"c{i}" for i in range(len(frame))]
    frame["number"] = np.arange(len(frame))
    assert ("SPX006", "") in found(frame)


def test_one_outlier_makes_no_near_duplicate(rng: np.random.Generator) -> None:
    x, z = rng.normal(size=(2, 200))
    x[7] = z[7] = 1e6
    rare = np.zeros((2, 200))
    rare[:, 3] = 5.0
    codes = {alert.code for alert in alerts_of_rows(np.column_stack([x, z, *rare]), rng.integers(0, 2, 200))}
    assert "SPX004" not in codes


def test_a_plan_that_fits_needs_no_alert(rng: np.random.Generator) -> None:
    in_time, small = PLANTED["sorted by date"][2](clean(rng), rng), PLANTED["four rows of a class"][2](clean(rng), rng)
    assert found(in_time, plan=TimeSplit("day")) == []
    for plan in (KFold(4), LeaveOneOut(), 4):
        assert ("SPX008", "rare") not in found(small, plan=plan)
    assert ("SPX008", "rare") in found(small, plan=5)


def test_frames_of_every_kind_say_the_same(rng: np.random.Generator) -> None:
    frame = PLANTED["number after the fact"][2](PLANTED["sorted by date"][2](clean(rng), rng), rng)
    said = alerts_of_rows(frame, target="target")
    assert said
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert alerts_of_rows(other, target="target") == said


def test_arrays_sparse_rows_and_files_say_the_same(rng: np.random.Generator, tmp_path: Any) -> None:
    y = rng.integers(0, 2, 300)
    X = np.column_stack([rng.normal(size=300) * (rng.random(300) < 0.3), y * 2.0])
    frame = pd.DataFrame(X, columns=["0", "1"]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    said = alerts_of_rows(X, y)
    assert [(alert.code, alert.subject) for alert in said] == [("SPX005", "1"), ("SPX009", "1")]
    for other in (alerts_of_rows(sp.csr_array(X), y), alerts_of_rows(open_table(tmp_path / "t.parquet", target="y"))):
        assert other == said


ODD = {
    "one row each": pd.DataFrame({"a": [1.0, 2.0]}),
    "nothing known": pd.DataFrame({"a": [None, None, None, None], "b": [np.nan] * 4}),
    "constant": pd.DataFrame({"a": ["x"] * 6, "b": [3.0] * 6}),
    "infinite": pd.DataFrame({"a": [np.inf, 1.0, -np.inf, 2.0], "b": [1e308, -1e308, 1e300, 0.0]}),
    "dates missing": pd.DataFrame({"a": pd.to_datetime([None, "2024-01-01", None, "2024-01-02"])}),
    "unicode": pd.DataFrame({"ü€ 名": ["ß", "名", "ß", None], "b": [True, False, None, True]}),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_are_read(name: str) -> None:
    frame = ODD[name]
    assert isinstance(alerts_of_rows(frame, np.arange(len(frame)) % 2, plan=KFold(2)), tuple)
    assert drift(frame, frame) == () and isinstance(drift(frame, frame.iloc[:1]), tuple)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": np.zeros((3, 1)), "y": [0, 1]}, "X has 3 rows and y 2 labels"),
        ({"X": np.zeros((2, 1))}, "There are no labels"),
        ({"X": pd.DataFrame({"churn": [0, 1]}), "target": "chrn"}, "'chrn' is not in the table. Did you mean 'churn'"),
        ({"X": np.zeros((2, 1)), "y": [0, 0]}, "y holds one class, 0"),
    ],
)
def test_what_cannot_be_looked_at_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        alerts_of_rows(**arguments)


@pytest.mark.parametrize("order", [["Rome", "Oslo", "Bonn"], ["Bonn", "Oslo", "Rome"]])
def test_a_number_for_each_level_is_found_whichever_level_comes_first(order: list[str], rng: np.random.Generator) -> None:
    frame = clean(rng).assign(city=[*order, *rng.choice(order, 397)], member=0)
    assert ("SPX004", "code") in found(frame.assign(code=frame["city"].map({"Rome": 1, "Oslo": 2, "Bonn": 3})))
    assert ("SPX004", "copy") not in found(frame.assign(copy=frame["city"]))  # equal in every row: another alert


def test_copies_of_rows_are_no_leak_of_their_columns(rng: np.random.Generator) -> None:
    frame = clean(rng)
    assert found(frame.iloc[np.tile(np.arange(400), 2)].reset_index(drop=True)) == [("SPX006", "")]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_with_text_and_dates_say_the_same_as_their_frame(ending: str, rng: np.random.Generator, tmp_path: Any) -> None:
    frame = PLANTED["number after the fact"][2](clean(rng), rng)
    moved = frame.assign(age=frame["age"] + 20)
    for name, table in (("before", frame), ("after", moved)):
        getattr(table, f"to_{ending}")(tmp_path / f"{name}.{ending}", index=False)
    before, after = (open_table(tmp_path / f"{name}.{ending}", target="target") for name in ("before", "after"))
    assert [str(alert) for alert in alerts_of_rows(before)] == [str(alert) for alert in alerts_of_rows(frame, target="target")]
    assert [alert.subject for alert in drift(before, after)] == ["age"]

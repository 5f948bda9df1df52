"""Files are just another place where rows are: whatever an array gives, a table of files gives too."""

from __future__ import annotations

import copy
import datetime
import gzip
import pickle
import threading
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    BernoulliNB,
    ClassMoments,
    DecidedClassifier,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    MixedNB,
    TableClassifier,
    VotedPerceptron,
    open_table,
)
from separatrix.data import source as sources
from separatrix.data.files import byte_streams, file_table
from separatrix.errors import CapacityError, InputError, InputTypeError, UnknownNameError
from separatrix.thresholds import moved
from tests.tables import ESTIMATORS, MISTAKE_MODELS, MODELS

N, P = 60, 3
NAMES = [f"x{j}" for j in range(P)]
WRITERS = {
    "parquet": pq.write_table,
    "feather": pyarrow.feather.write_feather,
    "arrow": pyarrow.feather.write_feather,
    "csv": pyarrow.csv.write_csv,
}


@pytest.fixture
def data(rng: Any) -> tuple[Any, Any, Any]:
    y = np.concatenate([np.arange(3), rng.integers(0, 3, N - 3)])
    return rng.normal(size=(N, P)) + y[:, None], y, rng.integers(0, 4, N).astype(float)


def as_table(X: Any, y: Any, w: Any) -> pa.Table:
    return pa.table([*np.asarray(X).T.copy(), y, w], names=[*NAMES, "y", "w"])


def write(folder: Path, table: pa.Table, ending: str = "parquet", cuts: tuple[int, ...] = (23, 24), **options: Any) -> str:
    """Write a table in several files and return the glob that names them."""
    edges = [0, *cuts, len(table)]
    for i, (begin, end) in enumerate(pairwise(edges)):
        WRITERS[ending](table.slice(begin, end - begin), folder / f"part-{i}.{ending}", **options)
    return str(folder / f"*.{ending}")


def one(folder: Path, columns: dict[str, Any], name: str = "a.parquet") -> str:
    """Write one file of the columns given."""
    pq.write_table(pa.table(columns), folder / name)
    return str(folder / name)


def joined(table: Any) -> tuple[Any, Any, Any]:
    blocks = list(table.blocks())
    return tuple(np.concatenate([getattr(block, part) for block in blocks]) for part in ("X", "codes", "weight"))


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("separatrix")]


@pytest.mark.parametrize("batch_rows", [1, 7, N])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_file_equals_array(model: Any, batch_rows: int, data: Any, tmp_path: Path) -> None:
    X, y, w = data
    table = open_table(write(tmp_path, as_table(X, y, w)), "y", weight="w", batch_rows=batch_rows)
    expected = clone(model).fit(X, y, w)
    fitted, grown = clone(model).fit(table), clone(model).partial_fit(table)
    scores = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    for rows, other in [(pd.DataFrame(X, columns=NAMES), fitted), (table, expected), (table, fitted), (table, grown)]:
        assert_allclose(getattr(other, scores)(rows), getattr(expected, scores)(X), rtol=1e-10, atol=1e-10)
        assert (other.predict(rows) == expected.predict(X)).all()
    assert list(fitted.feature_names_in_) == NAMES


def test_default_batches_give_the_bits_of_an_array(rng: Any, tmp_path: Path) -> None:
    X, y = rng.normal(size=(40_000, 50)), rng.integers(0, 4, 40_000)
    names = [f"x{j}" for j in range(50)]
    pq.write_table(pa.table([*X.T.copy(), y], names=[*names, "y"]), tmp_path / "a.parquet", row_group_size=9_999)
    a, b = ClassMoments.from_data(X, y), ClassMoments.from_data(open_table(tmp_path, "y"))
    assert (a.means == b.means).all() and (a.scatter == b.scatter).all()


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_format_gives_the_rows_in_order(ending: str, n_jobs: int, data: Any, tmp_path: Path) -> None:
    table = open_table(write(tmp_path, as_table(*data), ending), "y", weight="w", batch_rows=11, n_jobs=n_jobs)
    for _ in range(2):
        X, codes, weight = joined(table)
        assert (data[0] == X).all() and (codes == data[1]).all() and (weight == data[2]).all()
    assert [block.start for block in table.blocks()] == list(range(0, N, 11))
    assert table.n_rows == (N if ending == "parquet" else None)


@pytest.mark.parametrize("group", [1, 3, 40, 1000], ids=["tiny", "small", "whole", "pages"])
@pytest.mark.parametrize("cuts", [(), (1, 2, 450)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blocks_do_not_depend_on_how_files_are_cut(group: int, cuts: Any, n_jobs: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "CHUNK_BYTES", 8 * P * 40)
    X = np.arange(900.0 * P).reshape(-1, P)
    path = write(tmp_path, as_table(X, np.arange(900) % 2, np.ones(900)), cuts=cuts, row_group_size=group)
    table = open_table(path, "y", columns=NAMES, n_jobs=n_jobs)
    found = list(table.map(lambda block: (block.start, block.X)))
    assert [start for start, _ in found] == list(range(0, 900, 40))
    assert (np.concatenate([rows for _, rows in found]) == X).all()


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pa.array([2, 1, 2], pa.int8()), [1, 2]),
        (pa.array([2**63, 1, 2**63], pa.uint64()), [1, 2**63]),
        (pa.array([5.0, -1.0, 5.0]), [-1.0, 5.0]),
        (pa.array([True, False, True]), [False, True]),
        (pa.array(["b", "a", "b"]), ["a", "b"]),
        (pa.array(["b", "a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["b", "a", "b"], pa.string_view()), ["a", "b"]),
        (pa.DictionaryArray.from_arrays([2, 0, 2], ["a", "unused", "b"]), ["a", "b"]),
        (pa.DictionaryArray.from_arrays([2, 0, 2], [7, 8, 9]), [7, 9]),
        (pa.array([Decimal(4), Decimal(3), Decimal(4)]), [3.0, 4.0]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_labels_of_every_type(labels: Any, classes: list[Any], tmp_path: Path) -> None:
    WRITERS["feather"](pa.table({"x": [0.5, 1.5, 2.5], "y": labels}), tmp_path / "a.feather")
    table = open_table(tmp_path, "y", batch_rows=2)
    assert table.classes.tolist() == classes
    assert np.concatenate([block.codes for block in table.blocks()]).tolist() == [1, 0, 1]
    assert next(table.with_classes(classes[::-1]).blocks()).codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (pa.array([1.0, 0.0], pa.float32()), np.float32),
        (pa.array(np.array([1.0, 0.0], dtype=np.float16)), np.float64),
        (pa.array([1, 0], pa.uint8()), np.float64),
        (pa.array([True, False]), np.float64),
        (pa.array([Decimal("1.00"), Decimal("0.00")]), np.float64),
        (pa.array([1, 0]).dictionary_encode(), np.float64),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_columns_of_every_type_become_floats(values: Any, dtype: Any, tmp_path: Path) -> None:
    block = next(open_table(one(tmp_path, {"x": values, "z": values})).blocks())
    assert block.X.dtype == dtype and block.X.tolist() == [[1, 1], [0, 0]] and block.codes is None and block.weight is None


def test_features_come_in_the_order_asked_for(tmp_path: Path) -> None:
    path = one(tmp_path, {"x.1": [1.0], "y": ["a"], "x": [2.0], "note": ["n"], "z": [3]})
    table = open_table(path, "y", columns=["z", "x", "x.1"])
    assert table.feature_names == ("z", "x", "x.1") and next(table.blocks()).X.tolist() == [[3, 2, 1]]


def test_files_may_differ_in_the_order_of_columns_and_in_columns_not_used(tmp_path: Path) -> None:
    one(tmp_path, {"a": [1.0], "b": [2.0], "c": ["t"]}, "1.parquet")
    one(tmp_path, {"b": [4.0], "a": [3.0]}, "2.parquet")
    assert np.concatenate([b.X for b in open_table(tmp_path, columns=["a", "b"]).blocks()]).tolist() == [[1, 2], [3, 4]]


def test_numbers_of_a_csv_are_floats_whatever_its_first_rows(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,y\n1,no\n2,yes\n")
    (tmp_path / "2.csv").write_text("a,y\n1.5,no\n")
    (tmp_path / "3.tsv.gz").write_bytes(gzip.compress(b"a\ty\n1.5\tno\n"))
    assert np.concatenate([b.X for b in open_table(tmp_path / "*.csv", "y").blocks()]).ravel().tolist() == [1, 2, 1.5]
    assert open_table(tmp_path / "3.tsv.gz", "y").classes.tolist() == ["no"]


def test_classes_announced_are_not_looked_for(data: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(file_table.FileTable, "_find_classes", None)
    table = open_table(write(tmp_path, as_table(*data)), "y", classes=[0, 1, 2, 9])
    assert table.classes.tolist() == [0, 1, 2, 9]
    assert (np.concatenate([block.codes for block in table.blocks()]) == data[1]).all()


def test_a_table_can_be_copied_and_pickled(data: Any, tmp_path: Path) -> None:
    table = open_table(write(tmp_path, as_table(*data)), "y", weight="w", batch_rows=9)
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert all((a == b).all() for a, b in zip(joined(other), joined(table), strict=True))


def test_stopping_early_leaves_no_thread(data: Any, tmp_path: Path) -> None:
    table = open_table(write(tmp_path, as_table(*data)), "y", batch_rows=2, n_jobs=2)
    for values in (table.blocks(), table.map(lambda block: block.start)):
        assert next(values) is not None and readers()
        values.close()
        assert not readers()


def test_an_error_in_a_pass_or_in_the_files_leaves_no_thread(data: Any, tmp_path: Path) -> None:
    table = open_table(path := write(tmp_path, as_table(*data)), "y", batch_rows=2, n_jobs=2)
    with pytest.raises(ZeroDivisionError):
        table.reduce(lambda block: 1 // block.start)
    assert not readers()
    last = Path(path.replace("*", "part-2"))
    last.write_bytes(last.read_bytes()[:50])
    with pytest.raises(InputError, match=r"part-2\.parquet' has changed"):
        list(table.blocks())
    assert not readers()


NULL = pa.array([1.0, None])
BAD = {
    "features": ({"x": [1.0, 2.0], "z": NULL, "y": [0, 1]}, {}, InputError, r"column 'z' misses a value in row 1 of '.*a\.parquet'"),
    "target": ({"x": [1.0, 2.0], "y": NULL}, {}, InputError, r"column 'y' misses a value in row 1 of"),
    "text target": ({"x": [1.0, 2.0], "y": pa.array(["a", None])}, {}, InputError, r"column 'y' misses a value in row 1 of"),
    "weight": ({"x": [1.0, 2.0], "y": [0, 1], "w": NULL}, {"weight": "w"}, InputError, r"column 'w' misses a value in row 1 of"),
    "NaN target": ({"x": [1.0, 2.0], "y": [0.0, np.nan]}, {}, InputError, "y contains NaN or infinity: column 'y', row 1"),
    "continuous": ({"x": [1.0, 2.0], "y": [0.5, 1.0]}, {}, InputError, "Unknown label type: continuous"),
    "negative": ({"x": [1.0, 2.0], "y": [0, 1], "w": [1, -2]}, {"weight": "w"}, InputError, r"row 1 of .* is -2\.0.*≥ 0"),
    "infinite": ({"x": [1.0, 2.0], "y": [0, 1], "w": [1, np.inf]}, {"weight": "w"}, InputError, r"row 1 of .* is inf"),
    "unknown label": ({"x": [1.0, 2.0], "y": ["no", "yse"]}, {"classes": ["no", "yes"]}, InputError, "'yse'.*Did you mean 'yes'"),
    "other classes": ({"x": [1.0], "y": [1]}, {"classes": ["no", "yes"]}, InputError, "not of the type of the target.*int64"),
    "no rows": ({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}, {}, InputError, "no rows in the data"),
    "no target": ({"x": [1.0], "churn": [1]}, {"target": "chrun"}, UnknownNameError, "'chrun'.*target.*Did you mean 'churn'"),
    "dates as target": ({"x": [1.0], "y": [datetime.date(2020, 1, 1)]}, {}, InputError, "'y' is a column of type date"),
    "no weight": ({"x": [1.0], "y": [1]}, {"weight": "w"}, UnknownNameError, "'w' .in weight. is not in the table"),
    "text weight": ({"x": [1.0], "y": [1], "w": ["1"]}, {"weight": "w"}, InputError, "weights must be numbers"),
    "text": ({"x": [1.0], "city": ["Ulm"], "y": [1]}, {}, InputError, r"Column 'city' holds text.*columns=\['x'\]"),
    "dates": ({"x": [1.0], "d": [datetime.date(2020, 1, 1)], "y": [1]}, {}, InputError, r"'d' holds dates.*columns=\['x'\].*TablePrep"),
    "misspelt": ({"age": [1.0], "y": [1]}, {"columns": ["aeg"]}, UnknownNameError, "'aeg'.*Did you mean 'age'"),
    "target twice": ({"x": [1.0], "y": [1]}, {"columns": ["x", "y"]}, InputError, "'y' is the target"),
    "column twice": ({"x": [1.0], "y": [1]}, {"columns": ["x", "x"]}, InputError, "listed twice"),
    "one name": ({"x": [1.0], "y": [1]}, {"columns": "x"}, InputTypeError, r"columns=\['x'\]"),
    "nothing left": ({"y": [1]}, {}, InputError, "No column is left"),
    "batch_rows": ({"x": [1.0], "y": [1]}, {"batch_rows": 0}, InputError, "batch_rows=0"),
}


WEIGHTS = {
    "zero": (np.zeros(40), "All weights in column 'w' are zero"),
    "large": (np.full(40, 1e307), "sum of the weights in column 'w' is inf"),
}


@pytest.mark.parametrize("case", WEIGHTS)
@pytest.mark.parametrize("model", [GaussianNB(), BernoulliNB(), MixedNB(), VotedPerceptron(), LinearSVC(), TableClassifier()], ids=repr)
def test_weights_that_leave_no_row_or_no_sum_are_refused(model: Any, case: str, tmp_path: Path) -> None:
    weight, message = WEIGHTS[case]
    for i in range(2):
        one(tmp_path, {"x": np.arange(40.0), "y": np.arange(40) % 2, "w": weight}, f"{i}.parquet")
    for n_jobs in (1, 2):
        with pytest.raises(InputError, match=message):
            model.fit(open_table(tmp_path, "y", weight="w", batch_rows=15, n_jobs=n_jobs))
    one(tmp_path, {"x": np.arange(40.0), "y": np.arange(40) % 2, "w": np.ones(40) if case == "zero" else np.zeros(40)}, "0.parquet")
    one(tmp_path, {"x": np.arange(40.0), "y": np.arange(40) % 2, "w": np.zeros(40) if case == "zero" else np.ones(40)}, "1.parquet")
    assert GaussianNB().fit(open_table(tmp_path, "y", weight="w", batch_rows=15)).class_count_.sum() == 40


@pytest.mark.parametrize("name", BAD)
def test_bad_columns_are_named(name: str, tmp_path: Path) -> None:
    columns, options, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        ClassMoments.from_data(open_table(one(tmp_path, columns), **{"target": "y", **options}))


def test_rows_are_counted_within_their_file(tmp_path: Path) -> None:
    one(tmp_path, {"x": np.ones(50), "y": np.ones(50, dtype=int)}, "1.parquet")
    one(tmp_path, {"x": pa.array([*np.ones(70), None]), "y": np.ones(71, dtype=int)}, "2.parquet")
    with pytest.raises(InputError, match=r"column 'x' misses a value in row 70 of '.*2\.parquet'"):
        list(open_table(tmp_path, "y", batch_rows=33).blocks())


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"x": [1.0], "y": ["1"]}, r"differ in column 'y': int64 in .*, string in .*with the same columns and types\.$"),
        ({"x": ["1"], "y": [1]}, r"differ in column 'x': double in '.*1\.parquet', string in '.*2\.parquet'"),
        ({"y": [1]}, r"differ in column 'x': double in .*, missing in"),
        ({"x": [1.0], "y": [1], "z": [1]}, r"differ in column 'z': missing in .*, int64 in .*columns=\[…\]"),
    ],
)
def test_files_that_differ(second: Any, message: str, tmp_path: Path) -> None:
    one(tmp_path, {"x": [1.0], "y": [1]}, "1.parquet")
    one(tmp_path, second, "2.parquet")
    with pytest.raises(InputError, match=message):
        open_table(tmp_path, "y")


ALIKE: dict[str, tuple[Any, Any]] = {
    "whole and broken numbers": (pa.array([1, 2, 3, 4]), pa.array([1.0, 2.0, 3.0, 4.0])),
    "short and long floats": (pa.array([1.0, 2.0, 3.0, 4.0], pa.float32()), pa.array([1.0, 2.0, 3.0, 4.0])),
    "short and long texts": (pa.array(list("abab"), pa.string()), pa.array(list("abab"), pa.large_string())),
    "texts and categories": (pa.array(list("abab"), pa.large_string()), pa.array(list("abab")).dictionary_encode()),
    "decimals of two scales": (pa.array([Decimal(2), Decimal(3)] * 2, pa.decimal128(9, 4)), pa.array([2, 3] * 2, pa.decimal256(40, 0))),
    "decimals and floats": (pa.array([Decimal(2), Decimal(3)] * 2, pa.decimal128(9, 2)), pa.array([2.0, 3.0] * 2)),
    "signed and unsigned": (pa.array([2, 3] * 2, pa.int32()), pa.array([2, 3] * 2, pa.uint64())),
    "numbers and their categories": (pa.array([2.0, 3.0] * 2).dictionary_encode(), pa.array([2.0, 3.0] * 2)),
    "text views": (pa.array(list("abab"), pa.string_view()), pa.array(list("abab"))),
}


@pytest.mark.parametrize("case", ALIKE)
def test_files_that_store_a_column_in_two_ways_are_one_table(case: str, tmp_path: Path) -> None:
    for other in ({"y": [0, 1, 0, 1]}, {"x": [1.0, 2.0, 3.0, 5.0]}):  # as a feature, and as the target
        name = "x" if "y" in other else "y"
        for i, values in enumerate(ALIKE[case]):
            one(tmp_path, {name: values, **other}, f"{i}.parquet")
        table, whole = open_table(tmp_path, "y"), pd.DataFrame({key: 2 * list(value) for key, value in other.items()})
        whole[name] = 2 * ALIKE[case][1].to_pylist()
        model = MixedNB().fit(table)
        assert_allclose(model.predict_proba(whole[["x"]]), MixedNB().fit(whole[["x"]], whole["y"]).predict_proba(whole[["x"]]))
        assert table.arrow().num_rows == 8 and table.classes.tolist() == sorted(set(whole["y"]))


MOMENTS = {
    "days and times": (pa.array([0, 1], pa.date32()), pa.array([0, 86_400_000_000], pa.timestamp("us"))),
    "times of two units": (pa.array([0, 86_400_000_000_000], pa.timestamp("ns")), pa.array([0, 86_400], pa.timestamp("s"))),
    "times of a zone": (pa.array([0, 86_400_000], pa.timestamp("ms", "UTC")), pa.array([0, 86_400], pa.timestamp("s", "UTC"))),
    "spans": (pa.array([0, 86_400_000], pa.duration("ms")), pa.array([0, 86_400], pa.duration("s"))),
}


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("case", MOMENTS)
def test_dates_of_any_precision_are_one_column(case: str, ending: str, tmp_path: Path) -> None:
    for i, values in enumerate(MOMENTS[case]):
        WRITERS[ending](pa.table({"at": values, "y": [0, 1]}), tmp_path / f"{i}.{ending}")
    table = open_table(tmp_path, "y")
    batch = next(iter(table.as_columns().blocks()))
    assert batch.column(0).values[:2].tolist() == batch.column(0).values[2:].tolist()
    assert table.arrow()["at"][1:2].to_pylist() == table.arrow()["at"][3:].to_pylist()
    later = open_table(tmp_path, "y", where=[("at", ">", MOMENTS[case][0][0].as_py())])
    assert next(iter(later.as_columns().blocks())).codes.tolist() == [0, 0] and later.classes.tolist() == [1]


BEYOND: dict[str, tuple[Any, Any, Any]] = {
    "signed and unsigned": (pa.array([2**60, 2**60 + 1]), pa.array([2**60, 2**60 + 1], pa.uint64()), [2**60, 2**60 + 1]),
    "negative too": (pa.array([-1, 2**60 + 1]), pa.array([2**60 + 1, 3], pa.uint64()), [-1, 3, 2**60 + 1]),
    "beyond signed": (pa.array([1, 2]), pa.array([2**63, 2**63 + 1], pa.uint64()), [1, 2, 2**63, 2**63 + 1]),
    "decimals": (pa.array([2**60, 2**60 + 1], pa.decimal128(30, 0)), pa.array([2**60, 2], pa.decimal128(30, 2)), [2, 2**60, 2**60 + 1]),
    "floats": (pa.array([2**60, 2**60 + 1]), pa.array([1.0, 2.0]), None),
    "no type for all": (pa.array([-1, 2]), pa.array([2**63, 2**63 + 1], pa.uint64()), None),
    "large decimals": (pa.array([10**30, 10**30 + 1], pa.decimal128(38, 0)), pa.array([1, 2], pa.decimal128(38, 0)), None),
}


@pytest.mark.parametrize("case", BEYOND)
def test_large_whole_numbers_stay_different_labels(case: str, tmp_path: Path) -> None:
    first, second, classes = BEYOND[case]
    one(tmp_path, {"x": [1.0, 2.0], "y": first}, "0.parquet")
    one(tmp_path, {"x": [1.0, 2.0], "y": second}, "1.parquet")
    table = open_table(tmp_path, "y")
    if classes is None:
        with pytest.raises(InputError, match=r"Column 'y' holds the label .* do not tell whole numbers apart, .*Write labels as text"):
            GaussianNB().fit(table)
        return
    assert table.classes.tolist() == classes
    codes = np.concatenate([block.codes for block in table.blocks()])
    assert [classes[k] for k in codes] == [int(value) for value in [*first.to_pylist(), *second.to_pylist()]]


def test_labels_of_texts_that_no_whole_number_holds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"x,y\n1,{2**63}\n2,{2**63 + 1}\n")
    with pytest.raises(InputError, match=r"Column 'y' holds the label 9\.22337e\+18, and from 2\*\*53 on"):
        GaussianNB().fit(open_table(tmp_path, "y"))


def test_a_file_without_values_adds_its_rows_alone(tmp_path: Path) -> None:
    one(tmp_path, {"x": pa.nulls(0), "y": pa.nulls(0)}, "0.parquet")
    one(tmp_path, {"x": [1.0, 2.0, 4.0, 8.0], "y": ["a", "b", "a", "b"]}, "1.parquet")
    assert ClassMoments.from_data(open_table(tmp_path, "y")).counts.tolist() == [2, 2]
    one(tmp_path, {"x": pa.nulls(1), "y": ["a"]}, "2.parquet")
    with pytest.raises(InputError, match=r"'x' misses a value in row 0 of '.*2\.parquet'"):
        ClassMoments.from_data(open_table(tmp_path, "y"))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 1000)
    (tmp_path / "a.parquet").write_text("not Parquet")
    with pytest.raises(InputError, match=r"a\.parquet' cannot be read: .*magic bytes"):
        open_table(tmp_path, "y")
    (tmp_path / "b.csv").write_text("x,y\n" + "1,1\n" * 4_000 + "oops,1\n")
    with pytest.raises(InputError, match=r"Column 'x' of '.*b\.csv' holds 'oops' in row 4000, and numbers in the first .*; TablePrep"):
        list(open_table(tmp_path / "b.csv", "y").blocks())
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), tmp_path / "c.pq")
    with pytest.raises(InputError, match=r"Two columns of .* are called 'x'"):
        open_table(tmp_path / "c.pq")
    with pytest.raises(InputError, match="needs a target"):
        open_table(one(tmp_path, {"x": [1.0]}), classes=[0, 1])


def test_nan_is_named_by_the_models(tmp_path: Path) -> None:
    X = np.ones((40, 2))
    X[31, 1] = np.nan
    path = one(tmp_path, {"a": X[:, 0], "b": X[:, 1], "y": np.arange(40) % 2})
    with pytest.raises(InputError, match=r"NaN: first at row 31 of '.*a\.parquet', column 'b'"):
        ClassMoments.from_data(open_table(path, "y", batch_rows=7))
    second = one(tmp_path, {"a": X[:, 0], "b": X[:, 1], "y": np.arange(40) % 2}, "b.parquet")
    for where, row in ((None, 31), ([("b", "=", 1.0)], None), ([("a", "<", 2.0)], 31)):
        table = open_table([second, path], "y", where=where)
        if row is not None:
            with pytest.raises(InputError, match=rf"row {row} of '.*b\.parquet', column 'b'"):
                BernoulliNB().fit(table)
        else:
            assert BernoulliNB().fit(table).class_count_.sum() == 78


def test_a_model_is_scored_on_a_table_by_its_own_labels_and_weights(rng: Any, tmp_path: Path) -> None:
    codes = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"a": rng.normal(size=200) + codes, "town": np.array(["Ulm", "Rom"])[codes ^ (rng.random(200) < 0.2)]})
    one(tmp_path, {**frame, "y": codes, "w": codes + 0.5}, "0.parquet")
    for model, columns in ((LinearDiscriminantAnalysis(), ["a"]), (MixedNB(), ["town", "a"])):
        table = open_table(tmp_path, "y", weight="w", columns=columns, batch_rows=30)
        expected = model.fit(table).score(frame[columns], codes, codes + 0.5)
        assert model.score(table) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match=r"score requires y .* or a table that was opened with a target"):
        model.score(open_table(tmp_path, columns=["town", "a"]))
    decided = DecidedClassifier(LinearDiscriminantAnalysis()).fit(open_table(tmp_path, "y", columns=["a"]))
    assert decided.score(open_table(tmp_path, "y", columns=["a"])) == decided.score(frame[["a"]], codes)
    one(tmp_path, {"a": [1.0, 2.0], "town": ["Ulm", "Rom"], "y": pa.array([0, None]), "w": [1.0, 1.0]}, "1.parquet")
    for fitted in (decided, decided.estimator_):
        with pytest.raises(InputError, match=r"row 1 of .*1\.parquet'\. Leave such rows out by naming the labels to keep"):
            fitted.score(open_table(tmp_path, "y", columns=["a"]))


def test_a_machine_of_all_classes_reads_a_table_into_memory_or_says_which_one_needs_not(rng: Any, tmp_path: Path) -> None:
    codes = rng.integers(0, 3, 300)
    frame = pd.DataFrame(rng.normal(size=(300, 2)) + codes[:, None], columns=["a", "b"])
    one(tmp_path, {**frame, "y": codes, "w": 1.0 + codes}, "0.parquet")
    table, model = open_table(tmp_path, "y", weight="w", batch_rows=50), LinearSVC(multi_class="crammer_singer", tol=1e-8)
    assert_allclose(clone(model).fit(table).coef_, clone(model).fit(frame, codes, 1.0 + codes).coef_, rtol=1e-5, atol=1e-6)
    with moved(0), pytest.raises(CapacityError, match="would take more than a quarter of the memory; use multi_class='ovr'"):
        model.fit(table)


def test_a_step_that_needs_an_array_is_told_what_reads_tables(tmp_path: Path) -> None:
    table = open_table(one(tmp_path, {"x": [1.0, 2.0], "y": [0, 1]}), "y")
    with pytest.raises(InputTypeError, match=r"array is needed here\. make_pipeline\(TablePrep\(\), model\) reads tables"):
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).fit(table)


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
@pytest.mark.parametrize("estimator", [own for own in ESTIMATORS if own not in MODELS], ids=repr)
def test_every_other_estimator_learns_from_files_what_it_learns_from_frames(estimator: Any, rng: Any, tmp_path: Path) -> None:
    codes = rng.integers(0, 2, 90)
    frame = pd.DataFrame((rng.normal(size=(90, 3)) + 1.5 * codes[:, None] > 0.7).astype(float), columns=list("abc"))
    frame.assign(y=np.where(codes, "yes", "no")).to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    table = open_table(tmp_path, target="y", batch_rows=25)
    there, here = clone(estimator).fit(table), clone(estimator).fit(frame, np.where(codes, "yes", "no"))
    if hasattr(here, "get_support"):
        assert there.get_support().tolist() == here.get_support().tolist()
    elif hasattr(here, "predict"):
        agree = np.mean(there.predict(frame) == here.predict(frame))
        assert agree > (0.5 if estimator in MISTAKE_MODELS else 0.98)  # the former meet the rows of a file in another order
    else:
        assert_allclose(there.transform(frame), here.transform(frame))


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
@pytest.mark.parametrize("estimator", [own for own in ESTIMATORS if hasattr(own, "predict")], ids=repr)
def test_a_table_without_rows_has_no_predictions(estimator: Any, rng: Any, tmp_path: Path) -> None:
    codes = np.arange(90) % 2
    rows = {name: (rng.normal(size=90) + 1.5 * codes > 0.7).astype(float) for name in "abc"}
    fitted = clone(estimator).fit(open_table(one(tmp_path, {**rows, "y": codes}), "y"))
    nothing = one(tmp_path, {name: pa.array([], pa.float64()) for name in "abc"}, "b.parquet")
    for table, said in (
        (open_table(nothing), "There are no rows in the data"),
        (open_table(tmp_path / "a.parquet", columns=list("abc"), where=[("a", ">", 9.0)]), "no rows in the data that meet where="),
    ):
        for name in ("predict", "predict_proba", "decision_function"):
            if hasattr(fitted, name):
                with pytest.raises(InputError, match=said):
                    getattr(fitted, name)(table)

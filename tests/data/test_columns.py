"""Columns of any type from frames of any library, and rows of counts as they are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from separatrix.data import Block
from separatrix.data import counts as count_source
from separatrix.data.columns import Column, ColumnBatch
from separatrix.data.counts import CountSource, is_text
from separatrix.data.labels import Labels
from separatrix.data.tables import FrameTable, NullableFrame, ObjectTable
from separatrix.errors import InputError, InputTypeError

AGES, CITIES, FLAGS = [31, None, 47], ["Rome", "Oslo", None], [True, None, False]
FRAMES = {
    "pandas": pd.DataFrame({"age": pd.array(AGES, "Int64"), "city": CITIES, "flag": pd.array(FLAGS, "boolean")}),
    "floats and objects": pd.DataFrame({"age": [31.0, np.nan, 47.0], "city": CITIES, "flag": np.array(FLAGS, dtype=object)}),
    "categories": pd.DataFrame({"age": pd.array(AGES, "Int64"), "city": pd.Categorical(CITIES), "flag": pd.array(FLAGS, "boolean")}),
    "polars": pl.DataFrame({"age": AGES, "city": CITIES, "flag": FLAGS}),
    "polars categories": pl.DataFrame({"age": AGES, "city": pl.Series(CITIES, dtype=pl.Categorical), "flag": FLAGS}),
    "arrow null category": pa.table(
        {"age": AGES, "city": pa.DictionaryArray.from_arrays([1, 0, 2], ["Oslo", "Rome", None]), "flag": FLAGS}
    ),
    "arrow": pa.table({"age": AGES, "city": pa.array(CITIES).dictionary_encode(), "flag": FLAGS}),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_columns_are_the_same_from_every_library(frame: Any) -> None:
    table = FrameTable(frame)
    batch = table.chunk(0)
    assert table.feature_names == ("age", "city", "flag") and batch.types() == ["number", "text", "number"]
    assert_array_equal(batch.numbers([0, 2]), [[31.0, 1.0], [np.nan, np.nan], [47.0, 0.0]])
    codes, levels = batch.column(1).categories()
    assert [None if c < 0 else levels[c] for c in codes] == CITIES
    assert batch.name(1) == "column 'city'" and batch.n_rows == batch.n_features == 3


def test_chunks_carry_labels_weights_and_where_they_begin(monkeypatch: Any) -> None:
    monkeypatch.setattr("separatrix.data.source.CHUNK_BYTES", 48)
    table = FrameTable(FRAMES["pandas"].iloc[[0, 1, 2, 0]])
    table.labels, table.weight = Labels.of(["b", "a", "a", "b"]), np.arange(4.0)
    found = list(table.map(lambda batch: (batch.start, batch.codes.tolist(), batch.weight.tolist())))
    assert found == [(0, [1, 0, 0], [0.0, 1.0, 2.0]), (3, [1], [3.0])]


def test_numbers_are_categories_too() -> None:
    codes, levels = Column("class", np.array([3, 1, 3])).categories()
    assert (codes.tolist(), levels) == ([1, 0, 1], [1.0, 3.0])
    codes, levels = FrameTable(pd.DataFrame({"class": pd.Categorical([3, 1, None])})).chunk(0).column(0).categories()
    assert [levels[c] for c in codes[:2]] == [3.0, 1.0] and codes[2] == -1
    assert_array_equal(FrameTable(pd.DataFrame({"class": pd.Categorical([3, 1, None])})).chunk(0).numbers([0])[:, 0], [3.0, 1.0, np.nan])


def test_a_block_of_numbers_is_a_batch(rng: Any) -> None:
    X = rng.integers(0, 3, size=(5, 4)).astype(float)
    for rows in (X, sp.csr_array(X)):
        batch = ColumnBatch.of(Block(rows, start=7))
        part = batch.numbers([2, 0])
        assert_array_equal(part.toarray() if sp.issparse(part) else part, X[:, [2, 0]])
        assert_array_equal(batch.column(3).values, X[:, 3])
        assert batch.types() == ["number"] * 4 and batch.start == 7 and batch.numbers(range(4)) is rows
    assert ColumnBatch.of(batch) is batch


def test_a_column_without_any_value_has_no_type() -> None:
    for empty in (pd.Series([np.nan, np.nan]), pd.Series([None, None], dtype=object), pd.Series([None, None], dtype="str")):
        column = FrameTable(pd.DataFrame({"a": empty})).chunk(0).column(0)
        assert column.is_empty and np.isnan(column.numbers()).all() and column.categories()[0].tolist() == [-1, -1]


def test_objects_are_numbers_or_text() -> None:
    table = ObjectTable([[1, "a", None], [2.5, None, None], [True, "b", None]])
    batch = table.chunk(0)
    assert batch.types() == ["number", "text", "number"] and batch.column(2).is_empty
    assert batch.numbers([0])[:, 0].tolist() == [1.0, 2.5, 1.0]
    assert batch.column(1).categories()[0].tolist() == [0, -1, 1]
    assert FrameTable(pd.DataFrame({"d": [Decimal("1.5"), None]})).chunk(0).numbers([0])[0, 0] == 1.5


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: FrameTable(pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])})), InputError, "Column 't' is of type Datetime"),
        (lambda: ObjectTable([[1], ["a"]]), InputError, "Column '0' mixes text and numbers, such as 'a' and 1"),
        (lambda: ObjectTable([[{}], [1]]), InputTypeError, "argument must be .* string.* number"),
        (lambda: ObjectTable(["a", "b"]), InputError, "Expected 2D array"),
        (lambda: FrameTable(FRAMES["pandas"]).chunk(0).numbers([1]), InputError, "Column 'city' holds text such as 'Rome'"),
        (lambda: NullableFrame(FRAMES["pandas"]), InputError, "Columns 'city' hold text"),
        (lambda: CountSource(sp.csr_array([[1j]])), InputError, "Complex data not supported"),
        (lambda: CountSource(sp.coo_array(np.ones(3))), InputError, "Expected 2D array"),
        (lambda: CountSource(sp.csr_array((0, 3))), InputError, "0 sample"),
    ],
)
def test_what_is_neither_is_refused(make: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        make()


def test_missing_numbers_of_a_frame_become_nan() -> None:
    frame = FRAMES["pandas"][["age", "flag"]]
    assert_array_equal(next(NullableFrame(frame).blocks()).X, [[31.0, 1.0], [np.nan, np.nan], [47.0, 0.0]])


def test_counts_stay_where_they_are_and_as_they_are(rng: Any, monkeypatch: Any) -> None:
    X = sp.csr_array(rng.poisson(1.0, size=(60, 7)))
    source = CountSource(X, distinct=True)
    assert source.X.dtype == np.int64 and np.shares_memory(source.X.data, X.data) and source.chunk_rows == 60
    monkeypatch.setattr(count_source, "CHUNK_VALUES", X.nnz // 4)
    assert source.chunk_rows == 15
    source.labels = Labels.of(np.arange(60) % 2)  # 14 totals a chunk, 4 stored values for each at least
    monkeypatch.setattr(count_source, "CHUNK_VALUES", 1)
    assert source.chunk_rows == -(-60 // (X.nnz // 56))
    assert next(CountSource(np.ones((3, 2), dtype=np.uint8)).blocks()).X.dtype == np.uint8


def test_texts_are_told_from_rows() -> None:
    assert is_text(["a b", "c"]) and is_text(pd.Series(["a"])) and is_text(np.array(["a"]))
    assert not any(is_text(X) for X in ([[1.0]], [], 3.0, {"a": 1}, sp.csr_array([[1]]), np.ones((2, 2)), None))

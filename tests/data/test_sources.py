"""Sources cut rows into fixed chunks and copy nothing they need not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from separatrix.data import Block, as_rows, as_source, frames
from separatrix.data import source as sources
from separatrix.data.frames import FrameSource, in_one_block
from separatrix.data.tables import NullableFrame
from separatrix.errors import InputError, InputTypeError


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_blocks_are_views(dtype: str, order: Any, rng: Any) -> None:
    X = np.asarray(rng.normal(size=(50, 3)), dtype=dtype, order=order)
    X.flags.writeable = False
    block = next(as_rows(X).blocks())
    assert np.shares_memory(block.X, X) and block.X.dtype == X.dtype


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_blocks_are_views(convert: Any, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "CHUNK_BYTES", 24 * 7)
    X = convert(sp.random_array((50, 3), density=0.4, rng=rng))
    blocks = list(as_rows(X).blocks())
    assert len(blocks) == 8 and all(np.shares_memory(b.X.data, X.data) for b in blocks if b.X.nnz)
    assert_array_equal(sp.vstack([b.X for b in blocks]).toarray(), X.toarray())


def test_repeated_entries_are_summed_without_touching_the_original() -> None:
    X = sp.csr_array(([1.0, 2.0, 4.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert next(as_rows(X).blocks()).X.toarray().tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert X.data.tolist() == [1.0, 2.0, 4.0]


def test_memory_maps_are_read_in_place(tmp_path: Any, rng: Any) -> None:
    np.save(tmp_path / "X.npy", rng.normal(size=(20, 2)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(next(as_rows(X).blocks()).X, X)


def test_chunks_depend_on_the_shape_alone(rng: Any, monkeypatch: Any) -> None:
    X, y, w = rng.normal(size=(1000, 3)), np.arange(1000) % 3, rng.random(1000)
    monkeypatch.setattr(sources, "CHUNK_BYTES", 24 * 130)
    starts = []
    for jobs in (1, 4):
        blocks = list(as_source(X, y, w, n_jobs=jobs).map(lambda b: b))
        assert_array_equal(np.concatenate([b.codes for b in blocks]), y)
        assert_array_equal(np.concatenate([b.weight for b in blocks]), w)
        starts.append([b.start for b in blocks])
    assert starts == [list(range(0, 1000, 130))] * 2


def test_chunks_outweigh_a_summary(rng: Any, monkeypatch: Any) -> None:
    X = rng.normal(size=(1000, 3))
    monkeypatch.setattr(sources, "CHUNK_BYTES", 24 * 130)
    source = as_rows(X)
    for totals, rows in ((0, 130), (3 * 129, 130), (3 * 400, 400), (10**9, 1000)):
        assert next(b.n_rows for b in source.for_totals(totals).blocks()) == rows
        assert_array_equal(np.concatenate(list(source.for_totals(totals).map(lambda b: b.X))), X)
    assert next(source.blocks()).n_rows == 130


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": lambda d: pa.table(d)}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_frames_give_their_numbers_and_names(make: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "CHUNK_BYTES", 48)
    frame = make({"age": [31, 47, 20], "tall": [True, False, True], "pay": [1.5, 2.5, 3.5]})
    source = as_rows(frame)
    assert source.feature_names == ("age", "tall", "pay")
    assert np.vstack([b.X for b in source.blocks()]).tolist() == [[31, 1, 1.5], [47, 0, 2.5], [20, 1, 3.5]]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_frames_of_text_name_the_columns(make: Any) -> None:
    with pytest.raises(InputError, match="Columns 'town', 'street' hold text.*TablePrep"):
        as_rows(make({"town": ["Ulm", "Bonn"], "age": [3, 4], "street": ["a", "b"]}))


def test_nullable_and_object_columns_of_numbers_are_numbers() -> None:
    frame = pd.DataFrame(
        {"a": pd.array([1, 2], dtype="Int64"), "b": pd.array([1.5, 2.5], dtype="Float32"), "c": np.array([1, 2], dtype=object)}
    )
    assert next(as_rows(frame).blocks()).X.tolist() == [[1, 1.5, 1], [2, 2.5, 2]]


def test_float32_frames_stay_float32() -> None:
    assert next(as_rows(pl.DataFrame({"a": [1.0]}, schema={"a": pl.Float32})).blocks()).X.dtype == np.float32


def test_half_named_frames_are_refused() -> None:
    with pytest.raises(InputTypeError, match="only supported if all input features have string names"):
        as_rows(pd.DataFrame({"a": [1], 2: [3]}))


def test_tiles_are_contiguous_and_cover_the_block(rng: Any) -> None:
    X = np.asfortranarray(rng.normal(size=(23, 4)))
    tiles = list(Block(X, start=5).tiles(10))
    assert [t.start for t in tiles] == [5, 15, 25] and all(t.X.flags.c_contiguous for t in tiles)
    assert_array_equal(np.vstack([t.X for t in tiles]), X)


@pytest.mark.parametrize(
    ("X", "message"),
    [(np.ones(3), "Expected 2D array, got 1D array.*\n.*reshape"), (3.0, "got scalar"), (np.ones((2, 2, 2)), "got 3D array")],
)
def test_rows_must_have_two_dimensions(X: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_rows(X)


TWICE: dict[str, Any] = {
    "pandas": pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]),
    "numbered": pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[0, 0]),
    "arrow": pa.table([[1.0], [2.0]], names=["a", "a"]),
}


@pytest.mark.parametrize("frame", TWICE.values(), ids=TWICE.keys())
def test_columns_of_one_name_are_refused(frame: Any) -> None:
    with pytest.raises(InputError, match="Two columns of X are called '[a0]'; give every column a name of its own"):
        as_rows(frame)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pl.LazyFrame({"a": [1.0]}), r"X is a LazyFrame, which is a plan and holds no rows yet; pass X.collect\(\)"),
        (pa.record_batch({"a": [1.0]}), "X is a RecordBatch, which cannot be read"),
        ([[1.0], [1.0, 2.0]], "rows of X are of different lengths"),
        ([[10**400]], "X holds a number above 1.8e308"),
        (pd.DataFrame({"a": pd.Series([10**400], dtype=object)}), "Columns 'a' hold text, categories, dates or objects"),
    ],
)
def test_rows_that_are_no_numbers(X: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        as_rows(X)


@pytest.mark.parametrize(
    ("index", "named"),
    [
        (["ann", "bob"], r"row 1 \(index 'bob'\)"),
        ([7, 9], r"row 1 \(index 9\)"),
        ([0, 1], "row 1,"),
        ([("x", "a"), ("x", "b")], r"row 1 \(index \('x', 'b'\)\)"),
    ],
)
def test_rows_of_a_frame_are_named_by_its_index_too(index: Any, named: str) -> None:
    rows = pd.Index(index) if not isinstance(index[0], tuple) else pd.MultiIndex.from_tuples(index)
    frame = pd.DataFrame({"a": [1.0, np.inf]}, index=rows)
    with pytest.raises(InputError, match=f"infinity: first at {named}"):
        as_rows(frame).refuse_nonfinite()
    assert as_rows(pl.DataFrame({"a": [1.0]})).row_label(0) == "0"


def test_a_pass_that_cannot_be_reduced_is_refused() -> None:
    source = as_rows(np.zeros((3_000_000, 1)))  # two blocks
    with pytest.raises(InputTypeError, match="pass_=3 must be a function of a block"):
        source.reduce(3)  # type: ignore[type-var, arg-type]
    with pytest.raises(InputTypeError, match="pass_ gave a int; it must give what merges"):
        source.reduce(lambda block: block.n_rows)  # type: ignore[type-var]
    with pytest.raises(InputError, match="j=7 must be the number of a column, from 0 to 0"):
        source.column(7)


PLAIN = {
    "floats": pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("abc")),
    "mixed": pd.DataFrame(
        {"a": [True, False, True], "b": [3, -1, 2**60], "c": [0.5, np.nan, np.inf], "d": np.array([1, 2, 255], np.uint8)}
    ),
    "single": pd.DataFrame(np.eye(3, dtype=np.float32), columns=[3, 1, 2], index=["x", "y", "z"]),
    "strided": pd.DataFrame(np.arange(60.0).reshape(6, 10)).iloc[::2, ::3],
}


@pytest.mark.parametrize("frame", PLAIN.values(), ids=PLAIN.keys())
@pytest.mark.parametrize("make", [FrameSource, NullableFrame])
def test_plain_frames_are_read_at_once_as_they_are_column_by_column(make: Any, frame: Any, monkeypatch: Any) -> None:
    assert frames.plain_types(frame) is not None
    at_once, block = make(frame), in_one_block(frame)
    monkeypatch.setattr(frames, "plain_types", lambda X: None)
    one_by_one = make(frame)
    assert (at_once.feature_names, at_once.row_label(1)) == (one_by_one.feature_names, one_by_one.row_label(1))
    for begin, end in ((0, len(frame)), (1, 2)):
        assert_array_equal(at_once.rows(begin, end), one_by_one.rows(begin, end))
        assert at_once.rows(begin, end).dtype == one_by_one.dtype
    assert block.columns.equals(frame.columns) and block.index.equals(frame.index)
    assert_array_equal(block.to_numpy(), one_by_one.rows(0, len(frame)))

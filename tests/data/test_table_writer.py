"""Rows are written as they were, in every format, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from separatrix import open_table
from separatrix.data.files.spooled import spooled
from separatrix.data.files.table_writer import coded_column, stream_writer, table_writer
from separatrix.errors import InputError

ENDINGS = ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz", "jsonl.xz", "tsv.zst", "csv.bz2"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_is_read_back(ending: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"rows.{ending}")
    parts = [(np.array([0, 1], dtype=np.int32), np.array([0.5, 1e-300])), (np.array([1], dtype=np.int32), np.array([0.1]))]
    with table_writer(path) as out:
        for codes, p in parts:
            out.write({"label": coded_column(codes, ["no", 'y"e,s']), "p": p})
    assert out.rows == 3
    [batch] = open_table(path).as_columns().blocks()
    codes, levels = batch.column(0).categories()
    assert [levels[code] for code in codes] == ["no", 'y"e,s', 'y"e,s'] and batch.column(1).numbers().tolist() == [0.5, 1e-300, 0.1]


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), table_writer(str(path)) as out:
        out.write({"p": np.array([1 / 0])})
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_rejected_rows_have_no_label() -> None:
    assert coded_column(np.array([2, 0, 1], dtype=np.int32), ["no", "yes", None]).to_pylist() == [None, "no", "yes"]
    assert coded_column(np.array([1, 0], dtype=np.int32), [1.5, 2.5]).to_pylist() == [2.5, 1.5]
    assert coded_column(np.array([1, 0], dtype=np.int32), [False, True]).to_pylist() == [True, False]


def test_a_stream_stays_open() -> None:
    stream = io.BytesIO()
    with stream_writer(stream, "csv") as out:
        out.write({"p": np.array([0.5])})
    assert stream.getvalue() == b'"p"\n0.5\n'


def test_unknown_endings_and_empty_input_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not known by the name"), table_writer(str(tmp_path / "rows.xlsx")):
        pass
    with pytest.raises(InputError, match="Standard input is empty"), spooled(io.BytesIO(b"\n")):
        pass

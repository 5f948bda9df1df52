"""Rows of files that many passes read: once where they fit into memory, and the same result where they do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from separatrix import AveragedPerceptron, BatchPerceptron, LogisticRegression, OneVsRest, Perceptron, VotedPerceptron, open_table
from separatrix.data.files import file_table as files
from separatrix.data.kept import kept
from separatrix.errors import InputError
from separatrix.thresholds import KEPT, Threshold

MODELS = [
    Perceptron(),
    AveragedPerceptron(),
    VotedPerceptron(),
    BatchPerceptron(),
    LogisticRegression(),
    OneVsRest(BatchPerceptron(max_iter=30)),
]


@pytest.fixture
def table(tmp_path: Any, rng: Any) -> Any:
    X = rng.integers(-3, 4, (400, 3)).astype(float)
    y = (X @ rng.normal(size=(3, 3)) + rng.normal(size=(400, 3))).argmax(axis=1)
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    return open_table(tmp_path / "rows.parquet", target="y")


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:30])
def test_files_are_read_once_where_they_fit_and_give_the_same_model(model: Any, table: Any, monkeypatch: Any) -> None:
    if "max_iter" in model.get_params():
        model.set_params(max_iter=30)
    monkeypatch.setattr(files, "chunk_rows", lambda p: 100)
    table.batch_rows, reads = 100, []
    read = files.FileTable._pieces
    monkeypatch.setattr(files.FileTable, "_pieces", lambda self: reads.append(1) or read(self))
    found, counted = [], []
    for limit in (math.inf, 0.0):
        monkeypatch.setattr(Threshold, "reached", lambda self, work, at=limit: work >= (at if self is KEPT else self.at))
        found.append(model.fit(table).decision_function(table))
        counted.append(len(reads))
        reads.clear()
    assert np.array_equal(*found) and counted[0] < counted[1]


def test_rows_kept_are_refused_and_coded_as_their_source_does(table: Any) -> None:
    rows = kept(table)
    assert kept(rows) is rows and rows.with_classes([0, 1, 2, 3]).classes.tolist() == [0, 1, 2, 3]
    assert sum(len(block.X) for block in rows.blocks()) == rows.reduce(len_of).n == 400
    with pytest.raises(InputError, match="too large to square"):
        rows.refuse_nonfinite()


class Length:
    def __init__(self, n: int) -> None:
        self.n = n

    def merge(self, other: Length) -> Length:
        return Length(self.n + other.n)


def len_of(block: Any) -> Length:
    return Length(block.n_rows)

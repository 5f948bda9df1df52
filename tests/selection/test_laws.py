"""Laws that every selector keeps."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from separatrix import LinearDiscriminantAnalysis, evaluate, open_table
from separatrix.errors import InputError
from separatrix.thresholds import Threshold
from tests.selection.selectors import FILTERS, SELECTORS

EVERY = pytest.mark.parametrize("selector", SELECTORS, ids=repr)
EVERY_FILTER = pytest.mark.parametrize("selector", FILTERS, ids=repr)


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    y = rng.integers(0, 3, 300)
    X = rng.standard_normal((300, 10))
    X[:, :3] += y[:, None] * [1.0, 0.5, 0.2]
    X[:, 5:8] = rng.random((300, 3)) < 0.2 + 0.1 * y[:, None] * [1.0, 2.0, 0.0]
    X[:, 8] = rng.integers(0, 5, 300)
    return X.round(2), y, rng.integers(0, 4, 300).astype(float)


def numbers(selector: Any) -> Any:
    """Return what a selector computed of each column, or of each step."""
    if hasattr(selector, "history_"):
        return selector.history_["Wilks' lambda"]
    return selector.on_ if hasattr(selector, "on_") else selector.scores_


@EVERY
@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
def test_integer_weight_is_repetition_and_zero_is_removal(selector: Any, small: int, rows: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows
    again = np.repeat(np.arange(len(y)), w.astype(int))
    one, other = clone(selector).fit(X, y, sample_weight=w), clone(selector).fit(X[again], y[again])
    assert_allclose(numbers(one), numbers(other), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(one.support_, other.support_)


@EVERY
def test_dense_sparse_frame_and_file_agree(selector: Any, rows: Any, tmp_path: Path) -> None:
    X, y, _ = rows
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    frame.assign(y=y).to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", target="y", batch_rows=37)
    dense = clone(selector).fit(X, y)
    for other in (clone(selector).fit(sp.csc_matrix(X), y), clone(selector).fit(frame, y), clone(selector).fit(table)):
        assert_allclose(numbers(other), numbers(dense), rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(other.support_, dense.support_)


@EVERY
def test_pickled_and_in_a_pipeline(selector: Any, rows: Any) -> None:
    X, y, _ = rows
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    fitted = pickle.loads(pickle.dumps(clone(selector).set_output(transform="pandas").fit(frame, y)))
    assert list(fitted.transform(frame).columns) == list(fitted.get_feature_names_out())
    piped = make_pipeline(clone(selector), LinearDiscriminantAnalysis())
    assert evaluate(piped, frame, y, plan=3, random_state=0).method == "refits"


@EVERY
def test_nan_is_named(selector: Any, rows: Any) -> None:
    X, y, _ = rows
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    frame.loc[7, "c"] = np.nan
    with pytest.raises(InputError, match="NaN: first at row 7, column 'c'"):
        clone(selector).fit(frame, y)


@EVERY_FILTER
def test_columns_may_be_permuted_and_rescaled(selector: Any, rows: Any, rng: Any) -> None:
    X, y, _ = rows
    order = rng.permutation(10)
    one, other = clone(selector).fit(X, y), clone(selector).fit(4.0 * X[:, order] - 2.0, y)
    assert_allclose(other.scores_, one.scores_[order], rtol=1e-9, atol=1e-9)


@EVERY_FILTER
def test_a_constant_column_scores_nothing(selector: Any, rows: Any) -> None:
    X, y, _ = rows
    found = clone(selector).fit(np.column_stack([X, np.full(300, 0.1)]), y)
    assert found.scores_[-1] == 0.0 and not found.support_[-1]
    assert found.pvalues_ is None or found.pvalues_[-1] == 1.0


@EVERY_FILTER
def test_one_class_is_refused(selector: Any, rows: Any) -> None:
    with pytest.raises(InputError, match="y holds one class"):
        clone(selector).fit(rows[0], np.ones(300))

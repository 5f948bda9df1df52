from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from separatrix import LinearDiscriminantAnalysis, open_table
from separatrix.errors import InputError
from separatrix.selection.selector import Selector


class Chosen(Selector):
    """Keeps the columns it is told to keep."""

    def __init__(self, columns: Any = (0,)) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Self:
        source = self._labelled(X, y)
        support = np.zeros(source.n_features, dtype=bool)
        support[self._find_columns(self.columns, source)] = True
        return self._adopt(source, support, {"names_": self._names(source)})


@pytest.fixture
def frame(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(rng.standard_normal((30, 3)), columns=["a", "b", "c"])


Y = [0, 1] * 15


def test_names_and_columns_come_through(frame: pd.DataFrame) -> None:
    selector = Chosen(["c", "a"]).fit(frame, Y)
    assert selector.get_feature_names_out().tolist() == ["a", "c"] == frame.columns[selector.get_support()].tolist()
    assert selector.feature_names_in_.tolist() == selector.names_ == ["a", "b", "c"]
    np.testing.assert_array_equal(selector.transform(frame), frame[["a", "c"]])
    out = selector.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(out, frame[["a", "c"]])


def test_sparse_rows_stay_sparse(frame: pd.DataFrame) -> None:
    rows = sp.csr_array(frame.to_numpy())
    kept = Chosen([1]).fit(rows, Y).transform(rows)
    assert sp.issparse(kept) and kept.shape == (30, 1)


def test_a_table_is_narrowed_and_reads_the_kept_columns_only(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.assign(y=Y).to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", target="y")
    narrow = Chosen(["b"]).fit(table).transform(table)
    assert narrow.feature_names == ("b",) and narrow.n_features == 1
    one, other = LinearDiscriminantAnalysis().fit(narrow), LinearDiscriminantAnalysis().fit(frame[["b"]], Y)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-12)
    with pytest.raises(InputError, match="are not those of the fit"):
        Chosen(["b"]).fit(table).transform(narrow)


def test_a_failed_fit_leaves_the_old_selector_whole(frame: pd.DataFrame) -> None:
    selector = Chosen(["a"]).fit(frame, Y)
    selector.columns = []
    with pytest.raises(InputError, match="No feature is left: Chosen dropped all 3"):
        selector.fit(frame, Y)
    assert selector.get_feature_names_out().tolist() == ["a"]


def test_one_class_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="y holds one class, 1, so no column can tell classes apart"):
        Chosen().fit(frame, [1] * 30)


def test_pipelines(frame: pd.DataFrame) -> None:
    piped = make_pipeline(Chosen(["b"]), LinearDiscriminantAnalysis()).fit(frame, Y)
    np.testing.assert_array_equal(piped.predict(frame), LinearDiscriminantAnalysis().fit(frame[["b"]], Y).predict(frame[["b"]]))

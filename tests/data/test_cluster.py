"""Array == file == cluster, on two worker processes that live for this file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import separatrix as sx

distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 1_500)
X = RNG.normal(size=(1_500, 4)) + 0.7 * CODES[:, None]
Y = np.array(["ash", "elm", "oak"])[CODES]
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
CLOSED = [
    sx.LinearDiscriminantAnalysis(),
    sx.QuadraticDiscriminantAnalysis(),
    sx.FisherDiscriminant(),
    sx.LeastSquaresClassifier(),
    sx.NearestMean(),
    sx.GaussianNB(),
    sx.OneVsOne(sx.LinearDiscriminantAnalysis()),
    sx.BatchPerceptron(epsilon=1e3),
]
ITERATIVE = [
    sx.LogisticRegression(tol=1e-9),
    sx.LogisticRegression(C=np.inf, tol=1e-9),
    sx.LogisticRegression(C=0.02, l1_ratio=1.0, tol=1e-9),
    sx.LinearSVC(tol=1e-12),
    sx.OneVsRest(sx.LogisticRegression(tol=1e-9)),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, cluster.get_client() as client:
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    for i, rows in enumerate(np.array_split(np.arange(len(FRAME)), 3)):
        FRAME.iloc[rows].to_parquet(folder / f"part{i}.parquet", row_group_size=100, index=False)
    return folder


def tables(client: Any, folder: Path) -> dict[str, Any]:
    chunks = (400, 4)
    return {
        "frame": sx.open_table(dd.from_pandas(FRAME, npartitions=5), target="y", cluster=client),
        "array": sx.open_table(da.from_array(X, chunks=chunks), target=da.from_array(Y, chunks=400), cluster=client),
        "files": sx.open_table(folder, target="y", cluster=client, batch_rows=25),
    }


def scores(model: Any) -> Any:
    rows = FRAME[list("abcd")] if hasattr(model, "feature_names_in_") else X
    return np.asarray(model.decision_function(rows) if hasattr(model, "decision_function") else model.predict_proba(rows))


@pytest.mark.parametrize("model", CLOSED, ids=repr)
def test_models_in_closed_form_are_those_of_the_array(model: Any, client: Any, folder: Path) -> None:
    expected = scores(clone(model).fit(X, Y))
    for table in tables(client, folder).values():
        assert_allclose(scores(clone(model).fit(table)), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("model", ITERATIVE, ids=repr)
def test_minima_are_those_of_the_array(model: Any, client: Any, folder: Path) -> None:
    whole = clone(model).fit(X, Y)
    found = clone(model).fit(tables(client, folder)["files"])
    assert_allclose(scores(found), scores(whole), rtol=1e-6, atol=1e-6)
    if hasattr(whole, "solution_"):
        assert found.solution_.objective == pytest.approx(whole.solution_.objective, rel=1e-10)

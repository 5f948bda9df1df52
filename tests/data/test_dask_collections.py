"""Dask frames and arrays as people have them: columns of any name and type, partitions that differ, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import separatrix as sx
from separatrix.errors import ClusterError, InputError, InputTypeError

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 300)
X = RNG.normal(size=(300, 3)) + CODES[:, None]
Y = np.array(["ash", "elm", "oak"])[CODES]
FRAME = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
DOUBLED = pd.concat([FRAME, FRAME[["a"]]], axis=1)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.Client(**options, set_as_default=False) as client:
        yield client


def array(client: Any, X: Any = X, **options: Any) -> Any:
    return sx.open_table(da.from_array(X, chunks=(100, 2)), target=da.from_array(Y, chunks=70), cluster=client, **options)


def of_parts(client: Any, *parts: Any, **options: Any) -> Any:
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=FRAME.iloc[:0], verify_meta=False)
    return sx.open_table(frame, target="y", cluster=client, **options)


@pytest.mark.parametrize("model", [sx.TableClassifier(sx.LogisticRegression(tol=1e-9)), sx.MixedNB()], ids=repr)
def test_tables_of_columns_take_arrays_too(model: Any, client: Any) -> None:
    found, expected = clone(model).fit(array(client)), clone(model).fit(X, Y)
    assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-6)
    assert (found.predict(array(client)) == expected.predict(X)).all()


def test_columns_of_dates_are_those_of_the_frame(client: Any) -> None:
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(CODES * 40 + RNG.integers(0, 60, 300), unit="D")
    frame, model = FRAME.assign(since=days), make_pipeline(sx.TablePrep(), sx.LinearDiscriminantAnalysis())
    table = sx.open_table(dd.from_pandas(frame, npartitions=3), target="y", cluster=client)
    rows = frame.drop(columns="y")
    assert_allclose(clone(model).fit(table).predict_proba(rows), clone(model).fit(rows, Y).predict_proba(rows), atol=1e-10)


def test_names_that_are_numbers_become_text(client: Any) -> None:
    frame = pd.DataFrame(X).assign(y=Y)
    found = sx.LinearDiscriminantAnalysis().fit(sx.open_table(dd.from_pandas(frame, npartitions=2), target="y", cluster=client))
    assert list(found.feature_names_in_) == ["0", "1", "2"]
    assert_allclose(found.coef_, sx.LinearDiscriminantAnalysis().fit(X, Y).coef_, rtol=1e-10)


def test_blocks_may_be_sparse(client: Any) -> None:
    rows = da.from_array(X, chunks=(100, 3)).map_blocks(sparse.csr_array)
    found = sx.GaussianNB().fit(sx.open_table(rows, target=da.from_array(Y, chunks=100), cluster=client))
    assert_allclose(found.theta_, sx.GaussianNB().fit(X, Y).theta_, rtol=1e-10)


@pytest.mark.parametrize("kind", ["frame", "array"])
def test_weights_may_all_be_zero_in_a_partition_and_not_in_all(kind: str, client: Any) -> None:
    def table(weight: Any) -> Any:
        if kind == "array":
            return array(client, weight=da.from_array(weight, chunks=90))
        return sx.open_table(dd.from_pandas(FRAME.assign(w=weight), npartitions=3), target="y", weight="w", cluster=client)

    weight = (np.arange(300) >= 100) * 1.0
    assert_allclose(sx.NearestMean().fit(table(weight)).means_, sx.NearestMean().fit(X[100:], Y[100:]).means_, rtol=1e-10)
    for model in (sx.NearestMean(), sx.LinearDiscriminantAnalysis(), sx.BernoulliNB(), sx.MixedNB()):
        with pytest.raises(InputError, match="All weights of the table are zero"):
            model.fit(table(0.0 * weight))


BAD: list[tuple[Any, str]] = [
    (lambda c: fit(of_parts(c, FRAME, FRAME.drop(columns="b"))), "Partition 1: Column 'b' is not in the rows, which have 'a', 'c', 'y'"),
    (lambda c: fit(of_parts(c, FRAME.assign(y=1), FRAME)), "y mixes labels of types int, str"),
    (
        lambda c: sx.open_table(dd.from_pandas(DOUBLED, npartitions=2), target="y", cluster=c),
        "several .*'a'",
    ),
    (
        lambda c: sx.open_table(dask.delayed(FRAME), target="y", cluster=c),
        "A Dask frame or an array of two .* is needed, not Delayed",
    ),
    (lambda c: sx.open_table(dd.from_pandas(FRAME, npartitions=2)["a"], cluster=c), r"is needed, not Dask Series.*series.to_frame\(\)"),
    (lambda c: sx.open_table(FRAME, target="y", cluster=c), "rows are in memory here, as a frame; give them to Dask"),
    (lambda c: sx.open_table(dd.from_pandas(FRAME, npartitions=2), target=da.from_array(Y), cluster=c), "must be the name of a column"),
    (lambda c: array(c, columns=["a"]), r"columns=\['a'\] names columns, and an array has no names"),
    (lambda c: sx.open_table(da.from_array(X), target=dd.from_pandas(FRAME["y"], npartitions=2), cluster=c), "series.to_dask_array"),
    (lambda c: sx.open_table(da.from_array(X), target=da.from_array(X), cluster=c), "target is an array of 2 dimensions"),
]


def fit(table: Any) -> Any:
    return sx.LinearDiscriminantAnalysis().fit(table)


@pytest.mark.parametrize(("action", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_what_cannot_be_read_is_named(action: Any, message: str, client: Any) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        action(client)


def test_a_task_of_the_user_that_fails_is_named_by_its_partition(client: Any) -> None:
    def failing(rows: Any) -> Any:
        if rows.index.min() > 50:
            raise RuntimeError("no more rows today")
        return rows

    frame = dd.from_pandas(FRAME, npartitions=2).map_partitions(failing, meta=FRAME.iloc[:0])
    with pytest.raises(ClusterError, match="Partition 1 could not be computed on a worker: RuntimeError: no more rows today"):
        fit(sx.open_table(frame, target="y", cluster=client))


def test_a_cluster_is_asked_by_its_own_client(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("distributed.client._get_global_client", lambda: None)
    table = sx.open_table(dd.from_pandas(FRAME, npartitions=3), target="y", cluster=client.scheduler.address)
    assert_allclose(fit(table).coef_, fit_here().coef_, rtol=1e-10)


def fit_here() -> Any:
    return sx.LinearDiscriminantAnalysis().fit(FRAME[list("abc")], Y)


def test_clients_that_cannot_be_asked(client: Any) -> None:
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(InputError, match="The client is closed; connect again"):
        sx.open_table(dd.from_pandas(FRAME, npartitions=2), target="y", cluster=other)
    with pytest.raises(ClusterError, match="What answers at 'tls:.*' is no scheduler that can be spoken to .TypeError"):
        sx.open_table(dd.from_pandas(FRAME, npartitions=2), target="y", cluster="tls://127.0.0.1:9")

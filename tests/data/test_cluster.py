"""Array == file == cluster, on two worker processes that live for this file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix as sx
from separatrix.errors import CancelledError, ClusterError, InputError, InputTypeError
from separatrix.progress import Cancellation, cancellable
from separatrix.summaries import ClassMoments, Moments

dask = pytest.importorskip("dask")
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
        "files": sx.open_table(folder, target="y", cluster=client, batch_rows=60),
    }


def scores(model: Any) -> Any:
    rows = FRAME[list("abcd")] if hasattr(model, "feature_names_in_") else X
    return np.asarray(model.decision_function(rows) if hasattr(model, "decision_function") else model.predict_proba(rows))


@pytest.mark.parametrize("model", CLOSED, ids=repr)
def test_models_in_closed_form_are_those_of_the_array(model: Any, client: Any, folder: Path) -> None:
    expected = scores(clone(model).fit(X, Y))
    every = tables(client, folder)
    for table in every.values() if model is CLOSED[0] else [every["files"]]:
        assert_allclose(scores(clone(model).fit(table)), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("model", ITERATIVE, ids=repr)
def test_minima_are_those_of_the_array(model: Any, client: Any, folder: Path) -> None:
    whole = clone(model).fit(X, Y)
    found = clone(model).fit(tables(client, folder)["files"])
    assert_allclose(scores(found), scores(whole), rtol=1e-6, atol=1e-6)
    if hasattr(whole, "solution_"):
        assert found.solution_.objective == pytest.approx(whole.solution_.objective, rel=1e-10)


@pytest.mark.parametrize("covariance", ["information", "robust"])
def test_standard_errors_of_several_classes_are_those_of_the_array(covariance: Any, client: Any, folder: Path) -> None:
    model, rows = sx.LogisticRegression(C=np.inf, tol=1e-9), FRAME[list("abcd")]
    here = clone(model).fit(rows, Y).summary(rows, Y, covariance=covariance)
    table = tables(client, folder)["files"]
    there = clone(model).fit(table).summary(table, covariance=covariance)
    for name in ("fit", "tests", "coefficients"):
        for own, other in zip(here[name].columns[-3:], there[name].columns[-3:], strict=True):
            if np.asarray(own.values).dtype.kind == "f":
                assert_allclose(other.values, own.values, rtol=1e-6, atol=1e-9)
    assert_allclose(there["coefficients"]["std. error"], here["coefficients"]["std. error"], rtol=1e-6)


def test_the_number_of_workers_changes_no_bit(client: Any, folder: Path) -> None:
    table = tables(client, folder)["files"]
    both = sx.LogisticRegression().fit(table)
    first, *others = client.scheduler_info()["workers"]
    with dask.annotate(workers=[first]):
        alone = sx.LogisticRegression().fit(sx.open_table(folder, target="y", cluster=client, batch_rows=60))
    assert others and np.array_equal(alone.coef_, both.coef_) and np.array_equal(alone.intercept_, both.intercept_)


def test_rows_that_workers_hold_lie_together_as_passes_read_them(client: Any, folder: Path) -> None:
    held = tables(client, folder)["files"].persisted()
    assert held.keeps and all(held.map(lambda block: block.X.flags.c_contiguous))


def test_folds_by_key_are_those_of_the_array(client: Any) -> None:
    frame, plan = FRAME.assign(id=np.arange(len(FRAME)) // 3), sx.HashFold(4, key="id")
    table = sx.open_table(dd.from_pandas(frame, npartitions=4), target="y", columns=list("abcd"), cluster=client)
    there = sx.evaluate(sx.LinearDiscriminantAnalysis(), table, plan=plan)
    here = sx.evaluate(sx.LinearDiscriminantAnalysis(), frame.drop(columns="y"), frame["y"], plan=plan)
    assert_allclose(there.posteriors, here.posteriors, atol=1e-10)


def test_resamples_permutations_and_curves_are_those_of_the_array(client: Any, folder: Path) -> None:
    model, plan = sx.LinearDiscriminantAnalysis(), sx.HashFold(3)
    for table in (tables(client, folder)["files"], tables(client, folder)["array"]):
        draws = sx.Bootstrap(5, draw="poisson", random_state=0)
        assert sx.evaluate(model, table, plan=draws).scores == pytest.approx(sx.evaluate(model, X, Y, plan=draws).scores, abs=1e-10)
        there, here = (sx.permutation_test(model, *rows, plan=plan, n_permutations=9) for rows in ((table,), (X, Y)))
        assert_allclose(there.permuted, here.permuted, atol=1e-12)
        there, here = (sx.learning_curve(model, *rows, plan=plan, sizes=[100, 0.5]) for rows in ((table,), (X, Y)))
        assert_allclose(there.per_fold, here.per_fold, atol=1e-12)


def test_pipelines_and_models_around_others_are_evaluated_there(client: Any, folder: Path) -> None:
    table, plan = tables(client, folder)["files"], sx.HashFold(2)
    model = make_pipeline(StandardScaler(), sx.OneVsRest(sx.LinearSVC(tol=1e-8)))
    assert sx.evaluate(model, table, plan=plan).error == pytest.approx(sx.evaluate(model, X, Y, plan=plan).error, abs=2e-3)
    model = sx.CalibratedClassifier(sx.LinearDiscriminantAnalysis(), plan=plan)
    there, here = clone(model).fit(table), model.fit(FRAME[list("abcd")], Y)
    assert_allclose(there.predict_proba(FRAME[list("abcd")]), here.predict_proba(FRAME[list("abcd")]), atol=1e-6)


def test_filters_and_stepwise_tables_run_there(client: Any, folder: Path) -> None:
    table = tables(client, folder)["files"]
    for selector in (sx.AnovaFilter(k=2), sx.StepwiseDiscriminant()):
        assert clone(selector).fit(table).get_support().tolist() == clone(selector).fit(X, Y).get_support().tolist()


def test_empty_partitions_and_partitions_without_a_class_add_nothing(client: Any) -> None:
    frame = FRAME.sort_values("y", kind="stable").reset_index(drop=True)
    parts = [frame.iloc[:0], frame.iloc[:200], frame.iloc[200:200], frame.iloc[200:]]
    table = sx.open_table(dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0]), target="y", cluster=client)
    found = sx.LinearDiscriminantAnalysis().fit(table)
    assert_allclose(found.coef_, sx.LinearDiscriminantAnalysis().fit(frame[list("abcd")], frame["y"]).coef_, rtol=1e-10)


@pytest.mark.parametrize("model", [sx.MixedNB(missing="ignore"), sx.TableClassifier()], ids=repr)
def test_columns_of_text_with_gaps_are_read_there(model: Any, client: Any, tmp_path: Path) -> None:
    frame = FRAME.assign(
        a=FRAME["a"].where(FRAME.index % 7 > 0), town=np.array(["Ulm", "Rom", "Bari"])[(CODES + RNG.integers(0, 2, 1_500)) % 3]
    )
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[rows].to_parquet(tmp_path / f"{i}.parquet", index=False)
    rows = frame.drop(columns="y")
    expected = clone(model).fit(rows, frame["y"]).predict(rows)
    for there in (dd.from_pandas(frame, npartitions=3), str(tmp_path)):
        table = sx.open_table(there, target="y", cluster=client)
        assert (clone(model).fit(table).predict(table) == expected).mean() > 0.99
    with pytest.raises(InputError, match="Column 'town' holds text, where numbers are needed"):
        sx.LinearDiscriminantAnalysis().fit(sx.open_table(dd.from_pandas(frame, npartitions=3), target="y", cluster=client))


def test_a_perceptron_mixes_its_weights_until_no_row_is_wrong(client: Any) -> None:
    rows = X[(X @ [1, 1, 1, 1] < 2) | (X @ [1, 1, 1, 1] > 4)]
    y = (rows.sum(axis=1) > 3).astype(int)
    table = sx.open_table(da.from_array(rows, chunks=(200, 4)), target=da.from_array(y, chunks=200), cluster=client)
    for model in (sx.Perceptron(), sx.AveragedPerceptron()):
        found = model.fit(table)
        assert found.status_.converged and found.status_.last_mistakes == 0
    assert (sx.Perceptron().fit(table).predict(rows) == y).all() and (found.predict(rows) == y).mean() > 0.98
    with pytest.raises(InputError, match="not recorded where rows lie on other machines"):
        sx.VotedPerceptron().fit(table)


BAD = [
    (lambda c: sx.open_table(dd.from_pandas(FRAME, npartitions=2), target="z", cluster=c), "Column 'z' .in target. is not in the table"),
    (lambda c: sx.open_table(da.from_array(X, chunks=(400, 4)), target="y", cluster=c), "an array has no names; pass a Dask array"),
    (lambda c: sx.open_table(da.from_array(X), target=da.from_array(Y[:-1]), cluster=c), "1499 values and X 1500 rows"),
    (lambda c: sx.open_table(da.from_array(X), target=Y, cluster=c), "must be a Dask array with one value per row"),
    (lambda c: sx.open_table(dd.from_pandas(FRAME, npartitions=2), target="y", where=[("a", ">", 0)], cluster=c), "filter the Dask"),
    (lambda c: sx.open_table("nowhere/*.parquet", target="y", cluster=c), "No file matches"),
    (lambda c: fit(FRAME.assign(y="ash"), c), "greater than one; got 1 class"),
    (lambda c: fit(FRAME.assign(a=FRAME["a"].where(FRAME.index != 700)), c), "contains NaN: first at row 700, column 'a'"),
    (lambda c: fit(FRAME.assign(y=FRAME["y"].where(FRAME.index != 700)), c), "Partition 1: .* labels are missing"),
    (lambda c: fit(FRAME.assign(b="x"), c), "Column 'b' holds text, where numbers are needed"),
    (lambda c: sx.open_table(dd.from_pandas(FRAME, npartitions=2), target="y", cluster=3), "cluster=3 must be a distributed.Client"),
]


def fit(frame: Any, client: Any) -> Any:
    return sx.LinearDiscriminantAnalysis().fit(sx.open_table(dd.from_pandas(frame, npartitions=3), target="y", cluster=client))


@pytest.mark.parametrize(("action", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_input_is_refused_as_for_arrays(action: Any, message: str, client: Any) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        action(client)


def test_a_scheduler_that_does_not_answer_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("separatrix.data.cluster.CONNECTING", 0.5)
    closed, close = list[Any](), distributed.Client.close
    monkeypatch.setattr(distributed.Client, "close", lambda self, timeout=9.0: (closed.append(self), close(self, timeout))[1])
    with pytest.raises(ClusterError, match="No scheduler answers at 'tcp://127.0.0.1:9' within 0.5 seconds"):
        sx.open_table(folder, target="y", cluster="tcp://127.0.0.1:9")
    assert [client.status for client in closed[:1]] == ["closed"]  # not when it is collected, on whatever thread
    with pytest.raises(InputError, match="cluster='nonsense' is no address .*tcp://host:8786"):
        sx.open_table(folder, target="y", cluster="nonsense")


def test_conditions_that_no_row_meets_are_named(client: Any, folder: Path) -> None:
    for target in ("y", None):
        table = sx.open_table(folder, target=target, where=[("a", ">", 1e9)], columns=["a", "b"], cluster=client)
        with pytest.raises(InputError, match=r"no rows in the data that meet where=\[\[\('a', '>', 1000000000.0\)\]\]; loosen"):
            ClassMoments.from_data(table) if target else Moments.from_data(table)


def test_work_can_be_cancelled(client: Any, folder: Path) -> None:
    table, token = tables(client, folder)["files"], Cancellation()
    token.cancel("enough")
    with cancellable(token), pytest.raises(CancelledError, match="The work was cancelled: enough"):
        sx.LinearDiscriminantAnalysis().fit(table)


def test_a_file_that_changes_between_passes_is_named(client: Any, folder: Path) -> None:
    table, file = tables(client, folder)["files"], folder / "part1.parquet"
    before = file.read_bytes()
    table.classes  # noqa: B018  # the first pass
    try:
        file.write_bytes(before + b" ")
        with pytest.raises(InputError, match=r"part1.parquet' has changed since the table was opened"):
            sx.LinearDiscriminantAnalysis().fit(table)
        file.unlink()
        with pytest.raises(InputError, match=r"part1.parquet"):
            sx.LinearDiscriminantAnalysis().fit(table)
    finally:
        file.write_bytes(before)


class Slowly:
    """A pass that takes its time, and ends its worker the first time it sees row 0."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, block: Any) -> Any:
        if block.start == 0 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return ClassMoments.summarise(np.array(["ash", "elm", "oak"]), "pooled")(block)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_worker_killed_in_a_pass_changes_no_bit(client: Any, folder: Path, tmp_path: Path) -> None:
    table = tables(client, folder)["files"].persisted()
    whole = table.reduce(ClassMoments.summarise(table.classes, "pooled"))
    found = table.reduce(Slowly(tmp_path / "killed"))
    assert (tmp_path / "killed").exists() and np.array_equal(found.scatter, whole.scatter) and np.array_equal(found.means, whole.means)


@contextlib.contextmanager
def scheduler(folder: Path) -> Iterator[tuple[Any, int]]:
    """Start a scheduler and a worker, each a process of its own; the client, and the number of the scheduler's process."""
    file, begun = folder / "scheduler.json", list[Any]()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}  # a worker imports the pass of the test
    for what in (["dask_scheduler", "--port", "0", "--no-dashboard"], ["dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]):
        command = [sys.executable, "-m", f"distributed.cli.{what[0]}", *what[1:], "--scheduler-file", str(file), "--host", "127.0.0.1"]
        begun.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, env=environment))
        while not file.exists():
            time.sleep(0.05)
    client = distributed.Client(scheduler_file=str(file), set_as_default=False)
    try:
        yield client, begun[0].pid
    finally:
        client.close(timeout=0.5)
        for process in begun:
            process.kill()
            process.wait()


class KillingScheduler:
    """A pass that ends the scheduler, and waits for what comes."""

    def __init__(self, process: int) -> None:
        self.process = process

    def __call__(self, block: Any) -> Any:
        with contextlib.suppress(OSError):
            os.kill(self.process, signal.SIGKILL)
        time.sleep(5.0)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_in_a_pass_is_named(folder: Path, tmp_path: Path) -> None:
    with scheduler(tmp_path) as (client, process):
        table = sx.open_table(folder, target="y", cluster=client)
        began = time.monotonic()
        with pytest.raises(ClusterError, match=r"The scheduler of the cluster, tcp://127.0.0.1:\d+, is gone or does not answer"):
            table.reduce(KillingScheduler(process))
        assert time.monotonic() - began < 60
        with pytest.raises(ClusterError, match=r"The scheduler of the cluster, tcp://127.0.0.1:\d+, is gone or does not answer"):
            sx.LinearDiscriminantAnalysis().fit(table)


def kill(cluster: Any) -> None:
    """End the process of a worker, whatever it is doing."""
    for nanny in list(cluster.workers.values())[:1]:
        with contextlib.suppress(OSError, TypeError):
            os.kill(nanny.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_workers_that_a_local_cluster_gives_up_are_started_again(folder: Path) -> None:
    done = threading.Event()
    settings = {"distributed.deploy.lost-worker-timeout": "0.2s", "distributed.scheduler.allowed-failures": 100}
    with dask.config.set(settings), distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:

        def killing() -> None:
            for seconds in (0.1, 0.4, 0.9, 0.2, 3.0, 0.1, 0.1, 1.5):
                time.sleep(seconds)
                kill(cluster)
            done.set()

        with cluster.get_client() as client:
            table = sx.open_table(folder, target="y", batch_rows=60, cluster=client)
            alone = sx.LogisticRegression().fit(table)
            (killer := threading.Thread(target=killing)).start()
            while not done.is_set():
                found = sx.LogisticRegression().fit(sx.open_table(folder, target="y", batch_rows=60, cluster=client))
                assert np.array_equal(found.coef_, alone.coef_)
            killer.join()
            assert np.array_equal(sx.LogisticRegression().fit(table).coef_, alone.coef_)


class DiesOnItsWay:
    """A value that ends its worker when it is sent."""

    def merge(self, other: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.filterwarnings("ignore")
def test_a_value_that_never_arrives_is_not_waited_for_without_end(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scheduler(tmp_path) as (client, _):
        table = sx.open_table(folder, target="y", cluster=client)
        assert len(table.classes) == 3
        monkeypatch.setattr("separatrix.data.cluster_watch.PATIENCE", 2.0)
        with pytest.raises(ClusterError, match="The cluster at tcp.* has had no worker for 2 seconds; start one"):
            table.reduce(lambda block: DiesOnItsWay())


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP")
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_answers_nothing_any_more_is_named(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scheduler(tmp_path) as (client, process):
        table = sx.open_table(folder, target="y", cluster=client)
        assert len(table.classes) == 3
        monkeypatch.setattr("separatrix.data.cluster_watch.PATIENCE", 1.0)
        os.kill(process, signal.SIGSTOP)
        with pytest.raises(ClusterError, match=r"The scheduler of the cluster, tcp://127.0.0.1:\d+, is gone or does not answer"):
            sx.LinearDiscriminantAnalysis().fit(table)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_scattered_rows_that_are_lost_are_an_error(client: Any) -> None:
    client.wait_for_workers(1, timeout=60)
    [held] = client.scatter([FRAME], hash=False)
    table = sx.open_table(dd.from_delayed([held], meta=FRAME.iloc[:0]), target="y", cluster=client)
    assert table.n_rows == len(FRAME)
    [worker] = client.who_has([held])[held.key]
    with contextlib.suppress(OSError):
        client.run(os.kill, client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL, workers=[worker], on_error="ignore")
    with pytest.raises(ClusterError, match="Rows that a worker held are lost, and nobody can compute them again"):
        sx.LinearDiscriminantAnalysis().fit(table)

"""Every classifier fits, grows and predicts from files as from arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from separatrix import (
    BatchPerceptron,
    BernoulliNB,
    DecidedClassifier,
    Decision,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    OneVsOne,
    OneVsRest,
    TableClassifier,
    VotedPerceptron,
    open_table,
)
from separatrix.errors import CapacityError, InputError
from separatrix.progress import listening
from separatrix.thresholds import moved
from tests.models.test_laws import outputs
from tests.tables import MODELS

MACHINES = [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(shrinkage="auto"), GaussianNB(), LinearSVC(tol=1e-10)]
EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)


@pytest.fixture
def files(tmp_path: Any, rng: Any) -> tuple[Any, Any, Any, Any]:
    y = np.array(["ham", "junk", "spam"])[np.arange(90) % 3]
    X = rng.normal(size=(90, 4)) + (y == "spam")[:, None]
    w = rng.integers(1, 4, 90)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "label": y, "times": w})
    for part, rows in enumerate((slice(0, 40), slice(40, 41), slice(41, 90))):
        pq.write_table(table.slice(rows.start, rows.stop - rows.start), tmp_path / f"part-{part}.parquet", row_group_size=17)
    return tmp_path / "*.parquet", X, y, w


@EVERY
@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
def test_files_give_the_model_of_the_array(model: Any, batch_rows: int, files: Any) -> None:
    path, X, y, w = files
    table = open_table(path, target="label", weight="times", batch_rows=batch_rows)
    expected, found = clone(model).fit(X, y, sample_weight=w), clone(model).fit(table)
    assert_allclose(outputs(found, table), outputs(expected, X), rtol=1e-10, atol=1e-10)
    assert_array_equal(found.predict(table), expected.predict(X))
    assert list(found.feature_names_in_) == ["x0", "x1", "x2", "x3"]


@EVERY
def test_files_can_be_added_and_forgotten(model: Any, files: Any) -> None:
    path, X, y, _ = files
    parts = [open_table(path.parent / f"part-{part}.parquet", target="label", columns=["x0", "x1", "x2", "x3"]) for part in range(3)]
    grown = clone(model).partial_fit(parts[0], classes=["ham", "junk", "spam"]).partial_fit(parts[1]).partial_fit(parts[2])
    assert_allclose(outputs(grown, parts[0]), outputs(clone(model).fit(X, y), X[:40]), rtol=1e-8, atol=1e-9)
    grown.forget(parts[2])
    assert_allclose(outputs(grown, parts[0]), outputs(clone(model).fit(X[:41], y[:41]), X[:40]), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("machine", [*MACHINES, LogisticRegression(tol=1e-8), VotedPerceptron(shuffle=False, max_iter=3)], ids=repr)
@pytest.mark.parametrize("meta", [OneVsRest, OneVsOne])
@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
def test_machines_are_fitted_from_files(meta: Any, machine: Any, files: Any) -> None:
    path, X, y, w = files
    table = open_table(path, target="label", weight="times", batch_rows=7)
    expected, found = meta(machine).fit(X, y, sample_weight=w), meta(machine).fit(table)
    assert_allclose(found.decision_function(table), expected.decision_function(X), rtol=1e-5, atol=1e-6)
    assert_array_equal(found.predict(table), expected.predict(X))
    assert list(found.feature_names_in_) == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("model", [OneVsRest(DecisionTreeClassifier()), OneVsOne(DecidedClassifier())], ids=repr)
def test_what_takes_no_files_says_what_to_pass(model: Any, files: Any) -> None:
    with pytest.raises(TypeError, match="memory.*pass .*array"):
        model.fit(open_table(files[0], target="label", columns=["x0", "x1", "x2", "x3"]))


def test_a_decision_goes_around_a_model_of_files(files: Any) -> None:
    table = open_table(files[0], target="label", columns=["x0", "x1", "x2", "x3"])
    found = DecidedClassifier(LinearDiscriminantAnalysis(), Decision(reject_cost=0.3)).fit(table)
    expected = LinearDiscriminantAnalysis().fit(*files[1:3]).with_decision(Decision(reject_cost=0.3))
    assert found.predict(table).tolist() == expected.predict(files[1]).tolist()


@EVERY
def test_rows_are_added_by_the_columns_of_the_fit(model: Any, rng: Any) -> None:
    X, y = pd.DataFrame(rng.normal(size=(30, 2)), columns=["age", "dose"]), np.arange(30) % 2
    fitted = clone(model).fit(X, y)
    message = "(?s)feature names should match.*\n(- .*|.* in fit\\.)\nGive the columns of the fit, in their order"
    for add in (fitted.partial_fit, fitted.forget):
        with pytest.raises(InputError, match=message):
            add(X[["dose", "age"]], y)


EVERY_FAMILY = [
    *[LinearDiscriminantAnalysis(), LogisticRegression(), LogisticRegression(l1_ratio=1.0, C=0.5), LinearSVC(), LinearSVC(loss="hinge")],
    *[VotedPerceptron(max_iter=1), BatchPerceptron(max_iter=2), BernoulliNB(), MixedNB(), TableClassifier()],
    *[OneVsRest(LogisticRegression()), OneVsOne(GaussianNB())],
]


@pytest.mark.parametrize("model", EVERY_FAMILY, ids=repr)
@pytest.mark.parametrize("kept", [0, math.inf])
@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
def test_fitting_and_predicting_tell_how_far_they_are(model: Any, kept: float, files: Any) -> None:
    if kept == 0 and getattr(model, "loss", "") == "hinge":
        pytest.skip("a hinge needs numbers of each row")
    table, heard = open_table(files[0], target="label", columns=["x0", "x1", "x2", "x3"], batch_rows=20), []
    with moved(kept), listening(heard.append):
        fitted = clone(model).fit(table)
        fits, predicted = len(heard), fitted.predict(table)
    for told in (heard[:fits], heard[fits:]):
        rows = [event.detail for event in told if event.task == "read" and not event.finished]
        assert "20 rows, 0 of 0 MB" in rows or any(detail.endswith("rows, of 0 MB") for detail in rows)
    assert len(predicted) == 90 and {event.task for event in heard[:2]} == {"find classes"}


MARGINS: list[dict[str, Any]] = [{}, {"class_weight": {"ham": 3.0}}, {"class_weight": "balanced"}, {"fit_intercept": False}, {"C": 100.0}]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("given", MARGINS, ids=str)
def test_squared_hinges_of_too_many_rows_are_solved_by_sums(given: Any, ending: str, files: Any) -> None:
    path, X, y, w = files
    if ending == "csv":
        pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"]).assign(label=y, times=w).to_csv(path.parent / "all.csv", index=False)
        path = path.parent / "all.csv"
    table = open_table(path, target="label", weight="times", batch_rows=20)
    expected = LinearSVC(tol=1e-12, **given).fit(X, y, sample_weight=w)
    with moved(0):
        found = LinearSVC(tol=1e-8, **given).fit(table)
    assert "numbers of each" in found.solution_.why and found.solution_.is_converged
    assert found.solution_.objective == pytest.approx(expected.solution_.objective, rel=1e-10)
    assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-7)
    assert_allclose(found.intercept_, expected.intercept_, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("given", [{"loss": "hinge"}, {"C": np.inf}, {"penalize_intercept": True}, {"store_dual": True}], ids=str)
def test_machines_that_need_numbers_of_each_row_say_which_one_does_not(given: Any, files: Any) -> None:
    table, model = open_table(files[0], target="label", columns=["x0", "x1"]), LinearSVC(**given)
    with moved(0), pytest.raises(CapacityError, match=r"LinearSVC\(.*=.*\) keeps about 160 bytes for each row.*use LinearSVC\("):
        model.fit(table)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("K", [3, 4, 6])
def test_lasso_of_an_even_number_of_classes_is_one_of_its_many_minima_wherever_rows_are(K: int, rng: Any, tmp_path: Any) -> None:
    y = rng.integers(0, K, 600)
    X = rng.normal(size=(600, 5)) + np.outer(y, [1.0, -0.5, 0.0, 0.3, 0.0])
    model = LogisticRegression(l1_ratio=1.0, C=0.3, tol=1e-10).fit(X, y)
    pd.DataFrame(X, columns=list("abcde")).assign(y=y)[::-1].to_parquet(tmp_path / "a.parquet")
    with moved(0):
        there = clone(model).fit(open_table(tmp_path / "a.parquet", target="y"))
    assert there.solution_.objective == pytest.approx(model.solution_.objective, rel=1e-10)
    assert_allclose(there.coef_, model.coef_, rtol=1e-6, atol=1e-6)
    assert (model.coef_ == 0.0).any(axis=0).all()


def test_labels_and_weights_belong_to_the_table(files: Any) -> None:
    path, _, y, _ = files
    with pytest.raises(InputError, match=r"belong to the table here: name their columns in open_table"):
        clone(MODELS[0]).fit(open_table(path, target="label"), y)
    with pytest.raises(InputError, match="opened without a target; name its column"):
        clone(MODELS[0]).fit(open_table(path, columns=["x0", "x1"]))


def test_columns_in_another_order_are_refused(files: Any) -> None:
    path = files[0]
    model = clone(MODELS[0]).fit(open_table(path, target="label", columns=["x0", "x1"]))
    with pytest.raises(InputError, match="feature names should match those that were passed during fit"):
        model.predict(open_table(path, columns=["x1", "x0"]))

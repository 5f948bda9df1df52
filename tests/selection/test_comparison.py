"""Comparisons are honest (nested), paired, deterministic, and survive failures, budgets and Ctrl-C."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from separatrix import (
    AveragedPerceptron,
    Bootstrap,
    GaussianNB,
    KFold,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    RandomSubsampling,
    compare,
)
from separatrix.data import frames
from separatrix.errors import InputError, InputTypeError, SeparatrixError, UnknownNameError
from separatrix.evaluation import evaluate
from separatrix.evaluation.splits import folds_of
from separatrix.progress import Event, listening

IRIS = load_iris(return_X_y=True)
FEW = [LinearDiscriminantAnalysis(), (GaussianNB(), {"var_smoothing": [0.1, 1e-9]})]


class Raising(ClassifierMixin, BaseEstimator):
    """A classifier that fails in its own way."""

    def __init__(self, problem: Any = None) -> None:
        self.problem = problem

    def fit(self, X: Any, y: Any) -> Any:
        raise self.problem

    def predict(self, X: Any) -> Any:
        raise AssertionError


class SignOf(ClassifierMixin, BaseEstimator):
    """Says 1 where a column is positive, whatever the labels."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, self.column] > 0).astype(int)


def test_tuning_never_sees_the_rows_held_out() -> None:
    """Pure noise: the column that suits all rows best errs far less than on one half; chosen by training rows, it errs on one half."""
    errors, leaked = [], []
    for seed in range(4):
        X, y = np.random.default_rng(seed).normal(size=(40, 25)), np.arange(40) % 2
        board = compare(X, y, models={"sign": (SignOf(), {"column": list(range(25))})}, plan=KFold(3), tune=KFold(2), random_state=seed)
        errors.append(board["sign"].value)
        leaked.append(min(np.mean((X[:, j] > 0) != y) for j in range(25)))
    assert np.mean(leaked) < 0.35
    assert np.mean(errors) > 0.42


def test_a_tuned_candidate_is_a_grid_search_inside_every_fold() -> None:
    X, y = IRIS
    grid = {"n_neighbors": [30, 10, 3]}
    (folds,) = folds_of(KFold(5), 150, y, random_state=1)
    entry = compare(X, y, models=[(KNeighborsClassifier(), grid)], plan=KFold(5), tune=KFold(4, random_state=7), random_state=1).entries[0]
    held = entry.scored.repeats[0]
    for fold in range(5):
        inside = folds == fold
        (inner,) = folds_of(KFold(4, random_state=7), int((~inside).sum()), y[~inside])
        splits = [(np.flatnonzero(inner != f), np.flatnonzero(inner == f)) for f in range(4)]
        errors = [_error_sum(point, X[~inside], y[~inside], splits) for point in ParameterGrid(grid)]
        best = ParameterGrid(grid)[int(np.argmin(errors))]
        assert entry.points[fold] == best
        assert_array_equal(held.codes[inside], KNeighborsClassifier(**best).fit(X[~inside], y[~inside]).predict(X[inside]))


def _error_sum(point: Any, X: Any, y: Any, splits: Any) -> int:
    return sum(int(np.sum(KNeighborsClassifier(**point).fit(X[a], y[a]).predict(X[b]) != y[b])) for a, b in splits)


def test_an_untuned_candidate_has_the_error_that_evaluate_finds() -> None:
    X, y = IRIS
    board = compare(X, y, models=[LinearDiscriminantAnalysis(), SVC()], plan=KFold(5, random_state=4))
    for model in (LinearDiscriminantAnalysis(), SVC()):
        found = evaluate(model, X, y, plan=KFold(5, random_state=4), metrics="error")
        entry = board[type(model).__name__]
        assert entry.value == pytest.approx(found.error) and entry.interval == pytest.approx(found.interval)


def line(board: Any) -> list[Any]:
    return [(e.name, e.value, e.interval, e.points, e.difference) for e in board.entries]


def test_the_board_is_the_same_for_any_number_of_workers() -> None:
    X, y = IRIS
    models = [*FEW, RandomForestClassifier(2), Raising(ValueError("no"))]
    one, two = (compare(X, y, models=models, plan=KFold(2), tune=KFold(2), random_state=5, n_jobs=n) for n in (None, 2))
    assert line(one) == line(two) and one.failures == two.failures
    assert_array_equal(one.model.predict(X), two.model.predict(X))


def test_a_failing_candidate_is_listed_with_its_reason() -> None:
    board = compare(*IRIS, models={"bad": SVC(C=-1), "odd": Raising(RuntimeError("boom")), "LDA": "LDA"}, random_state=0)
    assert [entry.name for entry in board] == ["LDA", "majority class"]
    assert board.failures["odd"] == "RuntimeError: boom" and "'C' parameter of SVC" in board.failures["bad"]
    assert "No result for odd: RuntimeError: boom" in str(board)
    with pytest.raises(InputError, match="'odd' has no line: RuntimeError: boom"):
        board.fit("odd")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished(n_jobs: int) -> None:
    board = compare(*IRIS, models={"LDA": "LDA", "stop": Raising(KeyboardInterrupt()), "late": "QDA"}, random_state=0, n_jobs=n_jobs)
    assert {"LDA", "majority class"} <= {entry.name for entry in board} and "stop" in board.failures
    assert board.failures["stop"].startswith("interrupted after 0 of 10 folds")
    assert n_jobs > 1 or "late" in board.failures  # another process may have begun it
    assert "The run ended early: interrupted." in str(board)


def test_ctrl_c_before_anything_is_finished_is_raised(monkeypatch: Any) -> None:
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("separatrix.selection.cross_validation.answer", stop)
    with pytest.raises(KeyboardInterrupt):
        compare(*IRIS, models=["LDA"])


def test_a_budget_begins_no_fold_after_it_is_used_up() -> None:
    slow = make_pipeline(FunctionTransformer(_slow), LinearDiscriminantAnalysis())
    board = compare(*IRIS, models={"LDA": "LDA", "slow": slow, "never": "QDA"}, time_budget=0.5, plan=KFold(3), random_state=0)
    assert "LDA" in [entry.name for entry in board] and board.failures["never"] == "time budget of 0.5 s used up after 0 of 3 folds"


def _slow(X: Any) -> Any:
    import time

    time.sleep(0.2)
    return X


class Types(ClassifierMixin, BaseEstimator):
    """Remembers the types of the columns it has seen."""

    seen: ClassVar[set[str]] = set()

    def fit(self, X: Any, y: Any) -> Any:
        Types.seen |= {str(dtype) for dtype in X.dtypes}
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_a_frame_is_converted_once_for_models_that_read_numbers(rng: Any, monkeypatch: Any) -> None:
    A = rng.integers(0, 3, (90, 2))
    frame, y = pd.DataFrame({"count": A[:, 0], "switch": A[:, 1] > 0}), (A[:, 0] + rng.integers(0, 2, 90) > 1).astype(int)
    read: list[int] = []
    convert = frames.FrameSource.rows
    monkeypatch.setattr(frames.FrameSource, "rows", lambda self, a, b: read.append(len(set(self.native.dtypes))) or convert(self, a, b))
    models = ["multinomial naive Bayes", LinearDiscriminantAnalysis(), Types()]
    board = compare(frame, y, models=models, plan=KFold(3), random_state=0)
    assert read.count(2) <= 2 and len(read) > 20 and {"int64", "bool"} <= Types.seen
    same = compare(frame.to_numpy(float), y, models=models[:2], plan=KFold(3), random_state=0)
    assert [entry.value for entry in same] == [entry.value for entry in board if entry.name != "Types"]
    assert board.fit("multinomial naive Bayes").feature_names_in_.tolist() == ["count", "switch"]


def test_progress_names_model_and_fold() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        compare(*IRIS, models=FEW, plan=KFold(3), random_state=0)
    own = heard
    assert {event.task for event in heard} == {"compare"}
    assert (own[-1].done, own[-1].total, own[-1].finished) == (9, 9, True)
    assert "GaussianNB, fold 2" in [event.detail for event in own] and own[-2].remaining == 0.0


def test_the_1se_rule_takes_the_simplest_within_one_standard_error() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    models = ["nearest mean", "Fisher", "LDA", "QDA"]
    board = compare(X, y, models=models, plan=KFold(4), tune=KFold(2), random_state=0)
    near = [e for e in board if e.value <= board.best.value + board.best.standard_error]
    assert board.picked is min(near, key=lambda e: [*["majority class"], *models].index(e.name))
    assert board.best.standard_error == pytest.approx(np.sqrt(board.best.value * (1 - board.best.value) / 569))
    again = replace(board, rule="min")
    assert again.picked is again.best and again.best.name == board.best.name


def test_nothing_to_learn_is_said(rng: Any) -> None:
    X, y = rng.normal(size=(90, 3)), np.repeat([0, 1], [60, 30])
    board = compare(X, y, models=["LDA", "logistic L2"], random_state=0)
    assert not board.picked.is_baseline and "There may be nothing to learn: the majority class is not significantly worse" in str(board)


def test_ties_are_those_that_mcnemar_cannot_tell_apart() -> None:
    board = compare(*IRIS, models=["LDA", "Fisher", "nearest mean"], random_state=0)
    assert {entry.name for entry in board.ties} == {"LDA", "Fisher"} - {board.best.name}
    assert board["nearest mean"].difference.p < 0.05 and board.best.difference is None
    wrong = [entry.scored.repeats[0].codes != IRIS[1] for entry in (board["nearest mean"], board.best)]
    assert board["nearest mean"].difference.value == pytest.approx(wrong[0].mean() - wrong[1].mean())


def test_the_model_is_tuned_and_fitted_on_all_rows() -> None:
    X, y = IRIS
    grid = {"shrinkage": [0.9, 0.0]}
    board = compare(X, y, models=[(LinearDiscriminantAnalysis(), grid)], random_state=0)
    assert_allclose(board.model.predict_proba(X), LinearDiscriminantAnalysis(shrinkage=0.0).fit(X, y).predict_proba(X))
    assert board.fit("majority class").predict(X[:1]).tolist() == [0]
    assert pickle.loads(pickle.dumps(board)).best.name == board.best.name


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_frame_names_its_target(library: str) -> None:
    X, y = IRIS
    frame: Any = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["s", "ve", "vi"])[y])
    frame = pl.from_pandas(frame) if library == "polars" else pa.Table.from_pandas(frame) if library == "arrow" else frame
    how: Any = {"models": ["LDA", "QDA"], "plan": KFold(3), "tune": KFold(2), "random_state": 0}
    board, plain = compare(frame, target="kind", **how), compare(X, np.array(["s", "ve", "vi"])[y], **how)
    assert [(e.name, e.value) for e in board] == [(e.name, e.value) for e in plain] and not board.failures
    assert board.model.predict(frame.drop("kind", axis=1) if library == "pandas" else frame.drop(["kind"]))[0] == "s"


@pytest.mark.parametrize("metric", ["error", "log_loss", "brier", "auc", "balanced_accuracy", "f1_macro"])
@pytest.mark.parametrize("plan", [KFold(4), KFold(4, repeats=2), RandomSubsampling(0.2, 4), LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("K", [2, 3])
def test_every_metric_and_plan_has_values_and_order(metric: str, plan: Any, K: int) -> None:
    X, y = (part[IRIS[1] >= 3 - K] for part in IRIS)
    board = compare(X[::2], y[::2], models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=plan, metric=metric, random_state=0)
    values = [entry.value for entry in board]
    assert values == sorted(values, reverse=metric not in ("error", "log_loss", "brier")) and len(values) == 3
    expected = evaluate(GaussianNB(), X[::2], y[::2], plan=plan, metrics=metric, random_state=0).scores[metric]
    assert board["GaussianNB"].value == pytest.approx(expected)
    low, high = board["GaussianNB"].interval
    assert np.isnan(low) or low <= board["GaussianNB"].value <= high
    if not isinstance(plan, LeaveOneOut) or metric in ("error", "log_loss", "brier"):
        assert board["majority class"].difference.value > 0


def test_a_metric_that_needs_probabilities_lists_models_without() -> None:
    board = compare(*IRIS, models=[SVC(), "LDA", (SVC(), {"C": [1.0, 2.0]})], metric="auc", random_state=0)
    assert list(board.failures) == ["SVC", "SVC (2)"]
    assert "No result for SVC, SVC (2): Metric 'auc' needs probabilities, but there is no predict_proba; compare Calib" in str(board)


def test_groups_stay_together_in_the_inner_plan_too(rng: Any) -> None:
    """Rows come in identical pairs: a nearest neighbour would find the twin of a held-out row if groups were torn apart."""
    X, y, groups = np.repeat(rng.normal(size=(40, 3)), 2, axis=0), np.repeat(np.arange(40) % 2, 2), np.repeat(np.arange(40), 2)
    model = (KNeighborsClassifier(), {"n_neighbors": [15, 1]})
    apart = compare(X, y, models=[model], plan=KFold(4, random_state=0), tune=KFold(4), random_state=0)
    assert apart.best.value < 0.3 and {p["n_neighbors"] for p in apart.best.points} == {1}
    together = compare(X, y, models=[model], plan=KFold(4, grouped=True), groups=groups, random_state=0)
    assert together["KNeighborsClassifier"].value > 0.3


def test_warnings_of_fits_become_notes(rng: Any) -> None:
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    board = compare(np.hstack([X, X[:, :1]]), y, models=["LDA", "Fisher"], random_state=0)
    assert "no inverse" in board["LDA"].notes[0] and "LDA warned: The covariance has no inverse" in str(board)


def test_default_families_all_have_a_line() -> None:
    board = compare(*IRIS, plan=KFold(2), tune=KFold(2), random_state=0)
    assert len(board) == 13 and not board.failures and not board["averaged perceptron"].notes


def test_one_model_needs_no_list() -> None:
    assert compare(*IRIS, models=GaussianNB(), plan=KFold(2), random_state=0).best.name == "GaussianNB"


def test_a_table_as_people_have_it(real_data: Any) -> None:
    frame = pd.read_csv(real_data / "titanic" / "titanic_kaggle_train.csv")
    board = compare(frame, target="Survived", models=["mixed naive Bayes", LogisticRegression()], plan=3, random_state=0)
    assert not board.failures and board.best.value < 0.2


def test_fits_that_warn_alike_are_one_note() -> None:
    board = compare(*IRIS, models=[AveragedPerceptron(max_iter=2)], plan=KFold(4), random_state=0)
    assert len(board["AveragedPerceptron"].notes) == 1
    assert sum("AveragedPerceptron warned" in line and line.endswith("last epoch.") for line in board.remarks()) == 1


def test_select_k_best_inside_a_pipeline_is_tuned() -> None:
    model = make_pipeline(SelectKBest(), GaussianNB())
    board = compare(*IRIS, models=[(model, {"selectkbest__k": [1, 2, 4]})], plan=KFold(3), random_state=0)
    assert board.best.name == "SelectKBest + GaussianNB" and board.best.value < 0.1


FRAME = pd.DataFrame({"age": np.arange(40.0), "churn": np.arange(40) % 2})


@pytest.mark.parametrize(
    ("action", "kind", "message"),
    [
        (lambda X, y: compare(X, y, rule="1e"), InputError, "rule='1e' is not known; use one of '1se', 'min'. Did you mean '1se'?"),
        (lambda X, y: compare(X, y, models=[]), InputError, "models is empty"),
        (lambda X, y: compare(FRAME, target="chrn"), UnknownNameError, "Column 'chrn' is not in the table. Did you mean 'churn'?"),
        (lambda X, y: compare(FRAME, y, target="churn"), InputError, "Labels were given twice"),
        (lambda X, y: compare(X, target="churn"), InputTypeError, "X is a ndarray without column names"),
        (lambda X, y: compare(FRAME), InputError, "There are no labels: pass y, or name their column"),
        (lambda X, y: compare(FRAME[["churn"]].assign(city="Oslo"), target="churn"), InputError, "'city' left out: one value. Keep one"),
        (lambda X, y: compare(X, y, models=[Raising(ValueError("no"))]), InputError, "No model has a result. Raising: no"),
        (lambda X, y: compare(FRAME.assign(age=np.nan), target="churn"), InputError, "'age' left out: no value at all"),
        (lambda X, y: compare(X * np.nan, y), InputError, "contains NaN: first at row 0, column 0"),
        (lambda X, y: compare(X, np.zeros(150)), InputError, "one class, 0.0; there is nothing to tell apart"),
        (lambda X, y: compare(X, y, metric="eror"), InputError, "Metric 'eror' is not known. Did you mean 'error'"),
        (lambda X, y: compare(X, y, plan=Bootstrap()), InputError, "A bootstrap holds rows out unevenly"),
        (lambda X, y: compare(X, y, time_budget=0), InputError, "time_budget=0 must be a positive number of seconds"),
        (lambda X, y: compare(X[:54], y[:54]), InputError, "Class 1 has 4 rows, fewer than the 10 folds.*Use KFold\\(4\\)"),
        (lambda X, y: compare(X, y, models=["LDA"], random_state=0)["LDAA"], UnknownNameError, "not on the board. Did you mean 'LDA'"),
    ],
)
def test_bad_input_is_refused(action: Any, kind: type[SeparatrixError], message: str) -> None:
    with pytest.raises(kind, match=message):
        action(*IRIS)

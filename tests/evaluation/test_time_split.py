"""Stretches of time are held out by fits of the rows before them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import TimeSeriesSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import KFold, LinearDiscriminantAnalysis, LogisticRegression, TablePrep, TimeSplit, compare, evaluate, learning_curve
from separatrix.errors import InputError, UnknownNameError

N = 120


@pytest.fixture
def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Columns: a measurement, the time in any order, a measurement; the classes alternate in time."""
    X = rng.normal(size=(N, 3))
    X[:, 1] = rng.permutation(N)
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    return X, y


def test_the_first_stretch_is_trained_on_and_every_other_held_out_by_its_past(table: Any) -> None:
    X, _ = table
    splits = list(TimeSplit(1, n_splits=4).split(X))
    assert len(splits) == TimeSplit(1, n_splits=4).get_n_splits(X) == 4
    for train, held in splits:
        assert X[train, 1].max() < X[held, 1].min()
        assert len(train) == (X[:, 1] < X[held, 1].min()).sum()
    assert_array_equal(np.sort(X[np.concatenate([held for _, held in splits]), 1]), np.arange(24, N))


def test_rows_in_order_are_split_as_by_scikit_learn() -> None:
    X = np.zeros((26, 1))
    for (train, held), (a, b) in zip(TimeSplit(None, 3).split(X), TimeSeriesSplit(3).split(X), strict=True):
        assert_array_equal(train, a)
        assert_array_equal(held, b)
    for (train, held), (a, b) in zip(TimeSplit(None, 3, gap=2).split(X), TimeSeriesSplit(3, gap=2).split(X), strict=True):
        assert_array_equal(train, a)
        assert_array_equal(held, b)


def test_rows_of_one_time_stay_together(rng: np.random.Generator) -> None:
    times = np.repeat([1.0, 2.0, 3.0, 4.0], [50, 1, 2, 7])[:, None]
    stretches = [np.unique(times[held]).tolist() for _, held in TimeSplit(0, 3).split(times)]
    assert stretches == [[2.0], [3.0], [4.0]]


DATES = pd.date_range("2024-01-30", periods=12, freq="36h")


@pytest.mark.parametrize(
    "column",
    [
        DATES,
        DATES.date,
        DATES.strftime("%Y-%m-%d %H:%M"),
        DATES.tz_localize("UTC"),
        np.arange(12) * 1.5,
    ],
    ids=["datetime", "date", "text", "time zone", "number"],
)
def test_dates_of_any_form_have_the_same_order(column: Any) -> None:
    order = np.random.default_rng(0).permutation(12)
    frame = pd.DataFrame({"x": np.zeros(12), "when": column}).iloc[order]
    held = [np.sort(order[held]).tolist() for _, held in TimeSplit("when", 2, gap=3).split(frame)]
    assert held == [[4, 5, 6, 7], [8, 9, 10, 11]]
    trained = next(iter(TimeSplit("when", 2, gap=3).split(frame)))[0]
    assert order[trained].max() <= 2  # 3 days are two rows


def test_frames_of_every_kind_are_read() -> None:
    frame = pd.DataFrame({"when": DATES, "x": 0.0})
    for given in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert [len(held) for _, held in TimeSplit("when", 3).split(given)] == [3, 3, 3]


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LogisticRegression())], ids=["lda", "pipeline"]
)
def test_evaluate_equals_scikit_learn_on_the_same_splits(model: Any, table: Any) -> None:
    X, y = table
    found = evaluate(model, X, y, plan=TimeSplit(1))
    scores = cross_validate(model, X, y, cv=TimeSplit(1), scoring="accuracy")["test_score"]
    assert_allclose(found.per_fold["error"], 1 - scores, atol=1e-12)
    assert int(found.confusion.sum()) == N - N // 6


def test_compare_trains_and_tunes_on_the_past(table: Any) -> None:
    X, y = table
    plan = TimeSplit(1, 3)
    board = compare(X, y, models=[LinearDiscriminantAnalysis(), (LogisticRegression(), {"C": [0.01, 1.0]})], plan=plan)
    alone = evaluate(LinearDiscriminantAnalysis(), X, y, plan=plan)
    assert board["LinearDiscriminantAnalysis"].value == alone.error
    assert len(board["LogisticRegression"].points) == 3
    best = LogisticRegression(**board["LogisticRegression"].points[0])
    train, held = next(iter(plan.split(X)))
    wrong = best.fit(X[train], y[train]).predict(X[held]) != y[held]
    assert_allclose(board["LogisticRegression"].scored.per_fold[0], wrong.mean())
    assert board.fit("LogisticRegression").predict(X).shape == (N,)


def test_a_class_that_comes_late_is_an_error_for_tuned_models_too(table: Any) -> None:
    X, _ = table
    with pytest.raises(InputError, match=r"Split 0 of TimeSplit.* trains on no row of class True"):
        compare(X, X[:, 1] > 60, models=[(LogisticRegression(), {"C": [0.01, 1.0]})], plan=TimeSplit(1))


def test_a_model_that_learns_the_future_is_found_out(rng: np.random.Generator) -> None:
    # Classes drift: what held in the past turns round in the end, which rows held out at random do not show.
    time = np.arange(400.0)
    x = rng.normal(size=400)
    y = (np.where(time < 300, x, -x) > 0).astype(int)
    X = np.column_stack([x, time])
    past, mixed = (evaluate(LinearDiscriminantAnalysis(), X, y, plan=plan) for plan in (TimeSplit(1, 3), KFold(4)))
    assert past.per_fold["error"][-1] > 0.9 > 0.4 > mixed.error


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda X, y: evaluate(LogisticRegression(), X, y, plan=TimeSplit(7)), InputError, "There is no column 7: X has 3"),
        (lambda X, y: evaluate(LogisticRegression(), X, y, plan=TimeSplit("day")), TypeError, "'day' is a name, but X is a ndarray"),
        (
            lambda X, y: TimeSplit("dy").folds_in(pd.DataFrame({"day": [1.0]})),
            UnknownNameError,
            "'dy' is not in the table. Did you mean 'day'",
        ),
        (lambda X, y: TimeSplit(0, max_train_size=9), TypeError, "no argument 'max_train_size': all rows before a stretch are trained on"),
        (lambda X, y: TimeSplit(0, 0).folds_in(X), InputError, "n_splits=0 must be a whole number, at least 2"),
        (lambda X, y: TimeSplit(0, gap=-1).folds_in(X), InputError, "gap=-1 must be a number ≥ 0"),
        (lambda X, y: TimeSplit(0, gap=1e9).folds_in(X), InputError, "leaves no row to train on"),
        (lambda X, y: TimeSplit(0, 5).folds_in(X.round() % 2), InputError, "2 different times, too few to hold out 5"),
        (lambda X, y: TimeSplit("a", 2).folds_in(pd.DataFrame({"a": ["x", "y"]})), InputError, "holds no times, but values such as 'x'"),
        (lambda X, y: TimeSplit("a", 2).folds_in(pd.DataFrame({"a": [1, None]})), InputError, "no time in row 1"),
        (lambda X, y: learning_curve(LogisticRegression(), X, y, plan=TimeSplit(1)), InputError, "which evaluate and compare follow"),
        (
            lambda X, y: evaluate(LogisticRegression(), X, X[:, 1] > 60, plan=TimeSplit(1)),
            InputError,
            "Split 0 .* trains on no row of class",
        ),
    ],
)
def test_what_cannot_be_followed_is_said(table: Any, action: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        action(*table)


def test_posteriors_are_those_of_the_fit_of_the_past(table: Any) -> None:
    X, y = table
    found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=TimeSplit(1, 2))
    for train, held in TimeSplit(1, 2).split(X):
        assert_allclose(found.posteriors[held], LinearDiscriminantAnalysis().fit(X[train], y[train]).predict_proba(X[held]))
    assert np.isnan(found.posteriors[TimeSplit(1, 2).folds_in(X) == -1]).all()


def test_a_table_with_dates_and_text_is_prepared_by_the_past(rng: np.random.Generator) -> None:
    frame = pd.DataFrame(
        {"x": rng.normal(size=N), "city": rng.choice(["Oslo", "Rome"], N), "day": rng.permutation(pd.date_range("2024", periods=N))}
    )
    y = np.where(frame["x"] + rng.normal(size=N) > 0, "yes", "no")
    plan, table = TimeSplit("day", 3), frame.assign(churn=y)
    found = evaluate(LinearDiscriminantAnalysis(), table, target="churn", plan=plan)
    scores = cross_validate(make_pipeline(TablePrep(), LinearDiscriminantAnalysis()), frame, y, cv=plan, scoring="accuracy")["test_score"]
    assert_allclose(found.per_fold["error"], 1 - scores, atol=1e-12)
    board = compare(table, target="churn", models=[LinearDiscriminantAnalysis(), (LogisticRegression(), {"C": [0.1, 1.0]})], plan=plan)
    assert board["LinearDiscriminantAnalysis"].value == found.error
    assert len(board["LogisticRegression"].points) == 3

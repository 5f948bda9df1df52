"""Tables go in as they are: evaluate, compare and the others prepare their columns inside every training part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB as GaussianPeer
from sklearn.pipeline import make_pipeline

from separatrix import (
    Bootstrap,
    GaussianNB,
    Holdout,
    KFold,
    LeastSquaresClassifier,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    NearestMean,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    RandomSubsampling,
    Recipe,
    TableClassifier,
    TablePrep,
    compare,
    evaluate,
    learning_curve,
    permutation_test,
)
from separatrix.errors import DataWarning, InputError, SingularWarning
from separatrix.prepare.table_columns import TableColumns
from tests.prepare.tables import customers

MODELS = [
    LogisticRegression(),
    LinearDiscriminantAnalysis(shrinkage=0.1),
    LinearSVC(),
    GaussianNB(),
    QuadraticDiscriminantAnalysis(shrinkage=0.1),
    NearestMean(),
    OneVsRest(LeastSquaresClassifier()),
    GaussianPeer(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_evaluation_is_that_of_a_pipeline_on_the_same_folds(model: Any) -> None:
    table = customers()
    X, y = table.drop(columns="churn"), table.churn.to_numpy()
    folds = StratifiedKFold(5)
    found = evaluate(model, table, target="churn", plan=folds)
    pipeline = make_pipeline(TablePrep(), model)
    theirs = cross_val_predict(pipeline, X, y, cv=folds)
    np.testing.assert_array_equal(found.confusion, confusion_matrix(y, theirs))
    if found.posteriors is not None:
        theirs = cross_val_predict(pipeline, X, y, cv=folds, method="predict_proba")
        np.testing.assert_allclose(found.posteriors, theirs, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("plan", [KFold(5), Holdout(0.3), RandomSubsampling(0.3, 8)], ids=lambda plan: type(plan).__name__)
def test_noise_is_no_better_than_chance_in_any_plan(plan: Any) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"town": rng.choice([f"t{i}" for i in range(1000)], 2000), "y": rng.choice(["no", "yes"], 2000)})
    found = evaluate(LogisticRegression(), table, target="y", plan=plan, metrics="auc", random_state=0)
    low, high = found.intervals["auc"]
    # Two rows of a town in different folds tell each other's label: their errors are one error, and variances up to twice as large.
    assert abs(found.scores["auc"] - 0.5) <= 2**0.5 * (high - low) / 2.0


def test_copies_of_a_row_in_a_bootstrap_do_not_tell_each_other_their_label() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"town": rng.choice([f"t{i}" for i in range(500)], 1000), "y": rng.choice(["no", "yes"], 1000)})
    found = evaluate(LogisticRegression(), table, target="y", plan=Bootstrap(10), random_state=0)
    assert abs(found.error - 0.5) < 0.06


def test_the_error_on_training_rows_is_that_of_the_rows_as_they_were_trained_on() -> None:
    # Shares that count a row's own label tell it, for better or, with a coefficient below 0, for worse: errors of .2 and .8 on noise.
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"town": rng.choice([f"t{i}" for i in range(500)], 800), "y": rng.choice(["no", "yes"], 800)})
    for plan in (Bootstrap(5), KFold(3)):
        found = evaluate(LogisticRegression(), table, target="y", plan=plan, random_state=0)
        assert abs(found.training_error - 0.5) < 0.07 and abs(found.error - 0.5) < 0.07
    curve = learning_curve(LogisticRegression(), table, target="y", sizes=[500], random_state=0)
    assert abs(curve.training[0] - 0.5) < 0.07


def test_leave_one_out_holds_a_preparation_that_saw_no_labels_and_refuses_another() -> None:
    table = customers(150)
    found = evaluate(LinearDiscriminantAnalysis(), table.drop(columns="town"), target="churn", plan=LeaveOneOut())
    assert found.method == "exact algebra"
    with pytest.raises(InputError, match="column 'town' has so many levels that it is prepared by the labels"):
        evaluate(LinearDiscriminantAnalysis(), table, target="churn", plan=LeaveOneOut())


def test_learning_curves_and_permutations_take_tables() -> None:
    table = customers(300)
    curve = learning_curve(LogisticRegression(), table, target="churn", sizes=[100, 200], random_state=0)
    assert curve.method == "refits"
    few = table.drop(columns="town")
    assert permutation_test(LinearDiscriminantAnalysis(), few, target="churn", n_permutations=99, random_state=0).method == "exact algebra"
    assert permutation_test(LinearDiscriminantAnalysis(), table, target="churn", n_permutations=5, random_state=0).method == "refits"


def test_the_recipe_of_a_comparison_is_the_one_asked_for() -> None:
    prep = TablePrep(keep=["customerID"], drop=["town"])
    board = compare(customers(200), target="churn", models=["nearest mean"], prep=prep, plan=KFold(2), random_state=0)
    kinds = {step.column: step.kind for step in board.recipe.steps}
    assert (kinds["customerID"], kinds["town"]) == ("levels", "drop")
    assert "SPX001" not in {alert.code for alert in board.alerts}


def test_compare_takes_a_table_and_returns_one_estimator() -> None:
    table = customers(300)
    board = compare(table, target="churn", models=["LDA", "logistic L2", LogisticRegression(C=0.1)], plan=KFold(3), random_state=0)
    assert {entry.name for entry in board} == {"LDA", "logistic L2", "LogisticRegression", "majority class"}
    model = board.model
    assert isinstance(model, TableClassifier)
    assert model.target == "churn"
    assert set(model.predict(table)) <= {"no", "yes"}
    assert model.predict_proba(table.drop(columns="churn").head(3)).shape == (3, 2)
    restored = TableClassifier.restore(model.state())
    np.testing.assert_array_equal(restored.predict_proba(table), model.predict_proba(table))


def test_all_families_of_a_table_and_a_reference_that_is_never_picked() -> None:
    board = compare(customers(200), target="churn", plan=KFold(2), tune=KFold(2), random_state=0)
    names = [entry.name for entry in board]
    assert {"mixed naive Bayes", "logistic with curves", "gradient boosting (reference)", "majority class"} <= set(names)
    assert not board.failures
    assert board.best.name != "gradient boosting (reference)"
    assert "stands outside the contest" in str(board)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.linspace(0, 1, 200), "Unknown label type: continuous|was regression meant"),
        (np.arange(200), "was regression meant"),
        ([f"label {i}" for i in range(200)], "hardly one can be learned"),
        (["same"] * 200, "holds one class, 'same'"),
        ([None] * 200, "No row has a label"),
    ],
)
def test_targets_that_are_none(labels: Any, message: str) -> None:
    table = customers(200).drop(columns="churn").assign(churn=labels)
    with pytest.raises(InputError, match=message):
        compare(table, target="churn")


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    table = customers(200)
    table.loc[:9, "churn"] = None
    groups = np.arange(200) // 4
    with pytest.warns(DataWarning, match="SPX019 10 of 200 rows have no label in column 'churn'"):
        found = evaluate(LogisticRegression(), table, target="churn", plan=KFold(3, grouped=True), groups=groups)
    assert len(found.posteriors) == 190


def test_row_numbers_of_a_plan_are_those_of_the_rows_that_are_left() -> None:
    table = customers(200)
    table.loc[:9, "churn"] = None
    plan = [(np.arange(100), np.arange(100, 150))]
    with pytest.warns(DataWarning, match="SPX019"), pytest.raises(InputError, match="drop these rows before"):
        evaluate(LogisticRegression(), table, target="churn", plan=plan)
    with pytest.warns(DataWarning, match="SPX019"), pytest.raises(InputError, match="must have one value for each row"):
        evaluate(LogisticRegression(), table, target="churn", sample_weight=np.ones(3))


def test_states_of_every_preparation_come_back() -> None:
    table = customers(200)
    for model in (TableClassifier(MixedNB(missing="ignore"), prep=TableColumns()), TableClassifier(prep=TablePrep(), standardise=True)):
        fitted = model.fit(table.drop(columns=["churn", "town", "since"]), table.churn)
        again = TableClassifier.restore(fitted.state())
        np.testing.assert_array_equal(again.predict_proba(table), fitted.predict_proba(table))


def test_weights_reach_the_preparation_too() -> None:
    table = customers(200).drop(columns=["town", "customerID"])
    weight = np.random.default_rng(0).integers(1, 3, 200).astype(float)
    X, y = table.drop(columns="churn"), table.churn
    one = TableClassifier(LogisticRegression()).fit(X, y, sample_weight=weight)
    twice = np.repeat(np.arange(200), weight.astype(int))
    two = TableClassifier(LogisticRegression()).fit(X.iloc[twice], y.iloc[twice])
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-6)


def test_a_comparison_prepares_by_a_plan() -> None:
    table = customers(200)
    plan = Recipe.plan(table, target="churn").drop("town", "remark").with_kind("visits", "category")
    board = compare(table, target="churn", models=["LDA", NearestMean()], prep=plan, plan=KFold(2), random_state=0)
    names = board.model.recipe_.names
    assert any(name.startswith("visits = ") for name in names) and not any(name.startswith("town") for name in names)
    with pytest.raises(TypeError, match="prep is a str"):
        compare(table, target="churn", prep="auto")
    with pytest.raises(InputError, match="X is none: pass a frame"):
        compare(np.eye(4), [0, 1, 0, 1], prep=TablePrep())


def test_columns_that_determine_each_other_are_named_as_the_recipe_says_them() -> None:
    table = customers(120).drop(columns="town").assign(twice=lambda own: 2.0 * own.visits)
    named = r"column 'visits', column 'twice'"
    with pytest.warns(SingularWarning, match=named):
        TableClassifier(QuadraticDiscriminantAnalysis(), target="churn", standardise=True).fit(table)
    with pytest.warns(SingularWarning, match=named):
        evaluate(LinearDiscriminantAnalysis(), table, target="churn", plan=KFold(2))
    board = compare(table, target="churn", models=["shrinkage LDA"], plan=KFold(2), random_state=0)
    assert "column 'visits', column 'twice'" in str(board)


def test_a_time_budget_that_is_over_at_once_is_said() -> None:
    with pytest.raises(InputError, match="time_budget was over before any model had a result"):
        compare(customers(60), target="churn", models=["LDA"], plan=KFold(2), time_budget=1e-9)


def test_a_row_of_weight_two_stands_there_twice() -> None:
    table, weight = customers(120).drop(columns=["town", "customerID"]), np.arange(120) % 3
    again = table.loc[table.index.repeat(weight)]
    model = TableClassifier(target="churn", standardise=True)
    found, expected = model.fit(table, sample_weight=weight).predict_proba(table), model.fit(again).predict_proba(table)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("ask", [lambda m: m.summary(), lambda m: m.recipe_, lambda m: m.predict([[1.0]]), lambda m: m.state()])
def test_a_missing_fit_is_said(ask: Any) -> None:
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        ask(TableClassifier())

"""Selections of the columns of a table as people have it: text, gaps and dates, each column with all that it becomes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB as PeerBayes
from sklearn.pipeline import make_pipeline

from separatrix import (
    BackwardSelection,
    CorrelationFilter,
    ForwardSelection,
    GaussianNB,
    KFold,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    QuadraticDiscriminantAnalysis,
    StabilitySelection,
    TableClassifier,
    TablePrep,
    compare,
    evaluate,
)
from separatrix.errors import InputError, SelectionWarning, UnknownNameError
from tests.prepare.tables import customers

TABLE = customers(240).drop(columns="town")
X, Y = TABLE.drop(columns="churn"), TABLE.churn.to_numpy()
USED = ["age", "plan", "spent", "since", "visits", "remark"]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
ONCE = [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(pooling=0.5), LogisticRegression(), GaussianNB(var_smoothing=0.01)]
INSIDE = [LinearDiscriminantAnalysis(shrinkage=0.2), PeerBayes(), TableClassifier(LogisticRegression()), MixedNB(missing="ignore")]


def by_brute_force(model: Any, rows: Any) -> float:
    found = []
    for train, test in FOLDS.split(X, Y):
        part = (lambda i: rows.iloc[i]) if hasattr(rows, "iloc") else (lambda i: rows[i])
        fitted = clone(model).fit(part(train), Y[train])
        found.append(log_loss(Y[test], fitted.predict_proba(part(test)), labels=fitted.classes_))
    return float(np.mean(found))


@pytest.mark.parametrize("search", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("model", ONCE, ids=lambda own: type(own).__name__)
def test_one_matrix_moves_all_that_a_column_became(search: Any, model: Any) -> None:
    prep = TablePrep(sparse_output=False).fit(X)
    Z = prep.transform(X)
    found = search(model, 3, metric="log_loss", plan=FOLDS, exhaustive=True).fit(X, Y)
    sets = [move.groups for move in found.history_ if move.groups]
    assert found.skipped_ == {"customerID": "is left out: looks like an identifier", "country": "is left out: one value"}
    for move, names in zip([move for move in found.history_ if move.groups], sets, strict=True):
        columns = [j for j, output in enumerate(prep.recipe_.outputs) if output.column in names]
        assert move.score == pytest.approx(by_brute_force(model, Z[:, columns]), rel=1e-4)
    assert len(found.get_feature_names_out()) == 3 == found.get_support().sum()


@pytest.mark.parametrize("search", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("model", INSIDE, ids=lambda own: type(own).__name__)
def test_refits_learn_the_recipe_inside_every_training_part(search: Any, model: Any) -> None:
    table = X[["age", "plan", "visits", "remark"]]
    found = search(model, 2, metric="log_loss", plan=FOLDS).fit(table, Y)
    own = model if isinstance(model, TableClassifier | MixedNB) else make_pipeline(TablePrep(), model)
    assert found.method_ == "refits"
    for move in [move for move in found.history_ if move.groups]:
        assert move.score == pytest.approx(by_brute_force(own, table[[name for name in table if name in move.groups]]), rel=1e-6)


def test_columns_prepared_by_the_labels_are_refitted_or_refused() -> None:
    table = customers(240)[["age", "plan", "town"]]
    found = ForwardSelection(LinearDiscriminantAnalysis(), 1, metric="log_loss", plan=FOLDS).fit(table, Y)
    assert found.method_ == "refits"
    own = make_pipeline(TablePrep(), LinearDiscriminantAnalysis())
    assert found.path_[0]["town"] == pytest.approx(by_brute_force(own, table[["town"]]), rel=1e-6)
    with pytest.raises(InputError, match="column 'town' has so many levels that it is prepared by the labels.*exclude=\\['town'\\]"):
        ForwardSelection(LogisticRegression(C=np.inf), metric="bic").fit(table, Y)
    assert (
        "town" not in ForwardSelection(LogisticRegression(C=np.inf), metric="bic", exclude=["town"]).fit(table, Y).get_feature_names_out()
    )


@pytest.mark.parametrize("metric", ["aic", "bic"])
def test_criteria_count_the_parameters_of_all_levels(metric: str) -> None:
    found = BackwardSelection(LogisticRegression(C=np.inf), metric=metric).fit(X, Y)
    Z = TablePrep(sparse_output=False).fit_transform(X)
    whole = LogisticRegression(C=np.inf).fit(Z, Y)
    assert found.history_.moves[0].score == pytest.approx(getattr(whole, metric)(Z, Y), rel=1e-6)
    out = next(move for move in found.history_ if move.name == "remark")
    assert out.test is not None and out.test[1] == 3


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(pooling=0.5)], ids=lambda own: type(own).__name__
)
def test_columns_that_share_their_gaps_or_levels_are_not_held_back(model: Any, rng: Any) -> None:
    y, gap = np.arange(120) % 2, rng.random(120) < 0.1
    town = rng.choice(["Oslo", "Bergen", "Rome", "Turin"], 120)
    table = pd.DataFrame({name: np.where(gap, np.nan, rng.normal(size=120) + y) for name in "abc"})
    both = ForwardSelection(model, metric="log_loss", plan=FOLDS).fit(table, y)
    assert both.skipped_ == {} and both.method_ == "exact algebra" and both.history_.moves[-1].size == 3
    nested = table[["a"]].assign(town=town, country=np.where(np.isin(town, ["Oslo", "Bergen"]), "Norway", "Italy"))
    assert ForwardSelection(model, metric="log_loss", plan=FOLDS).fit(nested, y).history_.moves[-1].size == 3


def test_names_supports_groups_and_frames_are_those_of_the_table() -> None:
    found = ForwardSelection(
        LogisticRegression(), 2, include=["visits"], column_groups={"who": ["age", "plan"]}, plan=KFold(3, random_state=0)
    ).fit(X, Y)
    assert found.feature_names_in_.tolist() == list(X.columns) and found.get_support().shape == (len(X.columns),)
    kept = found.transform(X[X.columns[::-1]])
    assert isinstance(kept, pd.DataFrame) and list(kept.columns) == found.get_feature_names_out().tolist() and kept.index.equals(X.index)
    with pytest.raises(UnknownNameError, match="Column 'visits', which was kept, is not in the table"):
        found.transform(X.drop(columns="visits"))
    with pytest.raises(InputError, match="fitted on a table with text, gaps or dates"):
        found.transform(np.zeros((3, 8)))
    with pytest.raises(InputError, match="include names 'customerID', which is left out: looks like an identifier"):
        ForwardSelection(LogisticRegression(), include=["customerID"]).fit(X, Y)
    again = ForwardSelection(
        LogisticRegression(), 3, include=["visits"], column_groups={"who": ["age", "plan"]}, plan=KFold(3, random_state=0), start=found
    )
    assert len(again.fit(X, Y).history_) > len(found.history_)


def test_frames_of_other_libraries_and_weights() -> None:
    pl = pytest.importorskip("polars")
    few, weight = X[["age", "plan", "visits"]], 1.0 + np.arange(240) % 3
    ours, theirs = (
        ForwardSelection(LogisticRegression(), 2, plan=KFold(3, random_state=0)).fit(table, Y, weight)
        for table in (few, pl.from_pandas(few))
    )
    assert ours.history_["score"] == theirs.history_["score"] and isinstance(theirs.transform(pl.from_pandas(few)), pl.DataFrame)
    inside = ForwardSelection(LinearDiscriminantAnalysis(shrinkage=0.1), 1, plan=KFold(3, random_state=0)).fit(few, Y, weight)
    assert inside.method_ == "refits" and inside.n_features_ == 1


def test_a_selection_of_columns_stands_before_a_classifier_of_tables() -> None:
    model = make_pipeline(ForwardSelection(LogisticRegression(), 2, plan=KFold(3, random_state=0)), TableClassifier(LogisticRegression()))
    assert model.fit(X, Y).predict(X).shape == (240,)
    assert evaluate(model, TABLE, target="churn", plan=KFold(3, random_state=0)).method == "refits"


@pytest.mark.parametrize("selector", [CorrelationFilter(k=3), SelectKBest(k=3)], ids=lambda own: type(own).__name__)
def test_stability_prepares_every_subsample_for_selectors_of_numbers(selector: Any) -> None:
    found = StabilitySelection(selector, n_subsamples=6, random_state=0).fit(X, Y)
    rng, frequency = np.random.RandomState(0), np.zeros(len(X.columns))
    classes = [np.flatnonzero(k == Y) for k in np.unique(Y)]
    for _ in range(6):
        rows = np.sort(np.concatenate([rng.choice(own, round(len(own) / 2), replace=False) for own in classes]))
        prep = TablePrep(sparse_output=False)
        chosen = clone(selector).fit(prep.fit_transform(X.iloc[rows], Y[rows]), Y[rows]).get_support(indices=True)
        frequency += np.isin(X.columns, [prep.recipe_.outputs[j].column for j in chosen])
    assert_allclose(found.frequencies_, frequency / 6)
    assert list(found.transform(X).columns) == found.get_feature_names_out().tolist()


def test_stability_of_a_search_of_tables_and_a_column_that_does_not_vary_in_a_part() -> None:
    found = StabilitySelection(
        ForwardSelection(LinearDiscriminantAnalysis(), 2, plan=KFold(3, random_state=0)), n_subsamples=5, random_state=0
    ).fit(X, Y)
    assert found.frequencies_.shape == (len(X.columns),) and found.frequencies_[list(X.columns).index("customerID")] == 0
    rare = X[["plan"]].assign(odd=np.where(np.arange(240) < 3, "x", "y"))
    plan = [(np.arange(10, 240), np.arange(10)), (np.arange(200), np.arange(200, 240))]
    assert np.isfinite(ForwardSelection(PeerBayes(), plan=plan, metric="log_loss").fit(rare, Y).path_[0]["odd"])


@pytest.mark.parametrize("table", [X, X[["age", "visits"]].assign(n=np.arange(240) % 7)], ids=["text", "gaps"])
def test_a_selection_from_a_table_is_told_when_its_columns_are_judged_by_the_same_rows(table: Any) -> None:
    found = ForwardSelection(LinearDiscriminantAnalysis(), 2, plan=KFold(3, random_state=0)).fit(table, Y)
    kept = found.transform(table)
    with pytest.warns(SelectionWarning, match="ForwardSelection picked these 2 columns out of"):
        evaluate(LogisticRegression(), kept, Y, plan=KFold(3, random_state=0))
    with pytest.warns(SelectionWarning, match="its p-values are too small"):
        TableClassifier(LogisticRegression(C=np.inf)).fit(kept, Y).summary(kept, Y)
    evaluate(LogisticRegression(), table.iloc[:200, :2], Y[:200], plan=KFold(3, random_state=0))  # other rows and columns


def test_wishes_hold_for_models_that_read_columns_as_they_are() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=120), "leak": ["a", "b"] * 60, "y": ["no", "yes"] * 60})
    board = compare(table, target="y", models=["mixed naive Bayes", "LDA"], prep=TablePrep(drop=["leak"]), plan=KFold(3), random_state=0)
    assert board["mixed naive Bayes"].value > 0.3  # the column that tells the classes is not looked at
    assert board.predict(table[["age"]]).shape == (120,)

"""Explanations of tables that a recipe prepares: source columns, levels and gaps, for every family that compare takes for a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    Decision,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    TableClassifier,
    TablePrep,
    contributions,
    explain,
)
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputTypeError
from separatrix.selection.table_families import REFERENCE, table_families
from tests.prepare.tables import customers

TABLE = customers(240).drop(columns="remark")
TABLE["vip"] = (TABLE.visits > 2).astype(int)
X, TWO = TABLE.drop(columns="churn"), TABLE.churn.to_numpy()
THREE = np.where(TABLE.age.fillna(45) < 38, "young", TWO)
LABELS = pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
FAMILIES = {
    name: own.at(own.grid[0]) if own.grid else own.model for name, own in table_families(whole_table(X)).items() if name != REFERENCE
}
EXPLAINED = FAMILIES | {
    "pipeline": make_pipeline(TablePrep(), StandardScaler(), PeerLogistic(max_iter=1000)),
    "naive Bayes of numbers": make_pipeline(TablePrep(), GaussianNB(var_smoothing=0.1)),
    "all sorts": make_pipeline(
        TablePrep(
            shapes={"age": "spline", "visits": "bins"}, interactions=[("plan", "vip")], units={"spent": ("$", 100)}, many_levels="hash"
        ),
        LinearDiscriminantAnalysis(shrinkage=0.1),
    ),
}
CASES = pytest.mark.parametrize("name", EXPLAINED)


def fitted(name: str, y: Any) -> TableClassifier:
    return TableClassifier.of(EXPLAINED[name].fit(X, y))


def scores_of(model: Any, table: Any) -> Any:
    """Return f_1 − f_0 of each row, up to a constant."""
    if hasattr(model.estimator_, "decision_function") and not hasattr(model.estimator_, "predict_log_proba"):
        scores = model.decision_function(table)
    else:
        scores = model.predict_log_proba(table)
    return scores if scores.ndim == 1 else scores[:, 1] - scores[:, 0]


@CASES
@LABELS
def test_columns_of_the_table_add_up_to_the_difference_of_scores(name: str, y: Any) -> None:
    model = fitted(name, y)
    found = contributions(model, X, of=model.classes_[1], against=model.classes_[0])
    base = scores_of(model, X) - np.asarray(found.sum(axis=1)).ravel()
    assert_allclose(base, base[0], rtol=1e-7, atol=1e-7)


@CASES
@LABELS
def test_a_row_is_explained_in_the_columns_of_the_table_and_flips_are_real(name: str, y: Any) -> None:
    model = fitted(name, y)
    for row in (0, 3, 20):
        why: Any = model.explain(TABLE, row, fixed=[] if "Bayes" in name or name == "QDA" else ["since"])
        assert why.predicted == model.predict(X)[row] and why.score == pytest.approx(why.base + why.contributions.sum())
        assert {"age", "plan", "spent", "since", "visits"} <= set(why.names) and "customerID" not in why.tables["contributions"]["column"]
        assert why.levels["contribution"] == sorted(why.levels["contribution"], key=lambda size: -abs(size))
        assert sum(why.levels["contribution"]) == pytest.approx(why.contributions.sum())
        if why.flip is not None and why.flip.found:
            moved = {c: v for c, v, d in zip(why.names, why.flip.point, why.flip.change, strict=True) if d != 0}
            assert moved and model.predict(X.iloc[[row]].assign(**moved))[0] == why.flip.label != why.predicted


@pytest.mark.parametrize("name", ["LDA", "mixed naive Bayes", "QDA", "logistic L2"])
def test_columns_in_another_order_and_beside_the_target_say_the_same(name: str) -> None:
    model = fitted(name, TWO)
    model.target = "churn"
    why, again = (explain(model, table, 4) for table in (X, TABLE[TABLE.columns[::-1]]))
    assert str(again) == str(why) and again.values.tolist() == why.values.tolist()
    decided = model.with_decision(Decision(costs=[[0, 1], [5, 0]]))
    assert "The decision" in explain(decided, X, 4).text and explain(decided, X, 4).names == why.names


def test_gaps_are_said_and_stay_and_columns_of_zero_and_one_move_as_levels() -> None:
    model = TableClassifier(LogisticRegression(C=100.0)).fit(X[["age", "plan", "spent", "vip"]], np.where(X.vip == 1, "a", "b"))
    gap, blank = int(np.flatnonzero(X.age.isna())[0]), 20
    why: Any = explain(model, X, gap)
    shown = dict(zip(why.tables["contributions"]["column"], why.tables["contributions"]["value"], strict=True))
    assert (
        shown["age"] == "missing" and "because their values are missing: age" in why.text and why.flip.change[why.names.index("age")] == 0
    )
    assert explain(model, X, blank).values[why.names.index("spent")] is None
    only: Any = explain(model, X, 1, change=["vip"])
    assert only.flip.found and only.flip.point[why.names.index("vip")] == 1 - X.vip[1] and f"vip to {1 - X.vip[1]}" in only.text
    near: Any = explain(model, X, 1, change=["age"])  # which tells nothing
    assert not near.flip.found and X.age.min() <= near.flip.point[why.names.index("age")] <= X.age.max()
    assert "bounds={'age': (None, None)} lets one go further" in near.text
    assert explain(model, X, 1, change=["age"], bounds={"age": (None, None)}).flip.found


def test_levels_that_another_column_tells_are_not_moved_alone() -> None:
    net = np.array(["off", "slow", "fast"] * 40)
    table = pd.DataFrame({"net": net, "tv": np.where(net == "off", "off", np.resize(["yes", "no"], 120)), "age": np.arange(120.0) % 37})
    model = TableClassifier(LogisticRegression()).fit(table, np.where((table.tv == "yes") | (net == "off"), 1, 0))
    why: Any = explain(model, table, 0)
    assert "because another column tells their levels: tv" in why.text and why.flip.point[1] == "off"
    assert explain(model, table, 1).flip.found


def test_numbers_are_explained_in_their_own_units_whatever_a_coefficient_is_for() -> None:
    few = X[["visits", "age", "plan"]]
    plain, scaled = (
        TableClassifier(LogisticRegression(C=np.inf), prep=TablePrep(units=units)).fit(few, TWO)
        for units in ({}, {"visits": ("times", 10)})
    )
    one, two = (explain(model, few, 7, change=["visits"], bounds={"visits": (-1e9, 1e9)}) for model in (plain, scaled))
    assert_allclose(two.flip.point[0], one.flip.point[0], rtol=1e-4)  # of two fits, each to its tolerance
    assert "visits (times)" in explain(scaled, few).names and "visits (per 10 times)" in scaled.recipe_.names


def test_the_model_is_explained_by_column_and_by_level() -> None:
    table = customers(300)
    table["remark"] = [" ".join(np.random.default_rng(i).choice(["late", "good", "box", "call", "again", "price"], 6)) for i in range(300)]
    model = TableClassifier(LogisticRegression(), target="churn").fit(table)
    why: Any = explain(model, table)
    assert "What LogisticRegression has learned" in why.text and "plan = pro" in why.coefficients["coefficient"]
    assert {"age", "plan", "remark", "town"} <= set(why.columns["column"]) and "customerID" not in why.columns["column"]
    assert "remark: late" in why.coefficients["coefficient"] and sp.issparse(contributions(model, table))  # words are many
    few = TableClassifier(LogisticRegression()).fit(X[["plan", "age"]], TWO)
    assert "·[plan = pro]" in explain(few, X[["plan", "age"]]).boundaries[0]


def test_what_does_not_add_up_is_refused_by_name() -> None:
    boosted = TableClassifier.of(table_families(whole_table(X))[REFERENCE].model.fit(X, TWO))
    with pytest.raises(InputTypeError, match="HistGradientBoostingClassifier reads the table's columns in a way that does not add up"):
        boosted.explain(X, 0)


@pytest.mark.parametrize("decided", [False, True])
def test_refits_compare_levels_with_the_same_ones(decided: bool) -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"side": np.resize(["left", "right"], 80), "age": rng.normal(size=80)})
    y = np.where((table.side == "left") * 4.0 + rng.logistic(size=80) > 2.0, "yes", "no")
    model: Any = TableClassifier(LogisticRegression()).fit(table, y)
    why: Any = explain(model.with_decision(Decision()) if decided else model, table, y=y, folds=8, resamples=30)
    row = why.coefficients.row(next(name for name in why.names if name.startswith("side = ")))
    assert row["same sign"] == "8 of 8" and row["lower 95 %"] * row["upper 95 %"] > 0  # half of the resamples have more of the other side

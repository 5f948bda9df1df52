"""Recipes: what is done with each column, as a value that can be written, read, edited and applied to any rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from separatrix import Recipe, TableClassifier, TablePrep
from separatrix.errors import DataWarning, InputError
from tests.prepare.tables import customers


def dense(X: object) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def test_a_plan_says_what_is_done_with_each_column() -> None:
    recipe = Recipe.plan(customers(), target="churn")
    kinds = {step.column: step.kind for step in recipe.steps}
    assert kinds == {
        "customerID": "drop",
        "age": "number",
        "plan": "category",
        "spent": "number",
        "since": "date",
        "town": "levels",
        "visits": "number",
        "country": "drop",
        "remark": "category",
    }
    assert [alert.code for alert in recipe.alerts] == ["SPX001", "SPX017", "SPX002"]
    assert "plan = pro" in recipe.names
    assert "age missing" in recipe.names


def test_json_is_read_back_as_the_same_recipe() -> None:
    table = customers()
    table["note"] = table.remark + " " + table.town
    prep = TablePrep(
        shapes="auto",
        kinds={"note": "text hash", "customerID": "hash"},
        interactions=[("age", "plan")],
        orders={"remark": sorted(set(table.remark))},
    )
    X = prep.fit(table.drop(columns="churn"), table.churn).transform(table)
    again = Recipe.from_json(prep.recipe_.to_json())
    np.testing.assert_array_equal(dense(again.transform(table)), dense(X))
    assert again.names == prep.recipe_.names
    assert again.to_json() == prep.recipe_.to_json()
    assert again == prep.recipe_ and hash(again) == hash(prep.recipe_)
    assert again != Recipe.plan(table, target="churn")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(separatrix_recipe=9), "no recipe of version 1: it says 9"),
        (lambda r: r.update(extra=1), "has 'extra', which is not known"),
        (lambda r: r["columns"][1].update(kind="magic"), "must have a kind, one of category, date"),
        (lambda r: r["columns"][1].update(fill="much"), "'fill', must be of type float"),
        (lambda r: r["columns"][1].pop("column"), "lacks 'column'"),
        (lambda r: r["columns"][1].update(shape="wavy"), "must be one of 'line', 'spline'"),
        (lambda r: r["columns"][1].update(knots=[3, 1]), "knots must rise"),
        (lambda r: r["columns"][2].update(levels=["pro", "pro"]), "a level stands there twice"),
        (lambda r: r["columns"].append(r["columns"][1]), "has column 'age' twice"),
        (lambda r: r.update(interactions=[["age", "moon"]]), "name a column that it does not have"),
        (lambda r: r["columns"][5].update(counts=[[1.0]]), "counts must be of shape"),
        (lambda r: r["columns"][5].update(totals=[[-1.0]]), "none of them negative"),
        (lambda r: r["columns"][5].update(classes=["a", "b"]), "not those of the recipe"),
        (lambda r: r["columns"][1].update(flat=True, shape="spline", knots=[1.0, 2.0, 3.0]), "has no shape"),
        (lambda r: r["columns"][1].update(fill=10**400), "an integer of about 401 digits"),
        (lambda r: r["columns"][4].update(written={"format": "%c%x"}), "the format must be one of"),
        (lambda r: r["columns"][4].update(fill=1e12), "must be days since 1970"),
    ],
)
def test_a_recipe_from_outside_is_checked(change: object, message: str) -> None:
    table = customers()
    prep = TablePrep().fit(table.drop(columns="churn"), table.churn)
    plain = json.loads(prep.recipe_.to_json())
    change(plain)  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        Recipe.from_json(json.dumps(plain))


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", '{"separatrix_recipe": NaN}', '{"a": 1, "a": 2}', "[" * 100_000])
def test_what_is_no_recipe_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="recipe"):
        Recipe.from_json(text)


def test_a_plan_is_edited_by_name() -> None:
    plan = Recipe.plan(customers(), target="churn")
    edited = plan.with_kind("visits", "category").keep("customerID").drop("remark").with_shape("age", "spline").with_unit("spent", "$", 100)
    kinds = {step.column: step.kind for step in edited.steps}
    assert (kinds["visits"], kinds["customerID"], kinds["remark"]) == ("category", "levels", "drop")
    assert {"age curve 1", "spent (per 100 $)"} <= set(edited.names)
    assert plan.with_reference("plan", "pro").names.count("plan = basic") == 1
    with pytest.raises(InputError, match="Column 'agee' is not in the table. Did you mean 'age'"):
        plan.with_kind("agee", "number")
    with pytest.raises(InputError, match="was read from JSON"):
        Recipe.from_json(plan.drop("town").to_json()).drop("age")


def test_rows_may_come_in_other_forms_and_orders() -> None:
    table = customers()
    recipe = Recipe.plan(table.drop(columns="town"), target="churn")
    X = dense(recipe.transform(table))
    shuffled = table[table.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(dense(recipe.transform(shuffled)), X)
    np.testing.assert_array_equal(dense(recipe.transform(pl.from_pandas(table))), X)
    np.testing.assert_array_equal(dense(recipe.transform(table.astype({"plan": "category", "visits": float}))), X)
    with pytest.raises(InputError, match="lacks column 'plan'.* name the columns as in training"):
        recipe.transform(table.drop(columns="plan"))


def test_unseen_levels_and_rows_without_any_value_are_known() -> None:
    table = customers()
    recipe = Recipe.plan(table.drop(columns="town"), target="churn")
    strange = table.head(2).assign(plan=["gold", None], age=None, spent="unknown", since=pd.NaT)
    with pytest.warns(DataWarning, match="Column 'spent' was numbers in training; 2 of 2 values, such as 'unknown'"):
        X = dense(recipe.transform(strange))
    assert np.isfinite(X).all()
    assert recipe.unseen(strange) == {"plan": {"gold": 1}, "spent": {"unknown": 2}}
    assert X[0, recipe.names.index("age missing")] == 1.0


def test_rare_levels_share_a_column_and_equal_rows_of_levels_one() -> None:
    net = ["none"] * 60 + ["dsl"] * 70 + ["fiber"] * 70
    extra = ["no internet"] * 60 + ["yes", "no"] * 70
    town = ["Oslo"] * 190 + [f"t{i}" for i in range(10)]
    recipe = Recipe.plan(pd.DataFrame({"net": net, "extra": extra, "town": town}))
    assert recipe.names == ["net = dsl", "net = none", "extra = yes", "town = another level"] or recipe.names[-1] == "town = another level"
    assert next(step.shared for step in recipe.steps if step.column == "extra") == ("no internet",)  # type: ignore[attr-defined]


def test_a_plan_can_be_used() -> None:
    table = customers()
    plan = Recipe.plan(table, target="churn").with_kind("visits", "category").with_unit("age", "years", 10)
    assert "plan" not in repr(plan.prep()) and plan.prep().kinds == {"visits": "category"}
    model = TableClassifier(prep=plan, target="churn").fit(table)
    assert model.recipe_.names == plan.prep().fit(table.drop(columns="churn"), table.churn).recipe_.names
    with pytest.raises(InputError, match="which this plan has not counted; fit it: plan.prep"):
        plan.transform(table)
    assert Recipe.from_json(Recipe.plan(table, target="churn").to_json()).names


@pytest.mark.parametrize(
    ("trained", "given", "same"),
    [
        ([1.5, 2.5, 9.5] * 20, ["1,5", "2,5", "9,5"], True),
        ([True, False, True] * 20, ["True", "no", "Y"], True),
        (["True", "False", "True"] * 20, [True, False, True], True),
        (["red", "blue", "blue"] * 20, [" red", "blue ", "blue"], True),
        (["31.12.2020", "1.1.2021", "2.1.2021"] * 20, ["2020-12-31", "2021-01-01", "2021-01-02"], True),
        (pd.to_datetime(["2020-12-31", "2021-01-01", "2021-01-02"] * 20), ["31.12.2020", "01.01.2021", "02.01.2021"], True),
        (pd.Categorical([1, 2, 3] * 20, ordered=True), [1, 2, 3], True),
    ],
)
def test_other_notations_are_read_when_predicting(trained: Any, given: Any, same: bool) -> None:
    prep = TablePrep().fit(pd.DataFrame({"a": trained, "u": range(60)}))
    as_trained = dense(prep.transform(pd.DataFrame({"a": trained, "u": range(60)}).head(3)))
    np.testing.assert_array_equal(dense(prep.transform(pd.DataFrame({"a": given, "u": range(3)}))), as_trained)
    assert len(np.unique(as_trained[:, 0])) > 1


def test_kinds_asked_for_find_their_levels() -> None:
    days = pd.to_datetime(["2024-01-05", "2024-02-05", "2024-03-05"] * 20)
    assert TablePrep(kinds={"a": "category"}).fit(pd.DataFrame({"a": days})).recipe_.names == ["a = 2024-02-05", "a = 2024-03-05"]
    zips = np.repeat(np.arange(1001), 12)
    assert len(TablePrep(kinds={"a": "category"}).fit(pd.DataFrame({"a": zips})).recipe_.names) == 1000
    cut = pd.DataFrame({"a": pd.cut(np.arange(60.0), 3)})
    assert TablePrep().fit(cut).recipe_.steps[0].kind == "ordered"


def test_gaps_of_the_same_rows_are_marked_once() -> None:
    gap = np.arange(60) % 7 == 0
    frame = pd.DataFrame({name: np.where(gap, np.nan, np.arange(60.0) ** power) for name, power in (("a", 1), ("b", 2))})
    assert [name for name in Recipe.plan(frame).names if name.endswith("missing")] == ["a missing"]


def test_a_plan_with_labels_counts_the_columns_that_shares_of_classes_become() -> None:
    rng = np.random.default_rng(0)
    table = customers().assign(churn=rng.choice(["no", "maybe", "yes"], 400))
    plan = Recipe.plan(table, target="churn")
    edited = plan.drop("age").with_kind("plan", "levels")
    fitted = edited.prep().fit(table.drop(columns="churn"), table.churn).recipe_
    assert edited.names == fitted.names and "plan: share of yes" in edited.names
    assert len(plan.drop("age").names) == len(plan.names) - 2


def test_a_spike_of_zeros_is_no_reason_for_a_logarithm() -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(2000) < 0.08
    table = pd.DataFrame({"gain": np.where(rare, rng.uniform(3000, 9000, 2000), 0), "debt": np.where(rare, rng.lognormal(5, 2, 2000), 0)})
    steps = {step.column: step for step in Recipe.plan(table).steps}
    assert (steps["gain"].transform, steps["debt"].transform) == ("none", "log")  # type: ignore[attr-defined]


@pytest.mark.parametrize("per", [0.0, -1.0, np.nan, np.inf])
def test_a_unit_of_nothing_is_refused(per: float) -> None:
    with pytest.raises(InputError, match="how many of it a coefficient is for"):
        Recipe.plan(customers(40)).with_unit("age", "years", per=per)

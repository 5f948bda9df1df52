"""Recipes: what is done with each column, as a value that can be written, read, edited and applied to any rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from separatrix import Recipe, TablePrep
from separatrix.errors import InputError
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
    prep = TablePrep(shapes="auto", interactions=[("age", "plan")], orders={"remark": sorted(set(table.remark))})
    X = prep.fit(table.drop(columns="churn"), table.churn).transform(table)
    again = Recipe.from_json(prep.recipe_.to_json())
    np.testing.assert_array_equal(dense(again.transform(table)), dense(X))
    assert again.names == prep.recipe_.names
    assert again.to_json() == prep.recipe_.to_json()


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
    X = dense(recipe.transform(strange))
    assert np.isfinite(X).all()
    assert recipe.unseen(strange) == {"plan": {"gold": 1}}
    assert X[0, recipe.names.index("age missing")] == 1.0


def test_rare_levels_share_a_column_and_equal_rows_of_levels_one() -> None:
    net = ["none"] * 60 + ["dsl"] * 70 + ["fiber"] * 70
    extra = ["no internet"] * 60 + ["yes", "no"] * 70
    town = ["Oslo"] * 190 + [f"t{i}" for i in range(10)]
    recipe = Recipe.plan(pd.DataFrame({"net": net, "extra": extra, "town": town}))
    assert recipe.names == ["net = dsl", "net = none", "extra = yes", "town = another level"] or recipe.names[-1] == "town = another level"
    assert next(step.shared for step in recipe.steps if step.column == "extra") == ("no internet",)  # type: ignore[attr-defined]

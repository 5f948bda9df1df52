"""TablePrep: scikit-learn's contract, and laws of what is learned from which rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from separatrix import Recipe, TablePrep
from separatrix.data.columns import ColumnBatch
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError
from separatrix.summaries.table_summary import TableSummary
from tests.prepare.tables import customers


def summary_values(found: TableSummary) -> list[Any]:
    columns = [
        (c.name, c.type, c.count, c.missing, c.low, c.high, c.n_distinct, c.levels.counts, c.longest, c.words) for c in found.columns
    ]
    return [found.rows, columns, found.sample.settled().keys.tolist(), found.sample.settled().weight.tolist()]


def test_summaries_do_not_depend_on_how_rows_are_cut_or_ordered() -> None:
    batch = whole_table(customers())
    whole = TableSummary.of(batch)
    order = np.random.default_rng(1).permutation(batch.n_rows)
    parts = [TableSummary.of(batch.take(rows)) for rows in np.array_split(order, 7)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert summary_values(merged) == summary_values(whole)
    for one, other in zip(merged.columns, whole.columns, strict=True):
        np.testing.assert_allclose([one.mean, one.square, one.cube], [other.mean, other.square, other.cube], rtol=1e-9, atol=1e-6)


def test_a_weight_of_two_is_a_row_that_stands_there_twice() -> None:
    table = customers(200).drop(columns="churn")
    weight = np.random.default_rng(2).integers(0, 3, 200).astype(float)
    batch = whole_table(table)
    weighted = Recipe.learn(TableSummary.of(ColumnBatch(batch.columns, None, None, weight)))
    repeated = Recipe.learn(TableSummary.of(batch.take(np.repeat(np.arange(200), weight.astype(int)))))
    assert weighted.to_json() == repeated.to_json()


def test_many_levels_are_summarised_in_bounded_memory() -> None:
    rng = np.random.default_rng(0)
    n = 60_000
    town = np.where(rng.random(n) < 0.2, "Oslo", [f"t{i}" for i in rng.integers(0, 40_000, n)])
    frame = pd.DataFrame({"town": town, "x": rng.normal(size=n)})
    batch = whole_table(frame)
    found = [TableSummary.of(batch.take(np.arange(k, n, 3))) for k in range(3)]
    merged = found[0].merge(found[1]).merge(found[2])
    column = merged.columns[0]
    assert not column.levels.is_exact
    true = (frame.town == "Oslo").sum()
    assert 0 <= column.levels.estimate(["Oslo"])[0] - true <= 5e-4 * n
    assert abs(column.n_distinct / frame.town.nunique() - 1) < 0.15
    assert len(merged.sample.keys) == 50_000


def test_columns_of_many_levels_do_not_tell_a_row_its_own_label() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice([f"t{i}" for i in range(1000)], 3000)})
    y = rng.choice(["no", "yes"], 3000)
    prep = TablePrep()
    trained = prep.fit_transform(X, y)
    again = prep.transform(X)
    assert abs(np.corrcoef(trained[:, 0], y == "yes")[0, 1]) < 0.06
    assert np.corrcoef(again[:, 0], y == "yes")[0, 1] > 0.3
    batch, again = whole_table(X), np.repeat(np.arange(3000), 2)
    twice = TablePrep().fit_transform(replace(batch.take(again), copies=again), np.repeat(y, 2))
    np.testing.assert_array_equal(twice[::2], twice[1::2])  # copies of a row share their inner fold


def test_shares_of_classes_tell_what_levels_tell() -> None:
    rng = np.random.default_rng(0)
    level, share = rng.integers(0, 100, 3000), rng.uniform(0.02, 0.98, 100)
    y = np.where(rng.random(3000) < share[level], "yes", "no")
    trained = TablePrep().fit_transform(pd.DataFrame({"town": [f"t{i}" for i in level]}), y)
    assert np.corrcoef(trained[:, 0], y == "yes")[0, 1] > 0.4


def test_output_is_sparse_where_that_is_smaller() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.choice([f"l{i}" for i in range(30)], 30_000) for j in range(3)})
    found = TablePrep().fit_transform(X)
    assert sp.issparse(found) and found.indices.dtype == found.indptr.dtype == np.int32
    assert not sp.issparse(TablePrep().fit_transform(X.head(500)))  # a few megabytes are no reason
    assert not sp.issparse(TablePrep(sparse_output=False).fit_transform(X))
    assert isinstance(TablePrep().set_output(transform="pandas").fit_transform(X), pd.DataFrame)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"kinds": {"age": "nmber"}}, "kind='nmber' is not known.* Did you mean 'number'"),
        ({"kinds": {"plan": "date"}}, "cannot be read as dates"),
        ({"shapes": {"age": "wavy"}}, "shape='wavy' is not known"),
        ({"drop": ["moon"]}, "Column 'moon' is not in the table"),
        ({"references": {"plan": "gold"}}, "is not a level of the column"),
        ({"interactions": ["age"]}, "must be a list of pairs"),
        ({"interactions": [("age", "country")]}, "needs two columns that are kept"),
        ({"shapes": {"plan": "spline"}}, "which is no number but of kind 'category'"),
        ({"orders": {"plan": ["basic", "plus"]}}, "lacks the level 'pro'"),
        ({"drop": ["age"], "keep": ["age"]}, "is in drop and in keep"),
        ({"many_levels": "some"}, "many_levels='some'"),
        ({"units": {"age": ("years", 0)}}, "must be a unit"),
        ({"kinds": {"visits": "date"}}, "holds numbers, which say no day"),
        ({"kinds": {"plan": "number"}}, "cannot be read as numbers"),
        ({"most_levels": 0}, "must be at least 2 and 1"),
        ({"units": {"age": 7}}, "must be a unit"),
        ({"kinds": ["age"]}, "must be a dict"),
    ],
)
def test_wishes_that_cannot_be_met_are_named(wish: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        TablePrep(**wish).fit(customers().drop(columns="churn"))


def test_odd_tables() -> None:
    empty = pd.DataFrame({"a": [None, None, None], "b": [np.inf, 1.0, 2.0], "ø": ["é", "漢", "é"], "d": [1, "x", 2.5]})
    recipe = TablePrep().fit(empty).recipe_
    assert {alert.code for alert in recipe.alerts} == {"SPX018", "SPX020"}
    assert np.isfinite(recipe.transform(empty, sparse=False)).all()
    for bad, message in (
        (pd.DataFrame({"a": [[1], [2]]}), "holds objects of type list"),
        (pd.DataFrame({"": [1, 2]}), "has no name"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns of X are called 'a'"),
        (pd.DataFrame({"a": []}), "0 sample"),
    ):
        with pytest.raises((InputError, TypeError), match=message):
            TablePrep().fit(bad)


def test_clones_and_pipelines() -> None:
    from separatrix import LogisticRegression

    table = customers()
    model = make_pipeline(TablePrep(kinds={"visits": "category"}), LogisticRegression())
    assert clone(model).fit(table.drop(columns="churn"), table.churn).score(table.drop(columns="churn"), table.churn) > 0.6


def test_rows_may_come_in_parts_until_the_first_are_transformed() -> None:
    table = customers().drop(columns="churn")
    prep = TablePrep()
    for part in (table[:150], table[150:300], table[300:]):
        prep.partial_fit(part)
    assert prep.recipe_.to_json() == TablePrep().fit(table).recipe_.to_json()
    prep.transform(table)
    with pytest.raises(InputError, match="are fixed, because it has transformed rows"):
        prep.partial_fit(table)
    with pytest.raises(InputError, match="is expecting 9 features"):
        TablePrep().partial_fit(table).partial_fit(table[["age"]])
    with pytest.raises(InputError, match="need all rows at once"):
        TablePrep(kinds={"town": "levels"}).partial_fit(table)

"""Arrow tables are explained as the same rows in pandas are: columns by name, gaps as gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from separatrix import TableClassifier, column_effects, explain


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    city = rng.choice(["Bern", "Oslo", "Zug"], 90).astype(object)
    city[rng.random(90) < 0.4] = None
    age = rng.normal(50, 9, 90)
    age[3] = np.nan
    return pd.DataFrame({"id": [f"C{i}" for i in range(90)], "city": city, "age": age, "y": np.where(city == "Zug", "b", "a")})


def arrow(frame: pd.DataFrame) -> pa.Table:
    found = pa.Table.from_pandas(frame, preserve_index=False)
    halves = [found.slice(0, 40), found.slice(40)]  # several chunks of a dictionary
    coded = [half.set_column(half.schema.get_field_index("city"), "city", half["city"].dictionary_encode()) for half in halves]
    return pa.concat_tables(coded).unify_dictionaries()


@pytest.mark.parametrize("row", [0, 3, 5])
def test_values_are_those_of_the_named_columns(table: pd.DataFrame, row: int) -> None:
    model = TableClassifier(target="y").fit(table)
    turned = table[["y", "age", "id", "city"]]
    assert str(explain(model, arrow(turned), row)) == str(explain(model, turned, row))


def test_effects_of_levels_and_gaps(table: pd.DataFrame) -> None:
    model = TableClassifier(target="y").fit(table)
    X = table.drop(columns="y")
    assert str(column_effects(model, arrow(X))) == str(column_effects(model, X))
    assert "missing" in str(column_effects(model, X))


def test_smallest_changes_leave_gaps_as_they_are(table: pd.DataFrame) -> None:
    model = TableClassifier(target="y").fit(table)
    found = explain(model, table.drop(columns="y"), 3)
    assert found.flip is None or "age" not in str(found.flip)

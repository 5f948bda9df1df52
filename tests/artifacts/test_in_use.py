"""Stored models in use: reasons add up, rows are counted as the recipe reads them, drift is told from counts alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from separatrix import LinearDiscriminantAnalysis, LinearSVC, TableClassifier
from separatrix.artifacts.coefficients import coefficients
from separatrix.artifacts.formula import formula_of
from separatrix.artifacts.reasons import Reasons
from separatrix.artifacts.scoring import all_predictions
from separatrix.artifacts.training_columns import ColumnTally, cell_counts, facts_of
from separatrix.artifacts.training_data import column_facts, recipe_of
from separatrix.data.columns import Column
from separatrix.data.customers import customers
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.DataFrame(customers(300)).drop(columns=["retention_credit", "signup_date"])


@pytest.mark.parametrize("standardise", [False, True])
def test_reasons_are_the_columns_of_the_largest_parts(table: pd.DataFrame, standardise: bool) -> None:
    model = TableClassifier(LinearDiscriminantAnalysis(), target="churn", standardise=standardise).fit(table)
    formula, recipe = formula_of(model.state()), recipe_of(model)
    reasons = Reasons.of(formula, column_facts(table, recipe), 3)
    rows = whole_table(table)
    found = reasons.columns(rows, formula.predictions(rows).codes)["reason_1"].to_pylist()
    Z = np.asarray(next(iter(formula.inputs.blocks(rows))).dense())
    C = (Z - reasons.typical) * formula.score.coef[0] * np.where(formula.predictions(rows).codes == 1, 1.0, -1.0)[:, None]
    by_column = pd.DataFrame(C).T.groupby([reasons.names[place] for place in reasons.places]).sum().T
    assert [own for own in found if own is not None] == by_column.idxmax(axis=1)[by_column.max(axis=1) > 0].tolist()


def test_reasons_need_a_linear_model_and_facts(table: pd.DataFrame) -> None:
    formula = formula_of(TableClassifier(LinearSVC(), target="churn").fit(table).state())
    with pytest.raises(InputError, match="no facts of its columns"):
        Reasons.of(formula, None, 1)


def test_coefficients_are_in_the_units_of_the_columns(table: pd.DataFrame) -> None:
    plain, scaled = (
        coefficients(formula_of(TableClassifier(LinearDiscriminantAnalysis(), target="churn", standardise=own).fit(table).state()))
        for own in (False, True)
    )
    assert plain is not None and scaled is not None and plain.keys() == scaled.keys()
    np.testing.assert_allclose(list(plain.values()), list(scaled.values()), rtol=1e-6, atol=1e-9)


def test_tallies_merge_and_equal_the_facts_of_the_same_rows(rng: np.random.Generator) -> None:
    column = Column("calls", rng.poisson(1.0, 200).astype(float))
    facts = facts_of(column)
    halves = [ColumnTally.of(column.take(part), facts, None) for part in (slice(0, 70), slice(70, None))]
    joined = halves[0].merge(halves[1])
    assert joined.rows == 200 and joined.counts.tolist() == list(facts.cells)
    assert facts.cells == tuple(cell_counts(column.values, facts.quantiles))


def test_prices_written_as_text_are_numbers_in_the_facts(table: pd.DataFrame) -> None:
    recipe = recipe_of(TableClassifier(LinearDiscriminantAnalysis(), target="churn").fit(table))
    by_name = {own.name: own for own in column_facts(table, recipe)}
    assert by_name["monthly_charge"].kind == "number" and by_name["monthly_charge"].quantiles
    assert by_name["customer_id"].levels == () and dict(by_name["churn"].levels).keys() == {"no", "yes"}


@pytest.mark.parametrize("codes", [["01234", "00501"], ["1234", "01234"], ["1.10"], ["1e5", "A12", "7"]], ids=str)
def test_levels_that_look_like_numbers_are_texts_in_files_that_hold_such_alone(codes: list[str], tmp_path: Path) -> None:
    levels = ["01234", "00501", "1234", "1.10", "1.1", "1e5", "A12"]
    table = pd.DataFrame({"zip": levels * 30})
    model = TableClassifier().fit(table, np.where((np.arange(len(table)) % 7 < 3) ^ (np.arange(len(table)) % 11 < 3), "yes", "no"))
    rows = pd.DataFrame({"zip": codes})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    np.testing.assert_array_equal(all_predictions(formula_of(model), tmp_path / "rows.csv")[1], model.predict_proba(rows))

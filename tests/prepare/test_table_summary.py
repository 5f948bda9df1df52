"""The tables of a classifier of a table: the recipe's names, and a test of each column with all its levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix import LinearDiscriminantAnalysis, LogisticRegression, NearestMean, TableClassifier, TablePrep
from separatrix.errors import InputError, NoFeatureLeftError
from separatrix.prepare.table_columns import TableColumns
from tests.prepare.tables import customers

TABLE = customers(300).drop(columns=["remark", "since"])


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("dropped", [["town"], []], ids=["without labels", "shares of classes"])
def test_each_column_is_tested_with_all_its_levels(standardise: bool, dropped: list[str]) -> None:
    table = TABLE.drop(columns=dropped)
    model = TableClassifier(LogisticRegression(C=np.inf), target="churn", standardise=standardise).fit(table)
    found = model.summary(table)
    X, y = table.drop(columns="churn"), table.churn.to_numpy()
    Z = TablePrep(sparse_output=False).fit_transform(X, y)
    full = LogisticRegression(C=np.inf).fit(Z, y).log_likelihood(Z, y)
    assert found["terms"]["term"] == model.recipe_.columns
    for name, freedom, ratio in zip(found["terms"]["term"], found["terms"]["df"], found["terms"]["LR χ²"], strict=True):
        rest = [j for j, output in enumerate(model.recipe_.outputs) if output.column != name]
        part = LogisticRegression(C=np.inf).fit(Z[:, rest], y).log_likelihood(Z[:, rest], y)
        assert freedom == Z.shape[1] - len(rest) and ratio == pytest.approx(2 * (full - part), rel=1e-4, abs=1e-4)
    assert found["coefficients"]["coefficient"][1:] == model.recipe_.names
    assert ("per standard deviation" in found.text) == standardise


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearDiscriminantAnalysis()], ids=lambda own: type(own).__name__)
def test_tables_speak_of_levels_and_leave_out_tests_that_do_not_apply(estimator: Any) -> None:
    found = TableClassifier(estimator, target="churn").fit(TABLE).summary(TABLE)
    assert "plan = pro" in found.text and "age missing" in found.text and "terms" not in found.tables


def test_a_summary_without_rows_and_of_a_model_that_has_none() -> None:
    few = TABLE[["age", "plan", "churn"]]
    model = TableClassifier(LogisticRegression(C=np.inf), target="churn").fit(few)
    assert model.summary()["coefficients"]["coefficient"] == ["(intercept)", "age", "age missing", "plan = plus", "plan = pro"]
    weighted = TableClassifier(LogisticRegression(C=np.inf)).fit(few[["age", "plan"]], few.churn, np.full(300, 2.0))
    twice = weighted.summary(few[["age", "plan"]], few.churn, np.full(300, 2.0))
    assert twice["terms"]["LR χ²"][0] == pytest.approx(2 * model.summary(few)["terms"]["LR χ²"][0], rel=1e-4)
    with pytest.raises(InputError, match="NearestMean has no summary"):
        TableClassifier(NearestMean(), target="churn").fit(few).summary(few)


def test_a_table_of_texts_alone_is_not_read_as_it_is() -> None:
    table = TABLE.assign(text=[f"{i} words of a text {i * i}" for i in range(300)])[["text"]]
    with pytest.raises(NoFeatureLeftError, match="No column of the table is a number, a date or a category.*Use TablePrep"):
        TableColumns().fit(table)

"""JSON descriptions hold all numbers of a formula."""

from __future__ import annotations

import json

import numpy as np
import pytest

from separatrix import compare
from separatrix.artifacts.formula import formula_of
from tests.artifacts.models import number_cases, numbers, table_cases


@pytest.mark.parametrize("case", [*number_cases(), *table_cases()], ids=str)
def test_descriptions_are_json_of_every_part(case):
    formula = formula_of(case.model)
    found = json.loads(formula.to_json(), parse_constant=pytest.fail)
    assert found["classes"] == formula.classes.tolist() and found["inputs"]["columns"] == formula.inputs.columns
    assert (found["link"] is None) == (formula.link is None) and (found["rule"] is None) == (formula.rule is None)
    if found["score"]["family"] == "linear":
        np.testing.assert_array_equal(found["score"]["coef"], formula.score.coef)


def test_a_board_has_the_formula_of_its_model():
    X, y = numbers(2)
    board = compare(X, y, models=["nearest mean", "LDA"])
    assert formula_of(board).actions(X).tolist() == board.fit().predict(X).tolist()

"""Exported Python says what models say, and runs nothing that a name or level holds."""

from __future__ import annotations

import ast

import numpy as np
import pandas as pd
import pytest

from separatrix import TableClassifier
from separatrix.artifacts.exports import to_python
from separatrix.artifacts.formula import formula_of
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError
from tests.artifacts.models import machine_cases, number_cases, table_cases
from tests.artifacts.test_sql import margins
from tests.data.test_sql import HOSTILE

CASES = [case for case in [*number_cases(), *machine_cases(), *table_cases()] if case.name != "VotedPerceptron-3"]


def predict_of(model, on):
    space: dict = {}
    exec(compile(to_python(model, on=on), "exported", "exec"), space)
    return space["predict"]


def frame_of(case):
    if isinstance(case.rows, np.ndarray):
        return pd.DataFrame(case.rows, columns=[f"x{j}" for j in range(case.rows.shape[1])])
    return case.rows


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_and_columns(case):
    frame, formula = frame_of(case), formula_of(case.model)
    own = formula.predictions(case.rows if isinstance(case.rows, np.ndarray) else whole_table(case.rows))
    told, key = (own.scores, "scores") if own.posteriors is None else (own.posteriors, "posteriors")
    clear, wanted = margins(own) > 1e-9, own.labels if formula.rule is None else own.actions
    what = "label" if formula.rule is None else "action"
    columns = predict_of(case.model, "numpy")({name: frame[name].to_numpy() for name in frame})
    np.testing.assert_allclose(np.stack(list(columns[key].values()), axis=1), told, rtol=1e-9, atol=1e-11)
    assert columns[what][clear].tolist() == wanted[clear].tolist()
    one = predict_of(case.model, "rows")
    rows = [one(row) for row in frame.head(25).to_dict("records")]
    np.testing.assert_allclose([list(row[key].values()) for row in rows], told[:25], rtol=1e-9, atol=1e-11)
    assert [row[what] for row, sure in zip(rows, clear[:25]) if sure] == wanted[:25][clear[:25]].tolist()


@pytest.mark.parametrize("hostile", [*HOSTILE, "\0", "'''", "\\", "{0}", "__import__('os')"])
def test_hostile_names_levels_and_labels(hostile):
    frame = pd.DataFrame({hostile: ["a", hostile, "b", hostile] * 10, "z": np.arange(40.0)})
    model = TableClassifier().fit(frame, np.array([hostile, "no", "no", hostile] * 10))
    for on in ("rows", "numpy"):
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(to_python(model, on=on)))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "__import__" not in calls and "exec" not in calls
    found = predict_of(model, "numpy")({name: frame[name].to_numpy() for name in frame})
    assert found["label"].tolist() == model.predict(frame).tolist()
    assert predict_of(model, "rows")(frame.iloc[0].to_dict())["label"] == model.predict(frame.head(1))[0]


def test_rows_without_a_rule_are_refused():
    model = number_cases()[0].model
    with pytest.raises(ValueError, match="no rule for it"):
        predict_of(model, "rows")({"x0": None, "x1": 1, "x2": 1, "x3": 1})
    with pytest.raises(InputError, match="Did you mean 'numpy'"):
        to_python(model, on="nunpy")

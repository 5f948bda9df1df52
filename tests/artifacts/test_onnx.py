"""ONNX graphs say what models say, in onnxruntime."""

from __future__ import annotations

import json

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from separatrix import LinearDiscriminantAnalysis, TableClassifier
from separatrix.artifacts.exports import to_onnx
from separatrix.artifacts.formula import formula_of
from separatrix.data.whole_tables import whole_table
from separatrix.prepare.steps.base import level_text
from separatrix.prepare.written_numbers import WrittenNumbers
from tests.artifacts.models import Case, answers, machine_cases, number_cases, table, table_cases, unseen
from tests.artifacts.test_sql import margins
from tests.data.test_sql import HOSTILE

CASES = [case for case in [*number_cases(), *machine_cases(), *table_cases()] if case.name != "VotedPerceptron-3"]
EPOCH = pd.Timestamp("1970-01-01")


def session_of(model, **how):
    return onnxruntime.InferenceSession(to_onnx(model, **how), providers=["CPUExecutionProvider"])


def fed(session, rows, dtype=np.float64):
    """Rows as the inputs of a graph."""
    about = session.get_modelmeta().custom_metadata_map
    inputs, kinds = json.loads(about["inputs"]), json.loads(about["kinds"])
    if "X" in inputs:
        return {"X": np.asarray(rows, dtype=dtype)}
    return {own: _column(rows[name], kinds[name], np.float64 if "days" in kinds[name] else dtype)[:, None] for own, name in inputs.items()}


def _column(values, kind, dtype):
    if kind == "text":
        return np.array(["" if pd.isna(value) else level_text(value) for value in values], dtype=object)
    if kind == "number":
        values = values if values.dtype.kind in "bif" else WrittenNumbers(".").values(["" if pd.isna(v) else v for v in values])
        return np.asarray(values, dtype=dtype)
    return ((values - EPOCH) / pd.Timedelta("1D")).to_numpy(dtype=dtype)


def says_the_same(case, tolerance, dtype, **how):
    formula, session = formula_of(case.model), session_of(case.model, **how)
    own = formula.predictions(case.rows if isinstance(case.rows, np.ndarray) else whole_table(case.rows))
    told, key = (own.scores, "scores") if own.posteriors is None else (own.posteriors, "posteriors")
    what, wanted = ("label", own.labels) if formula.rule is None else ("action", own.actions)
    found, said = session.run([key, what], fed(session, case.rows, dtype))
    np.testing.assert_allclose(found, told, rtol=tolerance, atol=tolerance)
    clear = margins(own) > 2 * tolerance
    assert [label or None if label == "" else label for label in said[clear].tolist()] == wanted[clear].tolist()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_double(case):
    says_the_same(case, 1e-9, np.float64)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name.startswith(("Linear", "Logistic", "table-plain", "Decided0"))], ids=str
)
def test_float32(case):
    if "SVC" in case.name:
        pytest.skip("scores of a machine are not bounded, as posteriors are")
    says_the_same(case, 1e-5, np.float32, float32=True)


def test_float32_of_a_table_without_dates():
    frame = table().drop(columns=["since", "price"])
    model = TableClassifier().fit(frame, answers(frame))
    says_the_same(Case("", model, unseen(table())[frame.columns]), 1e-5, np.float32, float32=True)


def test_float32_is_centred_first(rng):
    X = rng.normal(size=(200, 3)) + 1000.0
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 1000).astype(int)
    model, held = LinearDiscriminantAnalysis().fit(X, y), X.astype(np.float32).astype(np.float64)
    session = session_of(model, float32=True)
    found = session.run(["posteriors"], {"X": held.astype(np.float32)})[0]
    np.testing.assert_allclose(found, model.predict_proba(held), atol=1e-5)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_levels_and_labels(hostile):
    frame = pd.DataFrame({hostile: ["a", hostile, "b", hostile] * 10, "z": np.arange(40.0)})
    model = TableClassifier().fit(frame, np.array([hostile, "no", "no", hostile] * 10))
    session = session_of(model)
    label, found = session.run(["label", "posteriors"], fed(session, frame))
    np.testing.assert_allclose(found, model.predict_proba(frame), atol=1e-9)
    assert label.tolist() == model.predict(frame).tolist()


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "model.onnx"
    assert to_onnx(number_cases()[0].model, path) == path.read_bytes()

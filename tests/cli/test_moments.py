"""Sums on the command line equal those of Python, and merge into the model of all rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix import ClassMoments, LinearDiscriminantAnalysis
from separatrix.cli import exits

from .conftest import Call


@pytest.fixture
def clinics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=["age", "pressure", "sugar"])
    frame["ill"] = np.where(frame["age"] + rng.normal(size=90) > 0, "yes", "no")
    monkeypatch.chdir(tmp_path)
    frame[:50].to_csv("north.csv", index=False)
    frame[50:].to_csv("south.csv", index=False)
    return frame


def written(call: Call, *words: str) -> Any:
    code, out, err = call(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_two_clinics_fit_the_joint_model(call: Call, clinics: pd.DataFrame) -> None:
    for name in ("north", "south"):
        written(call, "moments", f"{name}.csv", "--target", "ill", "-o", f"{name}.moments")
    facts = written(call, "merge", "north.moments", "south.moments", "-o", "joint.moments")
    assert facts["columns"] == ["age", "pressure", "sugar"] and facts["classes"] == ["no", "yes"] and sum(facts["rows"]) == 90
    X = clinics[["age", "pressure", "sugar"]]
    found = LinearDiscriminantAnalysis().fit_summary(ClassMoments.load("joint.moments"))
    assert_allclose(found.coef_, LinearDiscriminantAnalysis().fit(X, clinics["ill"]).coef_, rtol=1e-10)


@pytest.mark.parametrize("sums", ["full", "pooled", "diagonal", "counts"])
def test_every_kind_of_sums_is_that_of_python(call: Call, clinics: pd.DataFrame, sums: str) -> None:
    facts = written(call, "moments", "north.csv", "-t", "ill", "--columns", "age", "--sums", sums, "-o", "a.moments")
    assert facts["columns"] == ["age"] and facts["summary"] == ("Counts" if sums == "counts" else "ClassMoments")


def test_what_cannot_be_summarised_or_merged(call: Call, clinics: pd.DataFrame) -> None:
    clinics[:12].to_csv("few.csv", index=False)
    code, _, err = call("moments", "few.csv", "-t", "ill", "-o", "few.moments")
    assert code == exits.DATA and "fewer than 10" in err and not Path("few.moments").exists()
    code, _, err = call("moments", "north.csv", "-t", "sick", "-o", "a.moments")
    assert code == exits.USAGE and "Column 'sick' is not in the table" in err
    for columns, name in ((["age"], "a.moments"), (["sugar"], "b.moments")):
        written(call, "moments", "north.csv", "-t", "ill", "--columns", *columns, "-o", name)
    code, _, err = call("merge", "a.moments", "b.moments", "-o", "c.moments")
    assert code == exits.DATA and "not of the same columns: 'age' and 'sugar'" in err and not Path("c.moments").exists()
    code, _, err = call("merge", "a.moments", "-o", "c.moments")
    assert code == exits.USAGE and "two or more files" in err

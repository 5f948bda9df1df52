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


def test_a_class_that_one_clinic_lacks_is_announced(call: Call, clinics: pd.DataFrame) -> None:
    clinics[clinics["ill"] == "no"].to_csv("healthy.csv", index=False)
    written(call, "moments", "north.csv", "-t", "ill", "-o", "a.moments")
    written(call, "moments", "healthy.csv", "-t", "ill", "-o", "b.moments")
    code, _, err = call("merge", "a.moments", "b.moments", "-o", "c.moments")
    assert code == exits.DATA and "announced there: --class no --class yes." in err
    assert written(call, "moments", "healthy.csv", "-t", "ill", "--class", "yes", "--class", "no", "-o", "b.moments")["rows"][1] == 0
    assert written(call, "merge", "a.moments", "b.moments", "-o", "c.moments")["classes"] == ["no", "yes"]
    code, _, err = call("moments", "north.csv", "-t", "ill", "--class", "no", "-o", "d.moments")
    assert code == exits.DATA and "'yes', which is not among the classes announced" in err and "Announce all of them: --class LABEL" in err


@pytest.mark.parametrize(
    ("labels", "given", "classes"), [([0, 1], ["2", "1", "0"], [0, 1, 2]), ([False, True], ["true", "false"], [False, True])]
)
def test_classes_are_read_as_the_labels_are(call: Call, clinics: pd.DataFrame, labels: Any, given: list[str], classes: Any) -> None:
    clinics.assign(ill=np.array(labels)[(clinics["ill"] == "yes").astype(int)]).to_parquet("a.parquet")
    words = [word for label in given for word in ("--class", label)]
    assert written(call, "moments", "a.parquet", "-t", "ill", *words, "-o", "a.moments")["classes"] == classes
    code, _, err = call("moments", "a.parquet", "-t", "ill", "--class", "ill", "-o", "a.moments")
    assert code == exits.USAGE and "give labels of that kind" in err


def test_what_to_type_is_said_as_it_is_typed_here(call: Call, clinics: pd.DataFrame) -> None:
    clinics.assign(town="Ulm").to_csv("text.csv", index=False)
    code, _, err = call("moments", "text.csv", "-t", "ill", "-o", "a.moments")
    assert code == exits.DATA and "for instance --columns age --columns pressure --columns sugar." in err and "TablePrep" not in err
    clinics.assign(age=np.nan).to_csv("gaps.csv", index=False)
    code, _, err = call("moments", "gaps.csv", "-t", "ill", "-o", "a.moments")
    assert code == exits.DATA and "Column 'age' holds no values" in err
    clinics.assign(age=clinics["age"].where(clinics["age"] > 0)).to_csv("gaps.csv", index=False)
    code, _, err = call("moments", "gaps.csv", "-t", "ill", "-o", "a.moments")
    assert code == exits.DATA and "of 'gaps.csv'. Drop such rows, or fill them in." in err


def test_files_that_are_no_sums_or_named_twice(call: Call, clinics: pd.DataFrame) -> None:
    written(call, "moments", "north.csv", "-t", "ill", "-o", "a.moments")
    for again in ("a.moments", "./a.moments"):
        code, _, err = call("merge", "a.moments", again, "-o", "c.moments")
        assert code == exits.USAGE and "'a.moments' is named twice, so its rows would count twice" in err
    code, _, err = call("merge", "a.moments", "north.csv", "-o", "c.moments")
    assert code == exits.DATA and "write it with ClassMoments.save, or `separatrix moments`" in err

"""Files written by earlier versions stay readable, and predict what they predicted when they were written.

`python -m tests.artifacts.test_kept_files` writes the files of this version that are not there yet; those that are there stay for ever.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from separatrix import (
    CalibratedClassifier,
    Decision,
    ForwardSelection,
    GaussianNB,
    KFold,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    TableClassifier,
    compare,
    load,
    save,
)
from tests.artifacts.kept_models import rows, table

FILES = Path(__file__).parent / "files"
NAMES = sorted(path.stem for path in FILES.glob("*.sptx"))


def models():
    """Return the models whose files are kept, by the name of the file; the schema of the file is in it."""
    X, codes = rows()
    frame, labels = table()
    texts = np.array(["no", "yes", "né"])[codes]
    return {
        "1-lda": LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, texts),
        "1-logistic": LogisticRegression(C=np.inf).fit(X, codes),
        "1-quadratic": QuadraticDiscriminantAnalysis().fit(X, codes),
        "1-calibrated": CalibratedClassifier(LinearSVC(), method="isotonic", plan=KFold(3)).fit(X, codes),
        "1-one_vs_rest": OneVsRest(GaussianNB()).fit(X, codes),
        "1-forward": ForwardSelection(LinearDiscriminantAnalysis(), 2).fit(X, codes),
        "1-mixed": MixedNB(missing="ignore").fit(frame.drop(columns="day"), labels),
        "1-table": TableClassifier(standardise=True).fit(frame, labels).with_decision(Decision(reject_cost=0.3)),
        "1-board": compare(X, codes, models=["LDA", "logistic L2"], plan=KFold(3), random_state=0),
    }


def answers(model, name):
    """Return what a model says of a few rows, as JSON can hold it."""
    given = table(8)[0] if name in ("1-table", "1-mixed") else rows(8)[0]
    given = given.drop(columns="day") if name == "1-mixed" else given
    model = getattr(model, "model", model)
    if hasattr(model, "get_support"):
        return {"support": model.get_support().tolist()}
    scores = model.predict_proba(given) if hasattr(model, "predict_proba") else model.decision_function(given)
    return {"labels": model.predict(given).tolist(), "scores": np.asarray(scores).tolist()}


@pytest.mark.parametrize("name", NAMES)
def test_files_of_earlier_versions_predict_what_they_predicted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, known = answers(load(FILES / f"{name}.sptx"), name), json.loads((FILES / f"{name}.json").read_text("utf-8"))
    assert found.keys() == known.keys() and found.get("labels") == known.get("labels") and found.get("support") == known.get("support")
    if "scores" in known:
        np.testing.assert_allclose(found["scores"], known["scores"], rtol=1e-9, atol=1e-12)


def test_every_schema_has_files():
    assert {name.partition("-")[0] for name in NAMES} == {"1"} and len(NAMES) >= 9
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 200_000


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    for name, model in models().items():
        if not (FILES / f"{name}.sptx").exists():
            save(model, FILES / f"{name}.sptx", call=f"the tests' model {name}")
            (FILES / f"{name}.json").write_text(json.dumps(answers(model, name), ensure_ascii=False), "utf-8")

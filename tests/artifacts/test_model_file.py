"""load(save(m)) is m: the same state, and the same bits from everything that takes rows."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from separatrix import (
    CalibratedClassifier,
    DecidedClassifier,
    Decision,
    ForwardSelection,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsRest,
    Recipe,
    TableClassifier,
    evaluate,
    load,
    save,
)
from separatrix.artifacts import read
from separatrix.errors import InputError, InputTypeError, WriteError
from separatrix.models.registry import PLACES
from tests.artifacts.kept_models import LABELS, fitted, rows, rows_for, table
from tests.tables import ESTIMATORS, LOSS_MODELS, META_MODELS, MODELS

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "get_support")


@pytest.fixture(scope="module")
def models():
    return list(fitted())


def dense(found):
    return found.toarray() if hasattr(found, "toarray") else np.asarray(found)


def assert_same_bits(one, two, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in METHODS:
            if hasattr(one, name):
                given = () if name == "get_support" else (X,)
                a, b = dense(getattr(one, name)(*given)), dense(getattr(two, name)(*given))
                assert a.dtype == b.dtype, name
                assert_array_equal(a, b, err_msg=name)


def test_every_estimator_comes_back_with_the_same_bits(models, tmp_path):
    for name, model, X in models:
        save(model, tmp_path / "a.sptx")
        again = load(tmp_path / "a.sptx")
        assert type(again) is type(model), name
        assert_same_bits(model, again, X)
        save(again, tmp_path / "b.sptx")
        assert (tmp_path / "a.sptx").read_bytes() == (tmp_path / "b.sptx").read_bytes(), name


def test_the_table_holds_every_estimator():
    assert {type(model).__name__ for model in ESTIMATORS} | {"Board", "SavedBoard"} == set(PLACES)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("model", [MODELS[0], LOSS_MODELS[0], *META_MODELS], ids=lambda model: type(model).__name__)
def test_labels_of_every_kind_come_back(tmp_path, model, kind):
    K = min(3, len(LABELS[kind]))
    X, codes = rows_for(model, K)
    model = clone(model).fit(X, LABELS[kind][codes])
    save(model, tmp_path / "a.sptx")
    again = load(tmp_path / "a.sptx")
    assert again.classes_.dtype == model.classes_.dtype
    assert_same_bits(model, again, X)


def test_decisions_and_recipes_come_back(tmp_path):
    decision = Decision(costs=[[0, 1], [9, 0]], priors={"no": 0.9, "yes": 0.1}, reject_cost=0.3, truths=["no", "yes"])
    save(decision, tmp_path / "a.sptx")
    assert load(tmp_path / "a.sptx") == decision == read(tmp_path / "a.sptx").decision
    recipe = Recipe.plan(table()[0])
    save(recipe, tmp_path / "a.sptx")
    again = load(tmp_path / "a.sptx")
    assert str(again) == str(recipe) and again.alerts == recipe.alerts and read(tmp_path / "a.sptx").recipe == recipe.to_json(None)


def test_contents_tell_all_that_was_stored(tmp_path):
    frame, labels = table()
    model = TableClassifier(target="buys").fit(frame.assign(buys=labels))
    found = evaluate(model, frame, labels, plan=3)
    decided = model.with_decision(Decision(reject_cost=0.2))
    call = "separatrix fit /secret/place/churn.csv --target buys -o out/m.sptx"
    save(decided, tmp_path / "a.sptx", estimate=found, alerts=model.alerts_, call=call, data_hash="ab" * 32, target="buys")
    contents = read(tmp_path / "a.sptx")
    assert contents.call == "separatrix fit churn.csv --target buys -o m.sptx" and contents.data_hash == "ab" * 32
    assert contents.alerts == model.alerts_ and contents.target == "buys" and contents.recipe == model.recipe_.to_json(None)
    assert contents.decision == Decision(reject_cost=0.2) and contents.versions["numpy"] == np.__version__
    assert contents.estimate.value == found.error and contents.estimate.interval == tuple(found.interval)
    assert contents.estimate.text == str(found) and contents.estimate.scores == found.scores
    assert contents.state == decided.state() and contents.state.classes.tolist() == ["maybe", "no", "yes"]


def test_contents_are_read_without_scikit_learn(tmp_path):
    save(TableClassifier(standardise=True).fit(*table()).with_decision(Decision(reject_cost=0.2)), tmp_path / "a.sptx")
    code = (
        "import sys; from separatrix.artifacts import read; found = read(sys.argv[1]);"
        "assert found.state.inside['estimator_'].values['recipe_'] == found.recipe;"
        "sys.exit(str([name for name in ('sklearn', 'pandas', 'pyarrow', 'numba') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "a.sptx"], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


FOREIGN = {
    "DecisionTreeClassifier inside DecidedClassifier": DecidedClassifier(DecisionTreeClassifier(), Decision()),
    "DecisionTreeClassifier inside CalibratedClassifier": CalibratedClassifier(DecisionTreeClassifier()),
    "DecisionTreeClassifier inside TableClassifier": TableClassifier(DecisionTreeClassifier()),
    "DecisionTreeClassifier inside OneVsRest": OneVsRest(DecisionTreeClassifier()),
    "estimator of ForwardSelection is a DecisionTreeClassifier": ForwardSelection(DecisionTreeClassifier(), 1),
    "sklearn's Nystroem inside Pipeline": make_pipeline(Nystroem(n_components=3), LogisticRegression()),
    "sklearn's DecisionTreeClassifier cannot be stored": DecisionTreeClassifier(),
}


@pytest.mark.parametrize("said", FOREIGN)
def test_foreign_estimators_are_refused_by_name_and_leave_the_old_file(tmp_path, said):
    (tmp_path / "a.sptx").write_bytes(b"old")
    model = FOREIGN[said].fit(*rows())
    with pytest.raises(InputTypeError, match=said):
        save(model, tmp_path / "a.sptx")
    assert (tmp_path / "a.sptx").read_bytes() == b"old" and os.listdir(tmp_path) == ["a.sptx"]


class MyLDA(LinearDiscriminantAnalysis):
    """A class of the user's own, which may do anything."""


def test_derived_classes_are_refused(tmp_path):
    with pytest.raises(InputTypeError, match="MyLDA cannot be stored"):
        save(MyLDA().fit(*rows()), tmp_path / "a.sptx")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LinearDiscriminantAnalysis, "is a class; pass a fitted model"),
        (3, "int cannot be stored"),
        (LinearDiscriminantAnalysis().fit(*rows()).state(), "State cannot be stored"),
    ],
)
def test_other_things_are_refused(tmp_path, model, said):
    with pytest.raises(InputTypeError, match=said):
        save(model, tmp_path / "a.sptx")


def test_unfitted_models_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        save(LinearDiscriminantAnalysis(), tmp_path / "a.sptx")


def test_other_endings_are_refused_with_the_right_one(tmp_path):
    with pytest.raises(WriteError, match="does not end in .sptx; name the file 'model.sptx'"):
        save(LinearDiscriminantAnalysis().fit(*rows()), tmp_path / "model.pkl")


def test_a_renamed_file_is_read(tmp_path):
    model = LinearDiscriminantAnalysis().fit(*rows())
    save(model, tmp_path / "a.sptx")
    (tmp_path / "a.sptx").rename(tmp_path / "b.model")
    assert load(tmp_path / "b.model").state() == model.state()


def test_other_estimates_are_refused(tmp_path):
    with pytest.raises(InputTypeError, match="estimate is a float; pass what evaluate"):
        save(LinearDiscriminantAnalysis().fit(*rows()), tmp_path / "a.sptx", estimate=0.5)
    with pytest.raises(InputError, match="call is a int"):
        save(LinearDiscriminantAnalysis().fit(*rows()), tmp_path / "a.sptx", call=3)

"""A state with a right checksum and a wrong content is refused: what compiled code trusts, and what a name may load."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from separatrix import (
    CalibratedClassifier,
    CategoricalNB,
    Decision,
    ForwardSelection,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    OneVsOne,
    StepwiseDiscriminant,
    TableClassifier,
    VotedPerceptron,
    load,
    save,
)
from separatrix.artifacts.contents import Contents, read, write
from separatrix.errors import DamagedFileError, InputError
from separatrix.models.state import Blueprint, State
from tests.artifacts.kept_models import rows, rows_for, table


def value(name, new):
    return lambda state: state.values.update({name: new})


def array(name, change):
    def put(state):
        state.arrays[name] = change(state.arrays[name].copy())

    return put


def inside(name, change):
    return lambda state: change(state.inside[name])


def put(place, value):
    def at(array):
        array[place] = value
        return array

    return at


LDA, TABLE = LinearDiscriminantAnalysis(), TableClassifier()
POLYNOMIAL = make_pipeline(PolynomialFeatures(2), LinearDiscriminantAnalysis(shrinkage=0.5))
CASES = [
    (LDA, value("n_features_in_", 5), "which does not fit"),
    (LDA, value("n_features_in_", True), "no number of columns"),
    (LDA, array("coef_", lambda a: a[:, :3]), "coef_ has the shape"),
    (LDA, array("coef_", lambda a: a.astype(np.int64)), "coef_ is not an array of its type"),
    (LDA, array("coef_", put((0, 0), np.inf)), "coef_ holds numbers that are not finite"),
    (LDA, array("classes_", lambda a: a[[0, 0, 1]]), "has no label, or one twice"),
    (LDA, array("summary_.classes", lambda a: a + 1), "other classes than the model"),
    (LDA, value("summary_.kind", "full"), "another shape than its kind"),
    (LDA, value("summary_", {"record": "Popen", "fields": []}), "is no ClassMoments"),
    (LDA, lambda state: state.arrays.pop("means_"), "lacks 'means_'"),
    (LDA, lambda state: state.arrays.update(extra_=np.ones(3)), "has 'extra_', which is not known"),
    (LDA, lambda state: state.arrays.update(__class__=np.ones(3)), "has '__class__', which is not known"),
    (LDA, lambda state: state.params.update(shrinkage="best"), "shrinkage='best' is not known"),
    (LDA, lambda state: state.params.update(command="id"), "has no parameter 'command'"),
    (LDA, lambda state: state.params.update(n_jobs="all"), "n_jobs"),
    (LDA, lambda state: state.inside.update(estimator_=State("NearestMean", 1, {})), "lacks 'classes_'|one too many"),
    (CategoricalNB(), array("categories_.starts", put(1, 99)), "begin before the one before"),
    (CategoricalNB(), array("categories_.starts", put(-1, 10**6)), "begin before the one before"),
    (CategoricalNB(), array("class_log_prior_", put(0, np.nan)), "neither finite nor minus infinity"),
    (VotedPerceptron(max_iter=3), array("ballots_.index", put(0, 10**9)), "points to something that is not there"),
    (VotedPerceptron(max_iter=3), array("ballots_.own", put(0, -1)), "points to something that is not there"),
    (VotedPerceptron(max_iter=3), array("ballots_.survived", lambda a: a[:-1]), "does not fit"),
    (MixedNB(), value("kinds_", {"labels": ["gaussian"] * 4, "dtype": "|O"}), "other columns than their kinds say"),
    (CalibratedClassifier(LinearSVC(), method="isotonic"), array("calibration_.starts", put(1, 10**6)), "begin before"),
    (CalibratedClassifier(LinearSVC()), value("calibration_.method", "beta"), "another number of classes"),
    (CalibratedClassifier(LinearSVC()), inside("estimator_", array("classes_", lambda a: a + 1)), "other classes than the model inside"),
    (OneVsOne(), lambda state: state.inside.pop("estimators_.2"), "another number of machines"),
    (OneVsOne(), inside("estimators_.0", value("n_features_in_", 3)), "does not fit"),
    (OneVsOne(), lambda state: state.params.update(estimator=Blueprint("os.system", {})), "is no estimator of this package"),
    (OneVsOne(), lambda state: state.params.update(estimator=Blueprint("LinearSVC", {"command": "id"})), "LinearSVC cannot be made"),
    (ForwardSelection(LogisticRegression(), 2), array("support_", lambda a: a & False), "keeps no column"),
    (ForwardSelection(LogisticRegression(), 2), value("history_.moves.0.members", {"plain": (99,)}), "names columns that are not there"),
    (StepwiseDiscriminant(), value("history_.columns.4.form", ".999999999f"), "form is not of its type"),
    (POLYNOMIAL, inside("steps.0", lambda state: state.params.update(degree=10**6)), "has a degree that it cannot have"),
    (POLYNOMIAL, inside("steps.0", lambda state: state.params.update(degree=50)), "takes 15 columns, and the step before it gives"),
    (TABLE, value("recipe_", "{}"), "no recipe of version"),
    (TABLE, value("recipe_", "[" * 99_999), "no JSON"),
    (TABLE, lambda state: state.params.update(prep="os.system"), "prepared by something that is not known"),
    (TABLE, inside("estimator_", value("n_features_in_", 2)), "does not fit"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "change", "said"), CASES, ids=[f"{type(m).__name__}-{said[:20]}" for m, _, said in CASES])
def test_contents_that_no_model_could_have_are_refused(tmp_path, model, change, said):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three epochs are few
        save(model.fit(*(table() if model is TABLE else rows_for(model))), tmp_path / "a.sptx")
    state = read(tmp_path / "a.sptx").saved
    change(state)
    write(tmp_path / "a.sptx", Contents(state))
    with pytest.raises(DamagedFileError, match=said) as caught:
        load(tmp_path / "a.sptx")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["os", "system", "State", "subprocess.Popen", "DecisionTreeClassifier", "__class__", ""])
def test_names_outside_the_registry_load_nothing(tmp_path, name):
    before = set(sys.modules)
    write(tmp_path / "a.sptx", Contents(State(name, 1, {})))
    with pytest.raises(DamagedFileError, match="is no estimator of this package"):
        load(tmp_path / "a.sptx")
    assert set(sys.modules) == before


def test_other_versions_are_refused(tmp_path):
    write(tmp_path / "a.sptx", Contents(State("NearestMean", 2, {})))
    with pytest.raises(DamagedFileError, match="has schema 2, and this version of separatrix reads schema 1; upgrade it"):
        load(tmp_path / "a.sptx")


def test_a_decision_that_cannot_be_is_refused(tmp_path):
    save(Decision(costs=[[0, 1], [9, 0]]), tmp_path / "a.sptx")
    state = read(tmp_path / "a.sptx").saved
    state.params["decision"]["costs"] = [[0, 1], [9]]
    write(tmp_path / "a.sptx", Contents(state))
    with pytest.raises(DamagedFileError, match="cannot be restored"):
        load(tmp_path / "a.sptx")


def test_a_model_that_could_not_be_read_is_not_written(tmp_path):
    model = LinearDiscriminantAnalysis().fit(*rows()).set_params(shrinkage="best")
    with pytest.raises(InputError, match="cannot be stored, because it could not be read again: .*shrinkage='best'"):
        save(model, tmp_path / "a.sptx")
    model = LogisticRegression().fit(*rows()).sparsify()
    with pytest.raises(InputError, match="densify"):
        save(model, tmp_path / "a.sptx")
    assert not list(tmp_path.iterdir())

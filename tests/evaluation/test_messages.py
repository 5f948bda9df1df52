"""What evaluate says: errors that name class, fold and remedy, notes, progress, and an estimate a stranger understands."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut as PeerLeaveOneOut
from sklearn.model_selection import ShuffleSplit, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from separatrix import GaussianNB, LinearDiscriminantAnalysis, LinearSVC, Perceptron, compare, learning_curve, permutation_test
from separatrix.errors import InputError, InputTypeError, SeparatrixWarning
from separatrix.evaluation import Holdout, KFold, LeaveOneOut, evaluate
from separatrix.inference.shares import wilson
from separatrix.progress import Event, listening

X, Y = load_iris(return_X_y=True)
GROUPS = np.arange(150) // 50


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: evaluate(GaussianNB(), X[:55], Y[:55], plan=KFold(10)), "Class .*1.* has 5 rows, fewer than the 10 folds.*KFold.5."),
        (lambda: evaluate(GaussianNB(), X, Y, plan=[(np.arange(100), np.arange(100, 150))]), "Fold 0 holds all 50 rows of class .*2"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=KFold(5, grouped=True)), "pass groups=, one group per row"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=KFold(5, grouped=True), groups=GROUPS), "3 groups cannot be cut into 5 folds; use n_sp"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=KFold(3, grouped=True), groups=GROUPS[:9]), "groups has 9 entries, but there are 150"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=Holdout(0.999)), "of 150 rows leaves nothing to train on; hold out fewer"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=[(np.array([], dtype=int), np.arange(150))]), "holds all 150 rows: nothing is left"),
        (lambda: evaluate(GaussianNB(), X[:2], [0, 1], plan=LeaveOneOut()), "Leaving one of 2 rows out leaves too little to train on"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=TimeSeriesSplit(3)), "Split 0 trains on no row of class 1. Use a plan whose training"),
        (
            lambda: compare(X, Y, models=[GaussianNB()], plan=ShuffleSplit(2, test_size=0.2, train_size=0.3)),
            "here every row not held out is trained on",
        ),
        (lambda: evaluate(GaussianNB(), X, np.r_[[9], Y[1:]]), "Class 9.* has 1 row, fewer than the 10 folds.*Use LeaveOneOut.*join it"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=KFold(2.5)), "n_splits=2.5 must be a whole number"),
        (
            lambda: evaluate(GaussianNB(), X, Y, plan=1000),
            "plan=1000 must be a whole number, at least 2 and at most the number of rows, 150",
        ),
        (lambda: evaluate(GaussianNB(), X, Y, plan=[([0, 1], [150])]), "asks for row 150, but there are 150 rows"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=[([0, 1], [])]), "holds no row out"),
        (
            lambda: evaluate(GaussianNB(), X, Y, plan=KFold(3, grouped=True), groups="site"),
            "name of a column; pass the group of each",
        ),
        (lambda: evaluate(GaussianNB(), X[:, 0], Y), "Expected 2D array, got an X of shape .150,."),
        (lambda: evaluate(GaussianNB(), X), "There are no labels: pass y, or name their column"),
        (lambda: evaluate(GaussianNB(), X, Y, metrics="f1"), "f1_score cannot score these rows: .*'f1_macro'"),
        (lambda: evaluate(GaussianNB(), X, np.where(Y > 0, "yes", "no"), metrics="f1"), "make_scorer.f1_score, pos_label='yes'"),
        (lambda: evaluate(GaussianNB(), X, Y[:9]), "X has 150 rows and y 9 labels"),
        (lambda: evaluate(KNeighborsClassifier(), X, Y, sample_weight=np.ones(150)), "KNeighborsClassifier.fit takes none. Leave it out"),
        (lambda: evaluate(LinearSVC(), X, Y, metrics="roc_auc_ovr"), "'roc_auc_ovr' needs probabilities, but LinearSVC has no predict_"),
        (lambda: evaluate(GaussianNB(), X, Y).error_at([0.5, 0.5]), "3 numbers ≥ 0 that sum to one, in the order of"),
        (lambda: evaluate(GaussianNB(), X, Y).error_at({"rose": 1.0}), "in the order of .*got"),
    ],
)
def test_errors_say_what_to_do(action: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        action()


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: evaluate("lda", X, Y), "'lda' is not a model; give a classifier"),
        (lambda: evaluate(GaussianNB, X, Y), "GaussianNB is a class, not a model; write GaussianNB.."),
        (lambda: permutation_test(LinearRegression(), X, Y), "LinearRegression.. is a regressor"),
        (lambda: learning_curve(X, Y, GaussianNB()), "a ndarray is not a model"),
        (lambda: evaluate(GaussianNB(), X, Y, plan=LeaveOneOut), "LeaveOneOut is a class, not a plan"),
        (lambda: evaluate(GaussianNB(), X, Y, plan="loo"), "plan='loo' is not a plan; give KFold"),
        (lambda: evaluate(GaussianNB(), X, target="species"), "X is a ndarray without column names"),
    ],
)
def test_errors_of_kind_say_what_to_write(action: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        action()


def test_a_scorer_that_looks_into_the_model_is_told_where_to_go() -> None:
    with pytest.raises(AttributeError, match="asks the model for 'theta_'.*cross_validate"):
        evaluate(GaussianNB(), X, Y, metrics=lambda model, X, y: model.theta_)


def test_refits_that_warn_of_the_same_thing_warn_once() -> None:
    with pytest.warns(ConvergenceWarning) as heard:
        evaluate(Perceptron(max_iter=2), X, Y, plan=KFold(3, random_state=0), exact=True)
    assert ["so said by 3 of 3 refits" in str(one.message) for one in heard] == [True] and heard[0].filename == __file__


def test_repeats_without_an_error_do_not_claim_certainty() -> None:
    found = evaluate(GaussianNB(), X[:100], Y[:100], plan=KFold(5, repeats=2, random_state=0))
    assert found.error == 0.0 and found.interval == wilson(0.0, 100)
    assert max(high for _, high in found.intervals.values()) <= 1.0


def test_constant_predictions_are_said() -> None:
    found = evaluate(DummyClassifier(strategy="prior"), X[:100], Y[:100], plan=KFold(5, random_state=0))
    assert found.scores["auc"] == 0.5 and "the model does not tell the classes apart" in str(found)
    assert "auc is 1/2 by convention" in str(found)


def test_an_area_without_a_class_is_said() -> None:
    found = evaluate(GaussianNB(), X, Y, plan=[(np.arange(10, 150), np.arange(10))])
    assert np.isnan(found.scores["auc"]) and "auc" not in found.intervals
    assert "auc is not defined: no row of class" in str(found)


def test_selection_inside_a_pipeline_is_done_in_every_fold(rng: Any) -> None:
    """On noise, columns picked from all rows would look right; picked in each fold they are wrong half the time."""
    noise, y = rng.normal(size=(60, 500)), np.arange(60) % 2
    inside = evaluate(make_pipeline(SelectKBest(k=5), LinearDiscriminantAnalysis()), noise, y, plan=KFold(5, random_state=0))
    outside = evaluate(LinearDiscriminantAnalysis(), SelectKBest(k=5).fit_transform(noise, y), y, plan=KFold(5, random_state=0))
    assert inside.method == "refits" and outside.method == "exact algebra"
    assert inside.error > 0.35 > outside.error


def test_weights_reach_the_last_step_of_a_pipeline(rng: Any) -> None:
    w = rng.integers(1, 4, 150).astype(float)
    piped, plain = (
        evaluate(model, X, Y, plan=KFold(3, random_state=0), sample_weight=w)
        for model in (make_pipeline(SelectKBest(k="all"), GaussianNB()), GaussianNB())
    )
    assert_allclose(piped.posteriors, plain.posteriors, atol=1e-9)


def test_refits_tell_how_far_they_are() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        evaluate(KNeighborsClassifier(), X, Y, plan=KFold(3, random_state=0))
    assert [(e.task, e.done, e.total) for e in heard] == [("evaluate", n, 3) for n in (0, 1, 2, 3, 3)]


def test_an_estimate_reads_as_a_sentence_and_travels() -> None:
    found = evaluate(LinearDiscriminantAnalysis(), X, Y, plan=LeaveOneOut())
    assert repr(found).startswith("Held-out error 0.0200 (95 % interval 0.0068 to 0.0571) of 150 rows; on the rows trained on 0.0200\n")
    assert "Held-out rows: truth down, prediction across" in str(found) and "Found by exact algebra" in str(found)
    again = pickle.loads(pickle.dumps(found))
    assert again.scores == found.scores and again.per_fold["error"].sum() == 3
    assert found.error_at([1.0, 0.0, 0.0]) == 0.0 == found.error_at({0: 1.0})
    assert found.confusion_intervals.shape == (3, 3, 3) and found.confusion_intervals[1, 2, 0] < 0.04 < found.confusion_intervals[1, 2, 2]
    assert found.calibration is None


def test_a_score_that_is_not_defined_is_said_once() -> None:
    constant, y = DummyClassifier(strategy="most_frequent"), (Y == 0).astype(int)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert evaluate(constant, X, y, plan=KFold(5, random_state=0), metrics="precision").per_fold["precision"].tolist() == [0.0] * 5
    assert all("precision_score is not defined for some of the rows scored. Precision is ill-defined" in str(each.message) for each in said)
    assert 1 <= len(said) <= 2 and {each.category for each in said} == {SeparatrixWarning}


def test_of_a_class_never_held_out_nothing_is_known() -> None:
    found = evaluate(LinearDiscriminantAnalysis(), X, Y, plan=[(np.arange(10, 150), np.arange(10))])
    assert_allclose(found.confusion_intervals[1:], np.tile([0.0, 0.0, 1.0], (2, 3, 1)), atol=1e-12)
    assert found.confusion_intervals[0, 0, 0] > 0.7


def test_calibration_of_two_classes() -> None:
    found = evaluate(LinearDiscriminantAnalysis(), *load_breast_cancer(return_X_y=True), plan=KFold(5, random_state=0))
    assert found.calibration is not None and 0.2 < found.calibration[1] < 1.5
    assert found.optimism == found.error - found.training_error


def test_splitters_of_scikit_learn_take_the_same_roads() -> None:
    assert evaluate(LinearDiscriminantAnalysis(), X, Y, plan=PeerLeaveOneOut()).method == "exact algebra"

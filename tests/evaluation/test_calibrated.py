"""Calibrated classifiers: held-out scores by brute force, the contract, state, and bad input."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import (
    Bootstrap,
    CalibratedClassifier,
    Decision,
    GaussianNB,
    Holdout,
    KFold,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    evaluate,
    learning_curve,
    permutation_test,
    prior_shift,
    reliability,
)
from separatrix.decisions import fit_map
from separatrix.decisions.calibration import METHODS
from separatrix.errors import InputError
from separatrix.models import DecidedClassifier

META = [
    CalibratedClassifier(LinearDiscriminantAnalysis()),
    CalibratedClassifier(NearestMean(), "temperature"),
    CalibratedClassifier(LogisticRegression(), "isotonic", plan=KFold(2, random_state=0)),
]


EXCEPTIONS = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "a row repeated is two rows, which may be held out in different folds; one of weight two is held out once",
)


def rows(rng: Any, K: int, n: int = 150) -> tuple[Any, Any]:
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 1.2 * rng.normal(size=(K, 3))[y], np.array(["a", "b", "c"])[y]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore::separatrix.errors.SeparatrixWarning")
@parametrize_with_checks(META, expected_failed_checks=lambda _: EXCEPTIONS)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), LinearSVC(), Perceptron(tol=1e-3, random_state=0)], ids=repr
)
def test_the_map_is_fitted_to_scores_of_rows_not_trained_on(model: Any, K: int, method: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    plan = KFold(3, random_state=1)
    found = CalibratedClassifier(model, method, plan=plan).fit(X, y)
    scores = np.empty((len(y), 1 if K == 2 else K))
    for train, test in plan.split(X, y):
        fitted = clone(model).fit(X[train], y[train])
        scores[test] = _scores(fitted, X[test], method)
    codes = np.searchsorted(["a", "b", "c"], y)
    expected = fit_map(method, scores, codes, np.ones(len(y))).posteriors(_scores(clone(model).fit(X, y), X, method))
    assert_allclose(found.predict_proba(X), expected, atol=1e-6)
    assert_array_equal(found.predict(X), found.classes_[expected.argmax(axis=1)])


def _scores(fitted: Any, X: Any, method: str) -> Any:
    """Log-odds of each class against the rest, or margins."""
    if not hasattr(fitted, "predict_proba"):
        return fitted.decision_function(X).reshape(len(X), -1)
    P, K = fitted.predict_proba(X), len(fitted.classes_)
    if K == 2:
        return (np.log(P[:, 1]) - np.log(P[:, 0]))[:, None]
    rest = np.stack([np.delete(P, k, axis=1).sum(axis=1) for k in range(K)], axis=1)
    return np.log(P) if method == "temperature" else np.log(P) - np.log(rest)


def test_leave_one_out_by_algebra_is_leave_one_out_by_refits(rng: Any) -> None:
    X, y = rows(rng, 3, 60)
    found = CalibratedClassifier(LinearDiscriminantAnalysis(), plan=LeaveOneOut()).fit(X, y)
    scores = np.empty((60, 3))
    for i in range(60):
        fitted = LinearDiscriminantAnalysis().fit(np.delete(X, i, axis=0), np.delete(y, i))
        scores[i] = _scores(fitted, X[i : i + 1], "sigmoid")
    brute = fit_map("sigmoid", scores, np.searchsorted(["a", "b", "c"], y), np.ones(60))
    assert_allclose(found.calibration_.parameters, brute.parameters, rtol=1e-6)


def test_overconfident_naive_bayes_is_mended() -> None:
    X, y = make_classification(2000, 30, n_informative=5, n_redundant=20, random_state=0)
    train, test = slice(0, 1000), slice(1000, 2000)
    before = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])
    raw, spoiled = log_loss(y[test], before), reliability(before, y[test]).error
    for method in METHODS:
        ours = CalibratedClassifier(GaussianNB(), method).fit(X[train], y[train])  # type: ignore[arg-type]
        P = ours.predict_proba(X[test])
        assert log_loss(y[test], P) < 0.7 * raw
        assert reliability(P, y[test]).error < 0.7 * spoiled
    peer = CalibratedClassifierCV(GaussianNB(), method="sigmoid", ensemble=False, cv=5).fit(X[train], y[train])
    sigmoid = CalibratedClassifier(GaussianNB()).fit(X[train], y[train])
    assert log_loss(y[test], sigmoid.predict_proba(X[test])) <= log_loss(y[test], peer.predict_proba(X[test])) + 1e-3


def test_a_tree_of_zeros_and_ones_is_calibrated(rng: Any) -> None:
    X, y = rows(rng, 3, 600)
    for method in METHODS:
        model = CalibratedClassifier(DecisionTreeClassifier(random_state=0), method).fit(X, y)  # type: ignore[arg-type]
        assert np.isfinite(model.predict_proba(X)).all() and 0.05 < model.predict_proba(X).min(axis=1).mean() < 1 / 3


def test_weights_are_repeated_rows_and_zero_is_no_row(rng: Any) -> None:
    X, y = rows(rng, 2, 80)
    w, folds = rng.integers(0, 3, 80), np.arange(80) % 4
    both = [CalibratedClassifier(LinearDiscriminantAnalysis(), plan=KFold(4, stratified=False, grouped=True, random_state=0)) for _ in "ab"]
    kept = w > 0
    a = both[0].fit(X, y, sample_weight=w, groups=folds)
    b = both[1].fit(X[kept], y[kept], sample_weight=w[kept], groups=folds[kept])
    assert_allclose(a.predict_proba(X), b.predict_proba(X))
    c = both[1].fit(np.repeat(X, w, axis=0), np.repeat(y, w), groups=np.repeat(folds, w))
    assert a.calibration_.parameters.shape == c.calibration_.parameters.shape
    assert_allclose(a.estimator_.predict_proba(X), c.estimator_.predict_proba(X), rtol=1e-7)
    assert_allclose(a.class_prior_, c.class_prior_)


def test_sparse_rows_and_repeated_plans(rng: Any) -> None:
    X, y = rows(rng, 3)
    dense = CalibratedClassifier(LinearSVC(), plan=KFold(3, repeats=2, random_state=0)).fit(X, y)
    for made in (sp.csr_array, sp.coo_array):
        again = CalibratedClassifier(LinearSVC(), plan=KFold(3, repeats=2, random_state=0)).fit(made(X), y)
        assert_allclose(again.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=2e-3)
    assert CalibratedClassifier(LinearSVC(), plan=Holdout(0.3, random_state=0)).fit(X, y).predict_proba(X).shape == (150, 3)


def test_ten_classes_of_digits_beat_the_raw_margins() -> None:
    X, y = load_digits(return_X_y=True)
    model = CalibratedClassifier(Perceptron(random_state=0), "temperature").fit(X[::2], y[::2])
    P = model.predict_proba(X[1::2])
    assert reliability(P, y[1::2]).error < 0.03
    assert_array_equal(model.predict(X), model.estimator_.predict(X))  # a temperature changes no label


@pytest.mark.parametrize("method", METHODS)
def test_pickle_state_and_decision(method: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = CalibratedClassifier(LinearSVC(), method).fit(X, y)
    decided = model.with_decision(Decision(reject_cost=0.2, priors=[0.1, 0.1, 0.8]))
    for same in (pickle.loads(pickle.dumps(model)), CalibratedClassifier.restore(model.state())):
        assert_allclose(same.predict_proba(X), model.predict_proba(X))
    assert_array_equal(DecidedClassifier.restore(decided.state()).predict(X), decided.predict(X))
    assert_allclose(prior_shift(model, X).trained_priors, 1 / 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CalibratedClassifier("svm"), "has neither predict_proba nor decision_function"),
        (lambda: CalibratedClassifier(LinearSVC), r"pass an instance, LinearSVC\(\)"),
        (lambda: CalibratedClassifier(LinearSVC(), "plat"), "method='plat' is not known; use one of 'sigmoid'"),
        (lambda: CalibratedClassifier(LinearSVC(), plan=Bootstrap(5)), "use plan=KFold"),
        (lambda: CalibratedClassifier(LinearSVC(), plan=KFold(60)), "fewer than the 60 folds"),
        (lambda: CalibratedClassifier(SVC(decision_function_shape="ovo"), plan=KFold(2)), "one score per class|decision_function_shape"),
    ],
)
def test_bad_input_is_named(make: Any, message: str) -> None:
    X, y = load_digits(n_class=5, return_X_y=True) if "ovo" in repr(make()) else load_iris(return_X_y=True)
    with pytest.raises(InputError, match=message):
        make().fit(X, y)


@pytest.mark.parametrize("decision", [Decision(reject_cost=0.1), Decision(np.eye(3), actions=["go", "stay", "wait"])], ids=repr)
def test_answers_that_are_no_classes_have_no_error_rate(decision: Decision) -> None:
    X, y = load_iris(return_X_y=True)
    for labels in (y, np.array(["a", "b", "c"])[y]):
        decided = LinearDiscriminantAnalysis().fit(X, labels).with_decision(decision)
        with pytest.raises(InputError, match=r"answers (None|'\w+'), which is no class.*saving\(decision, estimate, y\)"):
            evaluate(decided, X, labels)


def test_rows_that_cannot_be_held_out_are_named() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="Class 2 has 1 row: held out, none is left"):
        CalibratedClassifier(LinearSVC()).fit(X[:101], y[:101])
    with pytest.raises(InputError, match="Fold 0 holds all 50 rows of class 0"):
        CalibratedClassifier(LinearSVC(), plan=[(np.arange(50, 150), np.arange(50))]).fit(X, y)
    with pytest.raises(InputError, match="inconsistent numbers of samples"):
        CalibratedClassifier(LinearSVC()).fit(X, y[:-1])


@pytest.mark.parametrize("inner", [LinearSVC(), GaussianNB()], ids=repr)
def test_a_model_fitted_before_is_calibrated_with_weights(inner: Any, rng: Any) -> None:
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 2
    X[:, 0] += y
    fitted, w = clone(inner).fit(X[:40], y[:40]), rng.integers(1, 4, 40)
    frozen, before = FrozenEstimator(fitted), fitted.state()
    one = CalibratedClassifier(frozen, plan=KFold(4, random_state=0)).fit(X[40:], y[40:], sample_weight=w)
    again = np.repeat(np.arange(40, 80), w)
    other = CalibratedClassifier(frozen, plan=KFold(4, random_state=0)).fit(X[again], y[again])
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)
    for plan in (KFold(4), LeaveOneOut(), Bootstrap(3)):
        assert evaluate(frozen, X[40:], y[40:], plan=plan).method == "refits"
    learning_curve(frozen, X[40:], y[40:]), permutation_test(frozen, X[40:], y[40:], n_permutations=5)
    assert fitted.state() == before

"""A classifier with a decision, and the same model under other priors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import (
    BernoulliNB,
    CategoricalNB,
    Decision,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from separatrix.errors import DataWarning, InputError
from separatrix.inference.tables import Tables
from separatrix.models import DecidedClassifier

REWEIGHED = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto", class_weight="balanced"),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    BernoulliNB(),
    MultinomialNB(),
    CategoricalNB(),
    MixedNB(),
    LogisticRegression(),
    LogisticRegression(C=np.inf),
]


def rows(rng: Any, K: int, n: int = 240) -> tuple[Any, Any]:
    y = np.sort(np.append(np.arange(K), rng.integers(K, size=n - K)))
    return rng.poisson(1.0 + rng.uniform(0, 2, size=(K, 4))[y]).astype(float), np.array(["a", "b", "c"])[y]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore::separatrix.errors.SeparatrixWarning")
@parametrize_with_checks([DecidedClassifier(LinearDiscriminantAnalysis()), DecidedClassifier(PeerLogistic(), Decision())])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("model", REWEIGHED, ids=repr)
def test_new_priors_are_bayes_rule(model: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    fitted, new = clone(model).fit(X, y), np.array([0.6, 0.4]) if K == 2 else np.array([0.7, 0.1, 0.2])
    again, old = fitted.with_priors(new), fitted.predict_proba(X)
    assert type(again) is type(fitted)
    trained = np.unique(y, return_counts=True)[1] / len(y) if model.class_weight is None else np.full(K, 1 / K)
    expected = old * new / trained
    assert_allclose(again.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)
    assert_array_equal(again.predict(X), fitted.classes_[expected.argmax(axis=1)])
    assert_allclose(fitted.predict_proba(X), old)
    assert_allclose(again.with_priors(trained).predict_proba(X), old, rtol=1e-9)
    assert_allclose(type(again).restore(again.state()).predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("model", REWEIGHED[:8], ids=repr)
def test_new_priors_are_those_of_a_fit_that_was_given_them(model: Any, rng: Any) -> None:
    X, y = rows(rng, 3)
    new = np.array([0.7, 0.1, 0.2])
    name = "priors" if hasattr(model, "priors") else "class_prior"
    given, again = clone(model).set_params(**{name: new}).fit(X, y), clone(model).fit(X, y).with_priors(dict(zip("abc", new, strict=True)))
    assert_allclose(again.predict_proba(X), given.predict_proba(X), rtol=1e-7)
    assert_array_equal(again._class_priors(), given._class_priors())
    assert_allclose(clone(again).fit(X, y).predict_proba(X), given.predict_proba(X))


def test_a_linear_model_keeps_its_new_priors_in_its_intercepts(rng: Any) -> None:
    X, y = rows(rng, 2)
    model = LogisticRegression(C=np.inf).fit(X, y)
    again, shift = model.with_priors([0.99, 0.01]), np.log(0.01 / np.mean(y == "b")) - np.log(0.99 / np.mean(y == "a"))
    assert_array_equal(again.coef_, model.coef_)
    assert_allclose(again.intercept_, model.intercept_ + shift)
    before, after = (m.summary() for m in (model, again))
    assert isinstance(after, Tables) and str(after) != str(before)
    assert_allclose(again.boundary("a", "b").w0 - model.boundary("a", "b").w0, shift)


def test_predictions_obey_the_decision(rng: Any) -> None:
    X, y = rows(rng, 3)
    model, C = LinearDiscriminantAnalysis().fit(X, y), rng.uniform(size=(3, 3))
    decided = model.with_decision(Decision(C, priors=[0.2, 0.3, 0.5]))
    P = model.with_priors([0.2, 0.3, 0.5]).predict_proba(X)
    assert_allclose(decided.predict_proba(X), P)
    assert_array_equal(decided.predict(X), model.classes_[np.argmin(P @ C, axis=1)])
    assert_allclose(decided.expected_costs(X), P @ C)
    assert decided.estimator is model and decided.n_features_in_ == 4


def test_rejected_rows_are_none_and_not_right(rng: Any) -> None:
    X, y = rows(rng, 3)
    decided = GaussianNB().fit(X, y).with_decision(Decision(reject_cost=0.4))
    labels = decided.predict(X)
    assert labels.dtype == object
    assert_array_equal([label is None for label in labels], decided.predict_proba(X).max(axis=1) < 0.6)
    assert 0 < np.mean([label is None for label in labels]) < 1
    assert decided.score(X, y) == pytest.approx(np.mean([a == b for a, b in zip(labels, y, strict=True)]))


def test_any_fitted_classifier_can_be_wrapped(rng: Any) -> None:
    X, y = rows(rng, 2)
    peer = PeerLogistic().fit(X, y)
    ours = DecidedClassifier(peer, Decision.threshold(0.3)).predict(X)
    fixed = FixedThresholdClassifier(peer, threshold=0.3, pos_label="b").fit(X, y)
    assert_array_equal(ours, fixed.predict(X))
    assert DecidedClassifier(PeerNB().fit(X, y), Decision(priors=[0.5, 0.5])).predict_proba(X).shape == (len(y), 2)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    given = DecidedClassifier(peer, Decision(priors=shares), trained_priors=shares)
    assert_allclose(given.predict_proba(X), peer.predict_proba(X))


def test_clone_pickle_state_and_search() -> None:
    X, y = load_iris(return_X_y=True)
    decision = Decision(1 - np.eye(3), reject_cost=0.1, priors=[0.2, 0.2, 0.6])
    decided = LinearDiscriminantAnalysis().fit(X, y).with_decision(decision)
    fresh = clone(decided)
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    for same in (fresh.fit(X, y), pickle.loads(pickle.dumps(decided)), DecidedClassifier.restore(decided.state())):
        assert_array_equal(same.predict(X), decided.predict(X))
        assert_allclose(same.predict_proba(X), decided.predict_proba(X))
        assert same.decision == decision
    assert DecidedClassifier.restore(decided.state()).state() == decided.state()
    search = GridSearchCV(DecidedClassifier(GaussianNB()), {"decision": [None, Decision(reject_cost=0.01)]}, cv=3).fit(X, y)
    assert search.best_params_ == {"decision": None}


@pytest.mark.parametrize("model", [LinearSVC(), Perceptron()], ids=repr)
def test_models_without_posteriors_are_told_to_calibrate(model: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = clone(model).fit(X[:100], y[:100])
    with pytest.raises(InputError, match=rf"CalibratedClassifier\({type(model).__name__}\(\)\)"):
        model.with_decision(Decision())
    with pytest.raises(InputError, match=rf"CalibratedClassifier\({type(model).__name__}\(\)\)"):
        model.with_priors([0.5, 0.5])
    with pytest.raises(InputError, match="calibrate it first"):
        DecidedClassifier(model).fit(X, y)


def test_what_does_not_fit_the_model_is_said_at_once() -> None:
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(InputError, match="costs has 2 rows, but there are 3 classes"):
        model.with_decision(Decision([[0, 1], [1, 0]]))
    with pytest.warns(DataWarning, match="never rejects a row"):
        model.with_decision(Decision(reject_cost=0.7))
    with pytest.raises(InputError, match="new prior of class 2 is zero, though it was seen"):
        model.with_priors([0.5, 0.5, 0.0])
    with pytest.raises(InputError, match="LogisticRegression does not keep the class shares it was trained with; pass trained_priors"):
        DecidedClassifier(PeerLogistic(max_iter=1000).fit(X, y), Decision(priors=[0.2, 0.2, 0.6])).predict(X)
    with pytest.raises(InputError, match="new prior of class 2 is zero, though it was seen"):
        model.with_decision(Decision(priors=[0.5, 0.5, 0.0]))
    with pytest.raises(InputError, match="estimator is the class LinearSVC itself; pass an instance"):
        DecidedClassifier(LinearSVC).fit(X, y)
    with pytest.raises(InputError, match=r"is a str and no Decision; pass separatrix.Decision"):
        DecidedClassifier(model, "cheap").predict(X)
    online = LogisticRegression().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InputError, match="pass trained_priors"):
        online.with_priors([0.2, 0.2, 0.6])
    assert online.with_priors([0.2, 0.2, 0.6], trained_priors=[1 / 3] * 3).intercept_.shape == (3,)

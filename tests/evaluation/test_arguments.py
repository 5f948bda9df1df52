"""What cannot be done is said before it is begun: weights on few rows, numbers that are none; without a seed a call repeats itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from separatrix import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    compare,
    learning_curve,
    permutation_test,
)
from separatrix.errors import InputError, InputTypeError, SeparatrixError
from separatrix.evaluation import Bootstrap, Holdout, KFold, LeaveOneOut, RandomSubsampling, evaluate

MODELS = [
    LinearDiscriminantAnalysis(),
    FisherDiscriminant(),
    QuadraticDiscriminantAnalysis(),
    LeastSquaresClassifier(),
    NearestMean(),
    GaussianNB(),
    LogisticRegression(),
    LinearSVC(),
    DecisionTreeClassifier(random_state=0),
]


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
@pytest.mark.parametrize("plan", [KFold(4), 4, LeaveOneOut(), Holdout(0.3), Bootstrap(5)], ids=repr)
@pytest.mark.parametrize("weighing", [1, 2, 4, 12])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weight_on_few_rows_is_a_sound_result_or_a_sentence(model: Any, weighing: int, plan: Any, rng: Any) -> None:
    X, y = rng.normal(size=(48, 3)), np.arange(48) % 2
    weight = np.where(np.arange(48) < weighing, 1.0, 0.0)
    try:
        found = evaluate(model, X, y, plan=plan, sample_weight=weight)
    except InputError as problem:
        said = str(problem)
    else:
        said = "" if all(np.isfinite(value) for value in found.scores.values()) else found.notes[-1]
    assert not said or re.search("weight|leaves too little|missed a class|trains on no row|auc is not defined", said), said
    assert said or weighing > 1


def test_rows_of_weight_0_are_no_rows(rng: Any) -> None:
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    folds, kept = np.arange(40) // 2 % 4, np.arange(40) < 32
    pairs = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(4)]
    few = [(np.flatnonzero(folds[:32] != f), np.flatnonzero(folds[:32] == f)) for f in range(4)]
    for model in MODELS:
        whole, part = evaluate(model, X, y, plan=pairs, sample_weight=kept), evaluate(model, X[:32], y[:32], plan=few)
        assert whole.error == pytest.approx(part.error) and whole.confusion == pytest.approx(part.confusion)


@pytest.mark.parametrize("value", ["a", 10**400, -(10**400), 1.5, 0, True, [1]], ids=lambda value: str(value)[:9])
@pytest.mark.parametrize("function", [evaluate, permutation_test, learning_curve])
def test_numbers_that_are_none_are_refused_in_words(function: Any, value: Any) -> None:
    X, y, model = np.arange(60.0).reshape(20, 3), np.arange(20) % 2, KNeighborsClassifier()
    with pytest.raises(InputError, match=r"n_jobs=.* must be a number of processes: 1, 2"):
        function(model, X, y, n_jobs=value)
    with pytest.raises(InputError, match=r"n_splits=.* must be a whole number, at least 2 and at most the number of rows, 20"):
        function(model, X, y, plan=KFold(value))
    with pytest.raises(SeparatrixError, match="plan|Split"):
        function(model, X, y, plan=value)
    if value in (0, True):
        return
    with pytest.raises(InputError, match="random_state=.* is no seed"):
        function(model, X, y, random_state=value)


def test_nothing_is_no_model_and_no_rows() -> None:
    for function in (evaluate, permutation_test, learning_curve):
        with pytest.raises(InputTypeError, match="a NoneType is not a model; give a classifier"):
            function(None, np.eye(4), [0, 1, 0, 1])
        with pytest.raises(InputTypeError, match="X is None; give n rows × p columns"):
            function(GaussianNB(), None, [0, 1, 0, 1])
    with pytest.raises(InputError, match="3 is not a metric; give a name"):
        evaluate(GaussianNB(), np.eye(4), [0, 1, 0, 1], plan=2, metrics=3)
    with pytest.raises(InputError, match="groups=3 is not a list of groups"):
        evaluate(GaussianNB(), np.eye(4), [0, 1, 0, 1], groups=3)


def test_the_same_call_without_a_seed_has_the_same_result() -> None:
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    for plan in (None, KFold(3), KFold(3, repeats=2), Holdout(0.3), Bootstrap(5), RandomSubsampling(0.2, 3)):
        one, two = (evaluate(LinearDiscriminantAnalysis(), X, y, plan=plan) for _ in range(2))
        assert one.scores == two.scores and (one.posteriors == two.posteriors)[np.isfinite(one.posteriors)].all()
    one, two = (learning_curve(LinearDiscriminantAnalysis(), X, y) for _ in range(2))
    assert (one.per_fold == two.per_fold).all()
    one, two = (permutation_test(LinearDiscriminantAnalysis(), X, y, n_permutations=50) for _ in range(2))
    assert (one.permuted == two.permuted).all()
    assert compare(X, y, models=[GaussianNB()]).best.value == compare(X, y, models=[GaussianNB()]).best.value

"""A resample is a line of weights: many at once equal one fit each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris

from separatrix import (
    ClassMoments,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)
from separatrix.evaluation import Bootstrap, evaluate
from separatrix.summaries.resampled import resampled_moments

pytestmark = pytest.mark.usefixtures("roads")

SETS = {"iris": load_iris, "breast cancer": load_breast_cancer}
MODELS = [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(shrinkage=0.2, covariance="mle")]


def test_moments_of_weightings_are_weighted_moments(rng: Any) -> None:
    X, codes = rng.normal(size=(30, 3)) + 1e4, (np.arange(30) % 3).astype(np.int32)
    weights = rng.integers(0, 3, size=(5, 30)) + 0.5
    found = resampled_moments(X, codes, weights, 3)
    for b in range(5):
        one = ClassMoments.from_data(X, codes, weights[b], pooled=True)
        for mine, theirs in ((found.counts, one.counts), (found.means, one.means), (found.scatter, one.scatter)):
            assert_allclose(mine[b], theirs, rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_all_resamples_at_once_equal_refits(model: Any, name: str, weighted: bool, rng: Any) -> None:
    X, y = SETS[name](return_X_y=True)
    w = rng.integers(1, 3, len(y)).astype(float) if weighted else None
    quick, brute = (evaluate(model, X, y, plan=Bootstrap(12, random_state=1), sample_weight=w, exact=exact) for exact in (False, True))
    assert (quick.method, brute.method) == ("exact algebra", "refits")
    assert quick.scores == pytest.approx(brute.scores, abs=1e-8)
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-7)
    assert_allclose(quick.confusion, brute.confusion)
    assert_allclose(quick.per_fold["balanced_accuracy"], brute.per_fold["balanced_accuracy"])


@pytest.mark.filterwarnings("ignore:The covariance has no inverse")
def test_resamples_that_are_singular_are_refitted(rng: Any) -> None:
    X = rng.normal(size=(25, 3))
    X = np.column_stack([X, np.arange(25) < 2])  # most resamples draw neither row or one of them
    quick, brute = (
        evaluate(LinearDiscriminantAnalysis(), X, np.arange(25) % 2, plan=Bootstrap(20, random_state=0), exact=e) for e in (False, True)
    )
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-6)


def test_metrics_asked_for_are_scored(rng: Any) -> None:
    X, y = load_iris(return_X_y=True)
    quick, brute = (
        evaluate(MODELS[0], X, y, plan=Bootstrap(5, random_state=0), metrics=["auc", "f1_macro"], exact=e) for e in (False, True)
    )
    assert set(quick.scores) == {"error", "out_of_bag_error", "auc", "f1_macro"}
    assert quick.scores == pytest.approx(brute.scores)


OTHERS = [
    GaussianNB(),
    NearestMean(metric="standardised"),
    QuadraticDiscriminantAnalysis(shrinkage=0.1),
    LeastSquaresClassifier(class_weight="balanced"),
    FisherDiscriminant(),
    LinearDiscriminantAnalysis(class_weight="balanced"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", OTHERS, ids=repr)
def test_other_models_are_solved_from_the_moments_of_each_resample(model: Any, weighted: bool, rng: Any) -> None:
    X, y = load_iris(return_X_y=True)
    w = rng.integers(1, 3, len(y)).astype(float) if weighted else None
    quick, brute = (evaluate(model, X, y, plan=Bootstrap(9, random_state=1), sample_weight=w, exact=exact) for exact in (False, True))
    assert (quick.method, brute.method) == ("exact algebra", "refits")
    assert quick.scores == pytest.approx(brute.scores, abs=1e-8) and len(quick.per_fold["error"]) == 9
    assert_allclose(quick.confusion, brute.confusion)
    assert (quick.posteriors is None) == (brute.posteriors is None) == (not hasattr(model, "predict_proba"))


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
@pytest.mark.parametrize("model", OTHERS, ids=repr)
def test_resamples_in_which_a_column_stands_still_are_refitted(model: Any, rng: Any) -> None:
    X, y = np.column_stack([rng.normal(size=(25, 3)), np.arange(25) < 1]), np.arange(25) % 2
    quick, brute = (evaluate(model, X, y, plan=Bootstrap(20, random_state=0), exact=e) for e in (False, True))
    assert quick.method == "refits" or "of 20 resamples refitted" in quick.method
    assert quick.scores == pytest.approx(brute.scores, abs=1e-6)

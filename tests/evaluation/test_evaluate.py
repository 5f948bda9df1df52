"""Shortcuts equal refits; scores equal scikit-learn's; errors name class, fold and remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from separatrix import GaussianNB, LinearDiscriminantAnalysis
from separatrix.errors import InputError
from separatrix.evaluation import Bootstrap, HashFold, Holdout, KFold, LeaveOneOut, RandomSubsampling, evaluate
from separatrix.evaluation.bootstrap import combine
from tests.tables import COUNT_MODELS, MODELS

PLANS = [KFold(4, random_state=0), KFold(4, repeats=2, random_state=1), Holdout(0.3, random_state=0), HashFold(3), LeaveOneOut()]
PLANS += [RandomSubsampling(0.2, 3, random_state=0)]
GENERATIVE = [model for model in MODELS if hasattr(model, "predict_joint_log_proba")]


def rows(rng: Any, n: int = 44) -> tuple[Any, Any]:
    y = np.array(["a", "b", "c"])[np.concatenate([np.arange(n - 12) % 2, [2] * 12])]
    return rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) + (y == "c")[:, None], y


@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("model", GENERATIVE, ids=repr)
def test_shortcuts_equal_refits(model: Any, plan: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(1, 3, len(y)).astype(float)
    quick, brute = (evaluate(model, X, y, plan=plan, sample_weight=w, exact=exact) for exact in (False, True))
    assert (quick.method, brute.method) == ("exact algebra", "refits")
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-9)
    assert quick.scores == pytest.approx(brute.scores, abs=1e-7)


@pytest.mark.parametrize("plan", [KFold(3, random_state=0), Holdout(0.3, random_state=0), LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("model", COUNT_MODELS, ids=repr)
def test_counting_models_forget_or_refit(model: Any, plan: Any, rng: Any) -> None:
    X, y = rng.integers(0, 2, size=(40, 5)), np.arange(40) % 2
    quick, brute = (evaluate(model, X, y, plan=plan, metrics="log_loss", exact=exact) for exact in (False, True))
    assert quick.method == ("exact algebra" if model.abilities().summary else "refits")
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-10)


@pytest.mark.parametrize("convert", [sp.csr_array, lambda X: pd.DataFrame(X, columns=list("abcd"))])
def test_sparse_rows_and_frames_are_rows(convert: Any, rng: Any) -> None:
    X, y = rows(rng)
    for plan in (KFold(3, random_state=0), LeaveOneOut()):
        assert_allclose(evaluate(GaussianNB(), convert(X), y, plan=plan).posteriors, evaluate(GaussianNB(), X, y, plan=plan).posteriors)


def test_scores_are_those_of_scikit_learn(rng: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    found = evaluate(KNeighborsClassifier(), X, y, plan=splitter, metrics=["auc", "f1", "neg_log_loss", "brier"])
    P = cross_val_predict(KNeighborsClassifier(), X, y, cv=splitter, method="predict_proba")
    assert_allclose(found.posteriors, P)
    assert found.error == pytest.approx(np.mean((P[:, 1] > 0.5) != y))
    assert set(found.scores) == {"error", "auc", "f1", "neg_log_loss", "brier"} and len(found.per_fold["f1"]) == 5
    assert_array_equal(found.confusion.sum(axis=1), np.bincount(y))
    assert found.interval[0] < found.error < found.interval[1] and found.intervals["auc"][0] < found.scores["auc"]


def test_priors_of_all_rows_can_be_held(rng: Any) -> None:
    X, y = rows(rng)
    held = evaluate(LinearDiscriminantAnalysis(), X, y, plan=LeaveOneOut(), fixed_priors=True)
    priors = np.unique(y, return_counts=True)[1] / len(y)
    brute = evaluate(LinearDiscriminantAnalysis(priors=priors), X, y, plan=LeaveOneOut(), exact=True)
    assert_allclose(held.posteriors, brute.posteriors, atol=1e-9)


def test_models_without_posteriors_are_scored_by_their_labels() -> None:
    X, y = load_iris(return_X_y=True)
    found = evaluate(LinearSVC(max_iter=10_000), X, y, plan=KFold(3, random_state=0))
    assert found.posteriors is None and set(found.scores) == {"error", "balanced_accuracy"}
    with pytest.raises(InputError, match="Metric 'log_loss' needs probabilities, but LinearSVC has no predict_proba; calibrate it first"):
        evaluate(LinearSVC(max_iter=10_000), X, y, plan=KFold(3), metrics="log_loss")


def test_632plus_of_cases_worked_by_hand() -> None:
    """err 0, Err1 ½, γ ½ (a nearest neighbour on noise): .632 says .316, .632+ says ½."""
    found = combine(0.0, 0.5, 0.5)
    assert (found.error_632, found.error_632plus) == pytest.approx((0.316, 0.5))
    # err .1, Err1 .3, γ .5: R = ½, .632 = .2264, correction .2 · .368 · .632 · .5/(1 − .184) = .028502
    assert combine(0.1, 0.3, 0.5).error_632plus == pytest.approx(0.2264 + 0.2 * 0.368 * 0.632 * 0.5 / 0.816)
    assert combine(0.3, 0.2, 0.5).error_632plus == pytest.approx(combine(0.3, 0.2, 0.5).error_632)


def test_bootstrap_of_noise_knows_the_error_is_one_half(rng: Any) -> None:
    X, y = rng.normal(size=(120, 3)), np.arange(120) % 2
    found = evaluate(KNeighborsClassifier(1), X, y, plan=Bootstrap(30, random_state=0))
    assert found.error == found.error_632plus
    assert abs(found.error - 0.5) < 0.1 and found.error_632 < 0.4


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda X, y: evaluate(GaussianNB(), X, y, metrics="eror"), "Metric 'eror' is not known. Did you mean 'error'"),
        (lambda X, y: evaluate(GaussianNB(), X, np.zeros(150)), "one class, 0.0; there is nothing to tell apart"),
        (lambda X, y: evaluate(KNeighborsClassifier(), X, y, plan=LeaveOneOut(), fixed_priors=True), "KNeighborsClassifier has none"),
        (
            lambda X, y: evaluate(GaussianNB(), X[:60], y[:60], plan=[(np.arange(50), np.arange(50, 60))]),
            "Fold 0 holds all 10 rows of class",
        ),
    ],
)
def test_bad_input_is_refused(action: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        action(*load_iris(return_X_y=True))

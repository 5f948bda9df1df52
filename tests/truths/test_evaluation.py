"""Published and provable numbers of model evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from separatrix import LinearDiscriminantAnalysis, LogisticRegression, QuadraticDiscriminantAnalysis
from separatrix.evaluation import Bootstrap, KFold, LeaveOneOut, RandomSubsampling, evaluate
from separatrix.evaluation.bootstrap import combine, no_information_error


def test_a_bootstrap_sees_about_63_percent_of_the_rows() -> None:
    """Course, C18: mean share of unique rows .632 ± .01 at N = 10,000."""
    shares = (Bootstrap(50, random_state=0).resamples(10_000) > 0).mean(axis=1)
    assert abs(shares.mean() - 0.632) < 0.01
    assert shares.mean() == pytest.approx(1.0 - np.exp(-1.0), abs=0.002)


def test_632_breaks_down_and_632plus_does_not() -> None:
    """Efron and Tibshirani (1997), section 3: a nearest neighbour on labels without information has err 0, Err1 ½, γ ½."""
    found = combine(0.0, 0.5, 0.5)
    assert (found.error_632, found.error_632plus) == pytest.approx((0.316, 0.5))
    assert no_information_error(np.array([0.5, 0.5]), np.array([0.2, 0.8])) == pytest.approx(0.5)


def test_a_nearest_neighbour_on_noise(rng: Any) -> None:
    """The same on data: the error is ½ whatever the model says about its training rows."""
    X, y = rng.normal(size=(200, 5)), np.arange(200) % 2
    found = evaluate(KNeighborsClassifier(1), X, y, plan=Bootstrap(40, random_state=0))
    assert found.training_error == 0.0
    assert found.error_632 == pytest.approx(0.316, abs=0.05) and found.error == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("model", "errors"), [(LinearDiscriminantAnalysis(), 3), (QuadraticDiscriminantAnalysis(), 4)])
def test_leave_one_out_counts_of_iris(model: Any, errors: int) -> None:
    """R's lda and qda with CV=TRUE (MASS), and PROC DISCRIM with CROSSVALIDATE: 3 and 4 of 150, the priors of all rows held."""
    X, y = load_iris(return_X_y=True)
    if errors == 4:
        model = model.set_params(covariance="unbiased")
    for exact in (False, True):
        found = evaluate(model, X, y, plan=LeaveOneOut(), fixed_priors=True, exact=exact)
        assert round(found.error * 150) == errors
    assert found.confusion[0].tolist() == [50, 0, 0]


def test_held_out_parts_are_of_the_size_the_course_names() -> None:
    """C17: random subsampling, a tenth of the rows ten times; k-fold with 5 or 10 folds."""
    X, y = load_iris(return_X_y=True)
    found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=RandomSubsampling(0.1, 10, random_state=0))
    assert len(found.per_fold["error"]) == 10 and found.confusion.sum() == 15
    assert found.error == pytest.approx(found.per_fold["error"].mean())
    for folds in (5, 10):
        assert evaluate(LinearDiscriminantAnalysis(), X, y, plan=KFold(folds, random_state=0)).confusion.sum() == 150


@pytest.mark.parametrize("plan", [LeaveOneOut(), KFold(10, random_state=0), Bootstrap(30, random_state=0)], ids=repr)
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression()], ids=repr)
def test_two_normals_have_the_error_they_must_have(model: Any, plan: Any) -> None:
    """Means Δ apart, unit covariance, equal shares: no rule errs less than Φ(−Δ/2), and this one hardly more at n = 1,000."""
    delta, hits = 2.0, 0
    for seed in range(12):
        draw = np.random.default_rng(seed)
        y = np.arange(1000) % 2
        X = draw.normal(size=(1000, 3))
        X[:, 0] += delta * y
        low, high = evaluate(model, X, y, plan=plan).interval
        hits += low < norm.cdf(-delta / 2) + 0.001 < high
    assert hits >= 10

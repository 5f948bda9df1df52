"""Splits of scikit-learn and lists of pairs, also those that leave rows aside, are followed as scikit-learn follows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import CalibratedClassifier, ForwardSelection, GaussianNB, LinearDiscriminantAnalysis, compare
from separatrix.errors import DataWarning
from separatrix.evaluation import LeaveOneOut, evaluate

ORDER = np.random.default_rng(0).permutation(150)
X, Y = (part[ORDER] for part in load_iris(return_X_y=True))
EVEN = np.arange(150) % 2 == 0
PLANS: dict[str, Any] = {
    "time": TimeSeriesSplit(4),
    "gap": TimeSeriesSplit(3, gap=5, max_train_size=40),
    "shuffled parts": StratifiedShuffleSplit(3, test_size=0.2, train_size=0.3, random_state=0),
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "pairs": [(np.arange(0, 90), np.arange(100, 150)), (np.arange(50, 150), np.arange(0, 40))],
}


@pytest.mark.parametrize("name", PLANS)
def test_scores_of_folds_are_those_of_scikit_learn(name: str) -> None:
    model = make_pipeline(StandardScaler(), GaussianNB())
    found = evaluate(model, X, Y, plan=PLANS[name])
    assert_allclose(1.0 - found.per_fold["error"], cross_val_score(model, X, Y, cv=PLANS[name]))
    assert_allclose(evaluate(model, X, Y, plan=PLANS[name], n_jobs=2).posteriors, found.posteriors)


def test_masks_are_rows() -> None:
    by_mask = evaluate(GaussianNB(), X, Y, plan=[(EVEN, ~EVEN)])
    assert_allclose(by_mask.posteriors, evaluate(GaussianNB(), X, Y, plan=[(np.flatnonzero(EVEN), np.flatnonzero(~EVEN))]).posteriors)


def test_fixed_priors_reach_the_last_step_of_a_pipeline() -> None:
    model = LinearDiscriminantAnalysis()
    piped = evaluate(make_pipeline(StandardScaler(), model), X[:80], Y[:80], plan=LeaveOneOut(), fixed_priors=True)
    assert_allclose(piped.posteriors, evaluate(model, X[:80], Y[:80], plan=LeaveOneOut(), fixed_priors=True).posteriors, atol=1e-9)


@pytest.mark.parametrize("plan", [5, StratifiedKFold(5)])
@pytest.mark.parametrize(
    "follow",
    [
        lambda X, y, plan: CalibratedClassifier(GaussianNB(), plan=plan).fit(X, y),
        lambda X, y, plan: evaluate(GaussianNB(), X, y, plan=plan),
        lambda X, y, plan: compare(X, y, models=[GaussianNB()], plan=plan),
        lambda X, y, plan: ForwardSelection(GaussianNB(), plan=plan).fit(X, y),
    ],
)
def test_what_a_splitter_warns_of_is_said_by_us_with_a_remedy(plan: Any, follow: Any) -> None:
    few = np.r_[np.flatnonzero(Y == 0)[:30], np.flatnonzero(Y == 1)[:3]]  # a class with fewer rows than folds
    with pytest.warns(DataWarning, match="plan=.*5.*least populated class.* Use fewer folds, or LeaveOneOut") as warned:
        follow(X[few], Y[few], plan)
    assert {w.category for w in warned} == {DataWarning}

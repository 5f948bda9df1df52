"""Every road of tuning gives what plain refits give, and sees no row it was not given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import GaussianNB, KFold, LinearDiscriminantAnalysis, LogisticRegression, QuadraticDiscriminantAnalysis
from separatrix.evaluation.evaluation_rows import EvaluationRows
from separatrix.evaluation.splits import folds_of
from separatrix.selection.candidates import Candidate
from separatrix.selection.performance import ComparisonMetric
from separatrix.selection.tuning import hold_out_grid, tune_candidate

SCALED = "lineardiscriminantanalysis__shrinkage"
CASES = [
    (LinearDiscriminantAnalysis(), {"shrinkage": [0.9, 0.1, 0.0]}, "exact algebra"),
    (QuadraticDiscriminantAnalysis(), {"pooling": [0.5, 0.1]}, "exact algebra"),
    (GaussianNB(), {"var_smoothing": [0.1, 1e-9]}, "exact algebra"),
    (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), {SCALED: [0.9, 0.1, 0.0]}, "fold summaries"),
    (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), {SCALED: ["oas", "auto", 0.1]}, "fold summaries"),
    (make_pipeline(PCA(), LinearDiscriminantAnalysis()), {"pca__n_components": [1, 3], SCALED: [0.5, 0.0]}, "fold summaries"),
    (LogisticRegression(tol=1e-9), {"C": [10.0, 0.1, 1.0]}, "warm starts"),
    (make_pipeline(StandardScaler(), LogisticRegression(tol=1e-9)), {"logisticregression__C": [0.1, 1.0]}, "warm starts"),
    (make_pipeline(PCA(), LogisticRegression(tol=1e-9)), {"pca__n_components": [1, 2], "logisticregression__C": [0.1, 1]}, "warm starts"),
    (KNeighborsClassifier(), {"n_neighbors": [9, 3]}, "refits"),
]


def rows(rng: Any, convert: Any = lambda X: X) -> EvaluationRows:
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 4)) + 1.2 * y[:, None]
    return EvaluationRows(convert(X), y.astype(np.int32), None, np.arange(3))


@pytest.mark.parametrize("convert", [np.asarray, lambda X: pd.DataFrame(X, columns=list("abcd"))], ids=["array", "frame"])
@pytest.mark.parametrize(("model", "grid", "method"), CASES, ids=lambda value: str(value)[:50])
def test_every_road_equals_refits(model: Any, grid: Any, method: str, convert: Any, rng: Any) -> None:
    data, plan = rows(rng, convert), KFold(4, random_state=0)
    candidate = Candidate("m", model, tuple(ParameterGrid(grid)))
    (folds,) = folds_of(plan, data.n, data.codes)
    for point, held in zip(candidate.grid, hold_out_grid(candidate, data, plan, folds), strict=True):
        assert held.method == method
        for fold in range(4):
            inside = np.flatnonzero(folds == fold)
            fitted = data.take(np.flatnonzero(folds != fold)).fit(candidate.at(point))
            assert_allclose(held.posteriors[inside], fitted.predict_proba(data.take(inside).X), atol=2e-5)


def test_the_choice_is_that_of_scikit_learn(rng: Any) -> None:
    data, plan = rows(rng), KFold(5, random_state=3)
    (folds,) = folds_of(plan, data.n, data.codes)
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(5)]
    grid = {"n_neighbors": [30, 15, 7, 3, 1]}
    peer = GridSearchCV(KNeighborsClassifier(), grid, cv=splits, scoring="accuracy").fit(data.X, data.codes)
    found = tune_candidate(
        Candidate("k", KNeighborsClassifier(), tuple(ParameterGrid(grid))), data, plan, ComparisonMetric.of("error").loss
    )
    assert found.point == peer.best_params_
    assert_allclose(1 - found.losses, peer.cv_results_["mean_test_score"])


def test_the_first_among_equals_is_chosen(rng: Any) -> None:
    data = rows(rng)
    same = Candidate("k", KNeighborsClassifier(), ({"n_jobs": 1}, {"n_jobs": None}))
    assert tune_candidate(same, data, KFold(3), ComparisonMetric.of("error").loss, random_state=0).point == {"n_jobs": 1}

"""Points of a grid without hope are given up, and the point chosen stays that of the full search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from separatrix import KFold, LogisticRegression
from separatrix.data import as_rows
from separatrix.evaluation.evaluation_rows import EvaluationRows
from separatrix.selection import tuning
from separatrix.selection.candidates import Candidate
from separatrix.selection.families import families
from separatrix.selection.performance import ComparisonMetric
from separatrix.selection.race import FEWEST, Race
from separatrix.selection.tuning import TunedPoint, tune_candidate

TABLES = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
TUNED = ["shrinkage LDA", "logistic L1", "logistic L2", "linear SVM", "Gaussian naive Bayes", "QDA"]


def tuned(candidate: Candidate, X: Any, y: Any, metric: str = "error", *, raced: bool) -> TunedPoint:
    rows, criterion = EvaluationRows(X, y.astype(np.int32), None, np.unique(y)), ComparisonMetric.of(metric)
    of_rows = criterion.row_losses(rows) if raced else None
    return tune_candidate(candidate, rows, KFold(5), criterion.loss, random_state=0, row_losses=of_rows)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("family", TUNED)
@pytest.mark.parametrize("metric", ["error", "log_loss"])
def test_the_point_chosen_is_that_of_the_full_search(table: str, family: str, metric: str) -> None:
    X, y = TABLES[table](return_X_y=True)
    if metric == "log_loss" and family == "linear SVM":
        pytest.skip("machines give no probabilities")
    candidate = families(as_rows(X))[family]
    raced, full = tuned(candidate, X, y, metric, raced=True), tuned(candidate, X, y, metric, raced=False)
    assert raced.point == full.point and raced.method == full.method
    there = np.isfinite(raced.losses)
    np.testing.assert_allclose(raced.losses[there], full.losses[there], rtol=1e-6, atol=1.5 / len(y) if metric == "error" else 1e-4)


@pytest.mark.filterwarnings("ignore")
def test_weak_penalties_are_given_up_where_they_lose() -> None:
    X, y = load_digits(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=6.0, size=X.shape)
    found = tuned(families(as_rows(X))["linear SVM"], X, y, raced=True)
    assert np.isnan(found.losses).any() and np.isfinite(found.losses).any()


@pytest.mark.filterwarnings("ignore")
def test_the_road_told_is_that_of_the_whole_grid() -> None:
    X, y = load_digits(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=6.0, size=X.shape)
    candidate = families(as_rows(X))["kernel LDA (Nystroem)"].seeded(0)
    found = tuned(candidate, X, y, raced=True)
    assert np.isnan(found.losses).any() and found.method == "fold summaries"


def test_equals_stay_and_few_rows_decide_nothing() -> None:
    race = Race(2, n_rows=500)
    for g in range(2):
        race.add(g, np.ones(100))
    race.end_fold()
    assert race.is_in(0) and race.is_in(1)
    short = Race(2, n_rows=500)
    short.add(0, np.zeros(FEWEST - 1))
    short.add(1, np.ones(FEWEST - 1))
    assert not short.is_beaten(1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", ["logistic L1", "logistic L2", "linear SVM"])
def test_rough_fits_choose_the_same_point(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_digits(return_X_y=True)
    candidate = families(as_rows(X[:, 20:40]))[family]
    exact = tuned(candidate, X[::2, 20:40], y[::2], raced=True)
    monkeypatch.setattr(tuning, "MANY", 0.0)
    assert tuned(candidate, X[::2, 20:40], y[::2], raced=True).point == exact.point


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_rough_fits_forget_other_folds(l1_ratio: float) -> None:
    """They end before they have left where they began: begun at a fit to the rows held out, they would know them."""
    X, y = load_digits(return_X_y=True)
    codes, model = y.astype(np.int32), LogisticRegression(l1_ratio=l1_ratio, tol=1e-2)
    rows, other = (EvaluationRows(X[own] / 16.0, codes[own], None, np.arange(10)) for own in (slice(0, 900), slice(900, None)))
    points = [{"C": 0.1}, {"C": 1.0}]
    starts = [fitted for _, fitted, _ in tuning.fits_along(model, points, other)]
    found, again = ([fitted.coef_ for _, fitted, _ in tuning.fits_along(model, points, rows, own, True)] for own in (None, starts))
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_gain_below_the_standard_error_is_no_reason_to_go_on(rng: Any) -> None:
    wrong = (rng.random(8_000) < 0.3).astype(float)
    better = wrong.copy()
    better[np.flatnonzero(wrong)[:2]] = 0.0
    other = wrong.copy()
    other[np.append(np.flatnonzero(wrong)[:100], np.flatnonzero(wrong == 0.0)[:100])] = np.repeat([0.0, 1.0], 100)
    race = Race(3, n_rows=40_000)
    for g, losses in enumerate([wrong, better, other]):
        race.add(g, losses)
    race.end_fold()
    assert race.left == [0, 2]  # the last one differs in so many rows that nothing is certain yet
    rarely = Race(2, n_rows=400)  # 200 rows without a difference bound it by 1.5 %, and the errors are fewer
    for g in range(2):
        rarely.add(g, np.eye(200)[0])
    rarely.end_fold()
    assert rarely.left == [0, 1]


@pytest.mark.filterwarnings("ignore")
def test_no_fold_is_fitted_once_one_point_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_digits(return_X_y=True)
    folds, own = [], tuning._answers
    monkeypatch.setattr(tuning, "_answers", lambda *given: folds.append(given) or own(*given))
    grid = tuple({"lineardiscriminantanalysis__priors": priors} for priors in (None, np.eye(10)[0]))
    candidate = replace(families(as_rows(X))["shrinkage LDA"], grid=grid)
    found = tuned(candidate, X, y, raced=True)
    assert found.point is grid[0] and len(folds) == 1
    assert found.losses[0] == pytest.approx(tuned(candidate, X, y, raced=False).losses[0], abs=0.03)


def test_points_beyond_one_that_seems_worse_wait_until_it_is_out() -> None:
    losses = [np.tile([0.0, 0.0, 1.0], 40), np.tile([1.0, 0.0, 1.0], 40)]
    race = Race(3, n_rows=1_200)
    race.add(0, losses[0])
    assert not race.is_behind(0)
    race.add(1, losses[1])
    assert race.is_behind(1)
    race.wait(1, [2])
    race.end_fold()  # 40 errors more of 120 are beyond chance
    assert race.left == [0] and race.call() == []
    alike = Race(3, n_rows=1_200)
    for g in range(2):
        alike.add(g, losses[0] if g == 0 else np.roll(losses[0], 1))
    alike.wait(1, [2])
    alike.end_fold()
    assert alike.left == [0, 1, 2] and alike.call() == [2] and alike.call() == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", ["logistic L1", "logistic L2", "linear SVM", "QDA"])
@pytest.mark.parametrize("metric", ["error", "log_loss"])
def test_points_that_wait_change_no_choice(family: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if metric == "log_loss" and family == "linear SVM":
        pytest.skip("machines give no probabilities")
    X, y = load_digits(return_X_y=True)
    candidate = replace(families(as_rows(X[:, 18:46]))[family], rough={})
    at_once = tuned(candidate, X[::3, 18:46], y[::3], metric, raced=True)
    monkeypatch.setattr(tuning, "MANY", 0.0)
    waited = tuned(candidate, X[::3, 18:46], y[::3], metric, raced=True)
    assert waited.point == at_once.point and waited.method == at_once.method
    there = np.isfinite(waited.losses)
    np.testing.assert_allclose(
        waited.losses[there], at_once.losses[there], rtol=1e-6, atol=1.5 / len(y[::3]) if metric == "error" else 1e-4
    )

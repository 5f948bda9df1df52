"""Hinge machines without some rows: paths end where refits to all digits end, and say so where they cannot know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from separatrix import LinearSVC
from separatrix.evaluation import KFold, LeaveOneOut, evaluate
from separatrix.evaluation.evaluation_rows import rows_to_evaluate
from separatrix.solvers.held_out.hinge_path import HingePath

RNG = np.random.default_rng(3)
WHOLE = RNG.integers(0, 3, (90, 4)).astype(float)
TABLES = {
    "normal": RNG.normal(size=(80, 5)),
    "whole numbers, most rows several times": WHOLE,
    "one-hot": np.eye(4)[RNG.integers(0, 4, (70, 3))].reshape(70, -1),
    "wide": RNG.normal(size=(40, 120)),
    "a constant column": np.column_stack([RNG.normal(size=(60, 3)), np.full(60, 7.0)]),
    "far from 0": RNG.normal(size=(60, 3)) + 1e3,
}


def labels(X: Any) -> Any:
    scores = X[:, 0] - X[:, 1] + np.random.default_rng(0).normal(size=len(X))
    return (scores > np.median(scores)).astype(int)


def held_out(model: Any, X: Any, y: Any, weight: Any, folds: Any) -> tuple[Any, Any, Any]:
    """Scores of held-out rows, which need a refit, and those of refits to all digits."""
    rows = rows_to_evaluate(X, y, weight)
    found, _ = rows.fit(model).abilities().folds.scores(rows.source(), folds, False)
    brute = np.full(len(y), np.nan)
    for fold in np.unique(folds[folds >= 0]):
        held = np.flatnonzero(folds == fold)
        fitted = rows.take(np.flatnonzero(folds != fold)).fit(LinearSVC(**{**model.get_params(), "tol": 1e-11}))
        brute[held] = fitted.decision_function(X[held])
    return found.scores[:, 0], found.refit, brute


@pytest.mark.parametrize("C", [0.03, 1.0, 50.0])
@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_paths_end_where_refits_end(X: Any, size: int, C: float, rng: Any) -> None:
    folds = rng.permutation(len(X)) // size
    scores, refit, brute = held_out(LinearSVC(C=C, loss="hinge"), X, labels(X), rng.integers(1, 4, len(X)).astype(float), folds)
    assert refit.mean() < 0.3
    assert_allclose(scores[~refit], brute[~refit], atol=1e-5)


def test_rows_never_held_out_and_rows_without_weight(rng: Any) -> None:
    X, folds, weight = TABLES["normal"], rng.integers(-1, 8, 80), rng.integers(0, 3, 80).astype(float)
    scores, refit, brute = held_out(LinearSVC(loss="hinge"), X, labels(X), weight, folds)
    chosen = ~refit & (folds >= 0)
    assert chosen.sum() > 50
    assert_allclose(scores[chosen], brute[chosen], atol=1e-5)


def test_an_intercept_that_may_be_any_is_no_answer() -> None:
    X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    assert HingePath.of(X, y, np.full(2, 0.1), np.full(2, 0.1), 0.0, True) is None
    assert HingePath.of(X, y, np.full(2, 0.1), np.full(2, 0.1), 0.0, False) is not None  # without one there is no doubt


def test_multipliers_that_are_no_solution_are_no_answer() -> None:
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    assert HingePath.of(X, y, np.full(3, 9.0), np.array([0.5, 0.0, 0.5]), -1.0, True) is None
    assert HingePath.of(X, y, np.full(3, 9.0), np.array([0.0, 0.5, 0.5]), -2.0, True) is not None


def test_any_number_of_threads_gives_the_same_bits(rng: Any) -> None:
    X = rng.normal(size=(700, 4))
    y = labels(X)
    path = HingePath.of(X, np.where(y == 1, 1.0, -1.0), np.ones(700), *_multipliers(X, y), True)
    assert path is not None
    tasks = [np.array([i]) for i in np.flatnonzero(path.alpha > 0.0)]
    one, four = (path.without(tasks, n_jobs=n) for n in (1, 4))
    assert len(tasks) > 256
    assert_array_equal(one[0], four[0])
    assert_array_equal(one[1], four[1])


def _multipliers(X: Any, y: Any) -> tuple[Any, float]:
    model = LinearSVC(loss="hinge", tol=1e-12, store_dual=True).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha, float(model.intercept_[0])


@pytest.mark.parametrize("plan", [LeaveOneOut(), KFold(5, random_state=0)], ids=repr)
def test_evaluation_is_that_of_refits(plan: Any, rng: Any) -> None:
    X, y = load_digits(n_class=3, return_X_y=True)
    chosen = rng.permutation(len(y))[:60]
    quick, brute = (evaluate(LinearSVC(C=0.01, loss="hinge"), X[chosen], y[chosen], plan=plan, exact=exact) for exact in (False, True))
    assert quick.method.startswith("certified") and brute.method == "refits"
    assert quick.error == brute.error

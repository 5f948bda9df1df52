"""The pick is held to account: picked without each fold, and no better than what it is."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from separatrix import KFold, LinearDiscriminantAnalysis, LinearSVC, compare
from separatrix.selection.whole_procedure import whole_procedure


def test_one_model_has_its_own_estimate(rng: np.random.Generator) -> None:
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + rng.normal(size=90) > 0
    board = compare(X, y, models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    found = whole_procedure(board)
    assert found.picks == ("LinearDiscriminantAnalysis",) * 5 and found.scores["error"] == board.picked.value
    assert found.intervals["error"] == board.picked.interval and "auc" in found.scores


def test_picking_among_chance_is_not_rewarded(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)
    models = {f"{k} neighbours": KNeighborsClassifier(k) for k in (1, 3, 5, 9, 15, 25)}
    board = compare(X, y, models=models, plan=KFold(6), rule="min", random_state=0)
    found = whole_procedure(board)
    assert len(found.picks) == 6 and found.scores["error"] >= board.best.value


def test_posteriors_are_there_where_every_pick_has_them(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, "b", "a")
    board = compare(X, y, models=[LinearSVC()], plan=KFold(4), random_state=0)
    assert set(whole_procedure(board).scores) == {"error", "balanced_accuracy"}


def test_repeats_are_picked_for_one_by_one(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    board = compare(X, y, models=[LinearDiscriminantAnalysis(), KNeighborsClassifier(3)], plan=KFold(3, repeats=2), random_state=0)
    assert len(whole_procedure(board).picks) == 6

"""Model selection: hyperparameters and kinds of model (C16), held-out plans and rules (C17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from separatrix import Holdout, KFold, LeaveOneOut, LinearDiscriminantAnalysis, RandomSubsampling, compare


def exclusive_or(n: int) -> tuple[Any, Any]:
    """Four clouds; the class is the sign of x1 · x2, so that no line does better than chance."""
    rng = np.random.default_rng(0)
    corner = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])[np.arange(n) % 4]
    return corner + 0.25 * rng.normal(size=(n, 2)), np.arange(n) % 4 // 2


def test_c16_different_kinds_of_model_compete() -> None:
    X, y = exclusive_or(200)
    models = {
        "line": LinearDiscriminantAnalysis(),
        "polynomial": "polynomial LDA",
        "kernel": (SVC(), {"gamma": [0.1, 1.0]}),
        "neighbours": (KNeighborsClassifier(), {"n_neighbors": [15, 5, 1]}),
        "tree": (DecisionTreeClassifier(), {"max_depth": [1, 2, 4]}),
    }
    board = compare(X, y, models=models, random_state=0)
    errors = {entry.name: entry.value for entry in board}
    assert errors["line"] > 0.3 and max(errors[name] for name in ("polynomial", "kernel", "neighbours")) < 0.02
    assert board.picked.name == "polynomial" and (board.model.predict(X) == y).mean() > 0.98
    assert {"line", "majority class"}.isdisjoint(entry.name for entry in board.ties)


@pytest.mark.parametrize(
    "plan",
    [Holdout(0.2), Holdout(0.1), KFold(5), KFold(10), LeaveOneOut(), RandomSubsampling(0.1, 10)],
    ids=repr,
)
def test_c17_the_smallest_average_validation_error_is_picked_under_every_plan(plan: Any) -> None:
    X, y = exclusive_or(80)
    grid = [{"n_neighbors": [k]} for k in (79 // 2, 25, 3)]
    models = {f"k={g['n_neighbors'][0]}": (KNeighborsClassifier(), g) for g in grid}
    board = compare(X, y, models=models, plan=plan, rule="min", random_state=0)
    assert board.picked.value == min(entry.value for entry in board)
    assert board.picked.name == "k=3" or board["k=3"].value == board.picked.value
    assert board.model.n_neighbors == int(board.picked.name[2:])

"""A board as text, table, HTML and in a terminal."""

from __future__ import annotations

import io
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold

from separatrix import FisherDiscriminant, GaussianNB, KFold, LeastSquaresClassifier, LeaveOneOut, LinearDiscriminantAnalysis, compare

MODELS = {"<b>naive": (GaussianNB(), {"var_smoothing": [0.1, 1e-9]}), "LDA": LinearDiscriminantAnalysis()}


@pytest.fixture(scope="module")
def board() -> Any:
    return compare(*load_iris(return_X_y=True), models=MODELS, plan=KFold(5), random_state=0)


def test_the_text_says_what_was_picked_and_why(board: Any) -> None:
    text = str(board)
    assert text.startswith("3 models by held-out error: 150 rows, 3 classes, KFold(5), seed 0")
    assert "► picked: LDA, the best error, and no simpler model is within one standard error" in text
    assert "= tied: chance explains the difference to the best (McNemar, p ≥ 0.05" in text and "var_smoothing=" in text
    assert repr(board) == text


def test_the_table_has_every_number(board: Any) -> None:
    frame = board.table().to_frame()
    assert list(frame["model"]) == [entry.name for entry in board] and len(board) == 3
    assert frame["error"].tolist() == [entry.value for entry in board] and frame["seconds"].min() > 0
    assert frame["method"].tolist()[0] == "exact algebra"


def test_html_escapes_names(board: Any) -> None:
    page = board._repr_html_()
    assert "&lt;b&gt;naive" in page and "<b>" not in page and "picked: LDA" in page


@pytest.mark.parametrize(("width", "has_losses"), [(80, False), (140, True)])
def test_a_terminal_shows_as_many_columns_as_it_has_room_for(board: Any, width: int, has_losses: bool) -> None:
    stream = io.StringIO()
    Console(file=stream, width=width).print(board)
    text = stream.getvalue()
    assert "exact algebra" in text and ("worse by" in text) == has_losses and max(map(len, text.splitlines())) <= width
    assert "majority class" in text and "0.6667" in text and "…" not in text.split("►")[1]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (LeaveOneOut(), "LeaveOneOut()"),
        (KFold(3, repeats=2), "KFold(3, repeats=2)"),
        (3, "3 folds in the order of the rows"),
        (StratifiedKFold(3), "StratifiedKFold"),
    ],
)
def test_plans_are_named_as_they_are_typed(plan: Any, said: str) -> None:
    assert f"classes, {said}, seed 1" in compare(*load_iris(return_X_y=True), models=["LDA"], plan=plan, random_state=1).title


def test_an_entry_is_one_line_without_the_data(board: Any) -> None:
    assert repr(board.best).startswith("LDA: error 0.0200 (95 % interval 0.00") and "\n" not in repr(board.best)
    assert "5.1" not in repr(board.setting.rows) and len(repr(board.best.scored)) < 300


@pytest.mark.parametrize("seed", range(6))
def test_what_is_picked_is_never_significantly_worse_and_never_the_baseline(seed: int) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    some = np.random.default_rng(seed).choice(len(y), 250, replace=False)
    board = compare(
        X[some], y[some], models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=KFold(5), metric="log_loss", random_state=seed
    )
    assert not board.picked.is_worse and not board.picked.is_baseline
    wide = replace(board, entries=tuple(_with_error(entry, 1e9) for entry in board.entries))  # all within one standard error
    assert wide.picked.name == ("LinearDiscriminantAnalysis" if wide["GaussianNB"].is_worse else "GaussianNB")


def _with_error(entry: Any, error: float) -> Any:
    scored = copy(entry.scored)
    scored.__dict__["standard_error"] = error
    return replace(entry, scored=scored)


def test_noise_is_said_to_be_nothing_to_learn_from(rng: Any) -> None:
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3 // 2
    board = compare(X, y, models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    assert not board.picked.is_baseline and not board.best.is_baseline
    assert "There may be nothing to learn: the majority class is not significantly worse than the best model." in str(board)


def test_warnings_name_the_columns_of_a_frame() -> None:
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(twice=2 * X[:, 0], same=1.0)
    models = [
        LinearDiscriminantAnalysis(),
        (LinearDiscriminantAnalysis(), {"shrinkage": [0.0, 0.0]}),
        FisherDiscriminant(),
        LeastSquaresClassifier(),
    ]
    board = compare(frame, y, models=models, plan=KFold(3), random_state=0)
    said = [note for entry in board for note in entry.notes]
    assert len(said) >= 4 and all("involving column 'a', column 'twice', column 'same'" in note for note in said)

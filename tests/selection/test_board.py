"""A board as text, table, HTML and in a terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from separatrix import GaussianNB, KFold, LeaveOneOut, LinearDiscriminantAnalysis, compare

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
        (3, "3 folds"),
        (StratifiedKFold(3), "StratifiedKFold"),
    ],
)
def test_plans_are_named_as_they_are_typed(plan: Any, said: str) -> None:
    assert f"classes, {said}, seed 1" in compare(*load_iris(return_X_y=True), models=["LDA"], plan=plan, random_state=1).title

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import LinearDiscriminantAnalysis, LogisticRegression, evaluate
from separatrix.data import as_source
from separatrix.errors import SelectionWarning
from separatrix.inference.selected_columns import forget_all, picked_from, remember, silence

PICKED = np.array([2, 5])


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    forget_all()
    yield
    forget_all()


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[Any, Any]:
    X, y = rng.standard_normal((200, 8)), rng.integers(0, 2, 200)
    remember("SomeFilter", as_source(X, y), PICKED)
    return X, y


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X[:, [2, 5]],
        lambda X: X[:, [5, 2]],
        lambda X: X[:, [2, 5]] * [3.0, 0.1] + 7.0,
        lambda X: sp.csr_array(X[:, [2, 5]]),
        lambda X: pd.DataFrame(X)[[2, 5]],
    ],
)
def test_the_picked_columns_are_known_again(rows: tuple[Any, Any], change: Callable[[Any], Any]) -> None:
    X, y = rows
    found = picked_from(as_source(change(X), np.array(["no", "yes"])[y]))
    assert found == "SomeFilter picked these 2 columns out of 8 by the labels of these same 200 rows"


@pytest.mark.parametrize(
    ("change", "relabel"),
    [
        (lambda X: X, lambda y: y),
        (lambda X: X[:, [2, 6]], lambda y: y),
        (lambda X: X[:, [2]], lambda y: y),
        (lambda X: X[:, [2, 5]], lambda y: y[::-1]),
        (lambda X: X[::-1, [2, 5]], lambda y: y),
        (lambda X: np.abs(X[:, [2, 5]]), lambda y: y),
        (lambda X: np.column_stack([X[:, 2], np.ones(200)]), lambda y: y),
    ],
)
def test_other_columns_rows_and_labels_are_not(rows: tuple[Any, Any], change: Callable[[Any], Any], relabel: Callable[[Any], Any]) -> None:
    X, y = rows
    assert picked_from(as_source(change(X), relabel(y))) is None


def test_evaluate_warns_about_picked_columns_only(rows: tuple[Any, Any]) -> None:
    X, y = rows
    with pytest.warns(SelectionWarning, match="SomeFilter picked these 2 .* too small. Let every fold select anew"):
        evaluate(LinearDiscriminantAnalysis(), X[:, PICKED], y)
    with silence():
        evaluate(LinearDiscriminantAnalysis(), X[:, PICKED], y)
    evaluate(LinearDiscriminantAnalysis(), X, y)
    half = X[:100, PICKED]
    evaluate(LinearDiscriminantAnalysis(), half, y[:100])


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(C=np.inf)])
def test_p_values_of_picked_columns_warn(rows: tuple[Any, Any], model: Any) -> None:
    X, y = rows
    piped = make_pipeline(StandardScaler(), model).fit(X[:, PICKED], y)
    with pytest.warns(SelectionWarning, match="its p-values are too small and its intervals too narrow"):
        piped[-1].summary()
    model.fit(X, y).summary()


def test_rows_that_say_too_little_are_not_remembered(rng: np.random.Generator) -> None:
    X = np.zeros((200_000, 4))
    X[0] = 1.0  # on in one row that is not looked at
    y = rng.integers(0, 2, len(X))
    remember("SomeFilter", as_source(X, y), PICKED[:1])
    assert picked_from(as_source(X[:, [3]], y)) is None


def test_columns_of_text_are_nobodys(rows: tuple[Any, Any]) -> None:
    _, y = rows
    frame = pd.DataFrame({"a": ["x"] * 200, "b": ["z"] * 200})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert picked_from(frame, y.astype(np.int32)) is None

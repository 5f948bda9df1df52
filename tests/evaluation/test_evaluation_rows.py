"""Rows and labels in any form give the same estimate; a table is read whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from separatrix import (
    AnovaFilter,
    CalibratedClassifier,
    ForwardSelection,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    compare,
    learning_curve,
    open_table,
    permutation_test,
)
from separatrix.errors import InputError, InputTypeError, SelectionWarning
from separatrix.evaluation import KFold, evaluate

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=np.array(["x", "y", "z"])[Y])
LDA = LinearDiscriminantAnalysis()


def from_file(folder: Path) -> Any:
    FRAME.to_csv(folder / "iris.csv", index=False)
    return open_table(folder / "iris.csv", target="kind")


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "file"])
@pytest.mark.parametrize(
    "value",
    [
        lambda X, **more: evaluate(LDA, X, **more, plan=KFold(5, random_state=0)).error,
        lambda X, **more: permutation_test(LDA, X, **more, n_permutations=5, random_state=0).p,
        lambda X, **more: learning_curve(LDA, X, **more, sizes=[0.5], random_state=0).scores[0],
        lambda X, **more: compare(X, **more, models=[LDA], plan=KFold(3), random_state=0).best.value,
    ],
    ids=["evaluate", "permutation_test", "learning_curve", "compare"],
)
def test_every_form_of_the_rows_gives_the_same(form: str, value: Any, tmp_path: Path) -> None:
    forms = {"pandas": lambda: FRAME, "polars": lambda: pl.from_pandas(FRAME), "arrow": lambda: pa.Table.from_pandas(FRAME)}
    found = value(from_file(tmp_path)) if form == "file" else value(forms[form](), target="kind")
    assert found == pytest.approx(value(X, y=Y), abs=1e-12)


TEXTS = ["win a prize", "see you at home", "free prize now", "call me at home", "win free calls", "home is where you are"] * 5


@pytest.mark.parametrize(
    "form", [list, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)], ids=["list", "str", "series", "object"]
)
def test_texts_are_rows_of_a_pipeline(form: Any) -> None:
    model, y = make_pipeline(CountVectorizer(), MultinomialNB()), ["spam", "ham"] * 15
    assert evaluate(model, form(TEXTS), y, plan=KFold(3, random_state=0)).error == 0.0
    assert compare(form(TEXTS), y, models={"words": model}, plan=KFold(3), random_state=0).best.name == "words"
    with pytest.raises(ValueError, match="could not convert string to float|Expected 2D array"):
        evaluate(LDA, form(TEXTS), y)


@pytest.mark.parametrize(
    ("rows", "said"),
    [({1, 2}, "X of type set holds no rows"), ({"a": [1]}, "X of type dict holds"), ((r for r in X), "X of type generator holds no rows")]
    + [
        (pl.from_pandas(FRAME).lazy(), r"X is a LazyFrame, .* pass X.collect\(\)"),
        ("rows", "X of type str holds no rows"),
        (3.5, "of type float"),
    ],
    ids=["set", "dict", "generator", "lazy", "text", "number"],
)
@pytest.mark.parametrize(
    "take", [lambda X: evaluate(LDA, X, Y), lambda X: CalibratedClassifier(LDA).fit(X, Y), AnovaFilter(k=1).fit(X, Y).transform]
)
def test_what_has_no_rows_in_an_order_is_refused(take: Any, rows: Any, said: str) -> None:
    with pytest.raises(InputTypeError, match=said):
        take(rows)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_a_table() -> None:
    selector = AnovaFilter(k=2).fit(X, Y)
    assert np.array_equal(selector.transform(np.asmatrix(X)), selector.transform(X))
    assert np.array_equal(selector.inverse_transform(np.asmatrix(X[:, :2])), selector.inverse_transform(X[:, :2]))
    assert evaluate(LDA, np.asmatrix(X), Y, plan=KFold(5, random_state=0)).error == evaluate(LDA, X, Y, plan=KFold(5, random_state=0)).error
    assert CalibratedClassifier(LDA).fit(np.asmatrix(X), Y).predict(np.asmatrix(X)).shape == (150,)


def test_columns_of_enormous_values_are_kept_without_a_warning() -> None:
    selector = AnovaFilter(k=2).fit(X, Y)
    assert selector.transform(np.where(X < 3.0, -1e308, 1e308)).shape == (150, 2)


def test_splits_that_hold_nothing_out_count_for_nothing() -> None:
    half, rest = np.arange(0, 150, 2), np.arange(1, 150, 2)
    found = [ForwardSelection(LDA, plan=plan).fit(X, Y).support_.tolist() for plan in ([(half, rest)], [(half, []), (half, rest)])]
    assert found[0] == found[1]


def test_a_table_with_labels_takes_no_others(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="y and sample_weight belong to the table"):
        evaluate(LDA, from_file(tmp_path), Y)


def test_columns_picked_by_the_labels_of_a_table_are_said(tmp_path: Path) -> None:
    table = from_file(tmp_path)
    with pytest.warns(SelectionWarning, match="evaluate.make_pipeline"):
        evaluate(LDA, AnovaFilter(k=2).fit(table).transform(table))


def test_columns_of_one_name_are_refused_before_rows_are_taken() -> None:
    doubled = pa.Table.from_arrays([pa.array([1.0, 2.0, 3.0, 4.0]), pa.array([1.0, 0.0, 1.0, 0.0])], names=["a", "a"])
    with pytest.raises(InputError, match="Two columns of X are called 'a'"):
        evaluate(LinearDiscriminantAnalysis(), doubled, [0, 1, 0, 1])

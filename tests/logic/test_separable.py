"""is_separable: labels of any kind, several classes, rows numbered as in X."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from separatrix.errors import InputError
from separatrix.logic import is_separable

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    found = is_separable(X, names[y])
    assert {pair: bool(result) for pair, result in found.pairs.items()} == {
        ("setosa", "versicolor"): True,
        ("setosa", "virginica"): True,
        ("versicolor", "virginica"): False,
    }
    c = found.pairs["versicolor", "virginica"].conflict
    assert (y[c.negative_rows] == 1).all() and (y[c.positive_rows] == 2).all() and not found
    np.testing.assert_allclose(c.positive_weights @ X[c.positive_rows], c.negative_weights @ X[c.negative_rows])
    assert found.conflicting_rows.tolist() == sorted([*c.positive_rows, *c.negative_rows])


LABELS = [
    ["no", "yes", "yes", "no"],
    [0, 1, 1, 0],
    [False, True, True, False],
    np.array(["a", "b", "b", "a"], dtype=object),
    pd.Series(["a", "b", "b", "a"], dtype="category"),
    pl.Series(["a", "b", "b", "a"]),
]


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, sp.csc_array, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("y", LABELS)
def test_any_rows_and_any_labels(kind, y):
    found = is_separable(kind(SQUARE), y)
    assert not found and found.conflicting_rows.tolist() == [0, 1, 2, 3]
    assert is_separable(kind(SQUARE), y, sample_weight=[1, 1, 1, 0])


def test_positive_side_is_the_second_class():
    found = is_separable([[0.0], [1.0], [5.0]], ["a", "a", "b"]).pairs["a", "b"]
    assert found.w[0] * 5 + found.w0 >= 1 and found.w[0] * 1 + found.w0 <= -1


SENTENCES = [
    ([0, 1], "ab", "'a' and 'b' are linearly separable."),
    ([0, 1, 2], "abc", "'a', 'b' and 'c' are linearly separable, pair by pair."),
    ([0, 4, 4], "aab", "'a' and 'b' are not linearly separable: row 1 ('a') is the same point as row 2 ('b')."),
    ([0, 1, 2], "aba", "separable: a mixture of rows 0 and 2 ('a') is the same point as row 1 ('b')."),
]


@pytest.mark.parametrize(("x", "y", "text"), SENTENCES)
def test_text(x, y, text):
    assert str(is_separable(np.array(x)[:, None], list(y))).endswith(text)


BAD = [
    (lambda: is_separable(SQUARE, [1, 1, 1, 1]), "All rows are of class 1"),
    (lambda: is_separable(SQUARE, [0, 1, 1, 1], [0, 1, 1, 1]), "All rows are of class 1"),
    (lambda: is_separable(SQUARE, [0, 1, 1]), r"X has shape \(4, 2\) and y 3 labels"),
    (lambda: is_separable(SQUARE, ["a", "b", None, "b"]), "NaN or None"),
    (lambda: is_separable(SQUARE * np.nan, [0, 1, 1, 0]), "NaN or infinity"),
    (lambda: is_separable(SQUARE[:, 0], [0, 1, 1, 0]), "2D array"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()

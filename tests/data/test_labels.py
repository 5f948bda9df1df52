"""Labels of any kind give the classes and codes of numpy.unique."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import DataConversionWarning

from separatrix.data import distinct, labels
from separatrix.data.labels import Labels
from separatrix.errors import InputError

N = 500
CODES = np.random.default_rng(1).integers(0, 4, N)
KINDS: dict[str, Any] = {
    "int64": CODES - 2,
    "int8": np.array([-100, -50, 5, 100], dtype=np.int8)[CODES],
    "int16": np.array([-30000, 0, 1, 20000], dtype=np.int16)[CODES],
    "uint8": np.array([0, 1, 200, 255], dtype=np.uint8)[CODES],
    "uint64": CODES.astype(np.uint64) + np.uint64(2**63),
    "far apart": np.array([-(2**62), 0, 5, 2**62])[CODES],
    "bool": CODES > 1,
    "float": CODES.astype(np.float64),
    "text": np.array(["ham", "spam", "egg", "bacon"])[CODES],
    "objects": np.array(["ham", "spam", "egg", "bacon"], dtype=object)[CODES],
    "list": ["ham" if c else "spam" for c in CODES],
    "category": pd.Series(pd.Categorical.from_codes(CODES, ["d", "b", "a", "c"])),
    "nullable": pd.Series(CODES, dtype="Int64"),
    "nullable bool": pd.Series(CODES > 1, dtype="boolean"),
    "string dtype": pd.Series(np.array(["x", "y", "z", "w"])[CODES], dtype="string"),
    "letters": np.array(["a", "b", "c", "d"])[CODES],
    "many texts": np.array([f"class {k}" for k in range(100)])[np.arange(N) % 100],
    "long texts": np.array(["x" * 70 + end for end in "abcd"])[CODES],
    "object column": pd.Series(np.array(["x", "y", "z", "w"], dtype=object)[CODES], dtype=object),
    "polars": pl.Series(np.array(["x", "y", "z", "w"])[CODES]).cast(pl.Categorical),
}


@pytest.mark.parametrize("y", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("piece", [7, 65_536])
def test_codes_are_those_of_unique(y: Any, piece: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(labels, "PIECE", piece)
    monkeypatch.setattr(distinct, "PIECE", piece)
    monkeypatch.setattr(distinct, "MANY_ROWS", 0)
    found = Labels.of(y)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    assert found.classes.tolist() == classes.tolist() and found.values.tolist() == np.asarray(y).tolist()
    assert_array_equal(np.concatenate([found.codes(0, 100), found.codes(100, N)]), codes)
    assert_array_equal(found.codes_at(np.array([5, 3, 3])), codes[[5, 3, 3]])
    assert_array_equal(found.coded_by([*classes.tolist()]).codes(0, N), codes)


def test_texts_that_share_a_key_are_told_apart(monkeypatch: Any) -> None:
    monkeypatch.setattr(distinct, "ODD", np.uint64(0))  # the last two letters are all that is left of a text
    y = np.array(["abxx", "cdxx", "efyy"])[np.arange(3_000) % 3]
    assert_array_equal(Labels.of(y).codes(0, 3_000), np.arange(3_000) % 3)


@pytest.mark.parametrize("more", [1, 2_000])
def test_a_missing_label_among_objects_is_named_by_its_row(more: int) -> None:
    for missing in (None, np.nan):
        with pytest.raises(InputError, match=r"NaN or None \(first at row 4\)"):
            Labels.of(np.array(["a", "b", "a", "a", missing, *["b"] * more], dtype=object))


def test_unused_levels_are_dropped() -> None:
    assert Labels.of(pd.Categorical(["a", "b"], categories=["c", "b", "a"])).classes.tolist() == ["a", "b"]


@pytest.mark.parametrize("y", KINDS.values(), ids=KINDS.keys())
def test_announced_classes_keep_their_order(y: Any) -> None:
    found = Labels.of(y)
    again = Labels.of(y, classes=found.classes[::-1])
    assert_array_equal(again.codes(0, N), found.codes(0, N))
    with pytest.raises(InputError, match="not among the classes announced"):
        Labels.of(y, classes=found.classes[:1]).codes(0, N)


def test_a_column_of_labels_warns_as_in_scikit_learn() -> None:
    with pytest.warns(DataConversionWarning, match="use y.ravel"):
        assert Labels.of(np.array([[1], [2]])).classes.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (pd.Series(["a", None]), "Input y contains NaN or null: 1 of 2 labels are missing"),
        (pl.Series(["a", None]), "1 of 2 labels are missing"),
        (np.array([0.0, np.inf]), r"contains infinity \(first at row 1\)"),
        (np.array([1.5, 2.0], dtype=object), "Unknown label type: continuous"),
        (np.array([1j, 2]), "Complex data not supported in y"),
        ([], "y holds no label"),
    ],
)
def test_what_is_no_label_is_refused(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Labels.of(y)


OTHERS: dict[str, Any] = {
    "objects": np.array(["ham", "spam"], dtype=object),
    "category": pd.Series(["ham", "spam"], dtype="category"),
    "text": np.array(["0", "1"]),
    "mixed": [0, "spam"],
    "dates": np.array(["2020", "2021"], dtype="M8[Y]"),
    "nanoseconds": np.array([0, 1], dtype="M8[ns]"),
    "tuples": np.array([(0, 1), 2], dtype=object),
}


@pytest.mark.parametrize("classes", [[0, 1], [0.0, 1.0], [True, False], ["a", "b"], np.array([0, 1], dtype=object)])
@pytest.mark.parametrize("y", OTHERS.values(), ids=OTHERS.keys())
def test_labels_of_another_type_than_the_classes_are_named(y: Any, classes: Any) -> None:
    with pytest.raises(InputError, match="y contains the label .* not among the classes announced"):
        Labels.of(y, classes).codes(0, 2)


@pytest.mark.parametrize("y", [np.array([0, 1], dtype=object), pd.Series([0, 1], dtype="category"), [False, True], [0.0, 1.0]])
def test_equal_labels_of_another_type_are_the_same_classes(y: Any) -> None:
    assert Labels.of(y, classes=[0, 1]).codes(0, 2).tolist() == [0, 1]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_labels_are_named_whatever_was_announced(missing: Any) -> None:
    y = np.array([0, missing], dtype=object)
    for announced in (None, [0, 1], [0.0, 5.0]):
        with pytest.raises(InputError, match="Input y contains NaN or None"):
            Labels.of(y, announced).codes(0, 2)


@pytest.mark.parametrize("classes", [[0, None], [0, "a"], [[0, 1], [1, 0]], [0.5, 1.0], [], 0, [{}, 1]])
def test_what_is_no_list_of_classes_is_refused(classes: Any) -> None:
    with pytest.raises(InputError, match="is not a list of labels"):
        Labels.of([0, 1], classes)

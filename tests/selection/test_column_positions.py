from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.errors import InputError, InputTypeError, UnknownNameError
from separatrix.selection.column_positions import find_amount, find_columns, find_groups

NAMES = ["age", "pages", "Oslo", "Rome"]


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        (None, []),
        ("pages", [1]),
        (-1, [3]),
        ([np.int64(2), "age"], [2, 0]),
        (np.array([True, False, False, True]), [0, 3]),
    ],
)
def test_columns_by_name_number_and_mask(columns: Any, places: list[int]) -> None:
    assert find_columns(columns, 4, NAMES).tolist() == places


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (["pags"], NAMES, "Column 'pags' is not in the data. Did you mean 'pages'"),
        (["age"], None, "X has no names; pass a frame, or the column's number"),
        ([4], NAMES, "Column 4 does not exist: X has 4 columns, 0 to 3"),
        ([1, "pages"], NAMES, "'pages' is listed twice|1 is listed twice"),
        ([True, False], NAMES, "one value per column, 4; got 2"),
    ],
)
def test_columns_that_do_not_exist(columns: Any, names: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_columns(columns, 4, names)


def test_a_column_of_another_type() -> None:
    with pytest.raises(InputTypeError, match="by its name or its number, not by 1.5"):
        find_columns([1.5], 4)


def test_groups_hold_every_column_once() -> None:
    groups = find_groups({"city": ["Rome", "Oslo"]}, 4, NAMES)
    assert {name: places.tolist() for name, places in groups.items()} == {"age": [0], "pages": [1], "city": [2, 3]}
    assert list(find_groups([[0, 2]], 3)) == ["group 0", "x1"]
    with pytest.raises(InputError, match="Column 'Oslo' stands in two groups, one of them 'b'"):
        find_groups({"a": ["Oslo"], "b": ["Rome", "Oslo"]}, 4, NAMES)
    with pytest.raises(UnknownNameError, match="Did you mean 'Rome'"):
        find_groups({"city": ["Rom"]}, 4, NAMES)
    with pytest.raises(InputError, match="Group 'a' has no column"):
        find_groups({"a": []}, 4)


def test_amounts_are_counts_or_shares() -> None:
    assert [find_amount("k", amount, 10) for amount in (1, 10, 0.01, 0.5, 1.0, np.int32(4))] == [1, 10, 1, 5, 10, 4]


@pytest.mark.parametrize(
    ("amount", "error", "message"),
    [
        (11, InputError, "k=11 asks for more features than there are: 10"),
        (0, InputError, "k=0 asks for no features"),
        (1.5, InputError, "k=1.5 is a share .* for a count write an int"),
        (True, InputTypeError, "k=True must be a whole number"),
        ("3", InputTypeError, "k='3' must be a whole number"),
    ],
)
def test_amounts_that_make_no_sense(amount: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        find_amount("k", amount, 10)

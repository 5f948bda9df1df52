from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from separatrix.data.key_hash import key_number, key_numbers, key_texts
from separatrix.errors import InputError

DAYS = np.array(["2024-01-31", "1969-12-31"], dtype="datetime64[D]")
KEYS = [
    (["a", "ä ö", "", "o'clock", 'quote"'], "VARCHAR"),
    ([0, -12, 2**40], "BIGINT"),
    ([True, False], "BOOLEAN"),
    (DAYS, "DATE"),
]


def test_numbers_are_the_first_digits_of_md5() -> None:
    assert key_number("abc") == 1007738591113426928  # of md5sum of "0:abc"
    assert key_number("abc", seed=1) != key_number("abc")


@pytest.mark.parametrize(("keys", "type_"), KEYS, ids=[type_ for _, type_ in KEYS])
def test_a_database_gives_the_same_numbers(keys: Any, type_: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (place INTEGER, key {type_})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, key) for i, key in enumerate(np.asarray(keys).tolist())])
        query = "SELECT CAST('0x' || substr(md5('3:' || CAST(key AS VARCHAR)), 1, 15) AS BIGINT) FROM t ORDER BY place"
        assert_array_equal(key_numbers(keys, seed=3), np.array(connection.execute(query).fetchall())[:, 0])


def test_equal_keys_have_equal_numbers_whatever_their_type() -> None:
    assert_array_equal(key_numbers(np.array([1.0, 2.0])), key_numbers(np.array([1, 2], dtype=np.int8)))
    assert key_texts(np.array([True, 1], dtype=object)) == ["true", "1"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([1.5], "'id', the key of the folds, holds 1.5; a key is whole numbers, text"),
        ([None, "a"], "'id'.* misses a value"),
        ([1.0, np.nan], "'id'.* misses a value"),
        (np.array(["2024-01-31T12:00"], dtype="datetime64[us]"), "holds .*2024-01-31T12:00"),
        ([[1, 2]], "one key per row"),
    ],
)
def test_what_is_no_key_is_refused(keys: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        key_numbers(keys, name="id")

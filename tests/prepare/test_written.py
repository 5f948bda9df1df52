"""Numbers and dates written as text: what people write is read, what leaves a doubt is not."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.prepare.written_dates import WrittenDates
from separatrix.prepare.written_numbers import WrittenNumbers

NUMBERS = [
    (["1,299.50", "12"], [1299.5, 12.0]),
    (["1.299,50", "12,5"], [1299.5, 12.5]),
    (["1,299", "2,300"], [1299.0, 2300.0]),
    (["1.234.567", "3.000"], [1_234_567.0, 3000.0]),
    (["1 299,50 €", "12,00 €"], [1299.5, 12.0]),
    (["-$3.50", "$-2", "$1,000"], [-3.5, -2.0, 1000.0]),
    (["(35)", "\u22124"], [-35.0, -4.0]),
    (["12%", "15.5 %"], [12.0, 15.5]),
    (["1'000", "2'500.5"], [1000.0, 2500.5]),
    (["1e5", "2.5E-3"], [1e5, 0.0025]),
    (["7", " ", "NA", "-"], [7.0, np.nan, np.nan, np.nan]),
]
NO_NUMBERS = [["a", "b"], ["01234", "99999"], ["2020-01-01"], ["1,2,3"], ["5-10", "3"], [" ", "NA"], ["1", "2", "many", "few"]]


@pytest.mark.parametrize(("texts", "values"), NUMBERS)
def test_numbers_are_read_as_they_are_written(texts: list[str], values: list[float]) -> None:
    found = WrittenNumbers.of(dict.fromkeys(texts, 1.0))
    assert found is not None
    np.testing.assert_array_equal(found.values(texts), values)


SOME = {f"{i}.5": 9.0 for i in range(10)}


@pytest.mark.parametrize(
    ("others", "word"),
    [
        ({"unknown": 6.0}, "unknown"),
        ({"Unknown": 20.0, "unknown ": 20.0}, "unknown"),
        ({"n/a": 50.0}, ""),
        ({"gone": 2.0, "lost": 2.0}, ""),
    ],
)
def test_one_word_among_numbers_is_a_gap(others: dict[str, float], word: str) -> None:
    found = WrittenNumbers.of(SOME | others)
    assert found is not None and found.word == word
    assert all(found.says_nothing(text) for text in others if word)


@pytest.mark.parametrize("others", [{"gone": 9.0, "lost": 9.0}, {"no": 9.0}, {"10+": 9.0}, {"unknown": 200.0}])
def test_other_texts_among_numbers_keep_them_text(others: dict[str, float]) -> None:
    assert WrittenNumbers.of(SOME | others) is None


@pytest.mark.parametrize("texts", NO_NUMBERS)
def test_what_is_no_number_stays_text(texts: list[str]) -> None:
    assert WrittenNumbers.of(dict.fromkeys(texts, 1.0)) is None


DATES = [
    ("2024-12-31", "2024-12-31"),
    ("2024-12-31 23:15:00", "2024-12-31T23:15"),
    ("2024-12-31T23:15:00+01:00", "2024-12-31T22:15"),
    ("31.12.2024", "2024-12-31"),
    ("31/12/2024", "2024-12-31"),
    ("12/31/2024 08:30", "2024-12-31T08:30"),
    ("Dec 31, 2024", "2024-12-31"),
    ("31-Dec-2024", "2024-12-31"),
    ("31-12-2024", "2024-12-31"),
    ("12/31/24", "2024-12-31"),
    ("31.12.24", "2024-12-31"),
    ("12/31/2024 08:30 PM", "2024-12-31T20:30"),
]


@pytest.mark.parametrize(("text", "date"), DATES)
def test_dates_are_read_as_they_are_written(text: str, date: str) -> None:
    found = WrittenDates.of({text: 1.0})
    assert found is not None
    assert found.value(text) == np.datetime64(date, "us")


@pytest.mark.parametrize("texts", [["03/04/2024"], ["soon", "later"], ["31.12.2024", "x", "y"], ["12 apples"]])
def test_what_leaves_day_and_month_open_is_no_date(texts: list[str]) -> None:
    assert WrittenDates.of(dict.fromkeys(texts, 1.0)) is None

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from separatrix.errors import InputError, MissingExtraError, UnknownNameError
from separatrix.inference import Column, Table, Tables
from separatrix.inference.tables import distinct

TABLE = Table(
    "Mail <b>",
    (
        Column("class", ["ham & eggs", "spam"]),
        Column("n", np.array([3, 10]), "d"),
        Column("df", [4.0, 203.4], "df"),
        Column("p", [1e-9, 0.25], "p"),
        Column("x", np.array([np.nan, -np.inf]), ".2f"),
    ),
    "of <i>one</i> day",
)

FORMS = [
    ("", "ham", "ham"),
    ("p", 0.00005, "<.0001"),
    ("p", 0.0001, "0.0001"),
    ("p", 1.0, "1.0000"),
    ("df", 3.0, "3"),
    ("df", 77566.751, "77566.75"),
    (".3f", -0.0125, "-0.013"),
    (".4g", 123456.0, "1.235e+05"),
    (".3f", None, "–"),
    ("p", np.nan, "–"),
    (".3f", np.inf, "∞"),
]


@pytest.mark.parametrize(("form", "value", "text"), FORMS)
def test_numbers_are_printed_by_their_form(form: str, value: Any, text: str) -> None:
    assert Column("x", [value], form).printed() == [text]


def test_text_is_aligned_and_has_title_and_note() -> None:
    assert TABLE.text.splitlines() == [
        "Mail <b>",
        "class        n      df       p   x",
        "ham & eggs   3       4  <.0001   –",
        "spam        10  203.40  0.2500  −∞",
        "of <i>one</i> day",
    ]
    assert str(TABLE) == repr(TABLE) == TABLE.text


def test_html_escapes_everything_that_came_from_outside() -> None:
    assert TABLE.html in TABLE._repr_html_()
    for text in ("Mail &lt;b&gt;", "ham &amp; eggs", "&lt;.0001", "of &lt;i&gt;one"):
        assert text in TABLE.html
    evil = Tables("<script>", {"t": TABLE}, ("<script>",), ("<script>",))
    assert "<script>" not in evil.html and "<b>" not in evil.html and evil.html in evil._repr_html_()


def test_values_come_back_as_they_were() -> None:
    assert TABLE.to_dict()["n"] == [3, 10] and type(TABLE["n"][0]) is int
    assert TABLE.row("spam")["df"] == 203.4 and len(TABLE) == 2
    TABLE["n"].append(5)
    assert TABLE["n"] == [3, 10]


def test_frames_hold_the_same_values() -> None:
    assert isinstance(TABLE.to_frame(), pd.DataFrame) and isinstance(TABLE.to_frame("polars"), pl.DataFrame)
    assert TABLE.to_frame().columns.tolist() == TABLE.to_frame("polars").columns == list(TABLE.to_dict())
    assert TABLE.to_frame()["n"].tolist() == [3, 10]


def test_a_frame_without_its_library_names_the_command(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="pip install polars; or use to_dict"):
        TABLE.to_frame("polars")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'clas' is not a column of 'Mail <b>'. Did you mean 'class'"):
        TABLE["clas"]
    with pytest.raises(UnknownNameError, match="'spma' is not a row of .* Did you mean 'spam'"):
        TABLE.row("spma")
    with pytest.raises(UnknownNameError, match="no table 'manva' here. Did you mean 'manova'"):
        Tables("", {"manova": TABLE})["manva"]
    with pytest.raises(InputError, match="library='panda' is not known.*Did you mean 'pandas'"):
        TABLE.to_frame("panda")  # type: ignore[arg-type]


def test_columns_must_fit_together() -> None:
    with pytest.raises(InputError, match="equal length and different names"):
        Table("", (Column("a", [1]), Column("b", [1, 2])))
    with pytest.raises(InputError, match="equal length and different names"):
        Table("", (Column("a", [1]), Column("a", [1])))


def test_tables_print_facts_then_tables_then_notes() -> None:
    tables = Tables("Day", {"mail": TABLE}, ("two lines",), ("a note",))
    assert tables.text == f"Day\n===\ntwo lines\n\n{TABLE.text}\n\na note"
    assert list(tables) == ["mail"] and len(tables) == 1 and tables.to_dict() == {"mail": {**TABLE.to_dict(), "x": tables["mail"]["x"]}}
    assert str(tables) == repr(tables) == tables.text


def test_names_become_distinct() -> None:
    assert distinct([1, "1", 1.0, "term"], taken=["term"]) == ["1", "1 (2)", "1.0", "term (2)"]

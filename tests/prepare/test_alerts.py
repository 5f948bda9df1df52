"""What is said of columns that may not be what they seem."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from separatrix import Recipe, TablePrep, open_table
from separatrix.errors import InputError


def incomes(*words: str, n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    income = [f"{x:,.0f}" for x in rng.lognormal(10, 1, n)]
    for i, word in enumerate(words):
        income[i :: 16 * len(words)] = [word] * len(income[i :: 16 * len(words)])
    return pd.DataFrame({"income": income, "city": rng.choice(["Oslo", "Rome"], n)})


def test_one_word_among_numbers_is_said_and_read_as_a_gap() -> None:
    table = incomes("unknown")
    recipe = TablePrep().fit(table).recipe_
    (alert,) = recipe.alerts
    assert alert.code == "SPX017" and "'unknown', in 6.3 % of its values, is a missing value." in alert.why
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = recipe.transform(table.assign(income="Unknown"))
    assert recipe.names[:2] == ["log(1 + income)", "income missing"] and (np.asarray(X)[:, 1] == 1.0).all()


def test_several_words_among_numbers_are_said() -> None:
    table = incomes("unknown", "a lot")
    (alert,) = Recipe.plan(table).alerts
    assert (alert.code, alert.subject) == ("SPX022", "income") and "'unknown'" in alert.seen and "'a lot'" in alert.seen
    assert Recipe.plan(table, kinds={"income": "number"}).steps[0].kind == "number"
    assert not any(own.code == "SPX022" for own in Recipe.plan(table, kinds={"income": "category"}).alerts)


@pytest.mark.parametrize(
    ("names", "is_data"),
    [
        (["39", "State-gov", "2.5"], True),
        (["age", "work", "score"], False),
        (["2020", "work", "2.5"], False),
        (["39", "work", "2.5"], False),
    ],
)
def test_a_first_row_taken_for_names_is_said(names: list[str], is_data: bool) -> None:
    rng = np.random.default_rng(0)
    columns = rng.integers(18, 80, 90), rng.choice(["State-gov", "Private"], 90), rng.normal(0, 3, 90)
    found = Recipe.plan(pd.DataFrame(dict(zip(names, columns, strict=True)))).alerts
    assert [alert.code for alert in found] == ["SPX023"] * is_data


def test_columns_that_are_numbered_are_no_data() -> None:
    rng = np.random.default_rng(0)
    assert not Recipe.plan(pd.DataFrame({str(i): rng.normal(0, 30, 60) for i in range(6)})).alerts


@pytest.mark.parametrize(("sold", "price", "said"), [(3, ",", True), (3, ".", False), (2, ",", False), (4, ",", False)])
def test_points_between_thousands_are_said(sold: int, price: str, said: bool) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"price": [f"{x:.2f}".replace(".", price) for x in rng.normal(30, 5, 80)], "sold": rng.uniform(1, 99, 80).round(sold)}
    )
    assert ("SPX024" in {alert.code for alert in Recipe.plan(table).alerts}) == said


def test_a_file_without_names_is_asked_for_them(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("0,0,no\n1,0,yes\n" * 9)
    with pytest.raises(InputError, match="Two columns of .* are called '0'.* If the file has no line of names, write one"):
        open_table(tmp_path / "rows.csv")


@pytest.mark.parametrize(
    ("dates", "what"),
    [
        (["3/4/2023", "5/6/2023", "7/8/2023"], "the day or the month first"),
        (["2023-04-03", "13.6.2023", "14.6.2023"], "in several ways"),
        (["3/4/2023", "5/16/2023", "7/8/2023"], None),
        (["12 apples", "3 pears", "1 fig"], None),
    ],
)
def test_dates_that_leave_a_doubt_are_said(dates: list[str], what: str | None) -> None:
    found = Recipe.plan(pd.DataFrame({"signed": dates * 10, "x": np.arange(30.0) ** 2})).alerts
    assert [alert.code for alert in found] == ["SPX025"] * (what is not None)
    assert what is None or what in found[0].seen

"""What changed between two tables is found, and what chance moves is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from separatrix.facts import drift
from tests.facts.tables import clean

Change = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]
CHANGED: dict[str, tuple[str, str, str, Change]] = {
    "moved": ("SPX016", "age", "moved from a median", lambda f, rng: f.assign(age=f["age"] + 10)),
    "wider": ("SPX016", "x", "another spread|moved from", lambda f, rng: f.assign(x=f["x"] * 3)),
    "other unit": ("SPX016", "income", "moved from a median", lambda f, rng: f.assign(income=f["income"] / 100)),
    "other shares": ("SPX016", "city", "Level 'Rome' of", lambda f, rng: f.assign(city=f["city"].where(f["city"] != "Oslo", "Rome"))),
    "more gaps": ("SPX016", "age", "is missing in 0 %", lambda f, rng: f.assign(age=f["age"].where(rng.random(len(f)) < 0.6))),
    "switched off": ("SPX016", "member", "moved|another", lambda f, rng: f.assign(member=False)),
    "text for numbers": ("SPX016", "age", "numbers in the first table and text", lambda f, rng: f.assign(age="old")),
    "column gone": ("SPX016", "visits", "not in the second table", lambda f, rng: f.drop(columns="visits")),
    "new level": ("SPX015", "city", "1 level .* 'Lima', in", lambda f, rng: f.assign(city=f["city"].where(f["visits"] < 6, "Lima"))),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_is_found_and_nothing_else(name: str, rng: np.random.Generator) -> None:
    code, subject, seen, change = CHANGED[name]
    before, after = clean(rng, 600), change(clean(rng, 500), rng)
    alerts = drift(before, after)
    assert [(alert.code, alert.subject) for alert in alerts] == [(code, subject)]
    assert pd.Series([alerts[0].seen]).str.contains(seen).all()
    assert drift(before, before) == drift(after, after) == ()


def test_a_large_change_warns_and_a_moderate_one_is_a_note(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3000))
    assert [alert.severity for shift in (0.4, 2.0) for alert in drift(x[0][:, None], x[1][:, None] + shift)] == ["note", "warning"]
    assert drift(x[0][:, None], x[1][:, None] + 0.1) == ()  # proved by 3,000 rows, and too small to matter


def test_dates_and_text_of_its_own_always_change(rng: np.random.Generator) -> None:
    def table(start: str, word: str) -> pd.DataFrame:
        return pd.DataFrame({"day": pd.date_range(start, periods=100), "note": [f"{word} {i}" for i in range(100)], "since": [start] * 100})

    assert drift(table("2023-01-01", "call"), table("2024-01-01", "mail")) == ()


def test_rare_levels_are_joined_before_they_are_tested(rng: np.random.Generator) -> None:
    def table() -> pd.DataFrame:
        return pd.DataFrame({"word": rng.choice([f"w{i}" for i in range(60)], 200)})

    assert sum(any(alert.code == "SPX016" for alert in drift(table(), table())) for _ in range(50)) == 0

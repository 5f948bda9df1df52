"""Boards to report on, and pages of them opened in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from separatrix import KFold, LogisticRegression, NearestMean, compare


def customers(n: int = 300, seed: int = 3) -> pd.DataFrame:
    """Return a table with every kind of column: gaps, skew numbers, rare levels, order, dates, texts, many levels."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n).astype(float))
    plan = rng.choice(["basic", "plus", "pro", None], n, p=[0.5, 0.3, 0.15, 0.05])
    plan[:3] = "trial"
    words = rng.choice(["late parcel again", "great service", "broken screen help", "please call me back 0800123", "thank you"], n)
    notes = [f"{word} {rng.choice(['today', 'soon', 'never', 'please', 'ok'])} {i % 37} {i % 53}" for i, word in enumerate(words)]
    table = pd.DataFrame(
        {
            "age": age,
            "spent": np.exp(rng.normal(4, 1.6, n)).round(2),
            "plan": plan,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "since": pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 1100 * 24, n), unit="h"),
            "note": notes,
            "town": [f"town {i:02d}" for i in (70 * rng.random(n) ** 3).astype(int)],
        }
    )
    score = 0.04 * np.nan_to_num(age, nan=40) - (plan == "pro") + 0.3 * np.log(table["spent"]) + ["broken" in note for note in notes]
    table["churn"] = np.where(score + rng.normal(0, 0.8, n) > 3.2, "yes", "no")
    return table


@pytest.fixture(scope="session")
def customer_board() -> Any:
    models = {"nearest mean": NearestMean(), "logistic": LogisticRegression()}
    return compare(customers(), target="churn", models=models, plan=KFold(4), rule="min", random_state=0)


@pytest.fixture(scope="session")
def customer_report(customer_board: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = customer_board.report(tmp_path_factory.mktemp("report") / "churn.html")
    return path


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens a file with the network blocked; the policy of the page stays in force, and `problems` has what went wrong."""
    contexts = []

    def opened(path: Path, **options: Any) -> Any:
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page, problems = context.new_page(), []
        page.problems = problems
        page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url.startswith("file:") else problems.append(f"asked for {request.url[:80]}"))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def customer_page(browser: Any, customer_report: Path) -> Iterator[Any]:
    """The report of the customers, opened once for tests that set all that they read."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(customer_report.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    yield page
    context.close()

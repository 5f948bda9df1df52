"""Every example runs, without a warning, and says what it found."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
SAYS = {
    "ambiguous_regions": "One against the rest: 3",
    "churn": "leave with probability",
    "customers": "write to",
    "digits": "10-fold cross-validation",
    "fisher_projection": "Fisher's direction: J = ",
    "faces": "Where shrunk LDA looks",
    "least_squares_fails": "of the near rows right; with 20 far rows, all of them easy",
    "neurons": "each left out once",
    "patients": "Quasi-complete separation",
    "probe": "16 per class",
    "voters": "What the answers say for red against blue",
}
ELSEWHERE = {"decisions", "demo", "letters", "pictures", "spam"}
"""Run by tests of their own."""


def test_no_example_is_forgotten() -> None:
    assert {file.stem for file in FOLDER.glob("*.py")} - {"__init__"} == set(SAYS) | ELSEWHERE


@pytest.mark.parametrize("name", SAYS)
def test_the_example_runs(name: str, capsys: Any) -> None:
    importlib.import_module(f"examples.{name}").main()
    assert SAYS[name] in capsys.readouterr().out

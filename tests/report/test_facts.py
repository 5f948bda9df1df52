"""What a report says, without a browser: the numbers are those of the comparison, and what was not computed says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from separatrix import GaussianNB, KFold, LinearDiscriminantAnalysis, LinearSVC, TimeSplit, compare, saving
from separatrix.data.columns import Column
from separatrix.decisions import Decision
from separatrix.errors import DataWarning, InputError, InputTypeError
from separatrix.report.findings import Findings
from separatrix.report.judged_rows import JudgedRows
from separatrix.report.mistakes import Mistakes
from separatrix.report.not_computed import NotComputed
from separatrix.report.plain_values import plain
from separatrix.report.report_facts import facts_of_board
from separatrix.report.slices import worst_slices
from separatrix.report.threshold_counts import ThresholdCounts


@pytest.fixture(scope="module")
def customer_facts(customer_board: Any) -> Any:
    return facts_of_board(Findings.of_board(customer_board))


def test_facts_are_those_of_the_board(customer_board: Any, customer_facts: Any) -> None:
    lines = customer_facts.leaderboard.lines
    assert [(line.name, line.value) for line in lines] == [(entry.name, entry.value) for entry in customer_board.entries]
    assert customer_facts.mistakes.wrong == pytest.approx(customer_board.picked.value * customer_facts.rows)
    assert sum(map(sum, customer_facts.mistakes.matrix)) == customer_facts.rows
    assert {line.standing for line in lines} <= {"picked", "best", "tied", "worse", "baseline"}


def test_facts_are_json_and_stand_in_the_page(customer_facts: Any, customer_report: Path) -> None:
    page = customer_report.read_text(encoding="utf-8")
    text = page.split('id="facts">')[1].split("</script>")[0]
    found, expected = json.loads(text), json.loads(customer_facts.to_json())
    assert found.keys() == expected.keys()
    assert found["leaderboard"]["lines"][0]["name"] == expected["leaderboard"]["lines"][0]["name"]
    assert found["what_if"] == expected["what_if"] and found["thresholds"] == expected["thresholds"]


def test_thresholds_count_as_a_decision_does(customer_board: Any) -> None:
    rows = JudgedRows.of_repeat(customer_board.picked.scored.repeats[0], customer_board.setting.rows)
    counts = ThresholdCounts.of(rows)
    assert isinstance(counts, ThresholdCounts)
    for step in (0, 37, 100, 150, 200):
        found = saving(Decision.threshold(step / 200), rows.posteriors, rows.classes[rows.truth])
        own = counts.classes[0]
        fp, fn, t = own.false[step], own.positives - own.true[step], step / 200
        assert found.cost == pytest.approx((t * fp + (1 - t) * fn) / rows.n, abs=1e-12)


def test_no_row_of_the_table_stands_in_the_file_unless_asked_for(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 120
    table = pd.DataFrame({"x": rng.normal(size=n), "secret": [f"person-{i:04d}" for i in range(n)], "y": rng.choice(["a", "b"], n)})
    board = compare(table, target="y", models=["LDA"], plan=KFold(3), random_state=0)
    assert "person-0" not in board.report(tmp_path / "closed.html").read_text(encoding="utf-8")
    assert "person-0" in board.report(tmp_path / "open.html", include_rows=True).read_text(encoding="utf-8")


@pytest.mark.parametrize("models", [[GaussianNB()], [LinearSVC()], [LinearDiscriminantAnalysis()]], ids=lambda own: type(own[0]).__name__)
def test_several_classes_and_models_without_posteriors_have_reports(models: list[Any], tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    board = compare(X, y, models=models, plan=KFold(3), random_state=0)
    facts = facts_of_board(Findings.of_board(board))
    assert isinstance(facts.thresholds, NotComputed) == isinstance(models[0], LinearSVC)
    assert isinstance(facts.what_if, NotComputed) == isinstance(models[0], GaussianNB)
    page = board.report(tmp_path / "iris.html").read_text(encoding="utf-8")
    assert "What to type" in page and "not computed" in page


def test_rows_without_a_label_keep_their_numbers() -> None:
    rng, n = np.random.default_rng(1), 150
    table = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    table["y"] = np.where(np.arange(n) < 20, None, np.where(table["x"] > 0, "up", "down"))
    table.loc[77, "y"] = "up" if table.loc[77, "x"] <= 0 else "down"
    table.loc[77, "x"] *= 10
    with pytest.warns(DataWarning, match="20 of 150 rows have no label"):
        board = compare(table, target="y", models=["LDA"], plan=KFold(5), random_state=0)
    found = Mistakes.of(JudgedRows.of_repeat(board.picked.scored.repeats[0], board.setting.rows))
    assert not isinstance(found.surest, NotComputed) and found.surest[0].row == 77


def test_a_planted_slice_is_found_and_noise_is_not(rng: np.random.Generator) -> None:
    n = 2_000
    town = rng.integers(0, 4, n)
    wrong = (rng.random(n) < np.where(town == 2, 0.4, 0.1)).astype(np.int32)
    rows = JudgedRows(np.zeros(n, np.int32), wrong, None, None, np.array(["a", "b"]), np.arange(n), np.arange(n))
    columns = [Column("town", town, np.array(["Oslo", "Rome", "Kiel", "Bern"], dtype=object)), Column("noise", rng.normal(size=n))]
    found = worst_slices(columns, rows)
    assert [(own.column, own.condition) for own in found.worst] == [("town", "= Kiel")]
    assert found.worst[0].low < 0.4 < found.worst[0].high and found.tried == 8


def test_a_time_split_and_groups_are_told() -> None:
    rng, n = np.random.default_rng(0), 120
    table = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=n), "x": rng.normal(size=n)})
    table["y"] = np.where(table["x"] + rng.normal(0, 0.5, n) > 0, "a", "b")
    board = compare(table, target="y", models=["LDA"], plan=TimeSplit("day", 3), random_state=0)
    facts = facts_of_board(Findings.of_board(board))
    assert "The past trained" in facts.trust.checks[1].answer
    assert not any("groups=" in limit for limit in facts.limits)


def test_values_become_plain() -> None:
    assert plain({"a": np.array([1.0, np.inf]), "b": NotComputed("x", "y")}) == {
        "a": [1.0, None],
        "b": {"what": "x", "why": "y", "call": ""},
    }


def test_a_report_is_an_html_file(customer_board: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'.*churn.pdf' is no HTML file; name the report churn.html"):
        customer_board.report(tmp_path / "churn.pdf")
    with pytest.raises(InputTypeError, match="is no path; pass the name of a file"):
        customer_board.report(7)
    with pytest.raises(InputTypeError, match="title"):
        customer_board.report(tmp_path / "churn.html", title=3)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_report_leaves_the_old_file(customer_board: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "churn.html"
    path.write_text("old")
    monkeypatch.setattr("separatrix.report.rendering.rendered", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        customer_board.report(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]

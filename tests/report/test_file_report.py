"""Reports of model files: rows that were trained on are known by their hash, and never shown as held out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from separatrix import LogisticRegression, TableClassifier
from separatrix.artifacts.contents import Contents, read
from separatrix.artifacts.model_file import save
from separatrix.errors import InputError
from separatrix.report.file_facts import facts_of_file, findings_of_file
from separatrix.report.not_computed import NotComputed
from separatrix.report.writing import write_file_report
from tests.report.conftest import customers


@pytest.fixture(scope="module")
def customer_file(customer_board: Any, tmp_path_factory: pytest.TempPathFactory) -> Contents:
    path = tmp_path_factory.mktemp("model") / "churn.sptx"
    save(customer_board, path)
    return read(path)


def test_rows_trained_on_are_never_judged(customer_file: Contents, customer_board: Any, tmp_path: Path) -> None:
    facts = facts_of_file(findings_of_file(customer_file, customers()), customer_file)
    for section in (facts.thresholds, facts.curves, facts.slices, facts.mistakes):
        assert isinstance(section, NotComputed) and "trained on" in section.why
    assert facts.trust.checks[0].light == "bad" and "trained on these rows" in facts.answer.sentence
    assert f"{100 * customer_board.picked.value:.1f} %" in facts.answer.sentence
    page = write_file_report(customer_file, customers(), tmp_path / "a.html").read_text(encoding="utf-8")
    assert "separatrix report MODEL NEW_ROWS" in page


def test_new_rows_are_judged(customer_file: Contents, customer_board: Any) -> None:
    new = customers(seed=4)
    facts = facts_of_file(findings_of_file(customer_file, new), customer_file)
    wrong = customer_board.model.predict(new.drop(columns="churn")) != new["churn"].to_numpy()
    assert facts.mistakes.wrong == wrong.sum() and facts.trust.checks[0].light == "good"
    assert f"{100 * np.mean(wrong):.1f} %" in facts.answer.sentence
    assert [line.standing for line in facts.leaderboard.lines].count("picked") == 1


def test_one_changed_value_is_another_table(customer_file: Contents) -> None:
    table = customers()
    table.loc[0, "spent"] += 0.01
    assert findings_of_file(customer_file, table).judged is not None
    assert findings_of_file(customer_file, customers()).judged is None


def test_a_model_alone_has_a_report_in_the_browser(tmp_path: Path, open_page: Any) -> None:
    model = TableClassifier(LogisticRegression(), target="churn").fit(customers())
    save(model, tmp_path / "one.sptx")
    path = write_file_report(read(tmp_path / "one.sptx"), customers(seed=5), tmp_path / "one.html", title="New customers")
    page = open_page(path)
    assert page.problems == [] and page.title() == "New customers"
    assert "The file does not say which rows it was trained on" in page.inner_text("#trust")
    assert page.locator("#said li").count() == 2


def test_what_cannot_be_reported_is_refused(customer_file: Contents, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds the label 'maybe', which the model does not know; it knows \\['no', 'yes'\\]"):
        findings_of_file(customer_file, customers().assign(churn="maybe").assign(churn=lambda t: ["yes", *t["churn"][1:]]))
    save(LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]), tmp_path / "plain.sptx")
    with pytest.raises(InputError, match="does not say which column holds the labels; name it: target='…'"):
        findings_of_file(read(tmp_path / "plain.sptx"), customers())

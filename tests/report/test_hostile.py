"""A table that wants to run scripts: column names, levels, labels and texts are shown, and nothing of them is executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from separatrix import KFold, compare

SCRIPT = "</script><script>window.ran = 1</script>"
IMAGE = '"><img src=x onerror="window.ran = 2">'
TEMPLATE = "{{ 7 * 7 }} ${window.ran = 3} {% raw %}"
BIDI = "pay\u202eyap\u2066 evil\u2069"
QUOTES = 'it\'s "quoted" \\ `back` <!-- --> ]]>'
NAMES = [SCRIPT, IMAGE, TEMPLATE, BIDI, QUOTES, "__proto__", "constructor", "\u0000zero", "emoji 🤖 ﷽"]


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, n = np.random.default_rng(0), 240
    table = pd.DataFrame({name: rng.normal(size=n) for name in NAMES})
    table[f"level {SCRIPT}"] = rng.choice([SCRIPT, IMAGE, TEMPLATE, "__proto__", "toString"], n)
    table[f"text {IMAGE}"] = [f"{SCRIPT} {IMAGE} {i % 41} {i % 57} alert(1)" for i in range(n)]
    table["town <b>"] = [f"{QUOTES} {i}" for i in (60 * rng.random(n) ** 2).astype(int)]
    table["y"] = np.where(table[SCRIPT] + rng.normal(0, 0.5, n) > 0, SCRIPT, IMAGE)
    board = compare(table, target="y", models=["logistic L2"], plan=KFold(3), random_state=0)
    path: Path = board.report(tmp_path_factory.mktemp("hostile") / "hostile.html", title=f"Title {SCRIPT}", include_rows=True)
    return path


def test_no_text_of_the_table_stands_in_the_file_as_markup(hostile_report: Path) -> None:
    page = hostile_report.read_text(encoding="utf-8")
    assert "<script>window.ran" not in page and "<img src=x" not in page and "<b>" not in page
    assert page.count("<script") == 2 + 7  # JSON of facts and charts; the bundle and six scripts
    assert "{{ 7 * 7 }}" in page


def test_nothing_of_it_is_run(hostile_report: Path, open_page: Any) -> None:
    page = open_page(hostile_report)
    assert page.problems == []
    assert page.evaluate("[window.ran, ({}).polluted, document.images.length]") == [None, None, 0]
    assert page.inner_text("h1") == f"Title {SCRIPT}"
    names = page.locator("#preparation tbody th").all_text_contents()
    assert SCRIPT in names and IMAGE in names and BIDI in names


def test_the_form_takes_names_that_javascript_has_for_itself(hostile_report: Path, open_page: Any) -> None:
    page = open_page(hostile_report)
    before = page.get_attribute("#said li", "data-value")
    page.get_by_role("spinbutton", name=SCRIPT, exact=True).fill("3")
    page.get_by_label(f"level {SCRIPT}", exact=True).select_option(label="__proto__")
    after = page.get_attribute("#said li", "data-value")
    assert page.problems == [] and before != after and np.isfinite(float(after))


def test_tooltips_show_text_and_no_markup(hostile_report: Path, open_page: Any) -> None:
    page = open_page(hostile_report)
    page.locator("figure[data-chart=confusion] svg .mark-text text").first.hover()
    shown = page.locator("#vg-tooltip-element")
    shown.wait_for()
    assert "window.ran" in shown.inner_text() and shown.locator("script, img").count() == 0
    assert page.evaluate("[window.ran, document.images.length]") == [None, 0]
    assert page.problems == []

"""The report in a real browser: opened from a file, without a network, its content security policy in force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from separatrix.decisions import cost_curve
from separatrix.report.judged_rows import JudgedRows
from tests.report.conftest import customers

Opener = Callable[..., Any]
AXE = Path(__file__).parent / "axe" / "axe.min.js"


def said(page: Any) -> list[float]:
    return [float(line.get_attribute("data-value")) for line in page.query_selector_all("#said li")]


def expected(board: Any, row: dict[str, Any]) -> list[float]:
    """What the model itself says of a row."""
    frame = customers().drop(columns="churn").head(1).assign(**{name: [value] for name, value in row.items()})
    frame["size"] = pd.Categorical([row["size"]], ["S", "M", "L"], ordered=True)
    return [float(p) for p in board.model.predict_proba(frame)[0]]


def test_it_opens_without_a_network_or_an_error(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report)
    assert page.problems == []
    assert page.title() == "Predicting churn"
    assert page.locator("figure[data-chart]").count() == page.locator("figure[data-chart] .canvas svg").count() > 5


def test_nothing_is_allowed_but_its_own_scripts(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report)
    policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("(() => { try { return new Function('return 1')() } catch (e) { return e.name } })()") in (1, "EvalError")
    assert any("Content Security Policy" in problem for problem in page.problems)


@pytest.mark.parametrize(("alarm", "miss", "step"), [(1.0, 1.0, 100), (1.0, 5.0, 60), (2.5, 0.5, 173), (1.0, 9.0, 0)])
def test_the_slider_gives_the_numbers_of_python(customer_board: Any, customer_page: Any, alarm: float, miss: float, step: int) -> None:
    rows = JudgedRows.of_repeat(customer_board.picked.scored.repeats[0], customer_board.setting.rows)
    called = rows.posteriors[:, 1] > step / 200
    fp, fn = int((called & (rows.truth == 0)).sum()), int((~called & (rows.truth == 1)).sum())
    page = customer_page
    page.fill("#slider-alarm", str(alarm))
    page.fill("#slider-miss", str(miss))
    page.evaluate(
        "i => { const r = document.getElementById('slider-threshold'); r.value = i; r.dispatchEvent(new Event('input', {bubbles: true})) }",
        step,
    )
    assert float(page.get_attribute("#slider", "data-cost")) == pytest.approx((alarm * fp + miss * fn) / rows.n, rel=1e-12)
    assert (page.inner_text("#slider-fp"), page.inner_text("#slider-fn")) == (f"{fp:,}", f"{fn:,}")


def test_the_least_cost_is_that_of_python(customer_board: Any, customer_page: Any) -> None:
    rows = JudgedRows.of_repeat(customer_board.picked.scored.repeats[0], customer_board.setting.rows)
    curve = cost_curve(rows.posteriors, rows.classes[rows.truth], [[0, 1], [4, 0]])
    page = customer_page
    page.fill("#slider-alarm", "1")
    page.fill("#slider-miss", "4")
    page.click("#slider-best")
    # The slider has 201 thresholds, Python one between any two rows.
    assert curve.y.min() - 1e-12 <= float(page.get_attribute("#slider", "data-cost")) <= curve.y.min() + 8 / rows.n


ROWS = [
    {
        "age": 33.0,
        "spent": 120.5,
        "plan": "plus",
        "size": "L",
        "since": pd.Timestamp("2022-07-09 13:30"),
        "note": "Broken SCREEN, help! 12",
        "town": "town 00",
    },
    {"age": float("nan"), "spent": 0.0, "plan": None, "size": "S", "since": pd.NaT, "note": "", "town": None},
    {
        "age": -4.5,
        "spent": 9e6,
        "plan": "unheard of",
        "size": "M",
        "since": pd.Timestamp("1969-12-31 23:15"),
        "note": "thank you soon 36",
        "town": "elsewhere",
    },
]


@pytest.mark.parametrize("row", ROWS, ids=["usual", "all missing", "unseen"])
def test_the_form_gives_the_numbers_of_python(customer_board: Any, customer_page: Any, row: dict[str, Any]) -> None:
    page = customer_page
    for name, value in row.items():
        field = page.get_by_label(name, exact=True)
        if field.evaluate("e => e.tagName") == "SELECT":
            listed = [option for option in field.locator("option").all_inner_texts() if option == value]
            field.select_option(label=listed[0] if listed else "(missing)" if value is None else "(a level not listed)")
        else:
            missing = value is None or value != value
            field.fill("" if missing else value.strftime("%Y-%m-%dT%H:%M") if isinstance(value, pd.Timestamp) else f"{value}")
    assert said(page) == pytest.approx(expected(customer_board, row), abs=1e-9)


def test_the_form_answers_to_keys_alone(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report)
    before = said(page)
    page.get_by_label("age", exact=True).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("79")
    assert said(page) != before
    page.get_by_role("button", name="Back to the typical row").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("v => Number(document.querySelector('#said li').dataset.value) === v", arg=before[0])


def test_keys_reach_sections_slider_and_tables(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#answer"
    page.locator("#slider-threshold").focus()
    before = page.inner_text("#slider-shown")
    page.keyboard.press("ArrowRight")
    assert float(page.inner_text("#slider-shown")) == pytest.approx(float(before) + 0.005)
    head = page.locator("#preparation th button").first
    head.focus()
    page.keyboard.press("Enter")
    names = page.locator("#preparation tbody th").all_inner_texts()
    assert names == sorted(names) and page.locator("#preparation th[aria-sort=ascending]").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("#preparation tbody th").all_inner_texts() == names[::-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(customer_report: Path, open_page: Opener, scheme: str) -> None:
    page = open_page(customer_report, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.evaluate(AXE.read_text(encoding="utf-8"))  # by the debugger, which the policy of the page does not concern
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"] if one["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_are_drawn_in_ink_that_can_be_read(customer_report: Path, open_page: Opener, scheme: str) -> None:
    page = open_page(customer_report, color_scheme=scheme)
    ink, paper = page.evaluate(
        """() => { const text = document.querySelector('figure[data-chart=roc] svg text');
        return [getComputedStyle(text).fill, getComputedStyle(document.querySelector('figure[data-chart]')).backgroundColor]
            .map(colour => colour.match(/[0-9.]+/g).slice(0, 3).map(Number)) }"""
    )
    assert contrast(ink, paper) > 4.5
    shapes = page.eval_on_selector_all("figure[data-chart] svg", "all => all.map(svg => svg.querySelectorAll('path[d], text').length)")
    assert min(shapes) > 5


def contrast(one: list[float], other: list[float]) -> float:
    """Return the contrast of two colours by WCAG."""

    def light(colour: list[float]) -> float:
        parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, bright = sorted([light(one), light(other)])
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("format_", ["svg", "png"])
def test_every_figure_can_be_saved(customer_report: Path, open_page: Opener, format_: str) -> None:
    page = open_page(customer_report)
    figures = page.locator("figure.chart").count()
    assert page.locator("figure.chart button[data-format=svg]").count() == figures
    with page.expect_download() as caught:
        page.locator(f"figure[data-chart=roc] button[data-format={format_}]").click()
    content = Path(caught.value.path()).read_bytes()
    assert content.startswith(b"<svg" if format_ == "svg" else b"\x89PNG") and len(content) > 5_000
    assert page.problems == []


def test_the_theme_can_be_chosen(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report, color_scheme="light")
    colours = [page.evaluate("getComputedStyle(document.body).backgroundColor")]
    for _ in range(2):
        page.locator("#theme").click()
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] == colours[1] != colours[2]


def test_a_narrow_page_does_not_scroll_sideways(customer_report: Path, open_page: Opener) -> None:
    page = open_page(customer_report, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

"""Charts in a real browser: drawn from a file and in a notebook's output, without the network, in the colour of the page."""

import numpy as np
import pytest

import separatrix as sx
from separatrix import charts
from separatrix.charts.page import notebook_html

EVIL = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=[EVIL, '"><img src=x onerror=alert(2)>'])
    y = np.where(X.iloc[:, 0] > 0, EVIL, "b")
    numbers = X.to_numpy()
    return {
        "regions": charts.regions(sx.LinearDiscriminantAnalysis().fit(X, y), X, y, grid=20),
        "roc": sx.evaluate(sx.LinearDiscriminantAnalysis(), X, y).chart("roc"),
        "columns": sx.column_effects(sx.LinearDiscriminantAnalysis().fit(X, y), X).chart(),
        "perceptron": charts.perceptron_path(sx.Perceptron(trace=True, shuffle=False).fit(numbers, y), numbers, y),
    }


@pytest.mark.parametrize("name", ["regions", "roc", "columns", "perceptron"])
def test_a_saved_page_draws_without_the_network_under_its_own_policy(drawn, name, open_page, tmp_path):
    drawn[name].save(tmp_path / "chart.html")
    page = open_page(tmp_path / "chart.html")
    page.wait_for_selector("svg.marks text")
    assert page.problems == []


def test_outputs_of_a_notebook_draw_in_one_page_and_in_its_colour(drawn, open_page, tmp_path):
    body = "".join(chart._repr_mimebundle_()["text/html"] for chart in drawn.values())
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8><body style='background:#111;color:rgb(1, 2, 3)'>{body}")
    page = open_page(tmp_path / "notebook.html")
    page.wait_for_function(f"document.querySelectorAll('svg.marks').length == {len(drawn)}")
    assert page.problems == []
    fills = page.eval_on_selector_all("svg.marks text", "all => all.map(e => getComputedStyle(e).fill)")
    assert set(fills) == {"rgb(1, 2, 3)"}


def test_the_slider_of_a_perceptron_moves_its_boundary(drawn, open_page, tmp_path):
    drawn["perceptron"].save(tmp_path / "path.html")
    page = open_page(tmp_path / "path.html")
    page.wait_for_selector("svg.marks .mark-line path")
    bold = "all => all.map(e => e.getAttribute('opacity') || getComputedStyle(e).opacity)"
    before = page.eval_on_selector_all(".mark-line path", bold)
    page.locator("input[type=range]").fill("1")
    page.wait_for_function("n => document.querySelector('.vega-bind').textContent.includes(n)", arg="1")
    assert page.eval_on_selector_all(".mark-line path", bold) != before


def test_where_scripts_do_not_run_title_and_caption_stand(drawn, open_page, tmp_path):
    (tmp_path / "untrusted.html").write_text(f"<!doctype html><meta charset=utf-8>{notebook_html(drawn['roc'].to_dict())}")
    page = open_page(tmp_path / "untrusted.html", java_script_enabled=False)
    assert "ROC curve" in page.inner_text("body") and "trust this notebook" in page.inner_text("body")

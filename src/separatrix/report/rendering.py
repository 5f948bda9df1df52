"""The one file that imports Jinja2: facts and figures become one HTML page that loads nothing and runs no script but its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ..charts.bundle import content_hash, script
from ..errors import MissingExtraError
from .fact_tables import FactTable
from .figures import Figure
from .leaderboard import Leaderboard
from .page_model import PageModel
from .plain_values import plain
from .report_facts import ReportFacts
from .wording import metric_value, percent, span

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    raise MissingExtraError("Reports need jinja2: pip install 'separatrix[report]'") from None

SECTIONS = (
    ("answer", "Answer"),
    ("trust", "Trust"),
    ("leaderboard", "Models"),
    ("threshold", "Threshold"),
    ("uses", "Columns"),
    ("failures", "Failures"),
    ("preparation", "Preparation"),
    ("what-if", "What if"),
    ("families", "Families"),
    ("reproduce", "Reproduce"),
    ("limits", "Limits"),
)
SCRIPTS = ("model.js", "what_if.js", "thresholds.js", "tables.js", "theme.js", "charts.js")
"""Scripts of the page, in their order."""
LIGHT_MARKS = {"good": "✓", "care": "!", "bad": "✕", "unknown": "?"}
LIGHT_NAMES = {"good": "fine", "care": "take care", "bad": "not fine", "unknown": "not known"}


def rendered(facts: ReportFacts, figures: Mapping[str, Figure]) -> str:
    """Return the report as one HTML page.

    Every text from the table is escaped by Jinja2; the embedded JSON has no letter that could end its element; the policy of the page
    allows its own scripts and style by their hashes, and nothing else.

    Parameters
    ----------
    facts : what it says
    figures : charts by name
    """
    from ..charts.page import json_for_script

    scripts = [script(), *(_file(name) for name in SCRIPTS)]
    style = _file("page.css")
    return (
        _environment()
        .get_template("report.html")
        .render(
            facts=facts,
            sections=SECTIONS,
            charts=figures,
            facts_json=Markup(json_for_script(plain(facts))),
            charts_json=Markup(json_for_script(plain(dict(figures)))),
            scripts=[Markup(text) for text in scripts],
            style=Markup(style),
            policy=_policy(scripts, style),
            places=_places(facts.leaderboard) if isinstance(facts.leaderboard, Leaderboard) else [],
            importance_bars=_bars(facts.uses.importance),
            field_order=_field_order(facts),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("separatrix.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["unbroken"] = lambda text: text.replace(" %", "\u00a0%")
    found.globals |= {
        "percent": percent,
        "metric_value": metric_value,
        "span": span,
        "p_value": _p_value,
        "picture": lambda family: Markup(family.picture),
        "light_marks": LIGHT_MARKS,
        "light_names": LIGHT_NAMES,
    }
    return found


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _policy(scripts: list[str], style: str) -> str:
    """Return the content security policy: these scripts and this style, and nothing else."""
    allowed = " ".join(content_hash(text) for text in scripts)
    return f"default-src 'none'; script-src {allowed}; style-src {content_hash(style)}; base-uri 'none'; form-action 'none'"


def _p_value(p: float | None) -> str:
    return "–" if p is None else "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _places(board: Leaderboard) -> list[tuple[float | None, float, float | None]]:
    """Return where intervals and values lie, from 0 to 100, on the axis that all lines share."""
    ends = [end for line in board.lines for end in (line.low, line.value, line.high) if end == end]
    low, reach = min(ends), (max(ends) - min(ends)) or 1.0

    def at(value: float) -> float:
        return 3.0 + 94.0 * (value - low) / reach

    return [(at(line.low), at(line.value), at(line.high)) if line.low == line.low else (None, at(line.value), None) for line in board.lines]


def _bars(importance: Any) -> list[float] | None:
    if not isinstance(importance, FactTable):
        return None
    sizes = [abs(value or 0.0) for value in importance.columns[1].values]
    most = max(sizes, default=0.0) or 1.0
    return [size / most for size in sizes]


def _field_order(facts: ReportFacts) -> list[int]:
    """Return the fields of the form, those that move the decision most first."""
    form = facts.what_if
    if not isinstance(form, PageModel):
        return []
    ranks = {}
    if isinstance(facts.uses.importance, FactTable):
        ranks = {name: i for i, name in enumerate(facts.uses.importance.columns[0].cells)}
    return sorted(range(len(form.fields)), key=lambda i: ranks.get(form.fields[i].name, len(ranks)))

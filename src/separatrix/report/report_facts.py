"""All that a report says, as one value: computed from a comparison, or from a model and rows that it has or has not seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..alerts import Alert
from ..data.columns import Column
from ..facts import alerts_of_board, alerts_of_columns
from ..inference.column_values import is_date, measurements
from ..prepare.steps.base import date_text, level_text
from ..selection.board import Board
from .answer import Answer, answer_of_board
from .column_use import ColumnUse, column_use
from .curve_points import Curves
from .families import Family, families_of, family_of
from .findings import Findings
from .leaderboard import Leaderboard
from .limits import limits_of_board
from .mistakes import Mistakes
from .not_computed import NotComputed
from .page_model import PageModel, page_model
from .plain_values import plain
from .preparation import Preparation, prepared_columns
from .reproduction import Reproduction, reproduction_of_board
from .slices import Slices, worst_slices
from .threshold_counts import ThresholdCounts
from .trust import Trust, trust_of_board


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report says, section by section.

    Attributes
    ----------
    title, model, target : what it is about
    classes : labels as text
    rows, columns : size of the table
    answer, trust, leaderboard, thresholds, curves, uses, slices, mistakes, preparation, what_if, families, reproduction, limits : its
        sections; what was not computed says so
    """

    title: str
    model: str
    target: str
    classes: tuple[str, ...]
    rows: int
    columns: int
    answer: Answer
    trust: Trust
    leaderboard: Leaderboard | NotComputed
    thresholds: ThresholdCounts | NotComputed
    curves: Curves | NotComputed
    uses: ColumnUse
    slices: Slices | NotComputed
    mistakes: Mistakes | NotComputed
    preparation: Preparation
    what_if: PageModel | NotComputed
    families: tuple[Family, ...]
    reproduction: Reproduction
    limits: tuple[str, ...]

    def to_json(self, indent: int | None = None) -> str:
        """Return the facts as JSON."""
        return json.dumps(plain(self), ensure_ascii=False, indent=indent, allow_nan=False)


def facts_of_board(found: Findings, title: str | None = None, include_rows: bool = False, path: str = "report.html") -> ReportFacts:
    """Return what a comparison says about its picked model.

    Parameters
    ----------
    found : `Findings.of_board(board)`
    title : of the report; default: what is predicted
    include_rows : whether the values of misjudged rows are shown
    path : of the file, as the call that makes it again says it

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = Findings.of_board(compare(X, y, models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0))
    >>> facts = facts_of_board(found)
    >>> facts.model, facts.rows, facts.mistakes.wrong
    ('LinearDiscriminantAnalysis', 150, 3.0)
    """
    board, judged, curves, columns = found.board, found.judged, found.curves, found.columns
    assert board is not None and judged is not None and isinstance(curves, Curves)
    picked = board.picked
    recipe = board.recipe if picked.candidate.reads_tables else None
    return ReportFacts(
        title=f"Predicting {found.target}" if title is None else title,
        model=found.name,
        target=found.target,
        classes=tuple(map(str, found.rows.classes.tolist())),
        rows=found.rows.n,
        columns=len(columns) or int(np.shape(found.rows.X)[-1]),
        answer=answer_of_board(board, found.target),
        trust=trust_of_board(board, _alerts(board, columns), curves.calibration),
        leaderboard=Leaderboard.of(board),
        thresholds=ThresholdCounts.of(judged),
        curves=curves.with_few_points(),
        uses=column_use(found),
        slices=worst_slices(columns, judged),
        mistakes=Mistakes.of(judged, values_of(columns) if include_rows else None),
        preparation=prepared_columns(columns, recipe, family_of(picked.candidate) == "naive Bayes"),
        what_if=page_model(found.model, columns, found.name),
        families=families_of(entry.candidate for entry in sorted(board.entries, key=lambda own: own.place)),
        reproduction=reproduction_of_board(board, path),
        limits=limits_of_board(board),
    )


def _alerts(board: Board, columns: Sequence[Column]) -> tuple[Alert, ...]:
    """Return what was noticed in the table and in the result, each once; warnings first."""
    rows = board.setting.rows
    found = [*alerts_of_columns(columns, rows.codes, rows.classes, board.setting.plan), *alerts_of_board(board)]
    once = {(alert.code, alert.subject): alert for alert in found}
    return tuple(sorted(once.values(), key=lambda alert: (alert.severity != "warning", alert.code)))


def values_of(columns: Sequence[Column]) -> Any:
    """Return a function from places of rows to their values, as text by column."""

    def held(places: Any) -> list[dict[str, str]]:
        return [{column.name: _text(column.take(np.array([i]))) for column in columns} for i in places]

    return held


def _text(one: Column) -> str:
    """Return the only value of a column as text."""
    if one.absent[0]:
        return ""
    if is_date(one):
        values = measurements(one)
        return "" if values is None else date_text(float(values[0]))
    codes, levels = one.categories()
    return level_text(levels[codes[0]])

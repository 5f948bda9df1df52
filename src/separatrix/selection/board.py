"""What a comparison found: a line per model, which of them chance cannot tell from the best, and which one to take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..alerts import Alert
from ..argument_types import is_among
from ..errors import InputError, UnknownNameError, did_you_mean
from ..evaluation.plans import Plan
from ..evaluation.prepared import read_once
from ..inference.tables import Table
from ..loading import maker
from ..models import TableClassifier
from ..models.registry import require_model
from ..models.state import State
from ..notebook import listed, view
from ..prepare import Recipe
from ..prepare.steps import Dropped
from ..summaries.table_summary import TableSummary
from .board_alerts import baseline_alert, edge_alerts, separation_alerts
from .board_entry import LEVEL, Entry
from .board_table import board_table
from .candidates import BASELINE
from .cross_validation import Setting, inner_plan
from .saved_board import SavedBoard
from .tuning import tune_candidate


@dataclass(frozen=True, eq=False, repr=False)
class Board:
    """Models compared on the same held-out rows, best first.

    Attributes
    ----------
    entries : tuple of Entry, best first
    failures : {name: why the model has no line}
    rule : "1se" or "min"
    seconds : float
    ended : why the run ended early; empty if it did not

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import GaussianNB, KFold, LinearDiscriminantAnalysis, compare
    >>> X, y = load_iris(return_X_y=True)
    >>> board = compare(X, y, models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    >>> board.best.name, [entry.name for entry in board.entries][-1]
    ('LinearDiscriminantAnalysis', 'majority class')
    >>> board.fit().predict(X[:2]).tolist()
    [0, 0]
    """

    entries: tuple[Entry, ...]
    failures: dict[str, str]
    rule: str
    setting: Setting
    seconds: float
    ended: str = ""

    @property
    def best(self) -> Entry:
        """The model with the best value; the majority class only where no model has a result."""
        return next((entry for entry in self.entries if entry.is_contender), self.entries[0])

    @cached_property
    def picked(self) -> Entry:
        """The model the rule picks: the best one, or the simplest within one standard error of it that is not significantly worse."""
        best = self.best
        reach = best.standard_error if self.rule == "1se" and np.isfinite(best.standard_error) else 0.0
        near = [
            entry for entry in self.entries if entry.is_contender and not entry.is_worse and entry.scored.loss - best.scored.loss <= reach
        ]
        return best if self.rule == "min" or not near else min(near, key=lambda entry: entry.place)

    @property
    def ties(self) -> tuple[Entry, ...]:
        """The models that chance cannot tell from the best."""
        return tuple(entry for entry in self.entries if entry.is_tie and not entry.candidate.is_reference)

    @cached_property
    def model(self) -> Any:
        """The picked model, fitted on all rows."""
        return self.fit()

    def fit(self, name: str | None = None) -> Any:
        """Return a model of the board fitted on all rows, its hyperparameters chosen by all rows.

        Parameters
        ----------
        name : a model of the board; default: the picked one
        """
        entry = self.picked if name is None else self[name]
        setting, candidate = self.setting, entry.candidate
        rows = setting.for_candidate(candidate).rows
        point = candidate.grid[0] if candidate.grid else {}
        if candidate.is_tuned:
            plan = inner_plan(setting.inner, rows, setting.groups, setting.plan)
            metric = setting.metric
            point = tune_candidate(candidate, rows, plan, metric.loss, setting.groups, setting.seed, metric.row_losses(rows)).point
        if candidate.reads_tables:
            return TableClassifier.of(rows.fit(candidate.at(point)), setting.rows.target)
        return setting.rows.fit(candidate.at(point))

    def report(self, path: str | PathLike[str], *, title: str | None = None, include_rows: bool = False) -> Path:
        """Write one HTML file that says whether the picked model can be trusted, and return its path; it opens without a network.

        Parameters
        ----------
        path : of the file, ending in .html; a failed write leaves the old file
        title : of the report; default: what is predicted
        include_rows : whether the values of misjudged rows stand in the file; else only their numbers do
        """
        written: Path = maker("report.writing.write_board_report")(self, path, title=title, include_rows=include_rows)
        return written

    def predict(self, X: Any) -> Any:
        """Return what the picked model predicts: `board.model.predict(X)`."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the posteriors of the picked model."""
        return self.model.predict_proba(X)

    def __getitem__(self, name: str) -> Entry:
        """Return the line of a model."""
        found = {entry.name: entry for entry in self.entries}
        if not is_among(name, [*found, *self.failures]):
            raise UnknownNameError(f"{name!r} is not on the board.{did_you_mean(name, found)} Name one of its models: {', '.join(found)}.")
        if name in self.failures:
            raise InputError(f"{name!r} has no line: {self.failures[name]}")
        return found[name]

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def table(self) -> Table:
        """Return all numbers as a table, with `to_dict()` and `to_frame()`."""
        return board_table(self.title, self.metric_name, self.entries, [self.mark(entry) for entry in self.entries], self.remarks())

    @property
    def metric_name(self) -> str:
        """What models were compared by."""
        return self.setting.metric.name

    @property
    def plan_text(self) -> str:
        """Which rows were held out, as it would be typed."""
        return _plan_text(self.setting.plan)

    def state(self) -> State:
        """Return the board as plain values, with its lines, its remarks and the picked model fitted on all rows.

        Returns
        -------
        State
            `Board.restore(board.state())` prints the same and has the same model; the rows are not kept.
        """
        return SavedBoard.of(self).state()

    @staticmethod
    def restore(state: State) -> SavedBoard:
        """Return the board that a state describes, without the rows it was found on."""
        require_model(state, Board)
        return SavedBoard.restore(state)

    @property
    def title(self) -> str:
        """What was compared, on what, and how."""
        rows, plan = self.setting.rows, self.setting.plan
        shape = f"{rows.n} rows, {len(rows.classes)} classes"
        count = f"{len(self.entries)} model{'s' * (len(self.entries) != 1)}"
        return f"{count} by held-out {self.setting.metric.name}: {shape}, {_plan_text(plan)}, seed {self.setting.seed}"

    def mark(self, entry: Entry) -> str:
        """Return ► for the picked model, = for the best and those tied with it."""
        if entry.candidate.is_reference:
            return ""
        return "►" if entry is self.picked else "=" if entry.is_tie or entry is self.best else ""

    def remarks(self) -> list[str]:
        """Return what a reader has to know about the table, in sentences."""
        test = next((entry.difference.test for entry in self.entries if entry.difference is not None), None)
        said = [f"► picked: {self._why()}"]
        if test is not None:
            said.append(f"= tied: chance explains the difference to the best ({test}, p ≥ {LEVEL}; one test per model).")
        if self.setting.metric.own == "auc":
            said.append(f"{self.setting.metric.name} is pooled: of all held-out rows in one order, whichever fold they were in.")
        said.append("All models faced the same folds; hyperparameters were chosen anew inside every training part.")
        if self.recipe is not None:
            said.append(self._prepared(self.recipe))
        said += [self._reference(entry) for entry in self.entries if entry.candidate.is_reference]
        said += [f"No result for {', '.join(names)}: {reason}" for reason, names in _by_reason(self.failures).items()]
        for entry in self.entries:
            if entry.notes:
                more = f" (and {len(entry.notes) - 1} more)" if len(entry.notes) > 1 else ""
                said.append(f"{entry.name} warned: {_short(entry.notes[0])}{more}")
        return [*said, *([f"The run ended early: {self.ended}."] if self.ended else [])]

    def _why(self) -> str:
        best, picked, metric = self.best, self.picked, self.setting.metric.name
        nothing = self._nothing()
        if picked is best and self.rule == "min":
            return f"{picked.name}, the best {metric}.{nothing}"
        reach = f"within one standard error ({best.standard_error:.4f}) of"
        if picked is best:
            return f"{picked.name}, the best {metric}, and no simpler model is {reach} it and not significantly worse.{nothing}"
        return (
            f"{picked.name}, the simplest whose {metric} ({picked.value:.4f}) is {reach} the best, {best.name} ({best.value:.4f}), and not "
            f"significantly worse.{nothing}"
        )

    @cached_property
    def recipe(self) -> Recipe | None:
        """What is done with the columns of a table, as all its rows say; in every training part it was learned anew. None for numbers."""
        if not any(entry.candidate.reads_tables for entry in self.entries):
            return None
        asked = [prep.wishes() for entry in self.entries for prep in entry.candidate.preps]
        wishes = min(asked, key=lambda own: own.shapes == "auto", default=None)  # the lines, where curves were compared beside them
        rows = read_once(self.setting.rows)
        return Recipe.learn(TableSummary.of(rows.X), wishes, classes=rows.classes.tolist())

    @cached_property
    def alerts(self) -> tuple[Alert, ...]:
        """What to ask before the result is used: are classes separated, was anything learned, was a list of values too short?"""
        base = next((entry for entry in self.entries if entry.is_baseline), None)
        columns = () if self.recipe is None else self.recipe.alerts
        return (*columns, *separation_alerts(self.entries), *baseline_alert(self.best, base), *edge_alerts(self.entries))

    def _prepared(self, recipe: Recipe) -> str:
        """Return what was done with the columns, in a sentence."""
        lost = [f"{step.column} ({step.said.removeprefix('left out: ')})" for step in recipe.steps if isinstance(step, Dropped)]
        shown = ", ".join(lost[:6]) + (", …" if len(lost) > 6 else "")
        left = f" Left out: {shown}." if lost else ""
        return f"The columns were prepared inside every training part; print(board.recipe) says how.{left}"

    def _reference(self, entry: Entry) -> str:
        """Return what a model outside the contest does better, or not."""
        gain, metric = self.best.scored.loss - entry.scored.loss, self.setting.metric.name
        said = f"has a {metric} better by {gain:.4f}: what a straight line costs here" if gain > 0 else f"does not have a better {metric}"
        return f"{entry.name} stands outside the contest and {said}."

    def _nothing(self) -> str:
        """Return a warning where the majority class does as well as the best model."""
        if not any(alert.code == "SPX011" for alert in self.alerts):
            return ""
        return f" There may be nothing to learn: the {BASELINE} is not significantly worse than the best model."

    def chart(self) -> Any:
        """Return the models with their intervals and ties as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.leaderboard.leaderboard")(self)

    def __str__(self) -> str:
        return self.table().text

    __repr__ = __str__

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from .board_rich import render

        yield from render(self, options.max_width)

    def _repr_html_(self) -> str:
        table = self.table()
        return view(Table(table.title, table.columns).html, listed(self.remarks()))


def _plan_text(plan: Any) -> str:
    """Return a plan as it would be typed: what was not changed is left out."""
    if not isinstance(plan, Plan):
        return f"{plan} folds in the order of the rows" if isinstance(plan, int) else type(plan).__name__
    defaults = {name: parameter.default for name, parameter in signature(type(plan)).parameters.items()}
    first = next(iter(defaults), None)
    shown = [repr(v) if name == first else f"{name}={v!r}" for name, v in vars(plan).items() if name == first or v != defaults.get(name)]
    return f"{type(plan).__name__}({', '.join(shown)})"


def _by_reason(failures: dict[str, str]) -> dict[str, list[str]]:
    """Return the names of the models that failed for each reason."""
    found: dict[str, list[str]] = {}
    for name, reason in failures.items():
        found.setdefault(reason, []).append(name)
    return found


def _short(text: str, most: int = 160) -> str:
    """Return the first sentence of a text, or what of it fits."""
    text = text.split(". ")[0].rstrip(".") + "."
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"

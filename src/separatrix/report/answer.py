"""The answer in one sentence, and the few numbers that stand beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..artifacts.stored_estimate import StoredEstimate
from ..selection.board import Board
from .judged_rows import JudgedRows
from .wording import count, metric_name, metric_value, percent, said, span

Verdict = Literal["learned", "nothing learned", "unknown"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number to be read at a glance: what it is, the number as text, and a line below it."""

    name: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the whole report comes to.

    Attributes
    ----------
    sentence : the answer
    verdict : whether the model is better than always saying the same
    figures : the numbers behind it
    """

    sentence: str
    verdict: Verdict
    figures: tuple[Figure, ...]


def answer_of_board(board: Board, target: str) -> Answer:
    """Return the answer of a comparison.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> board = compare(*load_iris(return_X_y=True), models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    >>> print(answer_of_board(board, "the class").sentence)
    LinearDiscriminantAnalysis predicts the class wrongly for 2.0 % of rows it has not seen (95 % interval 0.7 to 5.7 %); always saying
    '0' would be wrong for 66.7 %.
    """
    picked, metric, rows = board.picked, board.setting.metric.name, board.setting.rows
    base = next((entry for entry in board.entries if entry.is_baseline), None)
    share, majority = _majority(rows.counts, rows.classes)
    figures = [Figure(metric_name(metric), metric_value(metric, picked.value), f"95 % interval {span(metric, picked.interval)}")]
    if base is not None:
        figures.append(Figure("without a model", metric_value(metric, base.value), f"always {said(majority)}"))
    figures += [
        Figure("rows", f"{rows.n:,}", f"{count(len(rows.classes), 'class')}, {said(majority)} {percent(share)}"),
        Figure("models compared", str(sum(entry.is_contender for entry in board.entries)), _ties(board)),
    ]
    around = f"(95 % interval {span(metric, picked.interval)})"
    if metric == "error":
        sentence = f"{picked.name} predicts {target} wrongly for {percent(picked.value)} of rows it has not seen {around}"
        beside = "" if base is None else f"; always saying {said(majority)} would be wrong for {percent(base.value)}"
    else:
        value = metric_value(metric, picked.value)
        sentence = f"{picked.name} predicts {target} with a {metric_name(metric)} of {value} on rows it has not seen {around}"
        beside = "" if base is None else f"; without a model it would be {metric_value(metric, base.value)}"
    verdict: Verdict = "nothing learned" if any(alert.code == "SPX011" for alert in board.alerts) else "learned"
    doubt = ". There may be nothing to learn here: chance explains the difference" if verdict == "nothing learned" else ""
    return Answer(f"{sentence}{beside}{doubt}.", verdict if base is not None else "unknown", tuple(figures))


def answer_of_rows(name: str, rows: JudgedRows, target: str) -> Answer:
    """Return the answer of a model on rows that it has not seen."""
    low, high = rows.interval
    counts = rows.confusion.sum(axis=1)
    share, majority = _majority(counts, rows.classes)
    sentence = (
        f"{name} predicts {target} wrongly for {percent(rows.error)} of {count(rows.n, 'row')} it has not seen (95 % interval "
        f"{span('error', (low, high))}); always saying {said(majority)} would be wrong for {percent(1.0 - share)}."
    )
    figures = (
        Figure("error rate", percent(rows.error), f"95 % interval {span('error', (low, high))}"),
        Figure("without a model", percent(1.0 - share), f"always {said(majority)}"),
        Figure("rows", f"{rows.n:,}", f"{count(len(rows.classes), 'class')}, {said(majority)} {percent(share)}"),
    )
    return Answer(sentence, "learned" if high < 1.0 - share else "nothing learned", figures)


def answer_without_rows(name: str, target: str, estimate: StoredEstimate | None) -> Answer:
    """Return the answer where the rows given are those trained on: what was found on held-out rows in the fit, if the file says it."""
    if estimate is not None and np.isfinite(estimate.value):
        value, around = metric_value(estimate.metric, estimate.value), span(estimate.metric, estimate.interval)
        sentence = (
            f"{name} was trained on these rows to predict {target}; on rows held out during the fit its {metric_name(estimate.metric)} was "
            f"{value} (95 % interval {around}), and nothing else here is counted from rows."
        )
        figures = (
            Figure(f"{metric_name(estimate.metric)} when it was fitted", value, f"95 % interval {around}"),
            Figure("rows held out then", f"{estimate.rows:,.0f}", estimate.plan),
        )
        return Answer(sentence, "unknown", figures)
    sentence = (
        f"{name} was trained on these rows to predict {target}; how well it does on rows it has not seen cannot be said from them, and the "
        "file does not say it either."
    )
    return Answer(sentence, "unknown", ())


def _majority(counts: Floats, classes: NDArray[Any]) -> tuple[float, object]:
    largest = int(np.argmax(counts))
    return float(counts[largest] / counts.sum()), classes.tolist()[largest]


def _ties(board: Board) -> str:
    others = [entry for entry in board.ties if entry.is_contender and entry is not board.picked]
    also = len(others) + (board.best is not board.picked)
    return f"{also} others as good, as far as chance can tell" if also > 1 else "1 other as good" if also else "none as good"

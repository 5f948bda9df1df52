"""The leaderboard: every model of a comparison with its interval, and which of them chance cannot tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..selection.board import Board
from ..selection.board_entry import Entry
from ..selection.candidates import BASELINE
from ..selection.saved_board import SavedBoard, SavedEntry
from ..selection.table_families import REFERENCE
from .wording import metric_name

Standing = Literal["picked", "best", "tied", "worse", "baseline", "reference"]


@dataclass(frozen=True, slots=True)
class Line:
    """A model of the leaderboard.

    Attributes
    ----------
    name, standing : what it is called, and where it stands
    value, low, high : of the metric, with its 95 % interval
    worse_by, worse_low, worse_high, p : what it loses against the best, with interval and p-value; None for the best itself
    chosen : hyperparameters chosen most often
    method : how rows were held out
    seconds : of all its fits
    """

    name: str
    standing: Standing
    value: float
    low: float
    high: float
    worse_by: float | None
    worse_low: float | None
    worse_high: float | None
    p: float | None
    chosen: str
    method: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All models, best first.

    Attributes
    ----------
    metric, metric_name, less_is_better : what models were ranked by
    lines : a line per model
    test : the test behind the ties
    remarks : sentences
    failures : {model: why it has no line}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> board = compare(*load_iris(return_X_y=True), models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    >>> [(line.name, line.standing) for line in Leaderboard.of(board).lines]
    [('LinearDiscriminantAnalysis', 'picked'), ('majority class', 'baseline')]
    """

    metric: str
    metric_name: str
    less_is_better: bool
    lines: tuple[Line, ...]
    test: str
    remarks: tuple[str, ...]
    failures: dict[str, str]

    @classmethod
    def of(cls, board: Board) -> Leaderboard:
        """Return the leaderboard of a comparison."""
        metric = board.setting.metric
        test = next((entry.difference.test for entry in board.entries if entry.difference is not None), "")
        lines = tuple(_line(entry, _standing(board, entry)) for entry in board.entries)
        remarks = tuple(_sentence(remark) for remark in board.remarks())
        return cls(metric.name, metric_name(metric.name), metric.is_loss, lines, test, remarks, dict(board.failures))

    @classmethod
    def of_saved(cls, board: SavedBoard) -> Leaderboard:
        """Return the leaderboard of a comparison that was saved."""
        test = next((entry.difference.test for entry in board.entries if entry.difference is not None), "")
        lines = tuple(_line(entry, _saved_standing(board, entry)) for entry in board.entries)
        less = lines[0].value <= lines[-1].value  # the best stands first
        remarks = tuple(map(_sentence, board.said))
        return cls(board.metric, metric_name(board.metric), less, lines, test, remarks, dict(board.failures))


def _saved_standing(board: SavedBoard, entry: SavedEntry) -> Standing:
    if entry.name == BASELINE:
        return "baseline"
    if entry.name == REFERENCE:
        return "reference"
    if entry.name == board.picked_name:
        return "picked"
    return "best" if entry.name == board.best_name else "tied" if entry.is_tie else "worse"


def _sentence(remark: str) -> str:
    """Return a remark without the marks of the printed table."""
    bare = remark.lstrip("►= ")
    return bare[:1].upper() + bare[1:]


def _line(entry: Entry | SavedEntry, standing: Standing) -> Line:
    found, (low, high) = entry.difference, entry.interval
    return Line(
        name=entry.name,
        standing=standing,
        value=entry.value,
        low=low,
        high=high,
        worse_by=None if found is None else found.value,
        worse_low=None if found is None else found.interval[0],
        worse_high=None if found is None else found.interval[1],
        p=None if found is None else found.p,
        chosen=entry.chosen,
        method=entry.method,
        seconds=entry.seconds,
    )


def _standing(board: Board, entry: Entry) -> Standing:
    if entry.candidate.is_reference:
        return "reference"
    if entry.is_baseline:
        return "baseline"
    if entry is board.picked:
        return "picked"
    return "best" if entry is board.best else "tied" if entry.is_tie else "worse"

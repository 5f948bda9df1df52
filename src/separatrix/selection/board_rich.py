"""A board in a terminal, with colours, and with as many columns as the terminal has room for."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from .board import Board
    from .board_entry import Entry
    from .saved_board import SavedBoard, SavedEntry

LOSSES, CHOICES = 92, 130
"""Columns of a terminal that also has room for how much worse than the best a model is, and for the hyperparameters."""


def render(board: Board | SavedBoard, width: int) -> list[Any]:
    """Return the parts of a board that is to be printed `width` letters wide."""
    fits = {"worse by": width >= LOSSES, "chosen (in folds)": width >= CHOICES}
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    headings = ("", "model", board.metric_name, "95 % interval", "worse by", "p", "sec", "method", "chosen (in folds)")
    shown = [fits.get(heading, True) for heading in headings]
    for heading in compress(headings, shown):
        left = heading in ("", "model", "method", "chosen (in folds)")
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for entry in board.entries:
        style = "bold green" if entry is board.picked else "" if entry.is_tie or entry is board.best else "dim"
        table.add_row(*map(Text, compress(_cells(board, entry), shown)), style=style)
    return [Text(board.title, style="bold"), table, *[Text(line) for line in board.remarks()]]


def _cells(board: Any, entry: Entry | SavedEntry) -> list[str]:
    low, high = entry.interval
    lost = entry.difference
    worse, p = ("best" if entry is board.best else "–", "") if lost is None else (f"{lost.value:.4f}", f"{lost.p:.3f}")
    p = "<.001" if lost is not None and lost.p < 1e-3 else p
    spans = [f"{entry.value:.4f}", f"{low:.3f} – {high:.3f}", worse, p, f"{entry.seconds:.2f}"]
    return [board.mark(entry), entry.name, *spans, entry.method, entry.chosen]

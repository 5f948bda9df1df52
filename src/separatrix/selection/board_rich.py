"""A board in a terminal, with colours, and with as many columns as the terminal has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from .board import Board, Entry

METHODS, CHOICES = 98, 140
"""Columns of a terminal that also has room for how rows were held out, and for the hyperparameters."""


def render(board: Board, width: int) -> list[Any]:
    """Return the parts of a board that is to be printed `width` letters wide."""
    metric, more = board.setting.metric.name, {"method": width >= METHODS, "chosen (in folds)": width >= CHOICES}
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("", "model", metric, "95 % interval", "worse by", "p", "seconds"):
        table.add_column(heading, justify="left" if heading in ("", "model") else "right", no_wrap=True)
    for heading in (heading for heading, fits in more.items() if fits):
        table.add_column(heading, no_wrap=True)
    for entry in board.entries:
        style = "bold green" if entry is board.picked else "" if entry.is_tie or entry is board.best else "dim"
        last = [text for text, fits in zip([entry.method, entry.chosen], more.values(), strict=True) if fits]
        table.add_row(*map(Text, [*_cells(board, entry), *last]), style=style)
    return [Text(board.title, style="bold"), table, *[Text(line) for line in board.remarks()]]


def _cells(board: Board, entry: Entry) -> list[str]:
    low, high = entry.interval
    lost = entry.difference
    worse, p = ("best" if entry is board.best else "–", "") if lost is None else (f"{lost.value:.4f}", f"{lost.p:.4f}")
    p = "<.0001" if lost is not None and lost.p < 1e-4 else p
    return [board.mark(entry), entry.name, f"{entry.value:.4f}", f"{low:.3f} – {high:.3f}", worse, p, f"{entry.seconds:.2f}"]

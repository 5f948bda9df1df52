"""The table of a comparison, from lines that were just found or read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..inference.tables import Column, Table
from .differences import Difference


class Line(Protocol):
    """What the table asks of a model's line."""

    @property
    def name(self) -> str:
        """Of the model."""

    @property
    def value(self) -> float:
        """Of the metric."""

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the value."""

    @property
    def difference(self) -> Difference | None:
        """What it loses against the best."""

    @property
    def chosen(self) -> str:
        """Hyperparameters chosen most often."""

    @property
    def seconds(self) -> float:
        """Time of its fits."""

    @property
    def method(self) -> str:
        """How rows were held out."""


def board_table(title: str, metric: str, lines: Sequence[Line], marks: Sequence[str], remarks: Sequence[str]) -> Table:
    """Return all numbers as a table, with remarks below."""
    nothing = float("nan")
    lost = [line.difference or Difference(nothing, (nothing, nothing), nothing, "") for line in lines]
    columns = [
        Column("", marks),
        Column("model", [line.name for line in lines]),
        Column(metric, [line.value for line in lines], ".4f"),
        Column("95 % low", [line.interval[0] for line in lines], ".4f"),
        Column("high", [line.interval[1] for line in lines], ".4f"),
        Column("worse by", [found.value for found in lost], ".4f"),
        Column("95 % from", [found.interval[0] for found in lost], ".4f"),
        Column("to", [found.interval[1] for found in lost], ".4f"),
        Column("p", [found.p for found in lost], "p"),
        Column("chosen (folds)", [line.chosen for line in lines]),
        Column("seconds", [line.seconds for line in lines], ".2f"),
        Column("method", [line.method for line in lines]),
    ]
    return Table(title, tuple(columns), "\n".join(remarks))

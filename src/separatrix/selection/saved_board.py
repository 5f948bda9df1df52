"""A board that was saved: its lines, its remarks and the model it picked, without the rows they were found on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from html import escape
from typing import Any, Self

from ..alerts import Alert
from ..argument_types import is_among
from ..errors import InputError, UnknownNameError, did_you_mean
from ..inference.tables import Table
from ..models.registry import restored, state_of
from ..models.state import State, pack, unpack
from .board_table import board_table
from .differences import Difference


@dataclass(frozen=True)
class SavedEntry:
    """A line of a saved board.

    Attributes
    ----------
    name, value, interval, standard_error, difference, chosen, method, seconds, notes, is_tie : as of `Entry`
    mark : ► for the picked model, = for the best and those tied with it
    """

    name: str
    value: float
    interval: tuple[float, float]
    standard_error: float
    difference: Difference | None
    chosen: str
    method: str
    seconds: float
    notes: tuple[str, ...]
    is_tie: bool
    mark: str

    @classmethod
    def of(cls, entry: Any, mark: str) -> SavedEntry:
        """Return what is kept of a line."""
        own = {field.name: getattr(entry, field.name) for field in fields(cls) if field.name != "mark"}
        return cls(**own, mark=mark)


@dataclass(frozen=True, eq=False, repr=False)
class SavedBoard:
    """What `load` gives for a board that was saved: it prints the same, and has the picked model, fitted on all rows.

    Attributes
    ----------
    title : what was compared, on what, and how
    metric : what models were compared by
    plan : which rows were held out
    rows : how many there were
    entries : tuple of SavedEntry, best first
    best_name, picked_name : of the best model, and of the one the rule picked
    said : what a reader has to know about the table, in sentences
    alerts : what to ask before the result is used
    failures : {name: why the model has no line}
    seconds, ended : time of the comparison; why it ended early, empty if it did not
    model : the picked model
    """

    title: str
    metric: str
    plan: str
    rows: float
    entries: tuple[SavedEntry, ...]
    best_name: str
    picked_name: str
    said: tuple[str, ...]
    alerts: tuple[Alert, ...]
    failures: dict[str, str]
    seconds: float
    ended: str
    model: Any

    @classmethod
    def of(cls, board: Any) -> SavedBoard:
        """Return what is kept of a board; its picked model is fitted on all rows first, unless it was."""
        return cls(
            title=board.title,
            metric=board.metric_name,
            plan=board.plan_text,
            rows=float(board.setting.rows.n),
            entries=tuple(SavedEntry.of(entry, board.mark(entry)) for entry in board.entries),
            best_name=board.best.name,
            picked_name=board.picked.name,
            said=tuple(board.remarks()),
            alerts=board.alerts,
            failures=dict(board.failures),
            seconds=float(board.seconds),
            ended=board.ended,
            model=board.model,
        )

    def state(self) -> State:
        """Return the board as plain values, with the state of its model inside."""
        own = {f"{field.name}_": getattr(self, field.name) for field in fields(self) if field.name not in ("model", "alerts")}
        own["alerts_"] = [alert.to_dict() for alert in self.alerts]
        return pack("Board", {}, own | {"model_": state_of(self.model, f"a board's picked model {self.picked_name!r}")})

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the board that a state describes."""
        own = unpack(state, {"Difference": Difference, "SavedEntry": SavedEntry})
        alerts = tuple(Alert(**alert) for alert in own.pop("alerts_"))
        return cls(**{name.removesuffix("_"): value for name, value in own.items()}, alerts=alerts, model=restored(state.inside["model_"]))

    @cached_property
    def best(self) -> SavedEntry:
        """The line of the best model."""
        return self[self.best_name]

    @cached_property
    def picked(self) -> SavedEntry:
        """The line of the picked model."""
        return self[self.picked_name]

    @property
    def metric_name(self) -> str:
        """What models were compared by."""
        return self.metric

    def fit(self, name: str | None = None) -> Any:
        """Return the picked model; others cannot be fitted, because a file has no rows.

        Parameters
        ----------
        name : of the picked model, or nothing
        """
        if name is not None and self[name] is not self.picked:
            raise InputError(f"The rows are not in the file, and only {self.picked_name!r} was fitted; compare again to fit {name!r}.")
        return self.model

    def __getitem__(self, name: str) -> SavedEntry:
        """Return the line of a model."""
        found = {entry.name: entry for entry in self.entries}
        if not is_among(name, list(found)):
            raise UnknownNameError(f"{name!r} is not on the board.{did_you_mean(name, found)} Name one of its models: {', '.join(found)}.")
        return found[name]

    def __iter__(self) -> Iterator[SavedEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def mark(self, entry: SavedEntry) -> str:
        """Return ► for the picked model, = for the best and those tied with it."""
        return entry.mark

    def remarks(self) -> list[str]:
        """Return what a reader has to know about the table, in sentences."""
        return list(self.said)

    def table(self) -> Table:
        """Return all numbers as a table, with `to_dict()` and `to_frame()`."""
        return board_table(self.title, self.metric, self.entries, [entry.mark for entry in self.entries], self.said)

    def __str__(self) -> str:
        return self.table().text

    __repr__ = __str__

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from .board_rich import render

        yield from render(self, options.max_width)

    def _repr_html_(self) -> str:
        table = self.table()
        lines = "".join(f"<li>{escape(line)}</li>" for line in self.said)
        return f"<section>{Table(table.title, table.columns).html}<ul>{lines}</ul></section>"

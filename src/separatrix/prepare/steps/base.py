"""What all steps share, and how values of any column are read as text or numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...array_types import Codes, Floats
from ...data.columns import Column
from ...errors import InputError
from ...summaries.column_summary import MICROSECONDS, days_of
from ..outputs import Output, Piece
from ..written_numbers import BLANKS, SWITCHES, WrittenNumbers


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """What is done with one column of a table.

    Attributes
    ----------
    column : name of the column
    """

    kind: ClassVar[str] = ""
    column: str

    @property
    @abstractmethod
    def outputs(self) -> tuple[Output, ...]:
        """The columns of numbers it makes."""

    @abstractmethod
    def encode(self, column: Column) -> Piece:
        """Return these columns for some rows."""

    @property
    @abstractmethod
    def said(self) -> str:
        """What is done, in a few words."""

    @property
    def filled_share(self) -> float:
        """Share of its values that are not zero, about; for the choice between dense and sparse rows."""
        return 1.0

    def check(self) -> None:  # noqa: B027 — most steps hold nothing that could contradict itself
        """Raise an error if what it holds does not fit together, as of a recipe edited by hand."""

    def require(self, holds: bool, what: str) -> None:
        """Raise an error unless a condition holds."""
        if not holds:
            raise InputError(f"The recipe's step for column {self.column!r} ({self.kind}) cannot be used: {what}.")


def level_text(level: Any) -> str:
    """Return a level as text: without blanks around it, a whole number without decimals.

    Examples
    --------
    >>> [level_text(level) for level in (" Oslo ", 3.0, 2.5, True)]
    ['Oslo', '3', '2.5', '1']
    """
    if isinstance(level, str):
        return level.strip()
    if not isinstance(level, int | float | np.number | np.bool_):
        return str(level)
    number = float(level)
    return str(int(number)) if number.is_integer() else repr(number)


def date_text(days: float) -> str:
    """Return days since 1970 as a date, with its time where it has one.

    Examples
    --------
    >>> date_text(19_727.0), date_text(19_727.5)
    ('2024-01-05', '2024-01-05T12:00:00')
    """
    stamp = np.datetime64(round(float(days) * MICROSECONDS), "us")
    return str(stamp.astype("datetime64[D]")) if float(days).is_integer() else str(stamp.astype("datetime64[s]"))


def text_codes(column: Column) -> tuple[Codes, list[str]]:
    """Return the levels of any column as text, and the position of each value among them, −1 where missing or blank."""
    if column.type == "date":
        codes, days = Column("", days_of(column)).categories()
        return codes, [date_text(day) for day in days]
    codes, levels = column.categories()
    texts = [level_text(level) for level in levels]
    blank = np.array([text in BLANKS for text in texts], dtype=bool)
    if blank.any():
        codes = np.where((codes >= 0) & np.append(blank, False)[codes], np.int32(-1), codes)
    return codes, texts


def numbers_of(column: Column, written: WrittenNumbers | None = None) -> Floats:
    """Return any column as numbers: text as it is written, dates as days since 1970; NaN where there is none, infinities too."""
    if column.type == "text":
        codes, levels = column.categories()
        how = written or WrittenNumbers.of(dict.fromkeys(levels, 1.0)) or WrittenNumbers()
        values = how.values(levels)
        for i in np.flatnonzero(np.isnan(values)):
            values[i] = SWITCHES.get(str(levels[i]).strip().lower(), np.nan)
        found = np.append(values, np.nan)[codes]
    elif column.type == "date":
        found = days_of(column)
    else:
        found = column.numbers()
    return np.where(np.isfinite(found), found, np.nan)

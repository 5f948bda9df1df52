"""Dates and times: elapsed days, year, and where in the year, the week and the day, as far as they vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ...data.columns import Column
from ...summaries.column_summary import MICROSECONDS
from ..outputs import Output
from ..written_dates import FORMATS, ISO, SLASHES, WrittenDates
from ..written_numbers import WrittenNumbers, is_blank
from .base import Step, text_codes

DatePart = Literal["days", "year", "month", "weekday", "hour"]
PARTS: tuple[DatePart, ...] = ("days", "year", "month", "weekday", "hour")
CYCLES = {"month": 12.0, "weekday": 7.0, "hour": 24.0}


@dataclass(frozen=True, slots=True)
class Dates(Step):
    """A column of dates.

    Attributes
    ----------
    parts : which of "days", "year", "month", "weekday" and "hour"; the last three as sine and cosine, so that December is next to January
    origin : from which days are counted, as days since 1970-01-01
    fill : what stands in for a missing date, as days since 1970-01-01: the median
    indicator : whether a column says which were missing
    written : how they are written, where they come as text

    Examples
    --------
    >>> step = Dates("since", ("days", "month"), origin=19_723.0)
    >>> [output.name for output in step.outputs]
    ['since in days', 'since: month (sine)', 'since: month (cosine)']
    >>> step.encode(Column("since", np.array(["2024-01-03"], dtype="datetime64[us]"))).round(3).tolist()
    [[2.0, 0.0, 1.0]]
    """

    kind: ClassVar[str] = "date"
    parts: tuple[DatePart, ...]
    origin: float = 0.0
    fill: float = 0.0
    indicator: bool = False
    written: WrittenDates | None = None

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The parts, and the gaps."""
        made = []
        for part in self.parts:
            if part in CYCLES:
                made += [Output(f"{self.column}: {part} ({wave})", self.column, "other") for wave in ("sine", "cosine")]
            else:
                made.append(Output(f"{self.column} in days" if part == "days" else f"{self.column}: {part}", self.column, "other"))
        return (*made, *([Output(f"{self.column} missing", self.column, "missing")] if self.indicator else []))

    def encode(self, column: Column) -> Floats:
        """Return the columns of some rows."""
        given = self.encode_values(column)
        gaps = np.isnat(given)
        stamps = np.where(gaps, np.datetime64(int(self.fill * MICROSECONDS), "us"), given)
        made: list[Floats] = []
        for part in self.parts:
            value = part_of(stamps, part)
            if part in CYCLES:
                angle = 2.0 * np.pi * value / CYCLES[part]
                made += [np.sin(angle), np.cos(angle)]
            else:
                made.append(value - self.origin if part == "days" else value)
        if self.indicator:
            made.append(gaps.astype(np.float64))
        return np.stack(made, axis=1) if made else np.empty((len(given), 0))

    def encode_values(self, column: Column) -> NDArray[np.datetime64]:
        """Return the dates, NaT where there is none."""
        return dates_of(column, self.written)

    @property
    def said(self) -> str:
        """What is done."""
        text = "" if self.written is None else f" written as {self.written.format}"
        return f"date{text}: {', '.join(self.parts)}{', gaps marked' if self.indicator else ''}"

    def check(self) -> None:
        """Refuse parts that stand there twice."""
        self.require(len(set(self.parts)) == len(self.parts), "a part stands there twice")
        self.require(abs(self.fill) < 1e8 and abs(self.origin) < 1e8, "fill and origin must be days since 1970")
        formats = {*FORMATS, *(own for pair in SLASHES for own in pair)}
        self.require(self.written is None or self.written.format in formats, f"the format must be one of {', '.join(sorted(formats))}")


def dates_of(column: Column, written: WrittenDates | None = None) -> NDArray[np.datetime64]:
    """Return any column as dates; NaT where there is none."""
    if column.type == "date":
        return np.where(column.absent, np.datetime64("NaT", "us"), column.values.astype("datetime64[us]"))
    if column.type == "text":
        codes, levels = column.categories()
        how = written or WrittenDates.of(dict.fromkeys(levels, 1.0)) or WrittenDates(ISO)
        values, iso = how.values(levels), WrittenDates(ISO)
        for i in np.flatnonzero(np.isnat(values)):
            values[i] = iso.value(levels[i])
        return np.append(values, np.datetime64("NaT", "us"))[codes]
    return np.full(len(column.values), np.datetime64("NaT", "us"))


def unread(step: Any, column: Column) -> dict[str, int]:
    """Return the texts of a column that its step cannot read as numbers or dates, and how often each stands there."""
    if column.type != "text":
        return {}
    codes, texts = text_codes(column)
    values = step.encode_values(column)
    lost = np.flatnonzero((codes >= 0) & (np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)))
    counts = np.bincount(codes[lost], minlength=len(texts)) if len(lost) else np.zeros(len(texts), dtype=int)
    says_nothing = step.written.says_nothing if isinstance(step.written, WrittenNumbers) else is_blank
    return {text: int(count) for text, count in zip(texts, counts, strict=True) if count and not says_nothing(text)}


def part_of(stamps: NDArray[np.datetime64], part: DatePart) -> Floats:
    """Return a part of dates: days since 1970, the year, the month 0 … 11, the weekday 0 … 6 from Monday, the hour with its fraction."""
    days = stamps.astype("datetime64[D]")
    if part == "days":
        return stamps.astype(np.int64) / MICROSECONDS
    if part == "year":
        return stamps.astype("datetime64[Y]").astype(np.float64) + 1970.0
    if part == "month":
        return (stamps.astype("datetime64[M]").astype(np.int64) % 12).astype(np.float64)
    if part == "weekday":
        return ((days.astype(np.int64) + 3) % 7).astype(np.float64)
    return np.asarray((stamps - days) / np.timedelta64(1, "h"), dtype=np.float64)

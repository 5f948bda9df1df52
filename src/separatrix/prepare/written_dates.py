"""Dates written as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .written_numbers import SHARE, is_blank

ISO = "ISO 8601"
FORMATS = (
    ISO,
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
"""Ways to write a date that leave no doubt."""
SLASHES = tuple(
    (f"{one}{time}", f"{two}{time}")
    for one, two in (("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"), ("%d/%m/%y", "%m/%d/%y"))
    for time in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
)
"""Ways that only a day above 12 can tell apart."""
LOOKED_AT, FIRST = 300, 20
"""Different texts that are tried, the most common first, and those of which one has to be a date."""

Doubt = Literal["", "order", "ways"]


@dataclass(frozen=True, slots=True)
class WrittenDates:
    """How the dates of a column are written.

    Examples
    --------
    >>> found = WrittenDates.of({"31.12.2023": 4.0, "1.1.2024": 2.0})
    >>> found.format, found.values(["31.12.2023", "soon"]).astype(str).tolist()
    ('%d.%m.%Y', ['2023-12-31T00:00:00.000000', 'NaT'])
    >>> WrittenDates.of({"03/04/2024": 1.0}) is None
    True
    """

    format: str

    @classmethod
    def of(cls, levels: Mapping[Any, float]) -> WrittenDates | None:
        """Return how the dates among some texts, with their weights, are written; None for no dates, or an open order of day and month."""
        texts = _tried(levels)
        for format_ in FORMATS:
            if cls(format_)._share(texts, levels) >= SHARE:
                return cls(format_)
        for day_first, month_first in SLASHES:
            shares = [cls(format_)._share(texts, levels) for format_ in (day_first, month_first)]
            if max(shares) >= SHARE and shares[0] != shares[1]:
                return cls(day_first if shares[0] > shares[1] else month_first)
        return None

    def _share(self, texts: list[str], levels: Mapping[Any, float]) -> float:
        if not texts or (np.isnat(self.value(texts[0])) and len(texts) < 1 / (1 - SHARE)):
            return 0.0
        if all(np.isnat(self.value(text)) for text in texts[:FIRST]):
            return 0.0
        return sum(levels[text] for text in texts if not np.isnat(self.value(text))) / sum(levels[text] for text in texts)

    def value(self, text: Any) -> np.datetime64:
        """Return the date a text stands for, NaT if it is none."""
        if not isinstance(text, str):
            return np.datetime64("NaT", "us")
        try:
            found = datetime.fromisoformat(text.strip()) if self.format == ISO else datetime.strptime(text.strip(), self.format)
            if found.tzinfo is not None:
                found = found.astimezone(UTC).replace(tzinfo=None)
        except (ValueError, OverflowError):
            return np.datetime64("NaT", "us")
        return np.datetime64(found, "us")

    def values(self, levels: Iterable[Any]) -> NDArray[Any]:
        """Return the dates that texts stand for (L,)."""
        return np.array([self.value(level) for level in levels], dtype="datetime64[us]")


def doubt_of(levels: Mapping[Any, float]) -> Doubt:
    """Return why texts that are dates cannot be read: the order of day and month is open, or they are written in several ways.

    Examples
    --------
    >>> doubt_of({"03/04/2024": 1.0, "05/06/2024": 1.0}), doubt_of({"2024-04-03": 1.0, "13.6.2024": 1.0}), doubt_of({"soon": 1.0})
    ('order', 'ways', '')
    """
    texts = _tried(levels)
    if any(WrittenDates(own)._share(texts, levels) >= SHARE for pair in SLASHES for own in pair):
        return "order"
    every = [WrittenDates(own) for own in (*FORMATS, *(own for pair in SLASHES for own in pair))]
    if not texts or all(np.isnat(own.value(text)) for text in texts[:FIRST] for own in every):
        return ""
    read = sum(levels[text] for text in texts if not all(np.isnat(own.value(text)) for own in every))
    return "ways" if read >= SHARE * sum(levels[text] for text in texts) else ""


def _tried(levels: Mapping[Any, float]) -> list[str]:
    """Return the texts that are tried, the most common first; none where that one has no digit."""
    texts = sorted((text for text in levels if isinstance(text, str) and not is_blank(text)), key=lambda text: (-levels[text], text))
    return texts[:LOOKED_AT] if texts and any(character.isdigit() for character in texts[0]) else []

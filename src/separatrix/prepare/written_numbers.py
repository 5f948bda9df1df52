"""Numbers written as text: thousands separators, currencies, per cent, decimal commas, brackets for minus, and blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..array_types import Floats

BLANKS = frozenset({"", "?", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NULL", "null", "<NA>"})
"""Texts that say that there is no value."""
DASHES = frozenset({"-", "--", "–", "—", ".", "None", "none"})
"""Texts that say so among numbers; elsewhere they may be a level like any other."""
SHARE = 0.95
"""Share of the values that have to be numbers (or dates) for a column of text to be read as such."""
MOSTLY = 0.5
"""Share from which it is enough where all the others are one and the same word, such as unknown."""
MANY = 10
"""Different numbers that such a column has at least; fewer may be levels, with a word for one of them."""
SWITCHES = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "on": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0, "off": 0.0}
"""Words for 1 and 0, where a column was numbers in training and comes as text."""
MONEY = r"(?:[$€£¥₹₩₽₺]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|AUD|CAD|US\$|A\$|C\$|kr\.?|zł)"
CURRENCY = re.compile(rf"^{MONEY}\s*", re.IGNORECASE)
AFTER = re.compile(rf"\s*(?:{MONEY}|%)$", re.IGNORECASE)
DOT = re.compile(r"^(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d+)?$")
COMMA = re.compile(r"^(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:[eE][+-]?\d+)?$")

Decimal = Literal[".", ","]


@dataclass(frozen=True, slots=True)
class WrittenNumbers:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : the decimal mark, "." or ","
    word : the one word that says that there is no number, in small letters; empty where there is none but the usual ones

    Examples
    --------
    >>> found = WrittenNumbers.of({"1,299.50": 3.0, "$ 12": 1.0, " ": 1.0, "(3.5)": 1.0})
    >>> [found.value(text) for text in ("1,299.50", "$ 12", " ", "(3.5)", "many")]
    [1299.5, 12.0, nan, -3.5, nan]
    >>> WrittenNumbers.of({"3,5": 2.0, "1.299,0": 1.0}).decimal
    ','
    >>> WrittenNumbers.of({"01234": 1.0, "99999": 1.0}) is None
    True
    >>> WrittenNumbers.of({**{f"{i}.5": 9.0 for i in range(10)}, "unknown": 10.0}).word
    'unknown'
    """

    decimal: Decimal = "."
    word: str = ""

    @classmethod
    def of(cls, levels: Mapping[Any, float]) -> WrittenNumbers | None:
        """Return how the numbers among some texts, with their weights, are written; None where they are not numbers.

        Codes such as 01234 are no numbers: nobody writes the zero before a number that counts something.
        """
        texts = {text: weight for text, weight in levels.items() if isinstance(text, str) and not is_blank(text)}
        total = sum(texts.values())
        if not total or any(re.match(r"^0\d", text.strip()) for text in texts):
            return None
        dot, comma = cls("."), cls(",")
        # A mark followed by three digits, 1,299, says nothing by itself: the rest of the column tells, or the point is the decimal mark.
        read = {own: sum(w for text, w in texts.items() if np.isfinite(own.value(text))) for own in (dot, comma)}
        found = comma if read[comma] > read[dot] else dot
        lost = {text.strip().casefold() for text in texts if not np.isfinite(found.value(text))}
        word = lost.pop() if len(lost) == 1 and len(texts) > MANY else ""
        if word in SWITCHES or any(character.isdigit() for character in word):
            word = ""
        return cls(found.decimal, word) if read[found] >= (MOSTLY if word else SHARE) * total else None

    def says_nothing(self, text: Any) -> bool:
        """Whether a text says that there is no number."""
        return is_blank(text) or (self.word != "" and isinstance(text, str) and text.strip().casefold() == self.word)

    def value(self, text: Any) -> float:
        """Return the number a text stands for, NaN if it is none."""
        if not isinstance(text, str):
            return float(text)
        digits, sign = _bare(text)
        if not digits or not (DOT if self.decimal == "." else COMMA).match(digits):
            return float("nan")
        plain = digits.replace(",", "") if self.decimal == "." else digits.replace(".", "").replace(",", ".")
        try:
            return sign * float(plain)
        except ValueError:
            return float("nan")

    def values(self, levels: Iterable[Any]) -> Floats:
        """Return the numbers that texts stand for (L,); what can only be read with the other decimal mark is read so."""
        other = WrittenNumbers("," if self.decimal == "." else ".")
        texts = list(levels)
        found = np.array([self.value(level) for level in texts], dtype=np.float64)
        for i in np.flatnonzero(np.isnan(found)):
            found[i] = other.value(texts[i])
        return found


def is_blank(text: Any) -> bool:
    """Whether a text says that there is no number."""
    return isinstance(text, str) and (text.strip() in BLANKS or text.strip() in DASHES)


def _bare(text: str) -> tuple[str, float]:
    """Return digits and marks of a text, without sign, currency, per cent and spaces, and the sign."""
    bare, sign = text.strip().replace("\u2212", "-"), 1.0
    if bare.startswith("(") and bare.endswith(")"):
        bare, sign = bare[1:-1].strip(), -1.0
    for _ in range(2):  # the sign stands before the currency, or after it
        if bare[:1] in "+-" and bare:
            sign, bare = (-sign if bare[0] == "-" else sign), bare[1:].lstrip()
        bare = CURRENCY.sub("", bare, count=1)
    bare = AFTER.sub("", bare, count=1)
    bare = re.sub(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?!\d))", "", bare)
    return (bare if any(c.isdigit() for c in bare) else ""), sign

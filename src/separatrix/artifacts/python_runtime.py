"""Functions that exported Python code brings along: values as they come become numbers, levels and days, as recipes read them.

Their text is copied into exports, so they use the standard library alone and no name of this package.
"""

from __future__ import annotations

import bisect
import datetime
import math
import re
from typing import Any

BLANKS = ("", "?", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NULL", "null", "<NA>")
SWITCHES = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "on": 1.0, "false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0, "off": 0.0}
MONEY = r"(?:[$€£¥₹₩₽₺]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|AUD|CAD|US\$|A\$|C\$|kr\.?|zł)"
CURRENCY = re.compile(rf"^{MONEY}\s*", re.IGNORECASE)
AFTER = re.compile(rf"\s*(?:{MONEY}|%)$", re.IGNORECASE)
DOT = re.compile(r"^(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d+)?$")
COMMA = re.compile(r"^(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:[eE][+-]?\d+)?$")


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or NaT."""
    return value is None or value != value


def number(value: Any, decimal: str = ".") -> float:
    """Return a value as a number; NaN where there is none."""
    if is_missing(value):
        return math.nan
    if isinstance(value, str):
        found = read(value, decimal)
        found = read(value, "," if decimal == "." else ".") if math.isnan(found) else found
        return SWITCHES.get(value.strip().lower(), math.nan) if math.isnan(found) else found
    if hasattr(value, "year"):
        return days(value)
    return float(value)


def read(text: str, decimal: str) -> float:
    """Return the number that a text stands for, with one decimal mark; NaN if it is none."""
    bare, sign = text.strip().replace("\u2212", "-"), 1.0
    if bare.startswith("(") and bare.endswith(")"):
        bare, sign = bare[1:-1].strip(), -1.0
    for _ in range(2):
        if bare[:1] in "+-" and bare:
            sign, bare = (-sign if bare[0] == "-" else sign), bare[1:].lstrip()
        bare = CURRENCY.sub("", bare, count=1)
    bare = AFTER.sub("", bare, count=1)
    bare = re.sub(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?!\d))", "", bare)
    if not any(c.isdigit() for c in bare) or not (DOT if decimal == "." else COMMA).match(bare):
        return math.nan
    plain = bare.replace(",", "") if decimal == "." else bare.replace(".", "").replace(",", ".")
    try:
        return sign * float(plain)
    except ValueError:
        return math.nan


def level(value: Any, known: Any = ()) -> str | None:
    """Return a value as the text of a level; None where it is missing or blank."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        text = value.strip()
        return None if text in BLANKS else text
    if hasattr(value, "year"):
        return str(value.isoformat())
    plain = float(value)
    if (isinstance(value, bool) or type(value).__name__ == "bool_") and "0" not in known and "1" not in known:
        words = {str(name).lower(): str(name) for name in known}
        return words.get("true" if value else "false", str(int(plain)))
    return str(int(plain)) if plain.is_integer() else repr(plain)


def days(value: Any, written: str = "") -> float:
    """Return a date, or a text that stands for one, as days since 1970; NaN where there is none."""
    if is_missing(value):
        return math.nan
    found = value
    if isinstance(value, str):
        found = parsed(value.strip(), written) if written else None
        found = parsed(value.strip(), "ISO 8601") if found is None else found
    elif not isinstance(value, datetime.date) and hasattr(value, "item") and not hasattr(value, "real"):
        found = value.item() if isinstance(value.item(), datetime.date) else None
    if not isinstance(found, datetime.date):
        return math.nan
    if not isinstance(found, datetime.datetime):
        found = datetime.datetime(found.year, found.month, found.day)
    if found.tzinfo is not None:
        found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    past = found - datetime.datetime(1970, 1, 1)
    return (past.days * 86_400_000_000 + past.seconds * 1_000_000 + past.microseconds) / 86_400_000_000


def parsed(text: str, written: str) -> Any:
    """Return the date that a text stands for in one way of writing; None if it is none."""
    try:
        if written == "ISO 8601":
            return datetime.datetime.fromisoformat(text)
        return datetime.datetime.strptime(text, written)
    except (ValueError, OverflowError):
        return None


def line(x: float, places: Any, values: Any) -> float:
    """Return the value at x: straight between places, flat beyond them."""
    if x <= places[0]:
        return float(values[0])
    if x >= places[-1]:
        return float(values[-1])
    i = bisect.bisect_right(places, x)
    slope = (values[i] - values[i - 1]) / (places[i] - places[i - 1])
    return float(values[i - 1] + slope * (x - places[i - 1]))


def root(x: float) -> float:
    """Return the cube root."""
    return math.copysign(abs(x) ** (1.0 / 3.0), x)

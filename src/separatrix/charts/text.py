"""Names from tables as text in a chart: nothing that turns lines around or breaks them, and no longer than fits."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Any
from unicodedata import category

LONGEST = 60
"""Letters of a name that are shown."""


def plain(value: Any, most: int = LONGEST) -> str:
    r"""Return a name as one line of visible text; controls and marks that turn the direction of writing are written out.

    Vega draws strings as text and never as markup, so that nothing else has to be escaped.

    Examples
    --------
    >>> plain("<b>age</b>"), plain("pay\u202eyap\n")
    ('<b>age</b>', 'pay\\u202eyap\\n')
    """
    text = "".join(letter if category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else ascii(letter)[1:-1] for letter in str(value))
    return text if len(text) <= most else text[: most - 1] + "…"


def distinct_plain(values: Iterable[Any]) -> list[str]:
    """Return names as lines of text that differ wherever the names do.

    Examples
    --------
    >>> distinct_plain(["a" * 90, "a" * 99, "b"])[1][-4:]
    ' (2)'
    """
    found: list[str] = []
    for value in values:
        name, number = plain(value), 2
        while name in found:
            name, number = f"{plain(value)} ({number})", number + 1
        found.append(name)
    return found


def lines(text: str, width: int = 62) -> list[str]:
    """Return a caption in lines that fit under the title of a chart."""
    return [line for part in text.split("\n") for line in wrap(plain(part, 600), width)]

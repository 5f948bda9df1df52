"""The look of results in a notebook: one for all, light and dark, without a script.

A result's `_repr_html_` returns `view(…)` of plain elements (tables, headings, paragraphs, lists). The style that comes with it has no
colour but grey half transparent, so that it stands on any page; where a notebook drops styles, the plain elements are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

STYLE = (
    ".separatrix-view{font-variant-numeric:tabular-nums;max-width:100%;overflow-x:auto;line-height:1.4}"
    ".separatrix-view table{border-collapse:collapse;margin:.4em 0 .8em;color:inherit;background:none;border:none}"
    ".separatrix-view caption{caption-side:top;text-align:left;font-weight:600;padding:.2em 0;color:inherit}"
    ".separatrix-view tr{background:none}"
    ".separatrix-view th,.separatrix-view td{padding:.15em .7em .15em 0;border:none;border-bottom:1px solid rgba(128,128,128,.3);"
    "text-align:left;vertical-align:top;color:inherit;max-width:60em}"
    ".separatrix-view thead th{border-bottom:1px solid rgba(128,128,128,.8)}"
    ".separatrix-view tbody th{font-weight:400}"
    ".separatrix-view h3{font-size:1.05em;font-weight:600;margin:.4em 0}"
    ".separatrix-view p{margin:.3em 0}.separatrix-view ul{margin:.3em 0;padding-left:1.2em}"
    ".separatrix-view code{font-size:.95em;background:rgba(128,128,128,.15);padding:.05em .3em;border-radius:3px}"
)


TURNING = {ord(letter): f"\\u{ord(letter):04x}" for letter in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}
"""Marks that turn the direction of writing: a name that holds one would turn the numbers after it too. They are written out."""


def view(*parts: str) -> str:
    r"""Return elements of HTML as the view of a result.

    Examples
    --------
    >>> view("<p>pay\u202e</p>").endswith("<p>pay\\u202e</p></div>")
    True
    """
    return f'<div class="separatrix-view"><style>{STYLE}</style>{"".join(parts).translate(TURNING)}</div>'


def heading(text: Any) -> str:
    """Return a heading; the text is escaped."""
    return f"<h3>{escape(str(text))}</h3>"


def paragraphs(lines: Iterable[Any]) -> str:
    """Return a paragraph for each line; texts are escaped.

    Examples
    --------
    >>> paragraphs(["a < b", "c"])
    '<p>a &lt; b</p><p>c</p>'
    """
    return "".join(f"<p>{escape(str(line))}</p>" for line in lines)


def listed(lines: Iterable[Any]) -> str:
    """Return a list of lines; texts are escaped."""
    found = "".join(f"<li>{escape(str(line))}</li>" for line in lines)
    return f"<ul>{found}</ul>" if found else ""


def code(text: Any) -> str:
    """Return what would be typed; the text is escaped."""
    return f"<p><code>{escape(str(text))}</code></p>"


class Sentences:
    """A result that is told in sentences: the first line of its text is the heading of its view where there are several."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        first, *rest = str(self).split("\n")
        if not rest:
            return view(paragraphs([first]))
        return view(heading(first), paragraphs(line.strip() for line in rest if line.strip()))

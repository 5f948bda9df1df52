"""Facts and alerts: what was seen in the data or in a result, as values that a report, a command line and a program can show.

An alert says what was seen (with numbers), why it matters and what to type. Its code, such as "SPX011", names the kind of alert for
ever; `separatrix.facts.rule("SPX011")` is the page of reasons behind it. Every room makes alerts of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Literal

from .notebook import Sentences, view

Severity = Literal["note", "warning"]
"""A note tells what was done; a warning asks for a decision."""
FactValue = float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Alert:
    """Something about the data or a result that its reader should know.

    Attributes
    ----------
    code : the kind of alert, such as "SPX002"
    subject : the column, class or model it is about; empty for the whole table
    seen : what was seen, with numbers; a sentence
    why : why it matters; a sentence
    do : what to type; a sentence
    severity : "note" or "warning"

    Examples
    --------
    >>> print(Alert("SPX002", "site", "Column 'site' has one value, 'A'.", "It says nothing about the classes.", "Nothing to do."))
    SPX002 Column 'site' has one value, 'A'. It says nothing about the classes. Nothing to do.
    """

    code: str
    subject: str
    seen: str
    why: str
    do: str
    severity: Severity = "warning"

    def __str__(self) -> str:
        return f"{self.code} {self.seen} {self.why} {self.do}"

    def _repr_html_(self) -> str:
        told = " ".join(map(escape, (self.seen, self.why, self.do)))
        return view(f"<p><strong>{escape(self.code)}</strong> ({escape(self.severity)}) {told}</p>")

    def to_dict(self) -> dict[str, str]:
        """Return the parts by name, ready for JSON."""
        return {
            "code": self.code,
            "subject": self.subject,
            "seen": self.seen,
            "why": self.why,
            "do": self.do,
            "severity": self.severity,
        }


@dataclass(frozen=True, slots=True)
class Fact(Sentences):
    """A number or a word about the data or a result, with the sentence that says it.

    Attributes
    ----------
    name : what it is, such as "rows"
    value : a number, text, a truth value, or None where there is none
    text : the sentence

    Examples
    --------
    >>> fact = Fact("rows", 7043, "The table has 7,043 rows.")
    >>> print(fact)
    The table has 7,043 rows.
    >>> fact.to_dict()
    {'name': 'rows', 'value': 7043, 'text': 'The table has 7,043 rows.'}
    """

    name: str
    value: FactValue
    text: str

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, FactValue]:
        """Return the parts by name, ready for JSON: a number that is not finite becomes None, since JSON has no word for it."""
        known = not isinstance(self.value, float) or isfinite(self.value)
        return {"name": self.name, "value": self.value if known else None, "text": self.text}

"""Titled tables of numbers: the same values as text, HTML, dict or data frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any, Literal

import numpy as np

from ..argument_types import is_among
from ..errors import InputError, MissingExtraError, UnknownNameError, did_you_mean, one_of
from ..notebook import view

SMALLEST_P = 1e-4
"""P-values below it are printed as <.0001."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column of a table: a name, its values, and how they are printed.

    Parameters
    ----------
    name : str
    values : sequence or (n,) array; kept as a list of Python numbers and strings
    form : str
        "" for text, "p" for p-values, "df" for degrees of freedom (whole numbers without decimals), else a format such as ".3f".

    Examples
    --------
    >>> Column("Pr > F", [0.25, 1e-9, float("nan")], "p").printed()
    ['0.2500', '<.0001', '–']
    """

    name: str
    values: Any
    form: str = ""

    def __post_init__(self) -> None:
        values = [value.item() if isinstance(value, np.generic) else value for value in self.values]
        object.__setattr__(self, "values", values)  # frozen from here on

    def printed(self) -> list[str]:
        """Return the values as they are printed; – stands for a number that does not exist."""
        return [_print(value, self.form) for value in self.values]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A title, columns of equal length of which the first names the rows, and a note below.

    Examples
    --------
    >>> table = Table("Means", (Column("class", ["ham", "spam"]), Column("length", [1.5, 20.0], ".2f")))
    >>> print(table.text)
    Means
    class  length
    ham      1.50
    spam    20.00
    >>> table["length"], table.row("spam")
    ([1.5, 20.0], {'class': 'spam', 'length': 20.0})
    """

    title: str
    columns: tuple[Column, ...]
    note: str = ""

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        lengths = {len(column.values) for column in self.columns}
        if len(lengths) != 1 or len(set(names)) < len(names):
            raise InputError(f"A table needs columns of equal length and different names; got {names} of lengths {sorted(lengths)}.")

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def __getitem__(self, name: str) -> list[Any]:
        """Return the values of a column."""
        columns = self.to_dict()
        if name not in columns:
            raise UnknownNameError(f"{name!r} is not a column of {self.title!r}.{did_you_mean(name, columns)} Columns: {list(columns)}.")
        return columns[name]

    def row(self, label: Any) -> dict[str, Any]:
        """Return the first row that has this label, as a dict by column."""
        labels = self.columns[0].values
        if not is_among(label, labels):
            raise UnknownNameError(f"{label!r} is not a row of {self.title!r}.{did_you_mean(label, labels)} Rows: {labels}.")
        i = labels.index(label)
        return {name: values[i] for name, values in self.to_dict().items()}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values, not rounded, as a dict of lists by column."""
        return {column.name: list(column.values) for column in self.columns}

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the values as a data frame.

        Parameters
        ----------
        library : "pandas" or "polars"
        """
        if library not in ("pandas", "polars"):
            raise one_of("library", library, ["pandas", "polars"])
        try:
            frames = import_module(library)
        except ImportError:
            raise MissingExtraError(f"to_frame({library!r}) needs {library}: pip install {library}; or use to_dict().") from None
        return frames.DataFrame(self.to_dict())

    @property
    def text(self) -> str:
        """The table in fixed-width letters."""
        cells = [[column.name, *column.printed()] for column in self.columns]
        widths = [max(map(len, column)) for column in cells]
        lines = ["  ".join(self._aligned(cells, widths, i)).rstrip() for i in range(len(self) + 1)]
        return "\n".join([self.title, *lines, *([self.note] if self.note else [])])

    def _aligned(self, cells: list[list[str]], widths: list[int], i: int) -> Iterator[str]:
        for column, texts, width in zip(self.columns, cells, widths, strict=True):
            yield texts[i].rjust(width) if column.form else texts[i].ljust(width)

    @property
    def html(self) -> str:
        """The table as an HTML element; names and labels are escaped."""
        sides = [' style="text-align:right"' if column.form else "" for column in self.columns]
        heads = "".join(f'<th scope="col"{side}>{escape(c.name)}</th>' for c, side in zip(self.columns, sides, strict=True))
        rows = zip(*[column.printed() for column in self.columns], strict=True)
        body = "".join(f"<tr>{_row_html(row, sides)}</tr>" for row in rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<table><caption>{escape(self.title)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{note}"

    def _repr_html_(self) -> str:
        return view(self.html)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tables:
    """Named tables under one title, with lines of facts above and notes below them.

    Examples
    --------
    >>> counts = Table("Classes", (Column("class", ["ham", "spam"]), Column("rows", [3, 1], "d")))
    >>> found = Tables("Mail", {"classes": counts}, facts=("4 rows",))
    >>> found["classes"]["rows"]
    [3, 1]
    """

    title: str
    tables: Mapping[str, Table]
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Table:
        """Return a table by its name."""
        if name not in self.tables:
            raise UnknownNameError(f"There is no table {name!r} here.{did_you_mean(name, self.tables)} Tables: {list(self.tables)}.")
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def to_dict(self) -> dict[str, dict[str, list[Any]]]:
        """Return the values of all tables, by table and column."""
        return {name: table.to_dict() for name, table in self.tables.items()}

    @property
    def text(self) -> str:
        """All tables in fixed-width letters."""
        head = "\n".join([self.title, "=" * len(self.title), *self.facts])
        return "\n\n".join([head, *(table.text for table in self.tables.values()), *self.notes])

    @property
    def html(self) -> str:
        """All tables as one HTML element."""
        lines = [f"<p>{escape(line)}</p>" for line in self.facts]
        notes = [f"<p>{escape(line)}</p>" for line in self.notes]
        return "".join([f"<section><h3>{escape(self.title)}</h3>", *lines, *(t.html for t in self.tables.values()), *notes, "</section>"])

    def _repr_html_(self) -> str:
        return view(self.html)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def distinct(names: Sequence[Any], taken: Sequence[str] = ()) -> list[str]:
    """Return names as text, numbered where two would be the same or one is taken already.

    Examples
    --------
    >>> distinct(["ham", "column"], taken=["column"])
    ['ham', 'column (2)']
    """
    found: list[str] = []
    for name in map(str, names):
        unique, number = name, 2
        while unique in found or unique in taken:
            unique, number = f"{name} ({number})", number + 1
        found.append(unique)
    return found


def p_text(p: float) -> str:
    """Return a p-value for a sentence.

    Examples
    --------
    >>> p_text(0.0312), p_text(1e-20)
    ('p = 0.0312', 'p < .0001')
    """
    return "p < .0001" if p < SMALLEST_P else f"p = {p:.4f}"


def _print(value: Any, form: str) -> str:
    if not form:
        return str(value)
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    if form == "p":
        return "<.0001" if value < SMALLEST_P else f"{value:.4f}"
    if form == "df":
        return f"{value:.0f}" if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else f"{value:.2f}"
    return format(value, form)


def _row_html(row: tuple[str, ...], sides: list[str]) -> str:
    cells = "".join(f"<td{side}>{escape(text)}</td>" for text, side in zip(row[1:], sides[1:], strict=True))
    return f'<th scope="row"{sides[0]}>{escape(row[0])}</th>{cells}'

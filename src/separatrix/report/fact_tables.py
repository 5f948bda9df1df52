"""Tables of a report: what is printed in each cell, and what a column is sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..inference.tables import Column, Table
from .plain_values import plain


@dataclass(frozen=True, slots=True)
class FactColumn:
    """A column: its name, the printed cells, the values behind them, and whether these are numbers."""

    name: str
    cells: tuple[str, ...]
    values: tuple[Any, ...]
    is_number: bool

    @classmethod
    def of(cls, column: Column) -> FactColumn:
        """Return a column of a printed table."""
        return cls(column.name, tuple(map(str, column.printed())), tuple(plain(list(column.values))), bool(column.form))


@dataclass(frozen=True, slots=True)
class FactTable:
    """A titled table with a note below it.

    Examples
    --------
    >>> table = FactTable.of(Table("Means", (Column("class", ["ham", "spam"]), Column("length", [1.5, 20.0], ".2f"))))
    >>> table.columns[1].cells, table.columns[1].is_number, len(table)
    (('1.50', '20.00'), True, 2)
    """

    title: str
    columns: tuple[FactColumn, ...]
    note: str = ""

    @classmethod
    def of(cls, table: Table) -> FactTable:
        """Return a printed table as facts."""
        return cls(table.title, tuple(FactColumn.of(column) for column in table.columns), table.note)

    def __len__(self) -> int:
        return len(self.columns[0].cells)

    @property
    def rows(self) -> list[list[tuple[str, Any, bool]]]:
        """The cells row by row: what is printed, the value, and whether it is a number."""
        return [[(column.cells[i], column.values[i], column.is_number) for column in self.columns] for i in range(len(self))]

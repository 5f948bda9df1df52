"""The dialects of SQL that are written, and what each database can take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import one_of


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a database can take.

    Attributes
    ----------
    name : as users write it
    depth : levels that an expression may have
    columns : columns that a SELECT may have
    characters : length of a statement
    name_bytes : length of a name
    collation : how texts are compared byte by byte, whatever the column says; empty where no name is needed
    has_nan : whether numbers may be NaN there
    has_patterns : whether it has regular expressions with groups
    """

    name: str
    depth: int
    columns: int
    characters: int
    name_bytes: int
    collation: str
    has_nan: bool
    has_patterns: bool

    @property
    def is_finite(self) -> bool:
        """Whether every number there is finite or NULL."""
        return self.name == "tsql"


_ROWS = (
    # Depth: DuckDB's max_expression_depth and SQLite's SQLITE_MAX_EXPR_DEPTH are 1,000; PostgreSQL has 2 MB of stack, about 5,000 levels;
    # of the others nothing is promised, and a thousand levels are far more than a balanced sum has.
    Dialect("duckdb", 1000, 1_000_000, 1_000_000_000, 1_000_000, "C", True, True),
    Dialect("postgres", 5000, 1664, 1_000_000_000, 63, "C", True, True),
    Dialect("sqlite", 1000, 2000, 1_000_000, 1_000_000, "BINARY", False, False),
    Dialect("bigquery", 1000, 10_000, 1_000_000, 300, "", True, True),
    Dialect("snowflake", 1000, 10_000, 1_000_000, 255, "", True, False),
    Dialect("spark", 1000, 1_000_000, 1_000_000_000, 1_000_000, "", True, True),
    Dialect("tsql", 1000, 4096, 250_000_000, 256, "Latin1_General_BIN2", False, False),
)
DIALECTS: Mapping[str, Dialect] = {row.name: row for row in _ROWS}
"""The dialects that are written."""
_OTHER_NAMES = {"postgresql": "postgres", "mssql": "tsql", "t-sql": "tsql", "sqlserver": "tsql", "databricks": "spark", "sqlite3": "sqlite"}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by name.

    Examples
    --------
    >>> dialect_of("postgresql").name, dialect_of("SQLite").depth
    ('postgres', 1000)
    """
    known = str(name).lower()
    found = DIALECTS.get(_OTHER_NAMES.get(known, known))
    if found is None:
        raise one_of("dialect", name, DIALECTS)
    return found

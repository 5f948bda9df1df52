"""What a column of the training table looked like: counts and quantiles, no rows, so that drift can be told from the model file alone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..storage import untagged_number
from .state_document import damaged

PROBABILITIES = (0.01, *(i / 20 for i in range(1, 20)), 0.99)
"""Of the quantiles that are kept: neither the least nor the largest value, which would be those of single rows."""
LEAST = 5
"""Rows below which a level is not named: it is counted with other rare ones."""
MOST_LEVELS = 200
KINDS = ("number", "date", "level")


@dataclass(frozen=True)
class ColumnFacts:
    """Counts and quantiles of one column.

    Attributes
    ----------
    name : of the column
    kind : "number", "date" (in days since 1970) or "level"
    rows, missing : number of rows, and of those without a value
    quantiles : of numbers and days, at `PROBABILITIES`; empty where there is none
    levels : {text: rows} of the most common levels with at least `LEAST` rows
    rare : rows of all other levels together
    cells : rows up to the first of the different quantiles, between them, and above the last: many rows may have one value
    """

    name: str
    kind: str
    rows: float
    missing: float
    quantiles: tuple[float, ...] = ()
    levels: tuple[tuple[str, float], ...] = ()
    rare: float = 0.0
    cells: tuple[float, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return the facts as JSON can hold them."""
        return {
            "name": self.name,
            "kind": self.kind,
            "rows": self.rows,
            "missing": self.missing,
            "quantiles": list(self.quantiles),
            "levels": [list(pair) for pair in self.levels],
            "rare": self.rare,
            "cells": list(self.cells),
        }

    @classmethod
    def of_plain(cls, given: Any) -> ColumnFacts:
        """Return the facts that JSON describes."""
        if not isinstance(given, dict) or given.keys() != {own.name for own in fields(cls)}:
            raise damaged("the facts of the columns", "lack a part, or have one that is not known")
        name, kind, quantiles, levels, between = (given[part] for part in ("name", "kind", "quantiles", "levels", "cells"))
        if not isinstance(name, str) or kind not in KINDS or not all(isinstance(part, list) for part in (quantiles, levels, between)):
            raise damaged("the facts of the columns", "have a part of another kind")
        if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in levels):
            raise damaged(f"the column {name!r}", "has levels without counts")
        found = tuple(untagged_number(value, name, ()) for value in quantiles)
        if len(found) not in (0, len(PROBABILITIES)) or list(found) != sorted(found):
            raise damaged(f"the column {name!r}", "has quantiles that fall")
        cells = tuple(untagged_number(count, name, ()) for count in between)
        if len(cells) not in (0, len(set(found)) + 1):
            raise damaged(f"the column {name!r}", "has another number of cells than of quantiles")
        counts = tuple((text, untagged_number(count, name, ())) for text, count in levels)
        rows, missing, rare = (untagged_number(given[part], part, ()) for part in ("rows", "missing", "rare"))
        if min(rows, missing, rare, *cells, *(count for _, count in counts)) < 0:
            raise damaged(f"the column {name!r}", "has a count below 0")
        return cls(name, kind, rows, missing, found, counts, rare, cells)

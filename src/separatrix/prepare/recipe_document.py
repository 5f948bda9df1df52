"""What of a recipe is written down, as plain values and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .recipe_json import parsed, step_of, to_plain, value_of
from .steps import Dropped, Step, TargetStatistics

VERSION = 1
NAMES = ("separatrix_recipe", "rows", "classes", "columns", "interactions")


@dataclass(frozen=True)
class Document:
    """Steps, pairs of columns whose products are columns too, labels as text, and the rows learned from."""

    steps: tuple[Step, ...]
    interactions: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    rows: float

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts, numbers and text."""
        columns, pairs = [to_plain(step) for step in self.steps], [list(pair) for pair in self.interactions]
        return dict(zip(NAMES, (VERSION, self.rows, list(self.classes), columns, pairs), strict=True))


def document_of(text: str | bytes) -> Document:
    """Return what JSON describes; whatever does not fit is refused by name."""
    given = parsed(text)
    if not isinstance(given, Mapping) or given.get("separatrix_recipe") != VERSION:
        found = given.get("separatrix_recipe") if isinstance(given, Mapping) else None
        raise InputError(f"This is no recipe of version {VERSION}: it says {found!r}. Write it with Recipe.to_json of this version.")
    unknown = set(given) - set(NAMES)
    if unknown:
        raise InputError(f"The recipe has {min(unknown)!r}, which is not known.")
    steps = tuple(step_of(own) for own in value_of(tuple[dict[str, Any], ...], given.get("columns", []), "columns"))
    names = [step.column for step in steps]
    if len(set(names)) < len(names):
        raise InputError(f"The recipe has column {next(n for n in names if names.count(n) > 1)!r} twice.")
    pairs = value_of(tuple[tuple[str, str], ...], given.get("interactions", []), "interactions")
    kept = [step.column for step in steps if not isinstance(step, Dropped)]
    if any(name not in kept for pair in pairs for name in pair):
        raise InputError("The recipe's interactions name a column that it does not have; use columns that are kept.")
    classes = value_of(tuple[str, ...], given.get("classes", []), "classes")
    for step in steps:
        if isinstance(step, TargetStatistics):
            step.require(step.classes == classes, "its classes are not those of the recipe")
    return Document(steps, pairs, classes, value_of(float, given.get("rows", 0.0), "rows"))

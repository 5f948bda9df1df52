"""Levels that look like numbers and are none: 01234 is not 1234."""

from __future__ import annotations

from .recipe import Recipe


def texts_of(recipe: Recipe | None) -> list[str]:
    """Return the columns with levels, such as 01234, that a file of numbers alone would lose."""
    known = {
        step.column: (*getattr(step, "levels", ()), getattr(step, "reference", ""), *getattr(step, "shared", ()))
        for step in (() if recipe is None else recipe.steps)
    }
    return [name for name, levels in known.items() if any(_is_lost(str(level)) for level in levels)]


def _is_lost(level: str) -> bool:
    """Return whether a level looks like a number and is not written as one."""
    try:
        value = float(level)
    except ValueError:
        return False
    return level != (str(int(value)) if value.is_integer() else repr(value))

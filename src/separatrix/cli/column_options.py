"""Options about the columns of a table: the target, and what is to be done with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ..errors import did_you_mean
from ..prepare.wishes import KINDS


@dataclass(frozen=True, slots=True)
class ColumnWishes:
    """What was asked for columns: those left out, those kept, and kinds by name."""

    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.drop or self.keep or self.kinds)

    def require(self, columns: Sequence[str]) -> None:
        """Refuse names that the table does not have."""
        for name in (*self.drop, *self.keep, *(column for column, _ in self.kinds)):
            require_column(name, columns)

    def prep(self) -> Any:
        """Return the preparation that was asked for, or None for the usual one."""
        from ..prepare.table_prep import TablePrep

        return TablePrep(drop=list(self.drop), keep=list(self.keep), kinds=dict(self.kinds)) if self else None

    def wishes(self) -> Any:
        """Return the same as wishes for a recipe."""
        from ..prepare.wishes import Wishes

        return Wishes(kinds=dict(self.kinds), drop=self.drop, keep=self.keep)


def target_option(required: bool = True) -> Callable[[Any], Any]:
    """Return the decorator for --target."""
    return click.option("-t", "--target", metavar="COLUMN", required=required, help="Column of the labels.")


def wishes_options(function: Any) -> Any:
    """Add --drop, --keep and --kind."""
    for option in (
        click.option(
            "--kind", "kinds", metavar="COLUMN=KIND", multiple=True, callback=_kinds, help=f"Take a column as: {', '.join(KINDS)}."
        ),
        click.option("--keep", metavar="COLUMN", multiple=True, help="Keep a column, whatever it looks like."),
        click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out, such as one that gives the target away."),
    ):
        function = option(function)
    return function


def _kinds(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found = []
    for text in given:
        column, equals, kind = text.rpartition("=")
        if not equals or kind not in KINDS:
            raise click.BadParameter(
                f"{text!r} is not COLUMN=KIND.{did_you_mean(kind, KINDS)} Kinds: {', '.join(KINDS)}.", context, parameter
            )
        found.append((column, kind))
    return tuple(found)


def require_column(name: str | None, columns: Sequence[str]) -> None:
    """Refuse a column that a table does not have, and name the one probably meant."""
    if name is not None and name not in columns:
        shown = ", ".join(repr(own) for own in list(columns)[:8]) + (", …" if len(columns) > 8 else "")
        raise click.UsageError(f"Column {name!r} is not in the table.{did_you_mean(name, columns)} It has {shown}.")

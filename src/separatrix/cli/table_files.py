"""Tables as commands are given them: files, globs, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ..errors import InputError

STANDARD_INPUT = "-"


def files_argument(required: bool = True) -> Callable[[Any], Any]:
    """Return the decorator for the argument FILE…: one table in one or more files."""
    return click.argument("files", metavar="FILE...", nargs=-1, required=required, type=click.Path(allow_dash=True))


def kind_option(function: Any) -> Any:
    """Add the option that says what standard input holds where its first bytes do not."""
    kinds = click.Choice(["csv", "tsv", "jsonl"])
    return click.option("--stdin-kind", type=kinds, default="csv", help="What standard input holds, if it is text.")(function)


@contextmanager
def paths_of(files: Sequence[str], stdin_kind: str = "csv") -> Iterator[list[str]]:
    """Yield the files that were named; standard input, of which every pass has to see the beginning again, as a temporary file."""
    from ..data.files.paths import find_files

    if STANDARD_INPUT in files:
        if len(files) > 1:
            raise click.UsageError("Standard input (-) is a table by itself; name either it or files.")
        from ..data.files.spooled import spooled

        with spooled(sys.stdin.buffer, stdin_kind) as path:
            yield [path]
        return
    try:
        found, _ = find_files(list(files))
    except InputError as error:
        raise click.UsageError(str(error)) from None
    yield found


def said(files: Sequence[str]) -> str:
    """Return how messages name the table."""
    if files == (STANDARD_INPUT,) or list(files) == [STANDARD_INPUT]:
        return "standard input"
    return str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"

"""The program `separatrix`: finds a command, runs it, and turns every error into a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import MissingExtraError, SeparatrixError, did_you_mean
from . import exits
from .advice import as_typed
from .commands import ROWS, SECTIONS


class Program(click.Group):
    """The commands of `commands.py`, each loaded when it is called: `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of `--help`."""
        return list(ROWS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command, or return None where there is none of that name."""
        row = ROWS.get(cmd_name)
        return None if row is None else import_module(f".{row.file}", __package__).command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word; an unknown one is an error that names the one probably meant."""
        if args and not args[0].startswith("-") and args[0] not in ROWS:
            raise click.UsageError(f"There is no command {args[0]!r}.{did_you_mean(args[0], ROWS)} Commands: {', '.join(ROWS)}.", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, from the rows alone."""
        for title, rows in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(row.name, row.help) for row in rows])


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, no_args_is_help=True)
@click.version_option(__version__, prog_name="separatrix")
def program() -> None:
    """Linear classification: from a table to a model you can defend, and to where it is used.

    \b
        separatrix look churn.csv
        separatrix fit churn.csv --target Churn -o churn.sptx
        separatrix predict churn.sptx new.parquet -o scored.parquet

    Results go to standard output, messages to the error stream. Tables are CSV, TSV, JSON lines, Parquet or Arrow files, compressed too,
    several of them, globs, or - for standard input. Exit codes: 0 ok, 1 a bug, 2 usage, 3 data, 4 quality gate, 130 interrupted.
    Completion of names in your shell: eval "$(_SEPARATRIX_COMPLETE=bash_source separatrix)", also zsh_source and fish_source.
    """  # noqa: D301  # click wants the character \b itself before lines that stay as they are


def run(args: Sequence[str]) -> int:
    """Run the program with the words of a command line, and return its exit code."""
    try:
        code = _run(args)
        sys.stdout.flush()
    except (BrokenPipeError, exits.ReaderGone):
        _point_to_nowhere()
        code = exits.BROKEN_PIPE
    return code


def _run(args: Sequence[str]) -> int:
    try:
        code: Any = program.main(list(args), prog_name="separatrix", standalone_mode=False)
        return code if isinstance(code, int) else exits.OK
    except (BrokenPipeError, exits.ReaderGone):
        raise
    except click.ClickException as error:
        error.show(sys.stderr)
        return exits.USAGE
    except exits.GateError as error:
        return _told(error, exits.GATE)
    except exits.InterruptedWork as error:
        return _told(error, exits.INTERRUPTED)
    except (click.Abort, KeyboardInterrupt):
        return _told("interrupted.", exits.INTERRUPTED)
    except MissingExtraError as error:
        return _told(error, exits.USAGE)
    except (SeparatrixError, OSError, MemoryError) as error:
        return _told(f"error: {as_typed(str(error)) or 'out of memory'}", exits.DATA)
    except Exception:
        sys.stderr.write(traceback.format_exc())
        return _told("This is a bug in separatrix; please report it with the lines above and the output of `separatrix doctor`.", exits.BUG)


def _told(message: object, code: int) -> int:
    sys.stderr.write(f"separatrix: {message}\n")
    return code


def _point_to_nowhere() -> None:
    """Let what is still to be flushed at the end go nowhere, without a second error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())

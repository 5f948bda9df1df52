"""`separatrix report`: one HTML file that says whether a stored model can be trusted on the rows of a table."""

from __future__ import annotations

import os
import shlex
import sys

import click

from .model_files import model_argument, read_model, require_output
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of, said


@click.command("report", short_help="One HTML file on a stored model and labelled rows.")
@model_argument()
@files_argument()
@click.option("-t", "--target", metavar="COLUMN", help="Column of the labels; default: as in the fit.")
@click.option("-o", "--output", metavar="REPORT", help="File of the report, ending in .html; default: named as the model.")
@click.option("--title", help="Title of the report.")
@click.option("--include-rows", is_flag=True, help="Show the values of misjudged rows; else their numbers.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    model: str,
    files: tuple[str, ...],
    target: str | None,
    output: str | None,
    title: str | None,
    include_rows: bool,
    stdin_kind: str,
) -> None:
    """Write a report on a stored model and labelled rows: one HTML file that opens without a network.

    Rows that the model was fitted on are known by the hash of their table, and are never shown as held out.
    """
    output = f"{os.path.splitext(model)[0]}.html" if output is None else output
    require_output(output, ".html")
    contents = read_model(model)
    target = contents.target if target is None else target
    speaker.say(f"reading {said(files)}")
    from ..data.table_opening import open_table
    from ..report.writing import write_file_report

    with paths_of(files, stdin_kind) as paths:
        if target is None:
            raise click.UsageError("The model file does not say which column holds the labels; name it: --target COLUMN.")
        rows = open_table(list(paths), target=target).arrow()
        call = shlex.join(["separatrix", *map(os.path.basename, sys.argv[1:])])
        written = write_file_report(contents, rows, output, target=target, title=title, include_rows=include_rows, command=call)
    speaker.result(f"Wrote {output} ({written.stat().st_size / 1e6:.1f} MB)", {"file": output, "bytes": written.stat().st_size})

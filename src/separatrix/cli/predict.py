"""`separatrix predict`: labels, posteriors and actions for every row, as a stream."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import ExitStack
from typing import Any

import click

from .column_options import require_column
from .model_files import formula_of_file, model_argument, read_model, require_output
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of

KINDS = {"csv": "csv", "tsv": "tsv", "jsonl": "json"}


@click.command("predict", short_help="Labels, posteriors and actions for the rows of a file.")
@model_argument()
@files_argument()
@click.option("-o", "--output", metavar="FILE", help="Parquet, Arrow, CSV or JSON lines, by its ending; default: standard output.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="A column of the table to be written too, such as an identifier.")
@click.option("--reasons", type=click.IntRange(0), default=0, metavar="N", help="The N columns that speak most for each label.")
@click.option("--no-posteriors", is_flag=True, help="Write labels and actions alone.")
@click.option("--kind", type=click.Choice(list(KINDS)), default="csv", show_default=True, help="What is written to standard output.")
@click.option("--jobs", type=int, default=None, help="Threads; the result does not depend on it.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    model: str,
    files: tuple[str, ...],
    output: str | None,
    keep: tuple[str, ...],
    reasons: int,
    no_posteriors: bool,
    kind: str,
    jobs: int | None,
    stdin_kind: str,
) -> None:
    """Score the rows of a table by a stored model and write them in their order, in bounded memory.

    Written are `label`, `action` where the model has a decision, the posterior `p_…` of each class, and reasons.
    The output appears under its name when it is complete.
    """
    if output is not None:
        require_output(output)
    contents = read_model(model)
    from ..artifacts.reasons import Reasons
    from ..artifacts.scoring import Scoring
    from ..data.table_opening import open_table

    formula = formula_of_file(contents)
    why = Reasons.of(formula, contents.column_facts, reasons) if reasons else None
    scoring = Scoring(formula, keep, not no_posteriors, why)
    start = time.perf_counter()
    with paths_of(files, stdin_kind) as paths:
        for name in keep:
            require_column(name, open_table(paths).feature_names)
        table = scoring.open(paths, jobs)
        with ExitStack() as stack:
            out = stack.enter_context(_writer(output, "jsonl" if speaker.as_json else kind))
            for columns in scoring.batches(table):
                out.write(columns)
    seconds = time.perf_counter() - start
    speaker.say(f"{out.rows:,} rows in {seconds:.1f} s" + ("" if output is None else f", written to {output}"))
    speaker.next(f"separatrix watch {shlex.quote(model)} {' '.join(map(shlex.quote, files))}", "are these rows like those of the fit?")


def _writer(output: str | None, kind: str) -> Any:
    from ..data.files.table_writer import stream_writer, table_writer

    return stream_writer(sys.stdout.buffer, KINDS[kind]) if output is None else table_writer(output)

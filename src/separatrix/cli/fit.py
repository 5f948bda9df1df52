"""`separatrix fit`: from a table to a stored model: compare, pick, fit on all rows, keep what was found on held-out rows."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Sequence

import click

from ..loading import maker
from .advice import alert_line
from .column_options import ColumnWishes, target_option, wishes_options
from .comparing import Wanted, board_facts, comparison_options, names_of, run_comparison
from .exits import InterruptedWork
from .gates import Gate, gate_option, require_gates
from .model_files import SUFFIX, require_output
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("fit", short_help="Compare, pick, fit on all rows and store.")
@files_argument()
@target_option()
@click.option("-o", "--output", metavar="MODEL", required=True, help=f"File of the model, ending in {SUFFIX}.")
@click.option("--report", metavar="REPORT", help="Write a report too: one HTML file, ending in .html.")
@comparison_options
@wishes_options
@gate_option
@click.option("--no-data-facts", is_flag=True, help="Keep no counts and quantiles of the columns; `watch` and reasons need them.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    files: tuple[str, ...],
    target: str,
    output: str,
    report: str | None,
    models: str | None,
    folds: int,
    metric: str,
    rule: str,
    time_budget: float | None,
    seed: int,
    jobs: int | None,
    drop: tuple[str, ...],
    keep: tuple[str, ...],
    kinds: tuple[tuple[str, str], ...],
    gates: tuple[Gate, ...],
    no_data_facts: bool,
    stdin_kind: str,
) -> None:
    """Compare models on held-out rows, pick one, fit it on all rows, and store it.

    Stored with it: the held-out estimate of the whole procedure (a model is picked anew without each fold), alerts, the hash of the data,
    and counts and quantiles of the columns. Ctrl-C ends the comparison; what is finished is picked from, and stored.
    """
    require_output(output, SUFFIX)
    if report is not None:
        require_output(report, ".html")
        maker("report.rendering.SECTIONS")  # a package that reports need is missed before the work, not after it
    wanted = Wanted(target, names_of(models), folds, metric, rule, time_budget, seed, jobs, ColumnWishes(drop, keep, kinds))
    with paths_of(files, stdin_kind) as paths:
        board, rows = run_comparison(speaker, files, paths, wanted)
        if not board.picked.is_contender:
            raise InterruptedWork(f"{board.ended or 'ended'} before any model was finished; nothing is stored.")
        speaker.part(board)
        speaker.say(f"fitting {board.picked.name} on all {rows.num_rows:,} rows")
        from ..artifacts.procedure import fit_and_store

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the comparison has said them under its table
            estimate = fit_and_store(board, rows, output, target, _call(), with_facts=not no_data_facts)
    speaker.part(f"\n{estimate.text}\n\nStored {board.picked.name} in {output}")
    if report is not None:
        speaker.part(f"Wrote the report {board.report(report)}")
    for alert in board.alerts:
        speaker.part(alert_line(alert))
    if speaker.as_json:
        speaker.result("", {**board_facts(board), "file": output, "scores": estimate.scores, "intervals": estimate.intervals})
    _say_next(speaker, output, files)
    require_gates(gates, estimate.scores)
    if board.ended == "interrupted":
        raise InterruptedWork(f"interrupted; what was finished is stored in {output}.")


def _call() -> str:
    return shlex.join(["separatrix", *sys.argv[1:]])


def _say_next(speaker: Speaker, output: str, files: Sequence[str]) -> None:
    name, rows = shlex.quote(output), " ".join(map(shlex.quote, files))
    speaker.next(f"separatrix explain {name} {rows} --row 0", "why a row is decided as it is")
    speaker.next(f"separatrix predict {name} {rows} -o scored.parquet")

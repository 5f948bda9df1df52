"""`separatrix compare`: models side by side, on rows that none of them has seen."""

from __future__ import annotations

import shlex

import click

from .advice import alert_line
from .column_options import ColumnWishes, target_option, wishes_options
from .comparing import Wanted, board_facts, comparison_options, names_of, run_comparison
from .exits import InterruptedWork
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("compare", short_help="Compare models on rows that none of them has seen.")
@files_argument()
@target_option()
@comparison_options
@wishes_options
@kind_option
@spoken
def command(
    speaker: Speaker,
    files: tuple[str, ...],
    target: str,
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
    stdin_kind: str,
) -> None:
    """Compare models by their held-out performance, hyperparameters being chosen inside every training part.

    Nothing is stored; `separatrix fit` does the same and stores the picked model.
    """
    wanted = Wanted(target, names_of(models), folds, metric, rule, time_budget, seed, jobs, ColumnWishes(drop, keep, kinds))
    with paths_of(files, stdin_kind) as paths:
        board, _ = run_comparison(speaker, files, paths, wanted)
    speaker.result(board, board_facts(board))
    for alert in board.alerts:
        speaker.part(alert_line(alert))
    speaker.next(f"separatrix fit {' '.join(map(shlex.quote, files))} --target {shlex.quote(target)} -o model.sptx")
    if board.ended == "interrupted":
        raise InterruptedWork("interrupted; the models above were finished.")

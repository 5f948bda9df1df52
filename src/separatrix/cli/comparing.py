"""Options and steps that `compare` and `fit` share: which models, how rows are held out, for how long."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from .column_options import ColumnWishes, require_column
from .speaking import Speaker, typed_names
from .table_files import said


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a comparison was asked for."""

    target: str
    models: tuple[str, ...]
    folds: int
    metric: str
    rule: str
    time_budget: float | None
    seed: int
    jobs: int | None
    wishes: ColumnWishes


def comparison_options(function: Any) -> Any:
    """Add the options of a comparison."""
    for option in (
        click.option("--jobs", type=int, default=None, help="Processes; the result does not depend on it."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For folds and models."),
        click.option("--time-budget", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Begin no fold later than this."),
        click.option("--rule", type=click.Choice(["1se", "min"]), default="1se", show_default=True, help="Simplest good model, or best."),
        click.option("--metric", default="error", show_default=True, help="error, log_loss, brier, auc, balanced_accuracy, or a scorer."),
        click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Parts held out in turn."),
        click.option("--models", metavar="NAMES", help="Families to compare, by name and with commas between; default: all that suit."),
    ):
        function = option(function)
    return function


def names_of(models: str | None) -> tuple[str, ...]:
    """Return the names in a list with commas.

    Examples
    --------
    >>> names_of("LDA, logistic L2"), names_of(None)
    (('LDA', 'logistic L2'), ())
    """
    return tuple(name.strip() for name in (models or "").split(",") if name.strip())


def read_rows(speaker: Speaker, paths: Sequence[str], target: str, wishes: ColumnWishes) -> Any:
    """Return a table of files as a frame in memory, its names checked against what was asked for; rows without a label are counted."""
    from ..data.table_opening import open_table

    known = open_table(list(paths))
    require_column(target, known.feature_names)
    wishes.require([name for name in known.feature_names if name != target])
    table = open_table(list(paths), target=target)
    lost = table.as_columns().unlabelled
    if lost:
        speaker.say(f"SPX019 {lost:,} rows have no label in column {target!r} and are left out.")
    # Dropped from the rows, and not by the recipe alone: some models read tables without one.
    return table.arrow().drop_columns(list(wishes.drop))


def run_comparison(speaker: Speaker, files: Sequence[str], paths: Sequence[str], wanted: Wanted) -> tuple[Any, Any]:
    """Return the board of a comparison, and the rows it was made from; what is warned of meanwhile is said once."""
    speaker.say(f"reading {said(files)}")
    rows = read_rows(speaker, paths, wanted.target, wanted.wishes)
    speaker.say(f"comparing models on {rows.num_rows:,} rows, {wanted.folds} folds, seed {wanted.seed}; Ctrl-C keeps what is finished")
    from ..evaluation import KFold
    from ..prepare import TablePrep
    from ..selection.comparison import compare

    with typed_names(), warnings.catch_warnings(record=True) as caught, speaker.progress():
        warnings.simplefilter("always")
        board = compare(
            rows,
            target=wanted.target,
            models=list(wanted.models) or None,
            prep=replace(wanted.wishes, drop=()).prep() or TablePrep(),
            plan=KFold(wanted.folds),
            metric=wanted.metric,
            rule=wanted.rule,
            n_jobs=wanted.jobs,
            time_budget=wanted.time_budget,
            random_state=wanted.seed,
        )
    for message in dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)):
        speaker.show_warning(message, UserWarning)
    return board, rows


def board_facts(board: Any) -> dict[str, Any]:
    """Return a board as plain values."""
    table = board.table().to_dict()
    models = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return {
        "title": board.title,
        "picked": board.picked.name,
        "best": board.best.name,
        "seed": board.setting.seed,
        "metric": board.setting.metric.name,
        "models": models,
        "failures": board.failures,
        "remarks": board.remarks(),
        "alerts": [alert.to_dict() for alert in board.alerts],
        "ended": board.ended,
        "seconds": board.seconds,
    }

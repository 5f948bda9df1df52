"""`separatrix select`: few columns that do as well as all."""

from __future__ import annotations

import shlex
import warnings
from typing import Any

import click

from .column_options import ColumnWishes, target_option
from .comparing import read_rows
from .exits import InterruptedWork
from .speaking import Speaker, spoken, typed_names
from .table_files import files_argument, kind_option, paths_of, said

SEARCHES = ("forward", "backward", "stepwise")
MODELS = ("LDA", "logistic", "naive-bayes")


@click.command("select", short_help="Search for few columns that do as well as all.")
@files_argument()
@target_option()
@click.option("--search", type=click.Choice(SEARCHES), default="forward", show_default=True, help="Which way; stepwise: by Wilks' Λ.")
@click.option("--model", type=click.Choice(MODELS), default="LDA", show_default=True, help="The model whose columns are searched.")
@click.option("--columns", "count", metavar="N", default="1se", show_default=True, help="How many: a number, best, or 1se.")
@click.option("--metric", default="error", show_default=True, help="error, log_loss, brier, auc, balanced_accuracy, aic, bic.")
@click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For the folds.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    files: tuple[str, ...],
    target: str,
    search: str,
    model: str,
    count: str,
    metric: str,
    drop: tuple[str, ...],
    seed: int,
    stdin_kind: str,
) -> None:
    """Search for columns by which the classes are told apart, judged on held-out rows."""
    wanted = _count(count)
    speaker.say(f"reading {said(files)}")
    with paths_of(files, stdin_kind) as paths:
        table = read_rows(speaker, paths, target, ColumnWishes(drop))
    labels, rows = table.column(target), table.drop_columns([target])
    speaker.say(f"searching {rows.num_columns} columns of {rows.num_rows:,} rows, {search}, seed {seed}")
    selector = _selector(search, model, wanted, metric, seed)
    with typed_names(), warnings.catch_warnings(record=True) as caught, speaker.progress():
        warnings.simplefilter("always")
        selector.fit(rows, labels.to_numpy(zero_copy_only=False))
    for message in dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)):
        speaker.show_warning(message, UserWarning)
    kept = [str(name) for name, own in zip(rows.column_names, selector.support_, strict=True) if own]
    history = selector.history_
    lines = f"{history}\n\nKept {len(kept)} of {rows.num_columns}: {', '.join(kept)}"
    speaker.result(lines, {"columns": kept, "search": search, "seed": seed, "history": history.table.to_dict()})
    left_out = " ".join(f"--drop {shlex.quote(name)}" for name in rows.column_names if name not in kept)
    speaker.say("the rows that picked columns judge them too kindly: fit holds other rows out")
    speaker.next(f"separatrix fit {' '.join(map(shlex.quote, files))} --target {shlex.quote(target)} {left_out} -o model.sptx")
    if getattr(selector, "interrupted_", False):
        raise InterruptedWork("interrupted; the moves above were finished.")


def _count(text: str) -> Any:
    if text in ("best", "1se"):
        return text
    if not text.isdigit() or int(text) < 1:
        raise click.UsageError(f"--columns {text!r} is not a number of columns; give one, or best, or 1se.")
    return int(text)


def _selector(search: str, model: str, count: Any, metric: str, seed: int) -> Any:
    from ..evaluation import KFold
    from ..models import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression
    from ..selection import BackwardSelection, ForwardSelection, StepwiseDiscriminant

    if search == "stepwise":
        return StepwiseDiscriminant(max_features=count if isinstance(count, int) else None)
    kind = ForwardSelection if search == "forward" else BackwardSelection
    judged = {"LDA": LinearDiscriminantAnalysis, "logistic": LogisticRegression, "naive-bayes": GaussianNB}[model]()
    return kind(judged, count, plan=KFold(5, random_state=seed), metric=metric)

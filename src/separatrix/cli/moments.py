"""`separatrix moments`: the sums of a table that models are solved from, in a file that others can merge."""

from __future__ import annotations

import shlex
from typing import Any

import click

from .advice import summing
from .column_options import require_column, target_option
from .model_files import require_output
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of

SUMS = {
    "full": "one scatter per class, for every model of moments",
    "pooled": "one scatter for all classes",
    "diagonal": "variances per class",
    "counts": "column totals per class",
    "categories": "category numbers per class",
}


@click.command("moments", short_help="The sums of a table, without its rows.")
@files_argument()
@target_option()
@click.option("-o", "--output", metavar="FILE", required=True, help="File of the sums, such as north.moments.")
@click.option("--columns", metavar="COLUMN", multiple=True, help="A column to summarise; all but the target by default.")
@click.option("--weight", metavar="COLUMN", help="Column of the weights.")
@click.option("--class", "labels", metavar="LABEL", multiple=True, help="A class, also one that no row here has; those found by default.")
@click.option("--sums", type=click.Choice(list(SUMS)), default="full", show_default=True, help="What is kept of each class.")
@click.option("--minimum", type=click.IntRange(min=1), default=10, show_default=True, help="Rows that each class must have.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    files: tuple[str, ...],
    target: str,
    output: str,
    columns: tuple[str, ...],
    weight: str | None,
    labels: tuple[str, ...],
    sums: str,
    minimum: int,
    stdin_kind: str,
) -> None:
    """Summarise a table in one pass: counts, means and scatters of its classes, from which LDA, QDA, least squares, naive Bayes and the
    stepwise table are solved.

    Several places can merge such files and fit the model of all their rows without sharing one. This is no promise of privacy: two files
    that differ in one row subtract to that row.
    """
    from ..data.table_opening import open_table

    require_output(output)
    with paths_of(files, stdin_kind) as paths, speaker.progress(), summing():
        known = open_table(paths)
        for name in (target, weight, *columns):
            require_column(name, known.feature_names)
        table = open_table(paths, target=target, weight=weight, columns=list(columns) or None)
        table = table.with_classes(announced(labels, table)) if labels else table
        summary = summarised(table, sums)
    summary.save(output, minimum=minimum)
    speaker.result(told(output, summary), facts_of(output, summary))
    speaker.next(f"separatrix merge {shlex.quote(output)} OTHER.moments -o joint.moments")


def announced(labels: tuple[str, ...], table: Any) -> list[Any]:
    """Return labels as the target column has them: whole numbers, truth values or text.

    Examples
    --------
    >>> from types import SimpleNamespace as Table
    >>> import numpy as np
    >>> announced(("0", "1"), Table(classes=np.array([1]))), announced(("no", "yes"), Table(classes=np.array(["no"])))
    ([0, 1], ['no', 'yes'])
    """
    found: list[Any] = table.classes.tolist()
    if isinstance(found[0], str):
        return list(labels)
    words = {"true": True, "false": False} if isinstance(found[0], bool) else {}
    try:
        return [words[label.lower()] if words else int(label) for label in labels]
    except (KeyError, ValueError):
        raise click.UsageError(
            f"--class {' --class '.join(labels)}: the labels of column {table.target!r} are such as {found[0]!r}; give labels of that kind."
        ) from None


def summarised(table: Any, sums: str) -> Any:
    """Return the summary of a table that was asked for."""
    from ..summaries import CategoryCounts, ClassMoments, Counts

    if sums == "counts":
        return Counts.from_data(table)
    if sums == "categories":
        return CategoryCounts.from_data(table)
    return ClassMoments.from_data(table, pooled=sums == "pooled", diagonal=sums == "diagonal")


def facts_of(output: str, summary: Any) -> dict[str, Any]:
    """Return what a file of sums holds, as JSON has it."""
    classes = [] if not hasattr(summary, "classes") else summary.classes.tolist()
    rows = [int(n) for n in ([summary.rows] if not classes else summary.rows)]
    found = {"file": output, "summary": type(summary).__name__, "kind": getattr(summary, "kind", None)}
    return {**found, "columns": list(summary.feature_names or range(summary.n_features)), "classes": classes, "rows": rows}


def told(output: str, summary: Any) -> str:
    """Return what a file of sums holds, in a line."""
    facts = facts_of(output, summary)
    classes = ", ".join(f"{label!r} {n:,}" for label, n in zip(facts["classes"], facts["rows"])) or f"{facts['rows'][0]:,}"
    return f"{output}: {facts['summary']} of {summary.n_features} columns; rows: {classes}"

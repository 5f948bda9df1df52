"""`separatrix worked`: a method by hand, step by step, in exact fractions."""

from __future__ import annotations

from typing import Any

import click

from ..errors import did_you_mean
from .column_options import require_column
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of

METHODS = ("fisher", "lda", "naive-bayes", "perceptron", "svm")
FORMS = {"text": "text", "markdown": "markdown", "latex": "latex", "html": "html"}


@click.command("worked", short_help="A method worked out by hand on a small table.")
@click.argument("method", metavar="METHOD")
@files_argument()
@click.option("-t", "--target", metavar="COLUMN", help="Column of the labels; default: the last one.")
@click.option("--form", type=click.Choice(list(FORMS)), default="text", show_default=True, help="How it is written.")
@kind_option
@spoken
def command(speaker: Speaker, method: str, files: tuple[str, ...], target: str | None, form: str, stdin_kind: str) -> None:
    """Work a method out by hand on a small table: fisher, lda, naive-bayes, perceptron or svm.

    The table has at most 60 rows (svm: 24) and 6 columns beside the labels.
    """
    if method not in METHODS:
        raise click.UsageError(f"There is no method {method!r}.{did_you_mean(method, METHODS)} Methods: {', '.join(METHODS)}.")
    speaker.say(f"working out {method}")
    from ..data.table_opening import open_table
    from ..hand import worked

    with paths_of(files, stdin_kind) as paths:
        names = open_table(paths).feature_names
        require_column(target, names)
        target = names[-1] if target is None else target
        table = open_table(paths, target=target)
        batch = next(iter(table.as_columns().blocks()))
        labels = table.classes[batch.codes].tolist()
        columns = [_values(batch.column(j)) for j in range(batch.n_features)]
    found = worked(method, [list(row) for row in zip(*columns, strict=True)], labels)
    text = getattr(found, FORMS[form])
    speaker.result(text, {"method": method, "text": text, "result": _exact(found.result)})


def _values(column: Any) -> list[Any]:
    """Return the values of a column as Python has them: numbers as they print, text as it is."""
    if column.type == "text":
        codes, levels = column.categories()
        return [levels[code] if code >= 0 else None for code in codes.tolist()]
    return [int(value) if value == int(value) else value for value in column.numbers().tolist()]


def _exact(value: Any) -> Any:
    """Return exact numbers as text such as '5/2', which JSON's numbers would round."""
    if isinstance(value, dict):
        return {str(key): _exact(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(own) for own in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)

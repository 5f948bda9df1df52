"""`separatrix explain`: why one row is decided as it is, or what a model has learned."""

from __future__ import annotations

import shlex
import warnings

import click

from .model_files import fitted_model, model_argument, read_model
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("explain", short_help="Why a row is decided as it is.")
@model_argument()
@files_argument()
@click.option("-r", "--row", type=click.IntRange(0), metavar="N", help="Number of the row, from 0; without it the model is explained.")
@click.option("--against", metavar="LABEL", help="Class to compare with; default: the runner-up.")
@click.option("--fixed", metavar="COLUMN", multiple=True, help="A column that cannot change.")
@kind_option
@spoken
def command(
    speaker: Speaker,
    model: str,
    files: tuple[str, ...],
    row: int | None,
    against: str | None,
    fixed: tuple[str, ...],
    stdin_kind: str,
) -> None:
    """Explain the decision about row N of a table, with the smallest change that would change it; without --row the model."""
    contents = read_model(model)
    speaker.say(f"explaining {'the model' if row is None else f'row {row}'}")
    from ..data.table_opening import open_table
    from ..explaining.explain import explain
    from ..prepare import Recipe
    from ..prepare.written_levels import texts_of

    fitted = fitted_model(contents)
    with paths_of(files, stdin_kind) as paths:
        names = [name for name in open_table(paths).feature_names if name != contents.target]
        recipe = None if contents.recipe is None else Recipe.from_json(contents.recipe)
        rows = open_table(paths, columns=names).with_text(texts_of(recipe)).arrow()
    if row is not None and row >= rows.num_rows:
        raise click.UsageError(f"--row {row}: the table has {rows.num_rows:,} rows, from 0 to {rows.num_rows - 1:,}.")
    label = None if against is None else next((own for own in fitted.classes_.tolist() if str(own) == against), against)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of columns by name; what matters stands in the explanation
        found = explain(fitted, rows, row, against=label, fixed=fixed) if row is not None else explain(fitted, rows, resamples=0, folds=0)
    speaker.result(str(found), {"row": row, "text": str(found), "tables": found.tables.to_dict()})
    speaker.next(f"separatrix predict {shlex.quote(model)} {' '.join(map(shlex.quote, files))} --reasons 3 -o scored.csv")

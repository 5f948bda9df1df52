"""`separatrix summary`: what a model file holds."""

from __future__ import annotations

import shlex
import warnings
from typing import Any

import click

from .model_files import fitted_model, model_argument, read_model
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("summary", short_help="What a model file holds.")
@model_argument()
@files_argument(required=False)
@kind_option
@spoken
def command(speaker: Speaker, model: str, files: tuple[str, ...], stdin_kind: str) -> None:
    """Print what a model file holds: how it was made, its held-out estimate, its recipe and its coefficients.

    With the FILE that it was fitted on also the statistician's tables of the model: tests, standard errors, odds ratios.
    """
    contents = read_model(model)
    from ..artifacts.file_summary import file_summary

    found = file_summary(contents)
    speaker.part(found.text)
    tables = None
    if files:
        speaker.say("fitting the tables of the model")
        with paths_of(files, stdin_kind) as paths:
            tables = _tables(contents, paths)
        speaker.part(f"\n{tables.text}")
    if speaker.as_json:
        facts = {"title": found.title, "facts": found.facts, "tables": found.to_dict(), "notes": found.notes}
        speaker.result("", facts if tables is None else {**facts, "statistics": tables.to_dict()})
    speaker.next(f"separatrix export {shlex.quote(model)} --sql duckdb", "the model as one SELECT")


def _tables(contents: Any, paths: list[str]) -> Any:
    from ..data.table_opening import open_table
    from ..errors import InputError

    fitted = fitted_model(contents)
    if contents.target is None:
        raise InputError("The model file does not say which column holds the labels, so its tables cannot be made.")
    names = [own.name for own in contents.column_facts or () if own.name != contents.target] or None
    rows = open_table(paths, target=contents.target, columns=names).arrow()
    labels = rows.column(contents.target).to_numpy(zero_copy_only=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if not hasattr(fitted, "summary"):  # names: a public method of some classifiers
            raise InputError(f"{type(fitted).__name__} has no tables; LogisticRegression and LinearDiscriminantAnalysis have them.")
        return fitted.summary(rows.drop_columns([contents.target]), labels)

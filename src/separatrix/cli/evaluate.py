"""`separatrix evaluate`: how a stored model does on labelled rows."""

from __future__ import annotations

import shlex

import click

from .gates import Gate, gate_option, require_gates
from .model_files import model_argument, read_model
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of, said


@click.command("evaluate", short_help="How a stored model does on labelled rows.")
@model_argument()
@files_argument()
@click.option("-t", "--target", metavar="COLUMN", help="Column of the labels; default: as in the fit.")
@gate_option
@kind_option
@spoken
def command(speaker: Speaker, model: str, files: tuple[str, ...], target: str | None, gates: tuple[Gate, ...], stdin_kind: str) -> None:
    """Evaluate a stored model on labelled rows, with intervals; these should not be rows that it was fitted on."""
    contents = read_model(model)
    speaker.say(f"evaluating on {said(files)}")
    from ..artifacts.judging import judge

    with paths_of(files, stdin_kind) as paths:
        found = judge(contents, paths, target)
    if found.is_training:
        speaker.warn("these are the rows that the model was fitted on: what follows is too good")
    speaker.result(str(found), found.to_dict())
    speaker.next(f"separatrix summary {shlex.quote(model)}", "the held-out estimate of the fit")
    require_gates(gates, found.scores)

"""`separatrix watch`: are new rows still like those of the fit?"""

from __future__ import annotations

import shlex

import click

from .advice import alert_line
from .exits import GateError
from .model_files import model_argument, read_model
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of, said


@click.command("watch", short_help="Drift of columns, shift of the shares of classes.")
@model_argument()
@files_argument()
@click.option("--fail-on-drift", is_flag=True, help="End with exit code 4 if anything has changed.")
@kind_option
@spoken
def command(speaker: Speaker, model: str, files: tuple[str, ...], fail_on_drift: bool, stdin_kind: str) -> None:
    """Compare new rows with the counts and quantiles of the training columns in the model file; no training row is needed.

    Numbers and levels are compared by χ² between the training quantiles, all columns together at 1 %; the shares of the classes by the
    model's posteriors.
    """
    contents = read_model(model)
    speaker.say(f"comparing {said(files)} with the training columns")
    from ..artifacts.watching import watch

    with paths_of(files, stdin_kind) as paths:
        found = watch(contents, paths)
    lines = [found.table().text, ""]
    lines += [alert_line(alert) for alert in found.alerts] or ["No column has changed by more than chance explains."]
    if found.shift is not None:
        lines += [
            "",
            f"Shares of the classes\n{found.shift}" if found.has_shifted else "The classes are as common as in the fit, up to chance.",
        ]
    speaker.result("\n".join(lines), found.to_dict())
    if found.alerts:
        speaker.next("separatrix rules SPX016", "what drift means")
    if fail_on_drift and not found.is_quiet:
        raise GateError("the rows have changed since the fit.")
    speaker.next(f"separatrix evaluate {shlex.quote(model)} FILE", "once labels are known")

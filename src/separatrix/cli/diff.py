"""`separatrix diff`: what differs between two models."""

from __future__ import annotations

import click

from .model_files import model_argument, read_model
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("diff", short_help="What differs between two models.")
@model_argument("a")
@model_argument("b")
@files_argument(required=False)
@kind_option
@spoken
def command(speaker: Speaker, a: str, b: str, files: tuple[str, ...], stdin_kind: str) -> None:
    """Compare two model files: recipe, coefficients and stored estimates.

    With a FILE of labelled rows both are judged on them, and the difference is tested row by row (McNemar, DeLong, paired losses).
    """
    one, two = read_model(a), read_model(b)
    speaker.say("comparing two models")
    from ..artifacts.model_diff import model_diff

    if files:
        with paths_of(files, stdin_kind) as paths:
            found = model_diff(one, two, paths)
    else:
        found = model_diff(one, two)
    speaker.result(found.text, {"title": found.title, "facts": found.facts, "tables": found.to_dict(), "notes": found.notes})
    if not files:
        speaker.next(f"separatrix diff {a} {b} FILE", "both judged on the same labelled rows")

"""`separatrix merge`: files of sums become that of all their rows."""

from __future__ import annotations

import os
from functools import reduce

import click

from .advice import summing
from .model_files import require_output
from .moments import facts_of, told
from .speaking import Speaker, spoken


@click.command("merge", short_help="Sums of several tables become those of all rows.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", metavar="FILE", required=True, help="File of the joint sums, such as joint.moments.")
@click.option("--minimum", type=click.IntRange(min=1), default=10, show_default=True, help="Rows that each class must have.")
@spoken
def command(speaker: Speaker, files: tuple[str, ...], output: str, minimum: int) -> None:
    """Merge files of sums: the result is that of one table with all rows.

    Files of other columns, classes, recipes or kinds of sums are refused.
    """
    from ..errors import InputError
    from ..summaries.summary_files import load_summary

    require_output(output)
    if len(files) < 2:
        raise click.UsageError("Name two or more files to merge; one alone is merged already.")
    seen: dict[str, str] = {}
    for count, file in enumerate(files, 1):
        first = seen.setdefault(os.path.realpath(file), file)
        if len(seen) < count:
            raise click.UsageError(f"The file {first!r} is named twice, so its rows would count twice; name every file once.")
    summaries = [load_summary(file) for file in files]
    for file, summary in zip(files, summaries, strict=True):
        if type(summary) is not type(summaries[0]):
            raise InputError(
                f"{file!r} holds {type(summary).__name__}, and {files[0]!r} {type(summaries[0]).__name__}; merge files of one kind."
            )
    with summing():
        joint = reduce(lambda a, b: a.merge(b), summaries)
    joint.save(output, minimum=minimum)
    speaker.result(told(output, joint), facts_of(output, joint))
    if type(joint).__name__ == "ClassMoments":
        fit = f"LinearDiscriminantAnalysis().fit_summary(ClassMoments.load({output!r}))"
        speaker.next(f'python -c "from separatrix import *; print({fit}.coef_)"')

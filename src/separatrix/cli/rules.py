"""`separatrix rules`: the page of reasons behind the code of an alert."""

from __future__ import annotations

import click

from ..errors import UnknownNameError
from ..facts.codes import RULES, rule
from .speaking import Speaker, spoken


@click.command("rules", short_help="The page of reasons behind the code of an alert.")
@click.argument("code", required=False)
@spoken
def command(speaker: Speaker, code: str | None) -> None:
    """Print why an alert such as SPX011 is raised, why it matters and what to type; without CODE the list of all."""
    if code is None:
        speaker.result("\n".join(f"{own.code}  {own.name}" for own in RULES), [own.to_dict() for own in RULES])
        speaker.next("separatrix rules SPX011", "the page of one rule")
        return
    try:
        found = rule(code.upper())
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from None
    speaker.result(str(found), found.to_dict())

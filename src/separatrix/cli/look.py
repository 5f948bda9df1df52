"""`separatrix look`: what a table holds, before anything is fitted."""

from __future__ import annotations

import shlex

import click

from .advice import alert_line
from .column_options import ColumnWishes, require_column, target_option, wishes_options
from .speaking import Speaker, spoken
from .table_files import files_argument, kind_option, paths_of


@click.command("look", short_help="What a table holds.")
@files_argument()
@target_option(required=False)
@wishes_options
@kind_option
@spoken
def command(
    speaker: Speaker,
    files: tuple[str, ...],
    target: str | None,
    drop: tuple[str, ...],
    keep: tuple[str, ...],
    kinds: tuple[tuple[str, str], ...],
    stdin_kind: str,
) -> None:
    """Look at a table: kinds, gaps, planned preparation, likely target, alerts.

    Nothing is fitted, and the table is read in one pass.
    """
    from ..data.table_opening import open_table
    from ..facts.table_look import look_at

    wishes = ColumnWishes(drop, keep, kinds)
    with paths_of(files, stdin_kind) as paths:
        table = open_table(paths)
        require_column(target, table.feature_names)
        wishes.require(table.feature_names)
        look = look_at(table, target, wishes.wishes())
        speaker.part(look.table().text)
        if look.guess is not None:
            speaker.part(f"\nTarget: probably {look.target!r}, since {look.guess.why}; name another one with --target.")
        alerts = look.alerts
        speaker.part("\nAlerts" if alerts else "\nNo alerts.")
        for alert in alerts:
            speaker.part(f"  {alert_line(alert)}")
        if speaker.as_json:
            speaker.result("", look.to_dict())
    named = " ".join(shlex.quote(file) for file in files)
    if alerts:
        speaker.next(f"separatrix rules {alerts[0].code}", "the reasons behind an alert")
    speaker.next(f"separatrix fit {named} --target {shlex.quote(look.target or 'COLUMN')} -o model.sptx")

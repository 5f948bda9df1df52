"""`separatrix demo`: from a table to a decision in a database, with every command on the way."""

from __future__ import annotations

import os
import shlex
import time

import click

from .speaking import Speaker, spoken

FIT = "fit customers.csv --target churn --drop retention_credit --drop signup_date --folds 5 --seed 0 -o churn.sptx"
STEPS = (
    ("What is in the table?", "look customers.csv"),
    (
        "retention_credit is paid to those who have given notice: it gives the target away. signup_date says what tenure_months says. Both "
        "stay out. Which model, and how good?",
        FIT,
    ),
    ("Why is the third customer decided like that, and what would change it?", "explain churn.sptx customers.csv --row 2"),
    ("Rows that no model has seen, with the reasons for each", "predict churn.sptx new.csv --keep customer_id --reasons 2 -o scored.csv"),
    ("The same model where the rows are, as one SELECT", "export churn.sptx --sql duckdb -o churn.sql"),
)
ROWS, NEW = 1_200, 5_000


@click.command("demo", short_help="All of it on a table of customers.")
@click.option("--folder", default="separatrix-demo", show_default=True, type=click.Path(file_okay=False), help="Where its files go.")
@spoken
def command(speaker: Speaker, folder: str) -> None:
    """Make a table of customers and run look, fit, explain, predict and export on it, in under a minute.

    The table is made by `separatrix.data.customers`: numbers written as text, gaps, an identifier, a date, and a column that gives the
    target away.
    """
    from ..data.customers import customers_csv
    from ..storage import atomic_path
    from .program import program

    start = time.perf_counter()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for name, rows, seed in (("customers.csv", ROWS, 0), ("new.csv", NEW, 1)):
        with atomic_path(name) as unfinished:
            unfinished.write_text(customers_csv(rows, seed), encoding="utf-8")
    speaker.say(f"the files are in {os.getcwd()}")
    for about, line in STEPS:
        speaker.part(f"\n{about}\n$ separatrix {line}\n")
        program.main([*shlex.split(line), "--quiet"], prog_name="separatrix", standalone_mode=False)
    with open("scored.csv", encoding="utf-8") as file:
        speaker.part("\nscored.csv begins\n" + "".join(file.readline() for _ in range(4)))
    speaker.part(f"All of it took {time.perf_counter() - start:.0f} s. Now with a table of your own:")
    speaker.part("    separatrix look your.csv\n    separatrix fit your.csv --target COLUMN -o your.sptx")
    speaker.next("separatrix --help", "every command")

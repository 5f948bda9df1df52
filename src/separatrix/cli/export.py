"""`separatrix export`: a model that leaves Python, as SQL, ONNX or a Python function."""

from __future__ import annotations

import shlex
from typing import Any

import click

from ..errors import did_you_mean
from .model_files import formula_of_file, model_argument, read_model, require_output
from .speaking import Speaker, spoken

DIALECTS = ("duckdb", "postgres", "sqlite", "bigquery", "snowflake", "spark", "tsql")


@click.command("export", short_help="The model as SQL, ONNX or a Python function.")
@model_argument()
@click.option("--sql", metavar="DIALECT", help=f"One SELECT for {', '.join(DIALECTS)}.")
@click.option("--onnx", is_flag=True, help="An ONNX model; needs -o.")
@click.option("--python", is_flag=True, help="A Python function that needs no package.")
@click.option("--numpy", is_flag=True, help="A Python function of arrays, with NumPy.")
@click.option("--description", is_flag=True, help="A JSON description of all that the model computes.")
@click.option("-o", "--output", metavar="FILE", help="Where it is written; default: standard output.")
@click.option("--table", default="rows", show_default=True, help="SQL: the table that is read.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="SQL: a column to pass on, such as a key.")
@click.option("--float32", is_flag=True, help="ONNX: single precision.")
@spoken
def command(
    speaker: Speaker,
    model: str,
    sql: str | None,
    onnx: bool,
    python: bool,
    numpy: bool,
    description: bool,
    output: str | None,
    table: str,
    keep: tuple[str, ...],
    float32: bool,
) -> None:
    """Write a stored model with its recipe and its decision for where it is used: a database, ONNX, or plain Python."""
    forms = {"--sql": sql, "--onnx": onnx, "--python": python, "--numpy": numpy, "--description": description}
    asked = [name for name, given in forms.items() if given]
    if len(asked) != 1:
        raise click.UsageError(f"Choose one of --sql DIALECT, {', '.join(list(forms)[1:])}; {' and '.join(asked) or 'none'} was given.")
    if sql is not None and sql not in DIALECTS:
        raise click.UsageError(f"There is no dialect {sql!r}.{did_you_mean(sql, DIALECTS)} Dialects: {', '.join(DIALECTS)}.")
    if onnx and output is None:
        raise click.UsageError("--onnx writes bytes; name a file for them: -o model.onnx")
    if output is not None:
        require_output(output)
    contents = read_model(model)
    speaker.say(f"writing {model} as {asked[0][2:]}")
    made = formula_of_file(contents).to_json() + "\n" if description else _made(contents, sql, onnx, numpy, table, keep, float32)
    data = made if isinstance(made, bytes) else made.encode()
    if output is None:
        speaker.result(made.rstrip("\n") if isinstance(made, str) else made, {"form": asked[0][2:], "text": made})
        return
    from ..storage import atomic_file

    with atomic_file(output) as file:
        file.write(data)
    size = f"{len(data):,} bytes"
    speaker.result(f"{output}: {asked[0][2:]}, {size}", {"form": asked[0][2:], "file": output, "bytes": len(data)})
    if sql == "duckdb":
        speaker.next(f'duckdb -c ".read {shlex.quote(output)}"', f"with a table called {table}")


def _made(contents: Any, sql: str | None, onnx: bool, numpy: bool, table: str, keep: tuple[str, ...], float32: bool) -> Any:
    from ..artifacts import exports

    if sql is not None:
        return exports.to_sql(contents.state, sql, table=table, keep=list(keep), pretty=True) + ";\n"
    if onnx:
        return exports.to_onnx(contents.state, float32=float32)
    return exports.to_python(contents.state, on="numpy" if numpy else "rows")

"""All commands: a row each, with the file that holds it. A new command is one file and one row."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A command: its name, its file in this room, and what `--help` says about it."""

    name: str
    file: str
    help: str


SECTIONS: dict[str, tuple[Row, ...]] = {
    "From a table to a model": (
        Row("look", "look", "What a table holds: kinds, gaps, planned preparation, likely target, alerts."),
        Row("fit", "fit", "Compare models, pick one, fit it on all rows and store it with its held-out estimate."),
        Row("compare", "compare", "Compare models on rows that none of them has seen."),
        Row("select", "select", "Search for few columns that do as well as all."),
    ),
    "With a model file": (
        Row("predict", "predict", "Labels, posteriors and actions for the rows of a file, as a stream."),
        Row("evaluate", "evaluate", "How a stored model does on labelled rows."),
        Row("explain", "explain", "Why one row is decided as it is, or what the model has learned."),
        Row("report", "report", "One HTML file that says whether a stored model can be trusted."),
        Row("summary", "summary", "What a model file holds: recipe, estimate, coefficients and tables."),
        Row("export", "export", "The model as SQL, ONNX, a Python function or JSON."),
        Row("diff", "diff", "What differs between two models: recipe, coefficients, metrics."),
        Row("watch", "watch", "Have the columns or the shares of the classes changed since the fit?"),
    ),
    "Sums in place of rows": (
        Row("moments", "moments", "The sums of a table from which models are solved, in a file without its rows."),
        Row("merge", "merge", "Files of sums become that of all their rows."),
    ),
    "To learn and to check": (
        Row("worked", "worked", "A method worked out by hand on a small table."),
        Row("rules", "rules", "The page of reasons behind the code of an alert."),
        Row("demo", "demo", "All of it on a table of customers that is made on the spot."),
        Row("doctor", "doctor", "Versions, threads, cache and BLAS, and a self-test in seconds."),
        Row("warmup", "warmup", "Compile all kernels now, so that no later command waits for it."),
    ),
}
ROWS = {row.name: row for rows in SECTIONS.values() for row in rows}

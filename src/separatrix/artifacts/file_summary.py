"""What a model file holds, as tables to be read."""

from __future__ import annotations

from ..inference.tables import Column, Table, Tables
from ..prepare.recipe import Recipe
from .coefficients import coefficient_table
from .contents import Contents
from .formula import Formula, formula_of


def file_summary(contents: Contents) -> Tables:
    """Return the tables of a model file: what it is, its estimate, its recipe and its coefficients. No model is made of it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from separatrix import NearestMean, save
    >>> from separatrix.artifacts import read
    >>> with TemporaryDirectory() as folder:
    ...     save(NearestMean().fit([[0.0], [2.0]], ["no", "yes"]), f"{folder}/a.sptx")
    ...     found = file_summary(read(f"{folder}/a.sptx"))
    >>> list(found), found["coefficients"]["yes against no"]
    (['coefficients'], [-2.0, 2.0])
    """
    formula = formula_of(contents.state)
    tables: dict[str, Table] = {}
    if contents.estimate is not None and contents.estimate.scores:
        tables["estimate"] = _estimate(contents)
    if formula.inputs.recipe is not None:
        tables["recipe"] = _recipe(formula.inputs.recipe)
    found = coefficient_table(formula)
    if found is not None:
        tables["coefficients"] = found
    notes = tuple(f"{alert.severity}: {alert}" for alert in contents.alerts)
    return Tables(_title(contents, formula), tables, _facts(contents, formula), notes)


def _title(contents: Contents, formula: Formula) -> str:
    about = "" if contents.target is None else f" of {contents.target!r}"
    return f"{formula.model}{about}: {', '.join(str(label) for label in formula.classes.tolist()[:8])}"


def _facts(contents: Contents, formula: Formula) -> tuple[str, ...]:
    said = []
    if contents.call is not None:
        said.append(f"Made by: {contents.call}")
    said.append("With: " + ", ".join(f"{name} {version}" for name, version in contents.versions.items()))
    if contents.data_hash is not None:
        said.append(f"Data: SHA-256 {contents.data_hash}")
    if contents.estimate is not None:
        said.append(f"Estimate: {contents.estimate}")
    if formula.rule is not None:
        said.append(f"Decision: {contents.decision}")
    return tuple(said)


def _estimate(contents: Contents) -> Table:
    assert contents.estimate is not None
    scores, spans = contents.estimate.scores, contents.estimate.intervals
    nothing = (float("nan"), float("nan"))
    columns = (
        Column("metric", list(scores)),
        Column("value", list(scores.values()), ".4f"),
        Column("95 % low", [spans.get(name, nothing)[0] for name in scores], ".4f"),
        Column("high", [spans.get(name, nothing)[1] for name in scores], ".4f"),
    )
    return Table("Held-out estimate of the whole procedure", columns)


def _recipe(recipe: Recipe) -> Table:
    table = recipe.table()
    return Table(table.title, table.columns)

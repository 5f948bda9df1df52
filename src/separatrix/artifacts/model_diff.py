"""What differs between two model files: recipes, coefficients, estimates; and on the same labelled rows, metrics with a paired test."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError
from ..inference.tables import Column, Table, Tables
from ..prepare.recipe import Recipe
from .coefficients import coefficients
from .contents import Contents
from .formula import Formula, formula_of
from .judging import judge

NOTHING = float("nan")


def model_diff(one: Contents, two: Contents, paths: Sequence[str] | None = None) -> Tables:
    """Return what differs between two models, as tables.

    Parameters
    ----------
    one, two : what `contents.read` returned
    paths : files of labelled rows that both are judged on, optional
    """
    formulas = formula_of(one.state), formula_of(two.state)
    if formulas[0].classes.tolist() != formulas[1].classes.tolist():
        raise InputError(
            f"The models tell other classes apart, {formulas[0].classes.tolist()} and {formulas[1].classes.tolist()}; compare models of "
            "the same classes."
        )
    tables = {"estimates": _estimates(one, two), "recipe": _recipes(*formulas), "coefficients": _coefficients(*formulas)}
    notes = []
    if tables["coefficients"] is None:
        notes.append("Coefficients are compared where both models are linear.")
    if paths is not None:
        tables["metrics"] = _metrics(one, two, paths)
    same = "the same data" if one.data_hash is not None and one.data_hash == two.data_hash else "other data"
    facts = (f"A: {formulas[0].model}, {one.call or 'made in Python'}", f"B: {formulas[1].model}, {two.call or 'made in Python'}")
    kept = {name: table for name, table in tables.items() if table is not None}
    return Tables(f"A and B, fitted on {same}", kept, facts, tuple(notes))


def _estimates(one: Contents, two: Contents) -> Table | None:
    if one.estimate is None or two.estimate is None:
        return None
    names = list(dict.fromkeys([*one.estimate.scores, *two.estimate.scores]))
    values = [[own.estimate.scores.get(name, NOTHING) for name in names] for own in (one, two) if own.estimate is not None]
    if not names:
        return None
    return Table(
        "Held-out estimates, as stored",
        (Column("metric", names), Column("A", values[0], ".4f"), Column("B", values[1], ".4f")),
        "Of the procedures that made the models, perhaps on other rows; with a FILE both are judged on the same.",
    )


def _steps(recipe: Recipe | None) -> dict[str, str]:
    return {} if recipe is None else {step.column: step.said for step in recipe.steps}


def _recipes(one: Formula, two: Formula) -> Table | None:
    a, b = _steps(one.inputs.recipe), _steps(two.inputs.recipe)
    differ = [name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name)]
    if not differ:
        return None
    columns = (
        Column("column", differ),
        Column("A", [a.get(name, "not there") for name in differ]),
        Column("B", [b.get(name, "not there") for name in differ]),
    )
    return Table("Columns that are prepared otherwise", columns)


def _coefficients(one: Formula, two: Formula) -> Table | None:
    a, b = coefficients(one), coefficients(two)
    if a is None or b is None or len(a["(intercept)"]) != len(b["(intercept)"]):
        return None
    classes = [str(label) for label in one.classes.tolist()]
    rows: list[tuple[str, float, float]] = []
    for name in dict.fromkeys([*a, *b]):
        own, other = a.get(name, [NOTHING] * len(a["(intercept)"])), b.get(name, [NOTHING] * len(a["(intercept)"]))
        for k, (x, y) in enumerate(zip(own, other, strict=True)):
            rows.append((name if len(own) == 1 else f"{name} [{classes[k]}]", x, y))
    columns = (
        Column("number", [name for name, _, _ in rows]),
        Column("A", [x for _, x, _ in rows], ".6g"),
        Column("B", [y for _, _, y in rows], ".6g"),
        Column("B − A", [y - x for _, x, y in rows], ".6g"),
    )
    return Table("Coefficients, in the units of the columns", columns)


def _metrics(one: Contents, two: Contents, paths: Sequence[str]) -> Table:
    a, b = judge(one, paths), judge(two, paths, one.target)
    names = [name for name in a.scores if name in b.scores]
    found = [b.performance[name].against(a.performance[name]) for name in names]
    tested = [NOTHING if own is None else own.p for own in found]
    columns = (
        Column("metric", names),
        Column("A", [a.scores[name] for name in names], ".4f"),
        Column("B", [b.scores[name] for name in names], ".4f"),
        Column("B loses", [NOTHING if own is None else own.value for own in found], ".4f"),
        Column("95 % from", [NOTHING if own is None else own.interval[0] for own in found], ".4f"),
        Column("to", [NOTHING if own is None else own.interval[1] for own in found], ".4f"),
        Column("p", tested, "p"),
        Column("test", ["" if own is None else own.test for own in found]),
    )
    return Table(f"On the same {a.rows.n:,} labelled rows", columns)

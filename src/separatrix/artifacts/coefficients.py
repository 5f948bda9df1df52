"""The coefficients of a linear model by the names of the numbers they stand for, read from its formula."""

from __future__ import annotations

from typing import Any

from ..inference.tables import Column, Table, distinct
from .formula import Formula
from .formula.scores import Linear

Coefficients = dict[str, list[float]]


def scores_named(formula: Formula) -> list[str]:
    """Return how the scores of a linear model are called: of two classes the second, of more each class."""
    classes = [str(label) for label in formula.classes.tolist()]
    score: Any = formula.score
    return classes if len(score.coef) == len(classes) else [f"{classes[-1]} against {classes[0]}"]


def coefficients(formula: Formula) -> Coefficients | None:
    """Return the coefficients of every score by name, the intercept first, in the units of the columns; None where scores are not linear.

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> from separatrix.artifacts.formula import formula_of
    >>> coefficients(formula_of(NearestMean().fit([[0.0], [2.0]], ["no", "yes"])))
    {'(intercept)': [-2.0], 'x0': [2.0]}
    """
    score = formula.score
    if not isinstance(score, Linear):
        return None
    inputs = formula.inputs
    names = distinct(list(inputs.names) if inputs.recipe is None else inputs.recipe.names)
    coef = score.coef if inputs.scale is None else score.coef / inputs.scale
    intercept = score.intercept if inputs.scale is None or inputs.mean is None else score.intercept - coef @ inputs.mean
    return {"(intercept)": intercept.tolist(), **{name: coef[:, j].tolist() for j, name in enumerate(names)}}


def coefficient_table(formula: Formula) -> Table | None:
    """Return the coefficients as a table, or None."""
    found = coefficients(formula)
    if found is None:
        return None
    columns = [Column(name, [own[k] for own in found.values()], ".6g") for k, name in enumerate(scores_named(formula))]
    return Table("Coefficients, in the units of the columns", (Column("number", list(found)), *columns))

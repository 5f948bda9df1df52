"""What the columns of numbers that a recipe makes of a table stand for, as parts of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..array_types import Floats
from ..prepare import Recipe
from ..prepare.outputs import Output
from ..prepare.steps import Category, Numbers, Ordered, Step

PartKind = Literal["number", "level", "word", "code", "missing", "other"]
NONE: Floats = np.zeros((0, 0))
"""The parts of no level."""


@dataclass(frozen=True, slots=True, eq=False)
class StepParts:
    """The parts that a step makes of one column.

    Attributes
    ----------
    column : number of the column in the table
    named : name and kind of each part
    factor : what each part is multiplied by on its way into the numbers: 1/10 where a coefficient is for 10 units
    levels, patterns : levels that a row can move to, and the parts of each; none where no levels are known
    told : levels that another column tells: a row of such a level keeps it
    """

    column: int
    named: list[tuple[str, PartKind]]
    factor: Floats
    levels: list[str]
    patterns: Floats
    told: tuple[str, ...] = ()


def recipe_parts(recipe: Recipe, names: Sequence[str]) -> list[StepParts]:
    """Return the parts of each step of a recipe, in the order of its outputs; products of columns come last and belong to no column.

    A column that stands in a product is held as it is: no line leads from one of its values to another.
    """
    place = {name: j for j, name in enumerate(names)}
    multiplied = {name for pair in recipe.interactions for name in pair}
    found = [_step_parts(step, place[step.column], step.column in multiplied) for step in recipe.steps if step.outputs]
    products = recipe.outputs[sum(len(step.outputs) for step in recipe.steps) :]
    return [*found, *(StepParts(-1, [(product.name, "other")], np.ones(1), [], NONE) for product in products)]


def _step_parts(step: Step, column: int, is_multiplied: bool) -> StepParts:
    ones = np.ones(len(step.outputs))
    if is_multiplied:
        return StepParts(column, [(output.name, "other") for output in step.outputs], ones, [], NONE)
    named: list[tuple[str, PartKind]] = [(_said(step, output), output.kind) for output in step.outputs]
    if isinstance(step, Category):
        width, rare = len(step.outputs), list(step.grouped[:1])
        patterns = np.vstack([np.zeros(width), np.eye(width)[: len(step.levels) + len(rare)]])
        return StepParts(column, named, ones, [step.reference, *step.levels, *rare], patterns, step.shared)
    if isinstance(step, Ordered):
        gaps = np.zeros((len(step.levels), len(step.outputs) - 1))
        return StepParts(column, named, ones, list(step.levels), np.hstack([np.arange(len(step.levels))[:, None], gaps]))
    if isinstance(step, Numbers):
        ones = np.array([1.0 / step.per if output.kind == "number" else 1.0 for output in step.outputs])
    return StepParts(column, named, ones, [], NONE)


def _said(step: Step, output: Output) -> str:
    """Return the name of a part: a number in units of its own, whatever a coefficient is for."""
    if isinstance(step, Numbers) and output.kind == "number":
        return f"{step.column} ({step.unit})" if step.unit else step.column
    return output.name

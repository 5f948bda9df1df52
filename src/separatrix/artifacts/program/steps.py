"""Steps of a recipe as expressions: the numbers that a column becomes, and what it adds to linear scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...array_types import Floats
from ...errors import InputError
from ...prepare.recipe import Recipe
from ...prepare.steps import Category, Dates, Dropped, Hashed, Numbers, Ordered, TargetStatistics
from ...prepare.steps.dates import CYCLES
from .nodes import ONE, ZERO, Node, Program, as_number, choose, dot, minus, number, over, ref, times, total, unary


@dataclass(slots=True)
class TableProgram:
    """The columns of a table on their way to numbers, in stages: read, filled in, shaped."""

    program: Program
    recipe: Recipe
    stages: tuple[dict[str, Node], ...] = field(default_factory=lambda: tuple({} for _ in range(8)))

    def close(self) -> None:
        """Add the stages to the program; called once all features have been asked for."""
        for values in self.stages:
            self.program.stage(values)

    def named(self, stage: int, node: Node) -> Node:
        """Return a node by a name of a stage."""
        if node.op in ("column", "ref", "number"):
            return node
        own = self.stages[stage]
        known = next((name for name, other in own.items() if other == node), None)
        name = known or f"{'fzabcdeh'[stage]}{len(own)}_"
        own[name] = node
        return ref(name)

    def features(self) -> list[Node]:
        """Return the numbers of all outputs of the recipe, in their order."""
        by_column = {step.column: self.of_step(step) for step in self.recipe.steps if not isinstance(step, Dropped)}
        found = [node for nodes in by_column.values() for node in nodes]
        for one, two in self.recipe.interactions:
            found += [times(a, b) for a in by_column[one] for b in by_column[two]]
        return found

    def linear(self, coef: Floats, intercept: Floats) -> list[Node]:
        """Return the scores coef (R, p) · outputs + intercept (R,): a term per column, in which levels and gaps are constants."""
        if self.recipe.interactions:
            outputs = self.features()
            return [dot(outputs, weights, constant) for weights, constant in zip(coef, intercept.tolist(), strict=True)]
        terms: list[list[Node]] = [[number(constant)] for constant in intercept.tolist()]
        at = 0
        for step in self.recipe.steps:
            width = len(step.outputs)
            if width:
                adds = self._adder(step)
                for own, weights in zip(terms, coef[:, at : at + width], strict=True):
                    own.append(adds(weights))
            at += width
        return [total(_flat(own)) for own in terms]

    def _adder(self, step: Any) -> Callable[[Floats], Node]:
        """Return what a step adds to a score, as a function of the weights of its outputs."""
        if isinstance(step, Numbers) and _is_line(step):
            x = self.number(step)
            return lambda w: _line(step, x, w, self.program.centred)
        if isinstance(step, Category):
            return lambda w: self._category(step, w)
        if isinstance(step, Ordered | TargetStatistics):
            return lambda w: self._levels(step, w)
        outputs = self.of_step(step)
        return lambda w: dot(outputs, w)

    def number(self, step: Numbers) -> Node:
        """Return a column of numbers, missing where there is none."""
        return self.program.read(step.column, "number", "" if step.written is None else step.written.decimal)

    def text(self, step: Any) -> Node:
        """Return a column of text."""
        return self.program.read(step.column, "text")

    def of_step(self, step: Any) -> list[Node]:
        """Return the numbers that a column becomes."""
        if isinstance(step, Numbers):
            return self._numbers(step)
        if isinstance(step, Category):
            return [self._category(step, row) for row in np.eye(len(step.outputs))]
        if isinstance(step, Ordered | TargetStatistics):
            return [self._levels(step, row) for row in np.eye(len(step.outputs))]
        if isinstance(step, Dates):
            return self._dates(step)
        kind = "by hash" if isinstance(step, Hashed) else f"as {step.kind}"
        raise InputError(
            f"Column {step.column!r} becomes numbers {kind} ({step.said}), which no export can do exactly; leave the column out "
            f"(separatrix fit --drop {step.column!r}), or give it another kind: TablePrep(kinds={{{step.column!r}: 'category'}})."
        )

    def _numbers(self, step: Numbers) -> list[Node]:
        x = self.number(step)
        there = unary("present", x)
        made: list[Node] = []
        if not step.flat or step.spikes:
            filled = self.named(0, choose(there, x, number(step.fill)))
            made = [] if step.flat else self._shaped(step, filled)
            made += [as_number(Node("equal", (filled, number(value)))) for value in step.spikes]
        if step.indicator:
            made.append(choose(there, ZERO, ONE))
        return made

    def _shaped(self, step: Numbers, x: Node) -> list[Node]:
        z = self.named(1, _transformed(step, x))
        if step.shape == "bins":
            between = zip(step.knots, [*step.knots[1:], None], strict=True)
            return [as_number(_within(z, low, high)) for low, high in between]
        made = [] if step.shape == "values" else [times(number(1.0 / step.per), z) if step.per != 1.0 else z]
        return made + (_spline(z, step.knots) if step.shape == "spline" else [])

    def _category(self, step: Category, w: Floats) -> Node:
        levels = dict(zip(step.levels, w.tolist(), strict=False)) | dict.fromkeys((step.reference, *step.shared), 0.0)
        other = float(w[len(step.levels)]) if step.grouped else 0.0
        gap = float(w[-1]) if step.missing else 0.0
        return Node("lookup", (self.text(step),), (tuple(levels.items()), other, gap))

    def _levels(self, step: Any, w: Floats) -> Node:
        if isinstance(step, Ordered):
            place, gap = float(w[0]), float(w[1]) if step.indicator else 0.0
            levels = {level: place * i for i, level in enumerate(step.levels)}
            return Node("lookup", (self.text(step),), (tuple(levels.items()), place * step.fill, place * step.fill + gap))
        shares = step.shares()[:, 1:] @ w
        levels = dict(zip(step.levels, shares[:-1].tolist(), strict=True))
        return Node("lookup", (self.text(step),), (tuple(levels.items()), float(shares[-1]), float(shares[-1])))

    def days(self, step: Dates) -> Node:
        """Return a column of dates as days since 1970, missing where there is none."""
        return unary("days", self.program.read(step.column, "date", "" if step.written is None else step.written.format))

    def _dates(self, step: Dates) -> list[Node]:
        given = self.named(0, self.days(step))
        there, made, calendar = unary("present", given), [], Calendar(self)
        days = self.named(1, choose(there, given, number(step.fill)))
        for part in step.parts:
            if part == "days":
                made.append(minus(days, number(step.origin)))
            elif part in CYCLES:
                angle = times(number(2.0 * np.pi / CYCLES[part]), calendar.part(part, days))
                made += [unary("sin", angle), unary("cos", angle)]
            else:
                made.append(calendar.part(part, days))
        if step.indicator:
            made.append(choose(there, ZERO, ONE))
        return made


@dataclass(slots=True)
class Calendar:
    """Year, month, weekday and hour from days since 1970, by floors alone, so that every language has them alike.

    References
    ----------
    Hinnant (2021), chrono-compatible low-level date algorithms, civil_from_days.
    """

    table: TableProgram

    def part(self, part: str, days: Node) -> Node:
        """Return a part of a date: the year, the month 0 … 11, the weekday 0 … 6 from Monday, or the hour with its fraction."""
        table = self.table
        day = table.named(2, unary("floor", days))
        if part == "hour":
            return times(number(24.0), minus(days, day))
        if part == "weekday":
            return _remainder(minus(day, number(-3.0)), 7.0)
        z = minus(day, number(-719_468.0))
        era = table.named(3, _floored(z, 146_097.0))
        doe = table.named(4, minus(z, times(number(146_097.0), era)))  # day of the era of 400 years, from March on
        leaps = [times(number(sign), _floored(doe, every)) for sign, every in ((-1.0, 1_460.0), (1.0, 36_524.0), (-1.0, 146_096.0))]
        yoe = table.named(5, _floored(total([doe, *leaps]), 365.0))
        own = [times(number(365.0), yoe), _floored(yoe, 4.0), times(number(-1.0), _floored(yoe, 100.0))]
        doy = table.named(6, minus(doe, total(own)))
        mp = table.named(7, _floored(total([times(number(5.0), doy), number(2.0)]), 153.0))  # months from March
        early = Node("less", (mp, number(10.0)))
        if part == "month":
            return choose(early, minus(mp, number(-2.0)), minus(mp, number(10.0)))
        return total([yoe, times(number(400.0), era), choose(early, ZERO, ONE)])


def _floored(x: Node, by: float) -> Node:
    return unary("floor", over(x, number(by)))


def _remainder(x: Node, by: float) -> Node:
    return minus(x, times(number(by), _floored(x, by)))


def single(values: Any) -> Floats:
    """Return the nearest numbers that single precision has."""
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def _flat(terms: list[Node]) -> list[Node]:
    """Return terms with sums among them taken apart, so that their constants add up."""
    return [part for term in terms for part in (term.args if term.op == "sum" else (term,))]


def _is_line(step: Numbers) -> bool:
    return step.transform == "none" and step.shape == "line" and not step.spikes


def _line(step: Numbers, x: Node, w: Floats, centred: bool) -> Node:
    """Return weight · x, or where x is missing what the fill and the mark of the gap add: one question per column."""
    slope = 0.0 if step.flat else float(w[0]) / step.per
    filled, mark = slope * step.fill, float(w[-1]) if step.indicator else 0.0
    there = unary("present", x)
    if centred:  # around the fill, whose share is a constant of the score
        centre = float(single(step.fill))
        away = times(number(slope), minus(x, number(centre)))
        return total([choose(there, away, number(filled - slope * centre + mark)), number(slope * centre)])
    return choose(there, times(number(slope), x), number(filled + mark))


def _transformed(step: Numbers, x: Node) -> Node:
    if step.transform == "log":
        return unary("log1p", Node("largest", (x, ZERO)))
    if step.transform == "root":
        return unary("cbrt", x)
    if step.transform == "squash":
        z = times(number(1.0 / step.scale), minus(x, number(step.centre)))
        return over(z, unary("sqrt", total([times(number(1.0 / 9.0), Node("product", (z, z))), ONE])))
    return x


def _within(z: Node, low: float, high: float | None) -> Node:
    above = Node("less", (number(low), z))
    return above if high is None else Node("and", (above, Node("at_most", (z, number(high)))))


def _spline(z: Node, knots: tuple[float, ...]) -> list[Node]:
    low, reach = knots[0], knots[-1] - knots[0]
    at = [(knot - low) / reach for knot in knots]
    u = times(number(1.0 / reach), minus(z, number(low)))
    cubes = [_cube(minus(u, number(place))) for place in at]
    slopes = [times(number(1.0 / (1.0 - place)), minus(cube, cubes[-1])) for place, cube in zip(at[:-1], cubes[:-1], strict=True)]
    return [minus(slope, slopes[-1]) for slope in slopes[:-1]]


def _cube(z: Node) -> Node:
    above = Node("largest", (z, ZERO))
    return Node("product", (Node("product", (above, above)), above))

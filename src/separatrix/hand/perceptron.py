"""The perceptron by hand: one table of visits and updates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import InputError
from . import exact
from .document import Grid, Step, Worked
from .exact import Vector
from .expressions import Dec, Frac, Paren, Root, Row, Sym, row
from .logarithms import LogNumber, linear_form
from .margin import largest_margin
from .small_data import SmallData, fraction, label, read
from .two_classes import refuse_inseparable, sides

MOST_UPDATES = 500
"""Updates after which work by hand gives up."""
MOST_VISITS = 60
"""Visits shown one by one; where there are more, only mistakes are shown."""
MOST_BOUNDED = 24
"""Rows up to which the bound on mistakes is found."""


@dataclass(frozen=True)
class Visit:
    """A row looked at: epoch, row, score, and the weights afterwards; a mistake changed them."""

    epoch: int
    row: int
    score: Fraction
    mistake: bool
    after: Vector


def work_perceptron(X: Any, y: Any, *, bias: bool = True, start: Sequence[Any] | None = None, positive: Any = None) -> Worked:
    """Write out the perceptron, rows in the order given: every visit, every update, the final weights and the bound on mistakes."""
    data = read(X, y)
    signs, plus = sides(data, positive, "perceptron")
    refuse_inseparable(data, signs, bias, "perceptron")
    rows = [[Fraction(1), *x] if bias else x for x in data.rows]
    w0 = _start(start, len(rows[0]), bias)
    visits = _learn(rows, signs, w0)
    w = visits[-1].after
    mistakes = sum(visit.mistake for visit in visits)
    steps = [data.step(tagged=False), _rule(data, plus, bias, w0), _table(data, rows, signs, visits), _ending(data, w, bias, visits)]
    result: dict[str, Any] = {
        "w": w[1:] if bias else w,
        "b": w[0] if bias else Fraction(0),
        "weights": [w0, *(visit.after for visit in visits if visit.mistake)],
        "mistakes": mistakes,
        "epochs": visits[-1].epoch,
        "scores": [exact.dot(w, x) for x in rows],
    }
    if len(rows) <= MOST_BOUNDED:
        step, bound = _bound(data, rows, signs, w0, mistakes)
        steps.append(step)
        result.update(bound)
    return Worked("The perceptron by hand", tuple(steps), result)


def _start(start: Sequence[Any] | None, p: int, bias: bool) -> Vector:
    if start is None:
        return [Fraction(0)] * p
    w = [fraction(value) for value in start]
    if len(w) != p:
        order = "the bias first, then one weight per column" if bias else "one weight per column"
        raise InputError(f"start has {len(w)} numbers; {p} are needed: {order}.")
    return w


def _learn(rows: list[Vector], signs: list[int], w: Vector) -> list[Visit]:
    visits: list[Visit] = []
    epoch, updates = 0, 0
    while True:
        epoch, wrong = epoch + 1, 0
        for i, (x, sign) in enumerate(zip(rows, signs)):
            score = exact.dot(w, x)
            mistake = sign * score <= 0
            if mistake:
                w, wrong, updates = exact.plus(w, exact.times(sign, x)), wrong + 1, updates + 1
            visits.append(Visit(epoch, i, score, mistake, w))
        if not wrong:
            return visits
        if updates > MOST_UPDATES:
            raise InputError(
                f"After {updates} updates there are still mistakes: the margin is too small for work by hand (limit {MOST_UPDATES}). Take "
                "other rows, or use Perceptron(trace=True)."
            )


def _rule(data: SmallData, plus: int, bias: bool, w0: Vector) -> Step:
    why = f"Class {label(data.classes[plus])} is the positive one, y = +1; the other has y = −1. "
    if bias:
        why += "The bias is the weight of a constant 1 put before every row, so that w has the bias first. "
    why += (
        "Go through the rows in order; where y·wᵀx ≤ 0 the row is a mistake, and y·x is added to w. Stop after an epoch without a mistake."
    )
    return Step(
        "The rule",
        why,
        (row("w", "=", data.tup(w0)), row("w", "→", "w", "+", "y", "¦", "x", "¦", "¦", "where", "¦", "¦", "y", "¦", "w^T", "x", "≤", 0)),
    )


def _table(data: SmallData, rows: list[Vector], signs: list[int], visits: list[Visit]) -> Step:
    shown = visits if len(visits) <= MOST_VISITS else [visit for visit in visits if visit.mistake]
    lines = []
    for visit in shown:
        x, sign = rows[visit.row], f"{signs[visit.row]:+d}".replace("-", "−")
        what = "mistake" if visit.mistake else "right"
        lines.append((str(visit.epoch), str(visit.row + 1), data.tup(x), sign, data.num(visit.score), what, data.tup(visit.after)))
    why = "Every line is a visit to a row" + (
        ": its score under the weights so far, and the weights after it."
        if shown is visits
        else " that was a mistake; the others change nothing and are left out."
    )
    return Step("The updates", why, (Grid(("epoch", "row", "x", "y", row("w^T", "x"), "", "w after"), tuple(lines)),))


def _ending(data: SmallData, w: Vector, bias: bool, visits: list[Visit]) -> Step:
    weights, constant = (w[1:], w[0]) if bias else (w, Fraction(0))
    mistakes = sum(visit.mistake for visit in visits)
    why = f"Epoch {visits[-1].epoch} had no mistake. {mistakes} update{'s' * (mistakes != 1)} in all; f > 0 means the positive class."
    return Step("The result", why, (row("w", "=", data.tup(w)), row("f", "=", linear_form(data, weights, LogNumber(constant)))))


def _bound(data: SmallData, rows: list[Vector], signs: list[int], w0: Vector, mistakes: int) -> tuple[Step, dict[str, Any]]:
    """Novikoff's bound (R/γ)² + 2‖w₀‖/γ, with γ the largest margin of planes through the origin of these rows."""
    radius = max(exact.dot(x, x) for x in rows)
    best = largest_margin(rows, signs, bias=False)
    inverse, start = exact.dot(best.w, best.w), exact.dot(w0, w0)
    gamma = [data.num(Fraction(1))] if inverse == 1 else [Root(data.num(1 / inverse)), "≈", Dec(float(inverse) ** -0.5)]
    parts: list[Any] = [row("R^2", "=", data.num(radius), ",", Sym("γ"), "=", *gamma)]
    bound = float(radius * inverse) + 2 * (float(start) * float(inverse)) ** 0.5
    ratio = Paren(Frac("R", "γ"), "2")
    if start:
        items = [
            ratio,
            "+",
            Frac(row(2, "¦", "‖w‖"), "γ"),
            "=",
            data.num(radius * inverse),
            "+",
            2,
            "¦",
            Root(data.num(start * inverse)),
            "≈",
            Dec(bound),
        ]
        parts += ["Here ‖w‖ is the length of the weights at the start.", Row(tuple(row(*items).items))]
    else:
        parts.append(row(ratio, "=", data.num(radius * inverse)))
    why = "However the rows are ordered, the mistakes never exceed a bound: R is the length of the longest row, γ the largest margin. "
    why += f"Here there {'was' if mistakes == 1 else 'were'} {mistakes}."
    result = {"radius_squared": radius, "margin_squared": 1 / inverse, "bound": bound}
    return Step("The bound on mistakes", why, tuple(parts)), result

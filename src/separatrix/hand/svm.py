"""The hard-margin support vector machine by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from . import exact
from .document import Grid, Step, Worked
from .exact import Vector
from .expressions import Dec, Frac, Node, Num, Paren, Root, Row, Sym, joined, row
from .logarithms import LogNumber, linear_form
from .margin import Margin, largest_margin
from .moments import decided, decisions_grid
from .small_data import SmallData, label, read, read_rows
from .two_classes import refuse_inseparable, sides

MOST_ROWS = 24
"""Rows up to which all sets of support vectors are tried."""

LARGEST_ROOT = 10**9
"""Numbers up to which squares are taken out of a root."""


def work_svm(X: Any, y: Any, new: Any = None, *, positive: Any = None) -> Worked:
    """Write out the hard-margin machine: support vectors, multipliers, w, b, the margin, decisions."""
    data = read(X, y, MOST_ROWS)
    signs, plus = sides(data, positive, "svm")
    refuse_inseparable(data, signs, bias=True, method="svm")
    found = largest_margin(data.rows, signs)
    rows = data.rows if new is None else read_rows(new, data.p)[1]
    codes = [plus if exact.dot(found.w, x) + found.b > 0 else 1 - plus for x in rows]
    square = exact.dot(found.w, found.w)
    steps = (
        data.step(tagged=False),
        _problem(data, plus),
        _support(data, found, signs),
        _plane(data, found, signs),
        _margin(data, found, square, signs),
        _decisions(data, found, rows, codes, None if new is not None else data.codes),
    )
    result = {
        "w": found.w,
        "b": found.b,
        "support": [i + 1 for i in found.support],
        "multipliers": list(found.multipliers),
        "on_margin": [i + 1 for i, value in enumerate(found.values) if value == 1],
        "half_margin_squared": 1 / square,
        "decisions": [data.classes[k] for k in codes],
    }
    return Worked("The largest margin by hand", steps, result)


def _problem(data: SmallData, plus: int) -> Step:
    why = (
        f"Class {label(data.classes[plus])} is the positive one, y = +1; the other has y = −1. Of all planes that separate the classes, "
        "the one farthest from the nearest rows has the shortest w for which every row scores at least 1 on its own side. At the optimum "
        "w is a combination of rows, with a multiplier α above 0 only for rows that score exactly 1: the support vectors."
    )
    scores = row("y_i", Paren(row("w^T", "x_i", "+", "b")), "≥", 1)
    return Step(
        "What is looked for",
        why,
        (
            row("min", "¦", Fraction(1, 2), "¦", "w^T", "w", "¦", "¦", "where", "¦", "¦", scores),
            row("w", "=", "Σ", "¦", "α_i", "y_i", "x_i", ",", "Σ", "¦", "α_i", "y_i", "=", 0),
        ),
    )


def _support(data: SmallData, found: Margin, signs: list[int]) -> Step:
    unknown = [Sym("α", str(i + 1)) for i in found.support]
    parts: list[Node] = []
    for i in found.support:
        terms: list[Any] = []
        for name, j in zip(unknown, found.support):
            value = signs[j] * exact.dot(data.rows[i], data.rows[j])
            terms += _term(data, value, name, bool(terms))
        parts.append(row(*(terms or [0]), "+", "b", "=", signs[i]))
    balance: list[Any] = []
    for name, j in zip(unknown, found.support):
        balance += _term(data, Fraction(signs[j]), name, bool(balance))
    parts.append(row(*balance, "=", 0))
    solved = joined(",", [row(name, "=", data.num(a)) for name, a in zip(unknown, found.multipliers)])
    parts.append(row(solved, ",", "b", "=", data.num(found.b)))
    numbers = ", ".join(str(i + 1) for i in found.support)
    why = (
        f"Try sets of rows, the smallest first: let exactly they score ±1 and solve for α and b. The first set with all α above 0 and "
        f"no other row inside the margin is the answer: rows {numbers}. In wᵀx + b = y, w is replaced by Σ α y x."
    )
    return Step("The support vectors", why, tuple(parts))


def _term(data: SmallData, value: Fraction, name: Sym, inside: bool) -> list[Any]:
    if not value:
        return []
    sign: list[Any] = ["−" if value < 0 else "+"] if inside else [Sym("−")] if value < 0 else []
    return [*sign, *([] if abs(value) == 1 else [data.num(abs(value)), "¦"]), name]


def _plane(data: SmallData, found: Margin, signs: list[int]) -> Step:
    terms: list[Any] = []
    for i, alpha in zip(found.support, found.multipliers):
        terms += [
            *(["+" if signs[i] > 0 else "−"] if terms else [Sym("−")] if signs[i] < 0 else []),
            data.num(alpha),
            "¦",
            data.vec(data.rows[i]),
        ]
    parts = (
        row("w", "=", *terms, "=", data.vec(found.w)),
        row("f", "=", "w^T", "x", "+", "b", "=", linear_form(data, found.w, LogNumber(found.b))),
    )
    return Step("The plane", "Put the multipliers in.", parts)


def _margin(data: SmallData, found: Margin, square: Fraction, signs: list[int]) -> Step:
    lines = []
    multipliers = dict(zip(found.support, found.multipliers))
    for i, (x, value) in enumerate(zip(data.rows, found.values)):
        where = "support vector" if i in multipliers else "on the margin" if value == 1 else ""
        lines.append(
            (
                str(i + 1),
                data.tup(x),
                f"{signs[i]:+d}".replace("-", "−"),
                data.num(value),
                data.num(multipliers.get(i, Fraction(0))),
                where,
            )
        )
    grid = Grid(("row", "x", "y", row("y", "·", "f"), "α", ""), tuple(lines))
    half = row(Frac(1, "‖w‖"), *_root(data, square))
    why = "Every row scores at least 1 on its own side; those that score exactly 1 lie on the margin, at the distance 1/‖w‖ from the plane."
    return Step("The margin", why, (grid, half))


def _root(data: SmallData, square: Fraction) -> list[Any]:
    """Return what 1/√square equals: in lowest terms where its numbers are small, and in decimals."""
    decimals = Dec(float(square) ** -0.5)
    outside, inside = Fraction(1, square.numerator), square.numerator * square.denominator
    if inside > LARGEST_ROOT:
        return ["≈", decimals]
    factor = 2
    while factor * factor <= inside:
        while inside % factor**2 == 0:
            inside //= factor**2
            outside *= factor
        factor += 1
    first = ["=", Frac(1, Root(data.num(square))), "="]
    if inside == 1:
        return [*first, Num(outside)]
    front = [] if outside == 1 else [Num(outside)]
    return [*first, Row((*front, Root(Num(Fraction(inside))))), "≈", decimals]


def _decisions(data: SmallData, found: Margin, rows: list[Vector], codes: list[int], truth: list[int] | None) -> Step:
    heads: tuple[Any, ...] = ("row", "x", "f", "decided", "right")
    lines = []
    for i, x in enumerate(rows):
        to, mark = decided(data, codes[i], None if truth is None else truth[i])
        lines.append((str(i + 1), data.tup(x), data.num(exact.dot(found.w, x) + found.b), to, mark))
    return Step("The decisions", "The sign of f decides.", (decisions_grid(heads, lines, truth is not None),))

"""What formulas are made of, and how they look in fixed-width letters.

A formula is a tree of a few kinds of nodes; this file draws it as text, `markup.py` writes it as LaTeX and as MathML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

SUBSCRIPTS = str.maketrans("0123456789+−ijk", "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖ")
SUPERSCRIPTS = str.maketrans("0123456789+−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
SPACED = {"=", "+", "−", "≈", ">", "<", "≥", "≤", "→", "∝", "⇒", "≠"}
OPERATORS = SPACED | {"·", ",", "(", ")", "/", "|", "…", "¦"}
LONGEST = 13
"""Characters of a fraction that are still read as one number; longer ones are shown as decimals."""


@dataclass(frozen=True)
class Sym:
    """A symbol such as S_W⁻¹: a name with a subscript and a superscript."""

    name: str
    sub: str = ""
    sup: str = ""


@dataclass(frozen=True)
class Op:
    """An operator, a relation or a bracket."""

    sign: str


@dataclass(frozen=True)
class Num:
    """An exact number, shown as a fraction, or as a decimal where it is one and its data are."""

    value: Fraction
    decimal: bool = False

    @property
    def shown(self) -> tuple[str, Fraction | None]:
        """Text of the number, and the fraction itself where it is to be shown as one."""
        if self.value.denominator == 1:
            return _minus(str(self.value)), None
        digits = _terminating(self.value) if self.decimal else None
        if digits is not None:
            return _minus(digits), None
        if len(str(self.value)) > LONGEST:
            return "≈" + _minus(f"{float(self.value):.6g}"), None
        return _minus(str(self.value)), self.value


@dataclass(frozen=True)
class Dec:
    """A decimal to so many digits."""

    value: float
    digits: int = 6

    @property
    def shown(self) -> tuple[str, int | None]:
        """Digits, and the power of ten behind them if any."""
        text = f"{self.value:.{self.digits}g}"
        head, _, power = text.partition("e")
        return _minus(head), int(power) if power else None


@dataclass(frozen=True)
class Mat:
    """A matrix; a column vector has one column."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Tup:
    """A vector written on one line, (4, 2)."""

    items: tuple[Any, ...]


@dataclass(frozen=True)
class Frac:
    """A fraction of formulas."""

    top: Any
    bottom: Any


@dataclass(frozen=True)
class Paren:
    """Brackets as tall as what they hold, with a superscript behind them if any."""

    inside: Any
    sup: str = ""


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Any


@dataclass(frozen=True)
class Row:
    """Nodes side by side."""

    items: tuple[Any, ...]


Node = Sym | Op | Num | Dec | Mat | Tup | Frac | Paren | Root | Row


def node(value: Any) -> Node:
    """Return a node: strings are operators or symbols such as "S_W^-1", numbers are exact.

    Examples
    --------
    >>> node("m_1"), node("="), node(Fraction(1, 2))
    (Sym(name='m', sub='1', sup=''), Op(sign='='), Num(value=Fraction(1, 2), decimal=False))
    """
    if isinstance(value, Node):
        return value
    if isinstance(value, (int, Fraction)):
        return Num(Fraction(value))
    if value in OPERATORS:
        return Op(value)
    match = re.fullmatch(r"([^_^]+)(?:_([^^]+))?(?:\^(.+))?", value)
    assert match is not None, value
    return Sym(match[1], match[2] or "", match[3] or "")


def row(*values: Any) -> Row:
    """Return nodes side by side.

    Examples
    --------
    >>> print(text(row("w", "=", "S_W^-1", Paren(row("m_2", "−", "m_1")))))
    w = S_W⁻¹(m₂ − m₁)
    """
    return Row(tuple(node(value) for value in values))


def joined(sign: str, values: Sequence[Any]) -> Row:
    """Return values with a sign between them."""
    items: list[Any] = []
    for value in values:
        items += [value] if not items else [sign, value]
    return row(*items)


@dataclass(frozen=True)
class Box:
    """Lines of equal width, and the line that stands on the line of writing."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        """Characters of a line."""
        return len(self.lines[0])

    def beside(self, other: Box) -> Box:
        """Return both boxes side by side on one line of writing."""
        above, below = max(self.base, other.base), max(len(self.lines) - self.base, len(other.lines) - other.base)
        left, right = self._grown(above, below), other._grown(above, below)
        return Box(tuple(a + b for a, b in zip(left, right, strict=True)), above)

    def _grown(self, above: int, below: int) -> list[str]:
        blank = " " * self.width
        return [blank] * (above - self.base) + list(self.lines) + [blank] * (below - len(self.lines) + self.base)


def text(value: Any) -> str:
    """Return a formula in fixed-width letters, in as many lines as its matrices need."""
    return "\n".join(line.rstrip() for line in box(node(value)).lines)


def box(value: Node) -> Box:
    """Return a formula as a box of letters."""
    match value:
        case Row(items):
            found = Box(("",))
            for item in items:
                found = found.beside(box(item))
            return found
        case Mat(rows):
            return _matrix(rows)
        case Frac(top, bottom):
            return _stacked(box(node(top)), box(node(bottom)))
        case Paren(inside, sup):
            held = box(node(inside))
            left, right = (_bracket(len(held.lines), held.base, pieces) for pieces in ("(⎛⎜⎝", ")⎞⎟⎠"))
            raised = Box((_raised(sup), *[" " * len(_raised(sup))] * held.base), held.base)
            return left.beside(held).beside(right).beside(raised)
        case Root(inside):
            held = box(node(inside))
            return Box(("√",)).beside(held) if held.width == 1 else Box(("√(",)).beside(held).beside(Box((")",)))
        case Tup(items):
            return Box((f"({', '.join(box(node(item)).lines[0] for item in items)})",))
    return Box((_word(value),))


def _word(value: Any) -> str:
    match value:
        case Sym(name, sub, sup):
            low = sub.translate(SUBSCRIPTS)
            low = low if sub and not set(low) & set(sub) else f"_{sub}" if sub else ""
            return name + low + _raised(sup)
        case Op(sign):
            return f" {sign} " if sign in SPACED else ", " if sign == "," else " " if sign == "¦" else sign
        case Num():
            return value.shown[0]
    digits, power = value.shown
    return digits if power is None else f"{digits}e{_minus(f'{power:03d}' if power < 0 else f'{power:02d}')}"


def _raised(sup: str) -> str:
    return "ᵀ" if sup == "T" else sup.translate(SUPERSCRIPTS)


def _matrix(rows: Sequence[Sequence[Any]]) -> Box:
    cells = [[box(node(item)).lines[0] for item in line] for line in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = tuple("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in cells)
    n, base = len(lines), (len(lines) - 1) // 2
    return _bracket(n, base, "[⎡⎢⎣").beside(Box(lines, base)).beside(_bracket(n, base, "]⎤⎥⎦"))


def _bracket(n: int, base: int, pieces: str) -> Box:
    if n == 1:
        return Box((pieces[0],))
    return Box((pieces[1], *[pieces[2]] * (n - 2), pieces[3]), base)


def _stacked(top: Box, bottom: Box) -> Box:
    width = max(top.width, bottom.width)
    lines = (*[line.center(width) for line in top.lines], "─" * width, *[line.center(width) for line in bottom.lines])
    return Box(lines, len(top.lines))


def _terminating(value: Fraction) -> str | None:
    """Return the decimals of a number that has few enough of them, else None."""
    for digits in range(1, 9):
        if (value * 10**digits).denominator == 1:
            return f"{float(value):.{digits}f}"
    return None


def _minus(number: str) -> str:
    return number.replace("-", "−")

"""Numbers of the form a + ln b with exact a and b, and linear forms in the columns."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from .exact import Vector
from .expressions import Node, Num, Paren, Sym, row
from .small_data import SmallData


@dataclass(frozen=True)
class LogNumber:
    """a + ln b.

    Examples
    --------
    >>> x = LogNumber(Fraction(1), Fraction(1, 2)) - LogNumber(Fraction(0), Fraction(1, 4))
    >>> x, round(float(x), 4)
    (LogNumber(value=Fraction(1, 1), log=Fraction(2, 1)), 1.6931)
    """

    value: Fraction
    log: Fraction = Fraction(1)

    def __add__(self, other: LogNumber | Fraction) -> LogNumber:
        other = other if isinstance(other, LogNumber) else LogNumber(other)
        return LogNumber(self.value + other.value, self.log * other.log)

    def __sub__(self, other: LogNumber) -> LogNumber:
        return LogNumber(self.value - other.value, self.log / other.log)

    @property
    def exactly(self) -> Decimal:
        """The number to fifty digits: enough to compare two of them."""
        with localcontext() as context:
            context.prec = 50
            a, b = (Decimal(part.numerator) / Decimal(part.denominator) for part in (self.value, self.log))
            return a + b.ln()

    def __float__(self) -> float:
        return float(self.exactly)

    def node(self, data: SmallData) -> Node:
        """Return the number as a formula."""
        if self.log == 1:
            return data.num(self.value)
        # ln ½ is written −ln 2.
        sign, log = ("+", self.log) if self.log > 1 else ("−", 1 / self.log)
        tail = ["ln", "¦", _argument(log)]
        return row(data.num(self.value), sign, *tail) if self.value else row(*([] if sign == "+" else [sign]), *tail)


def linear_form(data: SmallData, w: Vector, constant: LogNumber) -> Node:
    """Return w'x + constant written out in the columns."""
    items: list[Any] = []
    for weight, name in zip(w, data.names):
        if weight:
            size: list[Any] = [] if abs(weight) == 1 else [data.num(abs(weight)), "¦"]
            column = name if isinstance(name, Sym) else Sym(str(name))
            items += [*_sign(weight < 0, bool(items)), *size, column]
    if constant.value or not items:
        items += [*_sign(constant.value < 0, bool(items)), data.num(abs(constant.value))]
    if constant.log != 1:
        items += [*_sign(constant.log < 1, bool(items)), "ln", "¦", _argument(max(constant.log, 1 / constant.log))]
    return row(*items)


def _argument(value: Fraction) -> Node:
    return Num(value) if value.denominator == 1 else Paren(Num(value))


def _sign(negative: bool, inside: bool) -> list[Any]:
    if not inside:
        return [Sym("−")] if negative else []
    return ["−" if negative else "+"]

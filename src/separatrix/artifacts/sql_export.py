"""A program as one SELECT: a WITH per stage, each score once, sums that are balanced, NULL and NaN both missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.database import sql
from ..data.database.sql import Dialect, Expression
from ..errors import InputError, short_text
from ..prepare.written_numbers import BLANKS
from .program.nodes import Node, Program, Read
from .sql_columns import days_of, read_number

LARGEST = 1.7976931348623157e308
SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What Python's strip takes away."""


@dataclass(slots=True)
class SqlWriter:
    """Expressions of a program for one dialect.

    Attributes
    ----------
    names : what each column of the table is called in the first stage
    exact : whether every number is asked whether it is NaN; else NULL alone counts as missing, and who reads it looks at the result
    """

    program: Program
    dialect: Dialect
    names: dict[str, str]
    exact: bool = True

    def write(self, node: Node) -> Expression:
        """Return a node as an expression."""
        own = getattr(self, f"_{node.op}", None)
        if own is not None:
            return own(node)
        signs = {"less": "<", "at_most": "<=", "equal": "=", "and": "and", "or": "or", "product": "*", "quotient": "/"}
        args = [self.write(arg) for arg in node.args]
        if node.op in signs:
            return sql.operation(signs[node.op], *args)
        return sql.call(node.op, *args)

    def number(self, value: float) -> Expression:
        """Return a constant."""
        return sql.number(value, self.dialect)

    def _number(self, node: Node) -> Expression:
        return self.number(node.value)

    def _nothing(self, node: Node) -> Expression:
        return sql.cast(sql.null(), "double")

    def _column(self, node: Node) -> Expression:
        return sql.column(self.names[node.value])

    def _ref(self, node: Node) -> Expression:
        return sql.column(node.value)

    def _sum(self, node: Node) -> Expression:
        return sql.total([self.write(arg) for arg in node.args])

    def _dot(self, node: Node) -> Expression:
        weights, constant = node.value
        terms = [sql.operation("*", self.number(w), self.write(arg)) for w, arg in zip(weights, node.args, strict=True)]
        return sql.total([*terms, self.number(constant)] if constant else terms)

    def _present(self, node: Node) -> Expression:
        x = self.write(node.args[0])
        if self.dialect.is_finite:
            return sql.is_there(x)
        return sql.operation("<=", sql.call("abs", x), self.number(LARGEST))

    def _not(self, node: Node) -> Expression:
        return sql.negation(self.write(node.args[0]))

    def _choose(self, node: Node) -> Expression:
        if not self.exact and is_line(node):
            return self._line(node)
        condition, one, two = (self.write(arg) for arg in node.args)
        return sql.case([(condition, one)], two)

    def _line(self, node: Node) -> Expression:
        """Return weight · x with the number in place of NULL that gives the same: only a column is chosen, never a product."""
        x, value, gap = node.args[0].args[0], node.args[1], node.args[2].value
        weight = 1.0 if value == x else value.args[0].value
        there = sql.is_there(self.write(x))
        if not 1e-100 < abs(weight) < 1e100:
            return sql.case([(there, self.write(value))], self.number(gap))
        return sql.operation("*", self.number(weight), sql.case([(there, self.write(x))], self.number(gap / weight)))

    def _largest(self, node: Node) -> Expression:
        return sql.extreme([self.write(arg) for arg in node.args], self.dialect, largest=True)

    def _smallest(self, node: Node) -> Expression:
        return sql.extreme([self.write(arg) for arg in node.args], self.dialect, largest=False)

    def _log(self, node: Node) -> Expression:
        return sql.call("ln", self.write(node.args[0]))

    def _log1p(self, node: Node) -> Expression:
        return sql.call("ln", sql.operation("+", self.number(1.0), self.write(node.args[0])))

    def _cbrt(self, node: Node) -> Expression:
        def root(x: Expression) -> Expression:
            return sql.power(x, self.number(1.0 / 3.0))

        below = sql.operation("<", self.write(node.args[0]), self.number(0.0))
        minus = sql.operation("-", self.number(0.0), self.write(node.args[0]))
        return sql.case([(below, sql.operation("-", self.number(0.0), root(minus)))], root(self.write(node.args[0])))

    def _days(self, node: Node) -> Expression:
        return self.write(node.args[0])  # the first stage has made days of it

    def _lookup(self, node: Node) -> Expression:
        return self._levels(node, lambda level: sql.text(str(level), self.dialect), _spellings)

    def _numbered(self, node: Node) -> Expression:
        return self._levels(node, self.number, lambda level: [level])

    def _levels(self, node: Node, literal: Callable[[Any], Expression], spellings: Callable[[Any], list[Any]]) -> Expression:
        levels, other, gap = node.value
        by_value: dict[float, list[Any]] = {}
        known = {level for level, _ in levels}
        for level, value in levels:
            if value != other:  # a spelling that is a level itself stands for that one
                by_value.setdefault(value, []).extend(text for text in spellings(level) if text == level or text not in known)
        is_text = node.op == "lookup"
        x = self.write(node.args[0])
        missing = sql.is_null(x) if is_text else sql.negation(self._present(node))
        branches = [(missing, self._value(gap))] if gap != other else []
        for value, own in by_value.items():
            branches.append((sql.among(self.write(node.args[0]), [literal(level) for level in own]), self.number(value)))
        if other is None:  # other numbers than these cannot be counted
            branches += [(sql.among(self.write(node.args[0]), [literal(level) for level, _ in levels]), self.number(0.0))]
        return sql.case(branches, self._value(other))

    def _value(self, value: float | None) -> Expression:
        return sql.cast(sql.null(), "double") if value is None else self.number(value)

    def _interpolate(self, node: Node) -> Expression:
        places, values = node.value
        return self._between(node.args[0], places, values, 0, len(places) - 1)

    def _between(self, x: Node, places: Sequence[float], values: Sequence[float], low: int, high: int) -> Expression:
        """Return the line between two places that x lies between, found by halving: the depth is a logarithm."""
        if high - low <= 1:
            if low == 0:
                inner = self._piece(x, places, values, low, high)
                inner = sql.case([(sql.operation("<=", self.write(x), self.number(places[0])), self.number(values[0]))], inner)
            else:
                inner = self._piece(x, places, values, low, high)
            if high == len(places) - 1:
                inner = sql.case([(sql.operation(">=", self.write(x), self.number(places[-1])), self.number(values[-1]))], inner)
            return inner
        middle = (low + high) // 2
        below = sql.operation("<", self.write(x), self.number(places[middle]))
        return sql.case([(below, self._between(x, places, values, low, middle))], self._between(x, places, values, middle, high))

    def _piece(self, x: Node, places: Sequence[float], values: Sequence[float], low: int, high: int) -> Expression:
        if high == low or values[high] == values[low]:
            return self.number(values[low])
        slope = (values[high] - values[low]) / (places[high] - places[low])
        rise = sql.operation("*", self.number(slope), sql.operation("-", self.write(x), self.number(places[low])))
        return sql.operation("+", rise, self.number(values[low]))


def is_line(node: Node) -> bool:
    """Return whether a node is weight · x, or a constant where column x is missing: a NaN or an infinity in x shows in its value."""
    if node.op != "choose" or node.args[0].op != "present":
        return False
    x, value = node.args[0].args[0], node.args[1]
    return (
        x.op == "column"
        and node.args[2].op == "number"
        and (value == x or (value.op == "product" and value.args[0].op == "number" and value.args[1] == x))
    )


def _spellings(level: Any) -> list[str]:
    """Return a level as databases write it when they make text of numbers and truth values: 3 as 3.0 too, 1e20 as 1.0e+20, 1 as true."""
    text = str(level)
    if text in ("0", "1"):
        return [text, f"{text}.0", "true" if text == "1" else "false"]
    try:
        value = float(text)
        is_number = text == (str(int(value)) if value.is_integer() else repr(value))
    except (ValueError, OverflowError):
        is_number = False
    if not is_number or value - value != 0.0:
        return [text, text.lower()] if text in ("True", "False") else [text]
    found = [text, np.format_float_positional(value, trim="0"), f"{value:.15g}"]
    if not 1e-4 <= abs(value) < 1e15:
        found += [np.format_float_scientific(value, trim="-", exp_digits=2), np.format_float_scientific(value, trim="0", exp_digits=2)]
    return list(dict.fromkeys(found))


def cleaned(column: Expression, how: Read, dialect: Dialect) -> Expression:
    """Return a column as its kind is read: text without blanks around it, dates as days since 1970."""
    if how.kind == "text" or how.written:
        chars = sql.text(SPACES, dialect)
        text = sql.bytewise(sql.trim(sql.cast(column, "text"), chars, dialect), dialect)
        if how.kind == "number":
            return read_number(text, how.written, dialect)
        if how.kind == "date":
            return days_of(text, how.written, dialect)
        blanks = [sql.text(blank, dialect) for blank in sorted(BLANKS)]
        return sql.case([(sql.among(text, blanks), sql.null())], text.copy())
    if how.kind == "date":
        return days_of(column, "", dialect)
    # Truth values are numbers there only if asked; a double stays as it is.
    return sql.cast(column, "double") if dialect.name in ("duckdb", "spark") else column


def label_literal(label: Any, dialect: Dialect) -> Expression:
    """Return a label or the name of an action as a constant; None is NULL."""
    value = label.item() if hasattr(label, "item") else label
    if value is None:
        return sql.null()
    if isinstance(value, bool):
        return sql.truth(value, dialect)
    if isinstance(value, int):
        return sql.integer(value)
    if isinstance(value, float):
        return sql.number(value, dialect)
    if isinstance(value, str):
        return sql.text(value, dialect)
    raise InputError(f"The label {short_text(value)} is a {type(value).__name__}, which SQL has no constant for; use text or numbers.")


def labels_of(labels: Sequence[Any], dialect: Dialect) -> list[Expression]:
    """Return labels as constants of one type: text where they are of several."""
    kinds = {type(label.item() if hasattr(label, "item") else label) for label in labels if label is not None}
    if len(kinds) > 1 and kinds != {int, float}:
        return [sql.null() if label is None else sql.text(str(label), dialect) for label in labels]
    return [label_literal(label, dialect) for label in labels]

"""Expressions of one row as small trees, in stages that use each other: what SQL, ONNX and Python are printed from.

A tree holds names of columns and constants and never text of any language, so that nothing in a name or level can become code. A number
may be *missing*: NULL in SQL, NaN elsewhere; what is computed from it is missing too, unless `choose` asks whether it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np


@dataclass(frozen=True, slots=True)
class Read:
    """How a column is read: as a number, text or date; `written` is the decimal mark or the format where it is written as text."""

    kind: Literal["number", "text", "date"] = "number"
    written: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """An operation, its arguments, and a constant where it has one.

    ============  =================================================================================
    column        a column of the table; value: its name
    ref           a value of an earlier stage; value: its name
    number        a constant
    nothing       a missing number
    sum           of any number of arguments; dot: with weights, value: (weights, constant)
    product, quotient, exp, log, log1p, sqrt, abs, floor, sin, cos, cbrt
    largest, smallest          of two or more
    less, at_most, equal       comparisons of numbers: true or false
    present       whether a number is there and finite; `there` of a text: not missing and not blank
    and, or, not  of truth values
    choose        condition, value if true, value if not
    lookup        of a text; value: ({level: number}, number of other levels, number where missing)
    numbered      of a number; value: the same for category numbers
    interpolate   of a number; value: (places, values): straight between them, flat beyond
    days          of a date: since 1970, with the share of the day
    ============  =================================================================================
    """

    op: str
    args: tuple[Node, ...] = ()
    value: Any = None

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.args


def number(value: float) -> Node:
    """Return a constant."""
    return Node("number", (), float(value))


ZERO, ONE, NOTHING = number(0.0), number(1.0), Node("nothing")


def column(name: str) -> Node:
    """Return a column of the table."""
    return Node("column", (), name)


def ref(name: str) -> Node:
    """Return a value of an earlier stage."""
    return Node("ref", (), name)


def is_constant(node: Node) -> bool:
    """Return whether a node is a constant."""
    return node.op == "number"


def total(terms: Iterable[Node]) -> Node:
    """Return a sum, its constants added up."""
    terms = list(terms)
    constant = sum(term.value for term in terms if is_constant(term))
    rest = [term for term in terms if not is_constant(term)]
    if not rest:
        return number(constant)
    rest += [number(constant)] if constant else []
    return rest[0] if len(rest) == 1 else Node("sum", tuple(rest))


def times(one: Node, two: Node) -> Node:
    """Return a product, without what changes nothing."""
    if is_constant(two):
        one, two = two, one
    if is_constant(one):
        if is_constant(two):
            return number(one.value * two.value)
        if one.value == 1.0:
            return two
        if one.value == 0.0:
            return ZERO
    return Node("product", (one, two))


def minus(one: Node, two: Node) -> Node:
    """Return a difference."""
    return total([one, times(number(-1.0), two)]) if not is_constant(two) else total([one, number(-two.value)])


def over(one: Node, two: Node) -> Node:
    """Return a quotient."""
    return Node("quotient", (one, two))


def dot(features: Sequence[Node], weights: Any, constant: float = 0.0) -> Node:
    """Return Σ weights_j features_j + constant, without features of weight 0."""
    kept = [(feature, float(w)) for feature, w in zip(features, np.asarray(weights).tolist(), strict=True) if w != 0.0]
    if not kept:
        return number(constant)
    return Node("dot", tuple(feature for feature, _ in kept), (tuple(w for _, w in kept), float(constant)))


def unary(op: str, one: Node) -> Node:
    """Return a function of one number."""
    return Node(op, (one,))


def square(one: Node) -> Node:
    """Return one · one; `one` should be a name."""
    return Node("product", (one, one))


def choose(condition: Node, one: Node, two: Node) -> Node:
    """Return one value or another."""
    return one if one == two else Node("choose", (condition, one, two))


def as_number(condition: Node) -> Node:
    """Return a truth value as 1 or 0."""
    return choose(condition, ONE, ZERO)


def clipped(one: Node, low: float, high: float) -> Node:
    """Return a number held between two others."""
    return Node("smallest", (Node("largest", (one, number(low))), number(high)))


@dataclass(slots=True)
class Program:
    """Stages of named values, one after the other, and what is told at the end.

    Attributes
    ----------
    columns : how each column of the table is read
    stages : names and expressions; an expression uses columns and values of earlier stages
    scores, posteriors : names of values; there may be no posteriors
    label : (names of values, labels, "largest" or "positive"): the label of the first largest value, or of one value above 0
    action : the same with "smallest" for expected costs, or None
    centred : whether columns are centred before they are weighted
    finite : whether scores may be missing, because the model has no rule for gaps: then nothing is told
    """

    columns: dict[str, Read] = field(default_factory=dict)
    stages: list[dict[str, Node]] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    posteriors: list[str] = field(default_factory=list)
    label: tuple[list[str], list[Any], str] = ((), (), "")  # type: ignore[assignment]
    action: tuple[list[str], list[Any], str] | None = None
    classes: list[Any] = field(default_factory=list)
    finite: bool = True
    model: str = ""
    centred: bool = False

    def read(self, name: str, kind: Literal["number", "text", "date"] = "number", written: str = "") -> Node:
        """Return a column, which is read from now on."""
        self.columns[name] = Read(kind, written)
        return column(name)

    def stage(self, values: Mapping[str, Node]) -> list[Node]:
        """Add a stage, and return its values by name; constants and plain columns need no name."""
        own = dict(values)
        if own:
            self.stages.append(own)
        return [ref(name) for name in own]

"""A program as Python source: a function of one row that needs the standard library alone, or one of columns on numpy.

Names, levels and labels stand in the text as Python literals (`repr`), so that nothing in them can be code.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import python_runtime
from .program.nodes import Node, Program, Read

HEAD = '''"""A classifier ({model}) written by separatrix {version}. {how}"""

import bisect
import datetime
import math
import re
{more}

'''
NUMPY = '''
def numbers(values, decimal="."):
    """Return values as numbers, NaN where there is none."""
    values = np.asarray(values)
    if values.dtype.kind in "biuf":
        return values.astype(float)
    return np.array([number(value, decimal) for value in values.tolist()], dtype=float)


def levels(values, known=()):
    """Return different levels and the place of each value among them; the last place is that of missing ones."""
    values = np.asarray(values)
    place, codes = {}, np.empty(len(values), dtype=int)
    for i, value in enumerate(values.tolist()):
        codes[i] = place.setdefault(level(value, known), len(place))
    return codes, list(place)


def looked_up(column, table, other, gap):
    """Return the number of each level."""
    codes, names = column
    return np.array([gap if name is None else table.get(name, other) for name in names], dtype=float)[codes]


def numbered(x, table, other, gap):
    """Return the number of each category number."""
    found, codes = np.unique(x, return_inverse=True)
    return np.array([gap if not math.isfinite(v) else table.get(v, other) for v in found.tolist()], dtype=float)[codes]


def dated(values, written=""):
    """Return dates as days since 1970, NaN where there is none."""
    values = np.asarray(values)
    if values.dtype.kind == "M":
        found = values.astype("datetime64[us]")
        return np.where(np.isnat(found), np.nan, found.astype("int64") / 86_400_000_000)
    return np.array([days(value, written) for value in values.tolist()], dtype=float)


def weighted(weights, columns, constant):
    """Return the sum of columns times weights, and a constant."""
    found = np.full(np.broadcast_shapes(*(np.shape(column) for column in columns)), constant)
    for weight, column in zip(weights, columns):
        found = found + weight * column
    return found


def filled(values, n):
    """Return a value for each of n rows, also where all have the same."""
    return values if np.ndim(values) else np.full(n, values)


def total(columns):
    """Return the sum of columns."""
    found = 0.0
    for column in columns:
        found = found + column
    return found

'''


@dataclass(slots=True)
class PythonWriter:
    """Expressions of a program as text of Python, for one row or for columns on numpy."""

    names: Mapping[str, str]
    on_numpy: bool
    constants: dict[str, str] = field(default_factory=dict)

    def write(self, node: Node) -> str:
        """Return a node as text."""
        own = getattr(self, f"_{node.op}", None)
        if own is not None:
            return str(own(node))
        args = [self.write(arg) for arg in node.args]
        signs = {"less": "<", "at_most": "<=", "equal": "==", "product": "*", "quotient": "/"}
        if node.op in signs:
            return f"({args[0]} {signs[node.op]} {args[1]})"
        if node.op in ("and", "or"):
            return "(" + f" {({'and': '&', 'or': '|'} if self.on_numpy else {'and': 'and', 'or': 'or'})[node.op]} ".join(args) + ")"
        if node.op in ("largest", "smallest"):
            return self._extreme(node.op, args)
        names = {"abs": "fabs"} if not self.on_numpy else {}
        return f"{'np' if self.on_numpy else 'math'}.{names.get(node.op, node.op)}({args[0]})"

    def constant(self, value: Any) -> str:
        """Return the name of a constant that stands before the function."""
        text = repr(value)
        return self.constants.setdefault(text, f"K{len(self.constants)}")

    def _extreme(self, op: str, args: list[str]) -> str:
        if not self.on_numpy:
            return f"{'max' if op == 'largest' else 'min'}({', '.join(args)})"
        found = args[0]
        for other in args[1:]:
            found = f"np.{'maximum' if op == 'largest' else 'minimum'}({found}, {other})"
        return found

    def _number(self, node: Node) -> str:
        return repr(float(node.value)) if node.value >= 0 else f"({float(node.value)!r})"

    def _nothing(self, node: Node) -> str:
        return "math.nan"

    def _column(self, node: Node) -> str:
        return self.names[node.value]

    def _ref(self, node: Node) -> str:
        return f"v_{node.value}"

    def _listed(self, parts: Sequence[str]) -> str:
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _sum(self, node: Node) -> str:
        parts = [self.write(arg) for arg in node.args]
        if len(parts) < 50:  # longer ones would nest deeper than Python's parser goes
            return "(" + " + ".join(parts) + ")"
        return f"{'total' if self.on_numpy else 'sum'}({self._listed(parts)})"

    def _dot(self, node: Node) -> str:
        weights, constant = node.value
        parts = [self.write(arg) for arg in node.args]
        if self.on_numpy:
            return f"weighted({self.constant(weights)}, {self._listed(parts)}, {constant!r})"
        terms = [f"{w!r} * {part}" for w, part in zip(weights, parts, strict=True)]
        return f"({' + '.join(terms)} + {constant!r})" if len(terms) < 50 else f"(sum({self._listed(terms)}) + {constant!r})"

    def _present(self, node: Node) -> str:
        return f"{'np' if self.on_numpy else 'math'}.isfinite({self.write(node.args[0])})"

    def _not(self, node: Node) -> str:
        return f"({'~' if self.on_numpy else 'not '}{self.write(node.args[0])})"

    def _choose(self, node: Node) -> str:
        condition, one, two = (self.write(arg) for arg in node.args)
        return f"np.where({condition}, {one}, {two})" if self.on_numpy else f"({one} if {condition} else {two})"

    def _lookup(self, node: Node) -> str:
        levels, other, gap = node.value
        x, table = self.write(node.args[0]), self.constant({str(level): value for level, value in levels})
        if self.on_numpy:
            return f"looked_up({x}, {table}, {_literal(other)}, {_literal(gap)})"
        return f"({_literal(gap)} if {x} is None else {table}.get({x}, {_literal(other)}))"

    def _numbered(self, node: Node) -> str:
        levels, other, gap = node.value
        x, table = self.write(node.args[0]), self.constant(dict(levels))
        if self.on_numpy:
            return f"numbered({x}, {table}, {_literal(other)}, {_literal(gap)})"
        return f"({table}.get({x}, {_literal(other)}) if math.isfinite({x}) else {_literal(gap)})"

    def _interpolate(self, node: Node) -> str:
        x, places, values = self.write(node.args[0]), self.constant(node.value[0]), self.constant(node.value[1])
        return f"{'np.interp' if self.on_numpy else 'line'}({x}, {places}, {values})"

    def _days(self, node: Node) -> str:
        return self.write(node.args[0])

    def _cbrt(self, node: Node) -> str:
        return f"{'np.cbrt' if self.on_numpy else 'root'}({self.write(node.args[0])})"


def _literal(value: float | None) -> str:
    return "math.nan" if value is None else repr(float(value))


def source_of(program: Program, on_numpy: bool, version: str) -> str:
    """Return the text of a module with one function `predict`."""
    names = {name: f"x{j}" for j, name in enumerate(program.columns)}
    writer = PythonWriter(names, on_numpy)
    known = _known(program)
    lines = [f"    {own} = {_reading(name, program.columns[name], on_numpy, writer, known)}" for name, own in names.items()]
    for stage in program.stages:
        lines += [f"    v_{name} = {writer.write(node)}" for name, node in stage.items()]
    lines += _telling(program, writer)
    how = "predict(columns) takes {name: array}; needs numpy alone." if on_numpy else "predict(row) takes {name: value}; needs no package."
    head = HEAD.format(model=program.model, version=version, how=how, more="\nimport numpy as np" if on_numpy else "")
    text = inspect.getsource(python_runtime)
    runtime = text[text.index("BLANKS = ") :].replace(": Any", "").replace(" -> Any", "")
    constants = "\n".join(f"{name} = {value}" for value, name in writer.constants.items())
    what = "columns" if on_numpy else "row"
    body = "\n".join(lines)
    return f"{head}{runtime}\n{NUMPY if on_numpy else ''}\n{constants}\n\n\ndef predict({what}):\n{DOC[on_numpy]}{body}\n"


DOC = {
    False: '    """Return {"label": …, "action": … where one is decided, "posteriors" or "scores": {label: number}} of a row."""\n',
    True: '    """Return {"label": array, "action": array where one is decided, "posteriors" or "scores": {label: array}} of columns."""\n',
}


def _known(program: Program) -> dict[str, list[str]]:
    """Return the levels of each column of text."""
    found: dict[str, list[str]] = {}
    for stage in program.stages:
        for node in (part for own in stage.values() for part in own.walk() if part.op == "lookup" and part.args[0].op == "column"):
            found.setdefault(node.args[0].value, [str(level) for level, _ in node.value[0]])
    return found


def _reading(name: str, how: Read, on_numpy: bool, writer: PythonWriter, known: Mapping[str, list[str]]) -> str:
    value = f"{'columns' if on_numpy else 'row'}[{name!r}]"
    if how.kind == "text":
        words = tuple(known.get(name, ()))
        more = f", {writer.constant(words)}" if not {"0", "1"} & set(words) else ", ('0', '1')"
        return f"{'levels' if on_numpy else 'level'}({value}{more})"
    if how.kind == "date":
        return f"{'dated' if on_numpy else 'days'}({value}, {how.written!r})"
    return f"{'numbers' if on_numpy else 'number'}({value}, {how.written or '.'!r})"


def _plain(labels: Sequence[Any]) -> list[Any]:
    return [label.item() if hasattr(label, "item") else label for label in labels]


def _telling(program: Program, writer: PythonWriter) -> list[str]:
    on_numpy = writer.on_numpy
    scores = [f"v_{name}" for name in program.scores]
    lines = []
    if not program.finite:
        bad = " and ".join(f"{'np.isfinite(' + s + ').all()' if on_numpy else 'math.isfinite(' + s + ')'}" for s in scores)
        lines += [
            f"    if not ({bad}):",
            '        raise ValueError("a value is missing, infinite or unknown, and the model has no rule for it")',
        ]
    label = _pick(program.label, writer)
    told = [f'"label": {label}']
    if program.action is not None:
        told.append(f'"action": {_pick(program.action, writer)}')
    if program.posteriors:
        pairs, key = zip(_plain(program.classes), program.posteriors, strict=True), "posteriors"
    else:
        of = program.classes[1:] if len(scores) == 1 else program.classes
        pairs, key = zip(_plain(of), program.scores, strict=True), "scores"
    first = next(iter(program.columns))
    rows = ("filled(", f", len(columns[{first!r}]))") if on_numpy else ("", "")
    values = ", ".join(f"{own!r}: {rows[0]}v_{name}{rows[1]}" for own, name in pairs)
    return [*lines, f'    return {{{", ".join(told)}, "{key}": {{{values}}}}}']


def _pick(pick: tuple[list[str], list[Any], str], writer: PythonWriter) -> str:
    values, labels, how = pick
    names = writer.constant(_plain(labels))
    own = [f"v_{name}" for name in values]
    if how == "positive":
        return f"np.array({names})[({own[0]} > 0).astype(int)]" if writer.on_numpy else f"{names}[{own[0]} > 0]"
    if writer.on_numpy:
        best = "argmax" if how == "largest" else "argmin"
        kind = ", dtype=object" if None in labels else ""
        return f"np.array({names}{kind})[np.{best}(np.stack(np.broadcast_arrays({', '.join(own)})), axis=0)]"
    listed = f"({', '.join(own)})"
    return f"{names}[{listed}.index({'max' if how == 'largest' else 'min'}{listed})]"

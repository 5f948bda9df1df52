"""The stages of a program as the queries of one SELECT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data.database import sql
from ..data.database.sql import Dialect, Expression
from ..errors import InputError
from .program.nodes import Node, Program
from .sql_export import LARGEST, SqlWriter, cleaned, is_line, labels_of


def query_of(program: Program, source: Expression, dialect: Dialect, keep: Sequence[str] = ()) -> Expression:
    """Return the SELECT that scores the rows of a source.

    Parameters
    ----------
    source : a table or subquery
    keep : columns of the table to pass on, such as a key
    """
    names = {name: f"in_{j}" for j, name in enumerate(program.columns)}
    kept = {name: f"keep_{j}" for j, name in enumerate(keep)}
    writer, quick = SqlWriter(program, dialect, names), SqlWriter(program, dialect, names, exact=False)
    first = {own: sql.column(name) for name, own in kept.items()}
    first |= {own: cleaned(sql.column(name), program.columns[name], dialect) for name, own in names.items()}
    queries, last = {"q0": sql.select(first, source)}, set(first)
    needed = _needed(program, names, set(kept.values()))
    for stage, later in zip(program.stages, needed, strict=True):
        doubtful = {name: node for name, node in stage.items() if name in program.scores and not dialect.is_finite and _asks(node)}
        own = {name: (quick if name in doubtful else writer).write(node) for name, node in stage.items()}
        read = set().union(*(_used(node, names) for node in doubtful.values())) if doubtful else set()
        last = _add(queries, own, last & (later | read))
        if doubtful:
            # One look at a score tells whether a number was NaN or infinite: only then is every number asked.
            again = {name: _checked(name, writer.write(node), dialect) for name, node in doubtful.items()}
            last = _add(queries, again, (last & later) - set(again))
    told = outputs(program, dialect, kept)
    return sql.select(told, sql.table(f"q{len(queries) - 1}"), named=queries, named_apart=dialect)


def _add(queries: dict[str, Expression], own: Mapping[str, Expression], carried: set[str]) -> set[str]:
    previous = f"q{len(queries) - 1}"
    every = {name: sql.column(name) for name in sorted(carried)} | dict(own)
    queries[f"q{len(queries)}"] = sql.select(every, sql.table(previous))
    return set(every)


def _asks(node: Node) -> bool:
    return any(is_line(part) for part in node.walk())


def _checked(name: str, slow: Expression, dialect: Dialect) -> Expression:
    fine = sql.operation("<=", sql.call("abs", sql.column(name)), sql.number(LARGEST, dialect))
    return sql.case([(fine, sql.column(name))], slow)


def _used(node: Node, names: Mapping[str, str]) -> set[str]:
    return {names[part.value] if part.op == "column" else part.value for part in node.walk() if part.op in ("column", "ref")}


def _needed(program: Program, names: Mapping[str, str], kept: set[str]) -> list[set[str]]:
    """Return, for each stage, the names that later ones and the result need."""
    found: list[set[str]] = []
    later = kept | {*program.scores, *program.posteriors, *program.label[0], *(program.action[0] if program.action else ())}
    for stage in reversed(program.stages):
        found.append(set(later))
        later |= set().union(*(_used(node, names) for node in stage.values()))
    return found[::-1]


def outputs(program: Program, dialect: Dialect, kept: Mapping[str, str]) -> dict[str, Expression]:
    """Return the columns of the result: those kept, the label, the action where one is decided, posteriors or else scores."""
    told = {name: sql.column(own) for name, own in kept.items()}
    made = {"label": _pick(program, program.label, dialect)}
    if program.action is not None:
        made["action"] = _pick(program, program.action, dialect)
    if program.posteriors:
        made |= {f"p_{label}": sql.column(name) for name, label in zip(program.posteriors, program.classes, strict=True)}
    else:
        of = program.classes[1:] if len(program.scores) == 1 else program.classes
        made |= {f"score_{label}": sql.column(name) for name, label in zip(program.scores, of, strict=True)}
    twice = set(told) & set(made)
    if twice:
        raise InputError(f"keep names column {min(twice)!r}, which the result has already; rename it in a query of your own.")
    return told | made


def _pick(program: Program, pick: tuple[list[str], list[Any], str], dialect: Dialect) -> Expression:
    values, labels, how = pick
    literals = labels_of(labels, dialect)
    if how == "positive":
        zero = sql.number(0.0, dialect)
        branches = [(sql.operation(">", sql.column(values[0]), zero), literals[1])]
        others = literals[0]
    else:
        columns = [sql.column(name) for name in values]
        best = sql.extreme(columns, dialect, largest=how == "largest")
        pairs = zip(values[:-1], literals[:-1], strict=True)
        branches = [(sql.operation("=", sql.column(name), best.copy()), literal) for name, literal in pairs]
        others = literals[-1]
    if program.finite:
        return sql.case(branches, others)
    # A model of numbers alone has no rule for gaps: nothing is told there.
    finite = [sql.operation("<=", sql.call("abs", sql.column(name)), sql.number(LARGEST, dialect)) for name in values]
    return sql.case([(sql.operation("and", *finite) if len(finite) > 1 else finite[0], sql.case(branches, others))], sql.null())

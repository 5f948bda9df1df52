"""Naive Bayes by hand, by counting categories: exact to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..data.labels import Labels
from ..data.opening import is_frame
from ..errors import InputError, did_you_mean
from .document import Grid, Step, Worked
from .expressions import Dec, Frac, Num, Paren, Sym, joined, row
from .moments import decisions_grid
from .priors import priors_step
from .small_data import fraction, label, refuse_too_much, tags_of


@dataclass(frozen=True)
class CategoryFrequencies:
    """Rows of categories, their labels, and the categories of each column."""

    rows: list[list[Any]]
    codes: list[int]
    classes: list[Any]
    tags: list[str]
    names: list[str]
    levels: list[list[Any]]
    alpha: Fraction

    def count(self, k: int, j: int, value: Any) -> int:
        """Return how many rows of class k have a value in column j."""
        return sum(code == k and row[j] == value for row, code in zip(self.rows, self.codes))

    def share(self, k: int, j: int, value: Any) -> Fraction:
        """Return (N + α)/(n_k + αL)."""
        return (self.count(k, j, value) + self.alpha) / (self.codes.count(k) + self.alpha * len(self.levels[j]))


def work_counts(X: Any, y: Any, new: Any = None, *, alpha: Any = 0, priors: Sequence[Any] | None = None) -> Worked:
    """Write out naive Bayes by counting: priors, shares of each category, joint and posterior in fractions, decisions."""
    data = _read(X, y, fraction(alpha))
    first, shares = priors_step(data.classes, data.tags, data.codes, priors)
    rows = data.rows if new is None else _cells(new)[1]
    for x in rows if new is not None else []:
        _refuse_unknown(data, x)
    steps = [_given(data), first, *(_column(data, j) for j in range(len(data.names)))]
    joints = [[_joint(data, shares, k, x) for k in range(len(shares))] for x in rows]
    if new is not None:
        steps += [_products(data, shares, x, joint, i, len(rows)) for i, (x, joint) in enumerate(zip(rows, joints))]
    codes = [joint.index(max(joint)) for joint in joints]
    steps.append(_decisions(data, rows, joints, codes, new is None))
    totals = [sum(joint, Fraction(0)) for joint in joints]
    result = {
        "priors": dict(zip(data.classes, shares)),
        "joint": [dict(zip(data.classes, joint)) for joint in joints],
        "posterior": [{c: v / total for c, v in zip(data.classes, joint)} if total else None for joint, total in zip(joints, totals)],
        "decisions": [data.classes[k] for k in codes],
    }
    return Worked("Naive Bayes by counting", tuple(steps), result)


def _cells(X: Any) -> tuple[list[str], list[list[Any]]]:
    names = [str(name) for name in X.columns] if is_frame(X) else []
    table = np.asarray(X.to_numpy() if is_frame(X) and hasattr(X, "to_numpy") else X, dtype=object)
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"X has shape {table.shape}; rows × columns are needed, such as [['sunny', 'hot'], ['rain', 'mild']].")
    return names or [f"column {j + 1}" for j in range(table.shape[1])], table.tolist()


def _read(X: Any, y: Any, alpha: Fraction) -> CategoryFrequencies:
    names, rows = _cells(X)
    labels = Labels.of(y)
    if len(labels) != len(rows):
        raise InputError(f"X has {len(rows)} rows and y has {len(labels)} labels; give one label per row.")
    if alpha < 0:
        raise InputError(f"alpha={alpha} must be ≥ 0: 0 counts exactly, 1 adds one to every count.")
    classes = labels.classes.tolist()
    refuse_too_much(len(rows), len(names), len(classes))
    levels = [sorted({row[j] for row in rows}, key=str) for j in range(len(names))]
    return CategoryFrequencies(rows, labels.codes(0, len(labels)).tolist(), classes, tags_of(classes), names, levels, alpha)


def _refuse_unknown(data: CategoryFrequencies, x: list[Any]) -> None:
    if len(x) != len(data.names):
        raise InputError(f"new has {len(x)} columns; {len(data.names)} are needed, as in X.")
    for name, levels, value in zip(data.names, data.levels, x):
        if value not in levels:
            raise InputError(f"new holds {value!r} in {name}, which no row of X has.{did_you_mean(value, levels)} Categories: {levels}.")


def _given(data: CategoryFrequencies) -> Step:
    lines = [(str(i), *map(str, x), label(data.classes[code])) for i, (x, code) in enumerate(zip(data.rows, data.codes), 1)]
    named = [f"{tag} for class {label(c)}" for tag, c in zip(data.tags, data.classes) if tag != label(c)]
    told = f" Subscripts: {', '.join(named)}." if named else ""
    return Step("The data", f"{len(data.rows)} rows.{told}", (Grid(("row", *data.names, "class"), tuple(lines)),))


def _column(data: CategoryFrequencies, j: int) -> Step:
    lines = []
    for value in data.levels[j]:
        cells: list[Any] = []
        for k in range(len(data.classes)):
            top, bottom = data.count(k, j, value) + data.alpha, data.codes.count(k) + data.alpha * len(data.levels[j])
            cells.append(row(Num(top), "/", Num(bottom)))
        lines.append((str(value), *cells))
    why = "Count the rows of each class that have each category, and divide by the rows of the class" + (
        "." if not data.alpha else f", after adding α = {data.alpha} to every count."
    )
    return Step(f"The shares of {data.names[j]}", why, (Grid(("category", *(Sym("p", tag) for tag in data.tags)), tuple(lines)),))


def _joint(data: CategoryFrequencies, shares: list[Fraction], k: int, x: list[Any]) -> Fraction:
    value = shares[k]
    for j, cell in enumerate(x):
        value *= data.share(k, j, cell)
    return value


def _products(data: CategoryFrequencies, shares: list[Fraction], x: list[Any], joint: list[Fraction], i: int, n: int) -> Step:
    parts: list[Any] = []
    total = sum(joint, Fraction(0))
    for k, tag in enumerate(data.tags):
        factors = joined("·", [Num(shares[k]), *(Num(data.share(k, j, cell)) for j, cell in enumerate(x))])
        parts.append(row("p", Paren(row("x", ",", Sym(tag))), "=", factors, "=", Num(joint[k])))
    for k, tag in enumerate(data.tags) if total else []:
        parts.append(row("p", Paren(row(Sym(tag), "|", "x")), "=", Frac(Num(joint[k]), Num(total)), "=", Num(joint[k] / total)))
    if not total:
        parts.append("Every class has a share of 0 for some category of this row: no posterior exists. Use alpha=1.")
    where = "" if n == 1 else f" {i + 1}"
    why = f"x = ({', '.join(map(str, x))}): prior times the shares of its categories, then divided by the sum over the classes."
    return Step(f"Joint and posterior of new row{where}", why, tuple(parts))


def _decisions(data: CategoryFrequencies, rows: list[list[Any]], joints: list[list[Fraction]], codes: list[int], seen: bool) -> Step:
    heads: tuple[Any, ...] = (
        "row",
        *(row("p", Paren(row("x", ",", Sym(tag)))) for tag in data.tags),
        *(row("p", Paren(row(Sym(tag), "|", "x"))) for tag in data.tags),
        "decided",
        "right",
    )
    lines = []
    for i, joint in enumerate(joints):
        total = sum(joint, Fraction(0))
        posterior = [Dec(float(v / total), 5) for v in joint] if total else ["–"] * len(joint)
        mark = ("✓" if codes[i] == data.codes[i] else "✗") if seen else ""
        lines.append((str(i + 1), *map(Num, joint), *posterior, label(data.classes[codes[i]]), mark))
    return Step("The decisions", "The class with the largest joint.", (decisions_grid(heads, lines, seen),))

"""Data small enough for work by hand, read as exact numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..data import as_rows
from ..data.arrays import as_csr
from ..data.labels import Labels
from ..data.opening import is_frame
from ..errors import InputError
from .document import Grid, Step
from .exact import Matrix, Vector
from .expressions import Mat, Num, Sym, Tup

MOST_ROWS, MOST_COLUMNS, MOST_CLASSES = 60, 6, 6
"""What fits on paper."""
LARGEST = Fraction(10**20)
"""Size of the largest number that is written out, and the inverse of the smallest: products of six such squares stay in float64."""


@dataclass(frozen=True)
class SmallData:
    """Labelled rows as fractions.

    Attributes
    ----------
    rows, codes : n rows of p fractions, and the positions of their labels in `classes`
    classes, tags : labels, and what stands for them in subscripts
    names : of the columns
    decimal : whether numbers are shown as decimals, as they came
    """

    rows: list[Vector]
    codes: list[int]
    classes: list[Any]
    tags: list[str]
    names: list[Any]
    decimal: bool

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.names)

    def of(self, k: int) -> list[Vector]:
        """Return the rows of class k."""
        return [row for row, code in zip(self.rows, self.codes) if code == k]

    def num(self, value: Fraction) -> Num:
        """Return a number as a formula."""
        return Num(value, self.decimal)

    def vec(self, values: Vector) -> Mat:
        """Return a column vector."""
        return Mat(tuple((self.num(value),) for value in values))

    def tup(self, values: Vector) -> Tup:
        """Return a vector on one line."""
        return Tup(tuple(self.num(value) for value in values))

    def mat(self, rows: Matrix) -> Mat:
        """Return a matrix."""
        return Mat(tuple(tuple(self.num(value) for value in line) for line in rows))

    def step(self, tagged: bool = True) -> Step:
        """Return the step that shows the data, and what stands for the classes in subscripts if there will be any."""
        cells = [(str(i), *map(self.num, row), label(self.classes[code])) for i, (row, code) in enumerate(zip(self.rows, self.codes), 1)]
        sizes = ", ".join(f"{self.codes.count(k)} of class {label(c)}" for k, c in enumerate(self.classes))
        named = [f"{tag} for class {label(c)}" for tag, c in zip(self.tags, self.classes) if tag != label(c)]
        told = f" Subscripts: {', '.join(named)}." if named and tagged else ""
        return Step("The data", f"{len(self.rows)} rows: {sizes}.{told}", (Grid(("row", *self.names, "class"), tuple(cells)),))


def read(X: Any, y: Any, most_rows: int = MOST_ROWS) -> SmallData:
    """Return labelled rows as fractions, or say what is too much for work by hand."""
    names, rows = read_rows(X)
    if y is None:
        raise InputError("y is missing: pass one label per row, as in worked('fisher', X, y).")
    labels = Labels.of(y)
    if len(labels) != len(rows):
        raise InputError(f"X has {len(rows)} rows and y has {len(labels)} labels; give one label per row.")
    classes = labels.classes.tolist()
    refuse_too_much(len(rows), len(names), len(classes), most_rows)
    if len(classes) < 2:
        raise InputError(f"All rows are of class {classes[0]!r}; rows of two classes are needed.")
    decimal = any(value.denominator != 1 for row in rows for value in row)
    return SmallData(rows, labels.codes(0, len(labels)).tolist(), classes, tags_of(classes), names, decimal)


def refuse_too_much(n: int, p: int, K: int | None = None, most_rows: int = MOST_ROWS) -> None:
    """Raise the error of data that nobody would work through by hand; K is None where labels have not been looked at."""
    if n > most_rows or p > MOST_COLUMNS or (K or 0) > MOST_CLASSES:
        size = f"{n} rows × {p} columns" + ("" if K is None else f" in {K} classes")
        raise InputError(
            f"{size} are too much for work by hand: at most {most_rows} rows, {MOST_COLUMNS} columns and "
            f"{MOST_CLASSES} classes can be written out. Take fewer, such as X[:{most_rows}, :{MOST_COLUMNS}], or use the estimator."
        )


def read_rows(X: Any, p: int | None = None) -> tuple[list[Any], list[Vector]]:
    """Return names and rows of X as fractions; p is the number of columns they must have."""
    names: list[Any] = []
    if is_frame(X):
        source = as_rows(X)
        names = list(source.feature_names or [])
        X = next(iter(source.blocks())).X if (source.n_rows or 0) <= MOST_ROWS else np.empty((source.n_rows or 0, 0))
        if source.n_rows and source.n_rows > MOST_ROWS:
            refuse_too_much(source.n_rows, source.n_features)
    table = np.asarray(as_csr(X).toarray() if issparse(X) else X, dtype=object)
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"X has shape {table.shape}; rows × columns are needed, such as [[3, 2], [5, 2]].")
    if p is not None and table.shape[1] != p:
        raise InputError(f"new has {table.shape[1]} columns; {p} are needed, as in X.")
    if len(table) <= MOST_ROWS:
        return names or [Sym("x", str(j)) for j in range(1, table.shape[1] + 1)], [[fraction(value) for value in row] for row in table]
    return [f"x{j}" for j in range(table.shape[1])], [[]] * len(table)


def fraction(value: Any) -> Fraction:
    """Return a number exactly; a float is the decimal it prints as.

    Examples
    --------
    >>> fraction(5.92), fraction("1/3"), fraction(4)
    (Fraction(148, 25), Fraction(1, 3), Fraction(4, 1))
    """
    try:
        number = _exactly(value)
    except (ValueError, ArithmeticError):
        raise InputError(f"{value!r} is not a finite number; work by hand takes numbers such as 3, 2.5 or '1/3'.") from None
    if number and not 1 / LARGEST <= abs(number) <= LARGEST:
        raise InputError(f"{value!r:.40} is too long to write out by hand; numbers from 1e-20 to 1e20 are taken: rescale the column.")
    return number


def _exactly(value: Any) -> Fraction:
    if isinstance(value, (Fraction, int, np.integer, np.bool_)):
        return value if isinstance(value, Fraction) else Fraction(int(value))
    text = str(value)
    if "/" in text:
        return Fraction(text)
    number = Decimal(text)
    # 1e999999999 has as many digits: what is out of range anyway is not written out.
    return Fraction(number if not number or abs(number.adjusted()) < 50 else Decimal((0, (1,), 50)))


def label(value: Any) -> str:
    """Return a label as it is written in a sentence."""
    return str(value).replace("-", "−") if isinstance(value, (int, float)) else str(value)


def tags_of(classes: Sequence[Any]) -> list[str]:
    """Return what stands for the classes in subscripts: their labels if short, + and − for 1 and −1, else 1, 2, …"""
    if list(classes) == [-1, 1]:
        return ["−", "+"]
    tags = [str(value) for value in classes]
    return tags if all(re.fullmatch(r"[A-Za-z0-9]{1,8}", tag) for tag in tags) else [str(k) for k in range(1, len(tags) + 1)]

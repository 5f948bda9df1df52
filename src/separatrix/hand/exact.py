"""Linear algebra in exact fractions, for matrices small enough to be written on paper."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = list[Fraction]
Matrix = list[list[Fraction]]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return a'b.

    Examples
    --------
    >>> dot([Fraction(1, 2), Fraction(1)], [Fraction(4), Fraction(1)])
    Fraction(3, 1)
    """
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a − b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def times(c: Fraction | int, a: Vector) -> Vector:
    """Return c·a."""
    return [c * x for x in a]


def apply(A: Matrix, x: Vector) -> Vector:
    """Return Ax."""
    return [dot(row, x) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return AB."""
    return [[dot(row, column) for column in zip(*B)] for row in A]


def transpose(A: Matrix) -> Matrix:
    """Return A'."""
    return [list(column) for column in zip(*A)]


def add(A: Matrix, B: Matrix) -> Matrix:
    """Return A + B."""
    return [plus(a, b) for a, b in zip(A, B, strict=True)]


def scale(c: Fraction, A: Matrix) -> Matrix:
    """Return c·A."""
    return [times(c, row) for row in A]


def outer(a: Vector, b: Vector) -> Matrix:
    """Return ab'."""
    return [[x * y for y in b] for x in a]


def mean(rows: Sequence[Vector]) -> Vector:
    """Return the mean of rows."""
    return [sum(column, Fraction(0)) / len(rows) for column in zip(*rows)]


def scatter(rows: Sequence[Vector], centre: Vector) -> Matrix:
    """Return Σ (x − c)(x − c)'."""
    total = [[Fraction(0)] * len(centre) for _ in centre]
    for row in rows:
        away = minus(row, centre)
        total = add(total, outer(away, away))
    return total


def reduced(A: Matrix) -> tuple[Matrix, list[int]]:
    """Return the reduced row echelon form of a matrix, and the columns of its pivots.

    Examples
    --------
    >>> form, pivots = reduced([[Fraction(2), Fraction(4)], [Fraction(1), Fraction(2)]])
    >>> pivots, [[int(x) for x in row] for row in form]
    ([0], [[1, 2], [0, 0]])
    """
    rows, pivots = [list(row) for row in A], list[int]()
    for column in range(len(rows[0]) if rows else 0):
        top = len(pivots)
        found = next((i for i in range(top, len(rows)) if rows[i][column] != 0), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        rows[top] = times(1 / rows[top][column], rows[top])
        rows = [row if i == top else minus(row, times(row[column], rows[top])) for i, row in enumerate(rows)]
        pivots.append(column)
    return rows, pivots


def inverse(A: Matrix) -> Matrix | None:
    """Return A⁻¹, or None where there is none."""
    n = len(A)
    form, pivots = reduced([row + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(A)])
    return [row[n:] for row in form] if pivots == list(range(n)) else None


def solve(A: Matrix, b: Vector) -> Vector | None:
    """Return the x with Ax = b, or None where A has no inverse."""
    n = len(A)
    form, pivots = reduced([[*row, value] for row, value in zip(A, b, strict=True)])
    return [row[n] for row in form] if pivots == list(range(n)) else None


def null_space(A: Matrix, n: int) -> list[Vector]:
    """Return a basis of {x : Ax = 0} for n columns, in whole numbers where A holds fractions.

    Examples
    --------
    >>> [[int(x) for x in v] for v in null_space([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]], 2)]
    [[1, -1]]
    """
    form, pivots = reduced(A)
    basis = []
    for free in (j for j in range(n) if j not in pivots):
        x = [Fraction(int(j == free)) for j in range(n)]
        for row, pivot in zip(form, pivots):
            x[pivot] = -row[free]
        first = next(value for value in x if value != 0)
        basis.append(times(_common(x) * (1 if first > 0 else -1), x))
    return basis


def _common(x: Vector) -> Fraction:
    """Return the smallest factor that makes all of x whole."""
    factor = 1
    for value in x:
        factor *= (value * factor).denominator
    return Fraction(factor)


def determinant(A: Matrix) -> Fraction:
    """Return det A.

    Examples
    --------
    >>> determinant([[Fraction(4), Fraction(2)], [Fraction(2), Fraction(2)]])
    Fraction(4, 1)
    """
    if len(A) == 1:
        return A[0][0]
    minors = ([row[:j] + row[j + 1 :] for row in A[1:]] for j in range(len(A)))
    return sum(((-1) ** j * A[0][j] * determinant(minor) for j, minor in enumerate(minors)), Fraction(0))

"""Steps that several methods share: means, scatters, an inverse, and what to do where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import exact
from .document import Grid, Step
from .exact import Matrix, Vector
from .expressions import Frac, Node, Paren, Sym, joined, row
from .small_data import SmallData, label

EXPANDED = 3
"""Rows of a class up to which a sum is written out."""


def means_step(data: SmallData, letter: str) -> tuple[Step, list[Vector]]:
    """Return the step of the class means, and the means."""
    means, parts = [exact.mean(data.of(k)) for k in range(len(data.classes))], []
    for k, mean in enumerate(means):
        rows, name = data.of(k), Sym(letter, data.tags[k])
        if 1 < len(rows) <= EXPANDED:
            total = Paren(joined("+", [data.vec(x) for x in rows]))
            parts.append(row(name, "=", Fraction(1, len(rows)), "¦", total, "=", data.vec(mean)))
        else:
            parts.append(row(name, "=", Fraction(1, len(rows)), "¦", "Σ", "¦", "x", "=", data.vec(mean)))
    why = "Add up the rows of a class and divide by how many they are: the mean is where the class is centred."
    return Step("The mean of each class", why, tuple(parts)), means


def scatter_step(data: SmallData, means: list[Vector], letter: str) -> tuple[Step, list[Matrix]]:
    """Return the step of the scatters within the classes, their sum S_W last, and the scatters."""
    scatters = [exact.scatter(data.of(k), means[k]) for k in range(len(means))]
    parts: list[Node] = []
    for k, S in enumerate(scatters):
        rows, name = data.of(k), Sym("S", data.tags[k])
        away = Paren(row("x", "−", Sym(letter, data.tags[k])))
        formula = [name, "=", "Σ", "¦", away, Paren(away.inside, "T")]
        if len(rows) <= EXPANDED and data.p <= 3:
            spread = [exact.minus(x, means[k]) for x in rows]
            formula = [name, "=", joined("+", [row(data.vec(d), data.mat([d])) for d in spread])]
        parts.append(row(*formula, "=", data.mat(S)))
    within = scatters[0]
    for S in scatters[1:]:
        within = exact.add(within, S)
    parts.append(row("S_W", "=", joined("+", [Sym("S", tag) for tag in data.tags]), "=", data.mat(within)))
    why = (
        "How far each class spreads about its own mean: add up the products of the deviations. A scatter is a sum, not an average; with "
        "classes of unequal size, adding averages would give another direction."
    )
    return Step("The scatter within the classes", why, tuple(parts)), [*scatters, within]


def inverse_parts(data: SmallData, name: str, S: Matrix) -> tuple[Node, ...]:
    """Return the formulas of an inverse."""
    inverse, det = exact.inverse(S), exact.determinant(S)
    assert inverse is not None
    inverted = Sym(*_split(name), "-1")
    if len(S) == 1:
        return (row(inverted, "=", Frac(1, data.num(S[0][0])), "=", data.num(inverse[0][0])),)
    symbol = row("det", "¦", Sym(*_split(name)))
    if len(S) != 2:
        return (row(symbol, "=", data.num(det)), row(inverted, "=", data.mat(inverse)))
    (a, b), (c, d) = S
    adjugate = data.mat([[d, -b], [-c, a]])
    first = row(symbol, "=", data.num(a), "·", signed(data, d), "−", signed(data, b), "·", signed(data, c), "=", data.num(det))
    return (first, row(inverted, "=", Frac(1, data.num(det)), "¦", adjugate, "=", data.mat(inverse)))


def signed(data: SmallData, value: Fraction) -> Node:
    """Return a number with brackets around it where it is negative."""
    return Paren(data.num(value)) if value < 0 else data.num(value)


def _split(name: str) -> tuple[str, str]:
    head, _, sub = name.partition("_")
    return head, sub


@dataclass(frozen=True)
class Metric:
    """A scatter turned around: what takes a difference of means to a direction.

    Attributes
    ----------
    inverse : S⁻¹, or where there is none its part along directions that vary: R(R'SR)⁻¹R' with R'TN = 0
    first : N(N'TN)⁻¹N' for a singular S, else None; what it says comes before everything else
    null : basis N of the directions without variance
    total : T, the total variances of the columns on the diagonal
    """

    inverse: Matrix
    first: Matrix | None
    null: list[Vector]
    total: Matrix


def metric(data: SmallData, S: Matrix) -> Metric:
    """Return S⁻¹, or its two parts in the limit (S + εT)⁻¹, ε → 0, T the total variances of the columns: independent of units."""
    inverse, p = exact.inverse(S), data.p
    if inverse is not None:
        return Metric(inverse, None, [], [])
    total = exact.scatter(data.rows, exact.mean(data.rows))
    # A column that is constant everywhere says nothing; 1 keeps it from dividing by 0.
    T = [[(total[i][i] / len(data.rows) or Fraction(1)) if i == j else Fraction(0) for j in range(p)] for i in range(p)]
    null = exact.null_space(S, p)
    first = _sandwich(null, T)
    rest = exact.null_space(exact.product(null, T), p)
    return Metric(_sandwich(rest, S) if rest else [[Fraction(0)] * p for _ in range(p)], first, null, T)


def _sandwich(basis: list[Vector], A: Matrix) -> Matrix:
    """Return B(B'AB)⁻¹B' with the basis as columns of B."""
    inner = exact.inverse(exact.product(exact.product(basis, A), exact.transpose(basis)))
    assert inner is not None
    return exact.product(exact.product(exact.transpose(basis), inner), basis)


def singular_parts(data: SmallData, name: str, found: Metric, means: list[Vector], letter: str) -> tuple[Node | str, ...]:
    """Return what is said and shown where a matrix has no inverse."""
    first, second = (Sym(letter, tag) for tag in data.tags[:2])
    parts: list[Node | str] = [row("det", "¦", Sym(*_split(name)), "=", 0)]
    for v in found.null:
        along = exact.dot(v, exact.minus(means[1], means[0]))
        parts.append(row(Sym(*_split(name)), "¦", data.vec(v), "=", data.vec([Fraction(0)] * data.p)))
        if len(means) == 2:
            parts.append(row(data.mat([v]), Paren(row(second, "−", first)), "=", data.num(along)))
    parts.append(row("T", "=", data.mat(found.total)))
    parts.append(
        "There is no inverse: along this direction no class varies. Where the means differ there, the classes are told apart without an "
        "error, so that direction decides before all others, measured in the total variances T of the columns; where they do not, it is "
        "ignored."
        if len(found.null) == 1
        else "There is no inverse: along these directions no class varies. Where the means differ there, they decide before everything "
        "else, measured in the total variances T of the columns; elsewhere these directions are ignored."
    )
    return tuple(parts)


def decisions_grid(heads: Sequence[Any], lines: Sequence[Sequence[Any]], judged: bool) -> Grid:
    """Return a table of decisions, without its last column, whether they are right, where that is not known."""
    kept = len(heads) if judged else len(heads) - 1
    return Grid(tuple(heads[:kept]), tuple(tuple(line[:kept]) for line in lines))


def decided(data: SmallData, k: int, code: int | None) -> tuple[str, str]:
    """Return the class decided and whether it is right."""
    return label(data.classes[k]), "" if code is None else "✓" if code == k else "✗"

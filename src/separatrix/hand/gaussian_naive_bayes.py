"""Naive Bayes by hand, with a normal density for each column in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, pi
from typing import Any

from ..errors import InputError
from . import exact
from .document import Grid, Step, Worked
from .exact import Vector
from .expressions import Dec, Frac, Num, Paren, Root, Sym, joined, row
from .moments import decided, decisions_grid
from .priors import priors_step
from .small_data import SmallData, label, read, read_rows

DETAILED = 3
"""New rows whose densities are written out."""


@dataclass(frozen=True)
class Normal:
    """Mean and variance of a column in a class."""

    mean: Fraction
    variance: Fraction

    def exponent(self, x: Fraction) -> Fraction:
        """Return (x − μ)²/(2σ²)."""
        return (x - self.mean) ** 2 / (2 * self.variance)

    def log_density(self, x: Fraction) -> float:
        """Return ln p(x)."""
        return -float(self.exponent(x)) - 0.5 * log(2 * pi * float(self.variance))


def work_gaussian(X: Any, y: Any, new: Any = None, *, ddof: int = 1, priors: Sequence[Any] | None = None) -> Worked:
    """Write out Gaussian naive Bayes: priors, means, variances, densities, joint, posterior, decisions."""
    data = read(X, y)
    if ddof not in (0, 1):
        raise InputError(f"ddof={ddof!r} must be 0 (divide by n) or 1 (divide by n − 1).")
    first, shares = priors_step(data.classes, data.tags, data.codes, priors)
    normals = [_normals(data, k, ddof) for k in range(len(data.classes))]
    rows = data.rows if new is None else read_rows(new, data.p)[1]
    steps = [data.step(), first, _means(data, normals), _variances(data, normals, ddof)]
    if new is not None and len(rows) <= DETAILED:
        for i, x in enumerate(rows):
            steps += _one_row(data, normals, shares, x, "" if len(rows) == 1 else f" of new row {i + 1}")
    joints = [_joint(shares, normals, x) for x in rows]
    posteriors = [_posterior(joint) for joint in joints]
    codes = [joint.index(max(joint)) for joint in joints]
    steps.append(_decisions(data, rows, joints, posteriors, codes, None if new is not None else data.codes))
    result = {
        "priors": dict(zip(data.classes, shares)),
        "means": {c: [n.mean for n in own] for c, own in zip(data.classes, normals)},
        "variances": {c: [n.variance for n in own] for c, own in zip(data.classes, normals)},
        "joint": [{c: exp(value) for c, value in zip(data.classes, joint)} for joint in joints],
        "posterior": [dict(zip(data.classes, posterior)) for posterior in posteriors],
        "decisions": [data.classes[k] for k in codes],
    }
    return Worked("Gaussian naive Bayes by hand", tuple(steps), result)


def _normals(data: SmallData, k: int, ddof: int) -> list[Normal]:
    rows = data.of(k)
    mean = exact.mean(rows)
    if len(rows) <= ddof:
        raise InputError(f"Class {data.classes[k]!r} has {len(rows)} row, and ddof={ddof} divides by none; give more rows, or use ddof=0.")
    squares = [sum(((x[j] - mean[j]) ** 2 for x in rows), Fraction(0)) for j in range(data.p)]
    for j, value in enumerate(squares):
        if value == 0:
            name = data.names[j]
            shown = f"{name.name}{name.sub}" if isinstance(name, Sym) else name
            raise InputError(
                f"Column {shown} does not vary within class {data.classes[k]!r}, so it has no normal density there; leave it out."
            )
    return [Normal(m, s / (len(rows) - ddof)) for m, s in zip(mean, squares)]


def _means(data: SmallData, normals: list[list[Normal]]) -> Step:
    lines = [(label(c), *(data.num(n.mean) for n in own)) for c, own in zip(data.classes, normals)]
    return Step("The means", "The mean of each column in each class.", (Grid(("class", *data.names), tuple(lines)),))


def _variances(data: SmallData, normals: list[list[Normal]], ddof: int) -> Step:
    lines: list[tuple[Any, ...]] = []
    for c, own in zip(data.classes, normals):
        lines.append((label(c), *(Num(n.variance) for n in own)))
        lines.append(("≈", *(Dec(float(n.variance), 5) for n in own)))
    by = row("n_k", "−", 1) if ddof else row("n_k")
    formula = row("σ^2", "=", Frac(row("Σ", "¦", Paren(row("x", "−", "μ"), "2")), by))
    by_words = "n − 1" if ddof else "n"
    why = f"The mean squared deviation of each column in each class, the sum divided by {by_words}. Columns are taken one by one: naive."
    return Step("The variances", why, (formula, Grid(("class", *data.names), tuple(lines))))


def _one_row(data: SmallData, normals: list[list[Normal]], shares: list[Fraction], x: Vector, of: str) -> list[Step]:
    formula = row(
        "p",
        Paren(row("x", "|", "k")),
        "=",
        Frac(1, Root(row(2, "π", "¦", "σ^2"))),
        "¦",
        "exp",
        Paren(row(Sym("−"), Frac(Paren(row("x", "−", "μ"), "2"), row(2, "¦", "σ^2")))),
    )
    lines = []
    for j, name in enumerate(data.names):
        lines.append(
            (
                name,
                data.num(x[j]),
                *(cell for own in normals for cell in (Dec(float(own[j].exponent(x[j]))), Dec(exp(own[j].log_density(x[j]))))),
            )
        )
    heads = ("column", "x", *(head for tag in data.tags for head in (f"exponent {tag}", row("p", Paren(row("x", "|", Sym(tag)))))))
    densities = Step(
        f"The densities{of}",
        "How densely each class lies around each value; the exponent is (x − μ)²/(2σ²).",
        (formula, Grid(heads, tuple(lines))),
    )
    joint = _joint(shares, normals, x)
    products = []
    for tag, share, own, value in zip(data.tags, shares, normals, joint):
        factors = joined("·", [Num(share), *(Dec(exp(n.log_density(v))) for n, v in zip(own, x))])
        products.append(row("p", Paren(row("x", ",", Sym(tag))), "=", factors, "=", Dec(exp(value))))
    why = "Prior times the densities of all columns: the joint probability density of the row and the class, not yet a posterior."
    total = sum(exp(value) for value in joint)
    ratios = []
    for tag, value, p in zip(data.tags, joint, _posterior(joint)):
        ratios.append(row("p", Paren(row(Sym(tag), "|", "x")), "=", Frac(Dec(exp(value)), Dec(total)), "=", Dec(p)))
    last = Step(f"The posterior{of}", "Divide each joint by the sum of all, so that they sum to 1.", tuple(ratios))
    return [densities, Step(f"The joint{of}", why, tuple(products)), last]


def _joint(shares: list[Fraction], normals: list[list[Normal]], x: Vector) -> list[float]:
    return [log(float(share)) + sum(n.log_density(v) for n, v in zip(own, x)) for share, own in zip(shares, normals)]


def _posterior(joint: list[float]) -> list[float]:
    parts = [exp(value - max(joint)) for value in joint]
    return [part / sum(parts) for part in parts]


def _decisions(
    data: SmallData,
    rows: list[Vector],
    joints: list[list[float]],
    posteriors: list[list[float]],
    codes: list[int],
    truth: list[int] | None,
) -> Step:
    heads: tuple[Any, ...] = (
        "row",
        "x",
        *(row("p", Paren(row("x", ",", Sym(tag)))) for tag in data.tags),
        *(row("p", Paren(row(Sym(tag), "|", "x"))) for tag in data.tags),
        "decided",
        "right",
    )
    lines = []
    for i, x in enumerate(rows):
        to, mark = decided(data, codes[i], None if truth is None else truth[i])
        lines.append((str(i + 1), data.tup(x), *(Dec(exp(v)) for v in joints[i]), *(Dec(v, 5) for v in posteriors[i]), to, mark))
    return Step(
        "The decisions",
        "The class with the largest joint, which is also that with the largest posterior.",
        (decisions_grid(heads, lines, truth is not None),),
    )

"""Fisher's discriminant by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..errors import InputError
from . import exact
from .document import Step, Worked
from .exact import Vector
from .expressions import Frac, Mat, Node, Paren, Sym, row
from .moments import Metric, decided, decisions_grid, inverse_parts, means_step, metric, scatter_step, singular_parts
from .small_data import SmallData, label, read, read_rows


def work_fisher(X: Any, y: Any, new: Any = None) -> Worked:
    """Write out Fisher's discriminant of two classes: means, scatters, inverse, w, threshold, decisions."""
    data = read(X, y)
    if len(data.classes) != 2:
        raise InputError(
            f"Fisher by hand takes two classes; there are {len(data.classes)}: pick the rows of two, or use FisherDiscriminant."
        )
    first, means = means_step(data, "m")
    second, scatters = scatter_step(data, means, "m")
    within = scatters[-1]
    found = metric(data, within)
    third = _inverse(data, found, within, means)
    fourth, w = _direction(data, found, means)
    fifth, b = _threshold(data, w, means)
    sixth, J = _criterion(data, w, means, scatters)
    rows = data.rows if new is None else read_rows(new, data.p)[1]
    codes = [int(exact.dot(w, x) > b) for x in rows]
    last = _decisions(data, w, b, rows, None if new is not None else data.codes)
    result = {
        "means": dict(zip(data.classes, means)),
        "S_W": within,
        "w": w,
        "b": b,
        "J": J,
        "decisions": [data.classes[k] for k in codes],
    }
    return Worked("Fisher's discriminant by hand", (data.step(), first, second, third, fourth, fifth, sixth, last), result)


def _inverse(data: SmallData, found: Metric, within: exact.Matrix, means: list[Vector]) -> Step:
    if found.first is None:
        why = (
            "The direction needs the inverse of S_W. For two columns: swap the diagonal, change the other signs, divide by the determinant."
        )
        why = why if data.p == 2 else "The direction needs the inverse of S_W, found by elimination."
        return Step("The inverse", why, inverse_parts(data, "S_W", within))
    return Step("An inverse that does not exist", "The direction needs the inverse of S_W.", singular_parts(data, "S_W", found, means, "m"))


def _direction(data: SmallData, found: Metric, means: list[Vector]) -> tuple[Step, Vector]:
    a, b = (Sym("m", tag) for tag in data.tags)
    difference = exact.minus(means[1], means[0])
    parts: list[Node] = [row(b, "−", a, "=", data.vec(difference))]
    leading = [] if found.first is None else exact.apply(found.first, difference)
    if any(leading):
        w = leading
        null = row("N", Paren(row("N^T", "T", "N"), "-1"), "N^T")
        parts.append(row("N", "=", data.mat(exact.transpose(found.null))))
        parts.append(row("w", "=", null, Paren(row(b, "−", a)), "=", data.vec(w)))
        why = "Of all directions without scatter, the one in which the means differ most for the total variance T of the columns."
    else:
        w = exact.apply(found.inverse, difference)
        turned = data.mat(found.inverse)
        parts.append(row("w", "=", "S_W^-1", Paren(row(b, "−", a)), "=", turned, data.vec(difference), "=", data.vec(w)))
        why = "Turn the difference of the means by the inverse: directions in which the classes spread little count more."
    if not any(w):
        raise InputError("The two classes have the same mean, so no direction tells them apart; give other rows.")
    return Step("The direction w", why, tuple(parts)), w


def _threshold(data: SmallData, w: Vector, means: list[Vector]) -> tuple[Step, Fraction]:
    a, b = (exact.dot(w, m) for m in means)
    middle = (a + b) / 2
    line = Mat((tuple(data.num(value) for value in w),))
    parts = [row("w^T", Sym("m", tag), "=", line, data.vec(m), "=", data.num(value)) for tag, m, value in zip(data.tags, means, (a, b))]
    parts.append(row("b", "=", Frac(row(data.num(a), "+", data.num(b)), 2), "=", data.num(middle)))
    why = "Project the means on w and take the threshold half way between them."
    return Step("The threshold b", why, tuple(parts)), middle


def _criterion(data: SmallData, w: Vector, means: list[Vector], scatters: list[exact.Matrix]) -> tuple[Step, Fraction | None]:
    apart = exact.dot(w, exact.minus(means[1], means[0])) ** 2
    spreads = [exact.dot(w, exact.apply(S, w)) for S in scatters[:2]]
    names = [Sym("s", tag, "2") for tag in data.tags]
    parts: list[Any] = [row(name, "=", "w^T", Sym("S", tag), "¦", "w", "=", data.num(s)) for name, tag, s in zip(names, data.tags, spreads)]
    top = Paren(row("w^T", Sym("m", data.tags[1]), "−", "w^T", Sym("m", data.tags[0])), "2")
    why = (
        "How well does w do? The squared distance of the projected means, over the scatter of the projected classes; no direction has more."
    )
    if not sum(spreads):
        parts.append("Nothing is left of the scatter: J is infinite.")
        return Step("Fisher's criterion J", why, tuple(parts)), None
    J = apart / sum(spreads)
    parts.append(
        row(
            "J",
            "=",
            Frac(top, row(names[0], "+", names[1])),
            "=",
            Frac(data.num(apart), data.num(sum(spreads, Fraction(0)))),
            "=",
            data.num(J),
        )
    )
    return Step("Fisher's criterion J", why, tuple(parts)), J


def _decisions(data: SmallData, w: Vector, b: Fraction, rows: list[Vector], codes: list[int] | None) -> Step:
    lines = []
    for i, x in enumerate(rows):
        value = exact.dot(w, x)
        to, mark = decided(data, int(value > b), None if codes is None else codes[i])
        lines.append((str(i + 1), data.tup(x), data.num(value), data.num(value - b), to, mark))
    heads = ("row", "x", row("w^T", "x"), row("f", "=", "w^T", "x", "−", "b"), "decided", "right")
    why = f"Class {label(data.classes[1])} where f(x) = wᵀx − b > 0, else class {label(data.classes[0])}."
    return Step("The decisions", why, (decisions_grid(heads, lines, codes is not None),))

"""Linear discriminant analysis by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from ..errors import InputError, one_of
from . import exact
from .document import Step, Worked
from .exact import Matrix, Vector
from .expressions import Dec, Frac, Node, Sym, row
from .logarithms import LogNumber, linear_form
from .moments import Metric, decided, decisions_grid, inverse_parts, means_step, metric, scatter_step, singular_parts
from .priors import priors_step
from .small_data import SmallData, label, read, read_rows


def work_lda(
    X: Any, y: Any, new: Any = None, *, covariance: Literal["unbiased", "mle"] = "unbiased", priors: Sequence[Any] | None = None
) -> Worked:
    """Write out linear discriminant analysis: priors, means, covariance, inverse, discriminants, decisions."""
    if covariance not in ("unbiased", "mle"):
        raise one_of("covariance", covariance, ["unbiased", "mle"])
    data = read(X, y)
    first, shares = priors_step(data.classes, data.tags, data.codes, priors)
    second, means = means_step(data, "μ")
    third, scatters = scatter_step(data, means, "μ")
    fourth, sigma = _covariance(data, scatters[-1], covariance)
    found = metric(data, sigma)
    steps = [data.step(), first, second, third, fourth, _inverse(data, found, sigma, means)]
    forms = [_discriminant(found.inverse, m, LogNumber(Fraction(0), share)) for m, share in zip(means, shares)]
    leading = None if found.first is None else [_discriminant(found.first, m, LogNumber(Fraction(0))) for m in means]
    if leading is not None and all(w == leading[0][0] for w, _ in leading):
        leading = None  # the means do not differ where nothing varies
    steps += _functions(data, means, forms, leading)
    deciding = forms if leading is None else leading
    if len(means) == 2:
        steps.append(_boundary(data, deciding, means, leading is not None))
    rows = data.rows if new is None else read_rows(new, data.p)[1]
    codes = [_decide(x, forms, leading) for x in rows]
    steps.append(_decisions(data, "δ" if leading is None else "g", rows, deciding, codes, None if new is not None else data.codes))
    result: dict[str, Any] = {
        "priors": dict(zip(data.classes, shares)),
        "means": dict(zip(data.classes, means)),
        "covariance": sigma,
        "weights": {c: w for c, (w, _) in zip(data.classes, deciding)},
        "constants": {c: constant for c, (_, constant) in zip(data.classes, deciding)},
        "decisions": [data.classes[k] for k in codes],
    }
    if len(means) == 2:
        result["w"] = exact.minus(deciding[1][0], deciding[0][0])
        result["w0"] = deciding[1][1] - deciding[0][1]
    return Worked("Linear discriminant analysis by hand", tuple(steps), result)


def _covariance(data: SmallData, within: Matrix, kind: str) -> tuple[Step, Matrix]:
    n, K = len(data.rows), len(data.classes)
    if kind == "unbiased" and n == K:
        raise InputError(f"covariance='unbiased' divides by n − K = 0: {n} rows in {K} classes. Use covariance='mle', or give more rows.")
    divisor = n - K if kind == "unbiased" else n
    sigma = exact.scale(Fraction(1, divisor), within)
    by = row("n", "−", "K") if kind == "unbiased" else row("n")
    why = "All classes share one covariance: the scatter within them, divided by " + (
        "the number of rows less that of classes, so that it is right on average."
        if kind == "unbiased"
        else "the number of rows (maximum likelihood)."
    )
    return Step(
        "The covariance", why, (row("Σ", "=", Frac("S_W", by), "=", Frac(1, divisor), "¦", data.mat(within), "=", data.mat(sigma)),)
    ), sigma


def _inverse(data: SmallData, found: Metric, sigma: Matrix, means: list[Vector]) -> Step:
    if found.first is None:
        return Step("Its inverse", "Distances are measured in units of the covariance, by its inverse.", inverse_parts(data, "Σ", sigma))
    why = "Distances are measured in units of the covariance, by its inverse."
    return Step("An inverse that does not exist", why, singular_parts(data, "Σ", found, means, "μ"))


def _discriminant(inverse: Matrix, mean: Vector, log: LogNumber) -> tuple[Vector, LogNumber]:
    """Return weights and constant of x'Aμ − ½ μ'Aμ + log."""
    w = exact.apply(inverse, mean)
    return w, log + -exact.dot(w, mean) / 2


def _functions(data: SmallData, means: list[Vector], forms: list[tuple[Vector, LogNumber]], leading: Any) -> list[Step]:
    parts: list[Node] = []
    for tag, mean, (w, constant) in zip(data.tags, means, forms if leading is None else leading):
        mu, delta = Sym("μ", tag), Sym("δ" if leading is None else "g", tag)
        square = exact.dot(w, mean)
        if leading is None:
            parts.append(row("Σ^-1", mu, "=", data.vec(w), ",", mu_t := Sym("μ", tag, "T"), "Σ^-1", mu, "=", data.num(square)))
            parts.append(row(delta, "=", "x^T", "Σ^-1", mu, "−", Fraction(1, 2), "¦", mu_t, "Σ^-1", mu, "+", "ln", "¦", Sym("π", tag)))
        else:
            parts.append(row("M", "¦", mu, "=", data.vec(w), ",", Sym("μ", tag, "T"), "M", "¦", mu, "=", data.num(square)))
            parts.append(row(delta, "=", "x^T", "M", "¦", mu, "−", Fraction(1, 2), "¦", Sym("μ", tag, "T"), "M", "¦", mu))
        parts.append(row(delta, "=", linear_form(data, w, constant)))
    if leading is None:
        why = "The logarithm of prior times density, without what all classes share. It is linear in x: the squares are the same for all."
        return [Step("The discriminant of each class", why, tuple(parts))]
    why = "With M = N(N'TN)⁻¹N', N the direction without variance: half the squared distance along it, without what all classes share."
    return [Step("The discriminant of each class", why, tuple(parts))]


def _boundary(data: SmallData, forms: list[tuple[Vector, LogNumber]], means: list[Vector], singular: bool) -> Step:
    (u, a), (v, b) = forms
    w, w0 = exact.minus(v, u), b - a
    letter = "g" if singular else "δ"
    first, second = (Sym(letter, tag) for tag in data.tags)
    parts: list[Any] = [row(second, "−", first, "=", linear_form(data, w, w0))]
    if data.p == 1 and w[0] and w0.log == 1:
        middle, name = -w0.value / w[0], data.names[0]
        x = name if isinstance(name, Sym) else Sym(str(name))
        mus = [Sym("μ", tag) for tag in data.tags]
        half = Frac(row(mus[0], "+", mus[1]), 2)
        parts.append(row(x, ">" if w[0] > 0 else "<", half, "=", data.num(middle)))
    why = f"The difference of the two is the log-odds of class {label(data.classes[1])}, which is chosen where it is greater than 0."
    if singular:
        why = f"Class {label(data.classes[1])} is chosen where the difference of the two is greater than 0; posteriors are 0 and 1 there."
    return Step("The boundary", why, tuple(parts))


def _decide(x: Vector, forms: list[tuple[Vector, LogNumber]], leading: list[tuple[Vector, LogNumber]] | None) -> int:
    """Return the class with the largest discriminant, the first among equals; what comes first decides first."""
    ranks = []
    for k, (w, constant) in enumerate(forms):
        before = 0 if leading is None else leading[k][1].value + exact.dot(leading[k][0], x)
        ranks.append((before, (constant + exact.dot(w, x)).exactly, -k))
    return -max(ranks)[2]


def _decisions(
    data: SmallData, letter: str, rows: list[Vector], forms: list[tuple[Vector, LogNumber]], codes: list[int], truth: list[int] | None
) -> Step:
    heads: tuple[Any, ...] = ("row", "x", *(Sym(letter, tag) for tag in data.tags), "decided", "right")
    lines = []
    for i, x in enumerate(rows):
        values = [constant + exact.dot(w, x) for w, constant in forms]
        shown: list[Any] = [value.node(data) if value.log == 1 else Dec(float(value)) for value in values]
        to, mark = decided(data, codes[i], None if truth is None else truth[i])
        lines.append((str(i + 1), data.tup(x), *shown, to, mark))
    return Step(
        "The decisions", "Each row goes to the class with the largest discriminant.", (decisions_grid(heads, lines, truth is not None),)
    )

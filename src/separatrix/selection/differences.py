"""How far two models are apart on the same held-out rows, and whether that may be chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, norm, t

from ..array_types import Bools, Floats
from ..inference.shares import Area


@dataclass(frozen=True, slots=True)
class Difference:
    """What a model loses against another one on the same rows.

    Attributes
    ----------
    value : loss of this model minus loss of the other
    interval : (low, high), 95 %
    p : of the hypothesis that both are equally good
    test : name of the test behind it
    """

    value: float
    interval: tuple[float, float]
    p: float
    test: str


def mcnemar(wrong: Bools, other_wrong: Bools, level: float = 0.95) -> Difference:
    """Return the difference of two errors, tested by the rows on which exactly one model is wrong.

        b = rows this one alone gets wrong,  c = rows the other alone gets wrong,  b ~ Binomial(b + c, ½) if both are equal

    The p-value is exact and two-sided; the interval is Bonett and Price's, with b, c + 1 of n + 2:

        p₁ = (b + 1)/(n + 2),  p₂ = (c + 1)/(n + 2):   p₁ − p₂ ± z √((p₁ + p₂ − (p₁ − p₂)²)/(n + 2))

    Parameters
    ----------
    wrong, other_wrong : (n,) of bool

    Examples
    --------
    >>> found = mcnemar(np.array([True] * 8 + [False] * 12), np.array([False] * 8 + [True] + [False] * 11))
    >>> round(found.p, 4), found.value
    (0.0391, 0.35)

    References
    ----------
    McNemar (1947), Psychometrika 12; Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, J. Educational and Behavioral Statistics 37.
    """
    n = len(wrong)
    b, c = int(np.sum(wrong & ~other_wrong)), int(np.sum(other_wrong & ~wrong))
    p = float(binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0
    p1, p2 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = float(norm.ppf(0.5 + level / 2)) * float(np.sqrt((p1 + p2 - (p1 - p2) ** 2) / (n + 2)))
    return Difference((b - c) / n, (p1 - p2 - half, p1 - p2 + half), p, "McNemar")


def delong(area: Area, other: Area, level: float = 0.95) -> Difference:
    """Return what one area under the ROC curve loses against another one of the same rows.

        A₂ − A₁ ± z √Σ (φ_2i − φ_1i)² / n,   φ_i the influence of row i on the area

    Several classes: A is the mean of one against the rest, and influences add up row by row.

    Parameters
    ----------
    area, other : Area
        With influences in the order of the rows.

    Examples
    --------
    >>> from separatrix.inference.shares import area
    >>> truth, scores = np.array([1, 1, 1, 0, 0, 0]) > 0, ([0.6, 0.3, 0.8, 0.4, 0.5, 0.1], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
    >>> found = delong(*[area(truth, np.array(score), None) for score in scores])
    >>> round(found.value, 4), round(found.p, 4)
    (0.2222, 0.3711)

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44; Sun and Xu (2014), IEEE Signal Processing Letters 21 (by ranks).
    """
    error = float(np.sqrt(np.sum((other.influence - area.influence) ** 2))) / len(area.influence)
    return _normal(other.value - area.value, error, level, "DeLong")


def paired_rows(losses: Floats, other: Floats, level: float = 0.95) -> Difference:
    """Return the mean difference of the losses of the same rows, with its normal interval.

    Examples
    --------
    >>> paired_rows(np.array([0.2, 0.4, 0.9, 0.1]), np.array([0.1, 0.4, 0.5, 0.2])).value
    0.1
    """
    d = losses - other
    return _normal(round(float(d.mean()), 15), float(np.sqrt(_variance(d) / len(d))), level, "paired losses")


def resampled_t(values: Floats, other: Floats, held_out_share: float, value: float | None = None, level: float = 0.95) -> Difference | None:
    """Return the mean difference of J scores of the same folds, whose training rows overlap; None for fewer than two folds.

        d̄ ± t_{J−1} √((1/J + r) s²_d),   r = rows held out / rows trained on

    A `value` given takes the place of d̄: that of all rows together, where the metric is not the mean over folds.

    Examples
    --------
    >>> round(resampled_t(np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.1, 0.2]), 0.25).p, 4)
    0.3453

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
    """
    d = values - other
    J = len(d)
    if J < 2 or not np.isfinite(d).all():
        return None
    error = float(np.sqrt((1.0 / J + held_out_share / (1.0 - held_out_share)) * np.var(d, ddof=1)))
    half = float(t.ppf(0.5 + level / 2, J - 1)) * error
    value = float(d.mean()) if value is None else value
    p = float(2 * t.sf(abs(value) / error, J - 1)) if error > 0 else float(value == 0)
    return Difference(value, (value - half, value + half), p, "corrected t")


def _variance(values: Floats) -> float:
    return float(np.var(values, ddof=1)) if len(values) > 1 else 0.0


def _normal(value: float, error: float, level: float, test: str) -> Difference:
    half = float(norm.ppf(0.5 + level / 2)) * error
    p = float(2 * norm.sf(abs(value) / error)) if error > 0 else float(value == 0)
    return Difference(value, (value - half, value + half), p, test)

"""Do posteriors mean what they say: observed shares beside predicted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..argument_types import check_arguments
from ..array_types import Bools, Floats, Indices
from ..errors import InputError, one_of
from ..inference.shares import wilson_band
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view
from ..solvers.scores import largest
from .posteriors import Cases

DRAWS = 400
MANY = 20_000
"""Rows beyond which resampled sums are drawn from their normal limit."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predicted probabilities in bins, beside the shares observed.

    Attributes
    ----------
    predicted : (B,) mean probability of each bin
    observed : (B,) share of rows in it for which it came true
    low, high : (B,) Wilson intervals of the observed shares
    counts : (B,) rows in each bin
    error, error_interval : expected calibration error Σ_b n_b/n |observed − predicted|, and its 95 % bootstrap interval
    noise : the error that posteriors without fault would have on rows like these, on average: it is never 0
    about : whose probability it is
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    counts: Floats
    error: float
    error_interval: tuple[float, float]
    noise: float
    about: str

    def chart(self) -> Any:
        """Return the reliability diagram as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.calibration.calibration")(self)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw it on axes of matplotlib, new ones by default, and return them.

        Parameters
        ----------
        ax : axes of matplotlib, optional
        style : of the points, such as color="black"
        """
        return maker("charts.axes.calibration")(self, ax, **style)

    def table(self) -> Table:
        """Return one line per bin."""
        columns = (
            Column("predicted", self.predicted, ".4f"),
            Column("observed", self.observed, ".4f"),
            Column("95 % low", self.low, ".4f"),
            Column("high", self.high, ".4f"),
            Column("rows", self.counts, ",.6g"),
        )
        return Table(f"Calibration: {self.about}", columns, str(self).rsplit("\n", 1)[-1])

    def _repr_html_(self) -> str:
        return view(self.table().html)

    def __str__(self) -> str:
        lines = [f"{self.about}\n  predicted  observed  95 % interval       rows"]
        lines += [
            f"     {p:.4f}    {o:.4f}  {a:.4f} to {b:.4f}  {n:8g}"
            for p, o, a, b, n in zip(self.predicted, self.observed, self.low, self.high, self.counts, strict=True)
        ]
        a, b = self.error_interval
        lines.append(f"calibration error {self.error:.4f} (95 % interval {a:.4f} to {b:.4f}; faultless posteriors {self.noise:.4f})")
        return "\n".join(lines)


def reliability(
    posteriors: Any,
    y: Any,
    *,
    bins: int = 10,
    strategy: Literal["quantile", "uniform"] = "quantile",
    label: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
    random_state: int = 0,
) -> Reliability:
    """Return the reliability table of posteriors, and the expected calibration error with its interval.

    For two classes the probability of the second one is looked at; for more that of the predicted class (its confidence); with `label`
    that of the class named.

    Parameters
    ----------
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    bins : int
    strategy : "quantile" (as many rows in each bin) or "uniform" (bins of equal width)
    label : a class, optional
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional
    random_state : int
        Seed of the bootstrap.

    Examples
    --------
    >>> p = np.repeat([0.2, 0.7], 50)
    >>> y = np.concatenate([np.arange(50) < 10, np.arange(50) < 35])
    >>> round(reliability(p, y).error, 12)
    0.0

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning, AAAI.
    """
    check_arguments(reliability, locals())
    if bins < 1:
        raise InputError(f"bins={bins!r}: at least one is needed.")
    if strategy not in ("quantile", "uniform"):
        raise one_of("strategy", strategy, ["quantile", "uniform"])
    cases = Cases.of(posteriors, y, classes, sample_weight)
    p, truth, about = _question(cases, label)
    place, counts, predicted, observed = _binned(p, truth, cases.weight, bins, strategy)
    low, high = wilson_band(observed, counts)
    error = float(counts @ np.abs(observed - predicted)) / cases.n
    interval, noise = _resampled_errors(p, truth, cases.weight, place, len(counts), random_state)
    return Reliability(predicted, observed, low, high, counts, error, (min(error, interval[0]), max(error, interval[1])), noise, about)


def _question(cases: Cases, label: Any) -> tuple[Floats, Bools, str]:
    """Return the probability looked at, whether it came true, and its name."""
    if label is None and len(cases.classes) > 2:
        top = largest(cases.P)
        return cases.P.max(axis=1), top == cases.codes, "probability of the predicted class"
    k = cases.positive(label)
    return cases.P[:, k], cases.codes == k, f"probability of {cases.classes.tolist()[k]!r}"


def _binned(p: Floats, truth: Bools, weight: Floats, bins: int, strategy: str) -> tuple[Indices, Floats, Floats, Floats]:
    """Return the bin of each row, and of each bin that has rows: their number, mean probability and share that came true."""
    if strategy == "uniform":
        edges = np.linspace(0.0, 1.0, bins + 1)[1:-1]
    else:
        order = np.argsort(p, kind="stable")
        done = np.cumsum(weight[order])
        at = np.searchsorted(done, done[-1] * np.arange(1, bins) / bins - 1e-9 * done[-1])
        edges = np.unique(p[order[np.minimum(at, len(p) - 1)]])
    # Equal probabilities stay together: an edge belongs to the bin below it.
    place = np.searchsorted(edges, p, side="left")
    used, place = np.unique(place, return_inverse=True)
    counts = np.bincount(place, weight, minlength=len(used))
    return (
        place.astype(np.intp),
        counts.astype(np.float64),
        np.bincount(place, weight * p) / counts,
        np.bincount(place, weight * truth) / counts,
    )


def _resampled_errors(p: Floats, truth: Bools, weight: Floats, place: Indices, B: int, seed: int) -> tuple[tuple[float, float], float]:
    """Return the bootstrap interval of the error, and its mean where every row comes true with the probability predicted.

    A resampled error is biased upwards by its own noise; the interval is therefore that of the differences to the error (basic bootstrap).
    """
    rng, n = np.random.default_rng(seed), float(weight.sum())
    gap = weight * (truth - p)
    gaps = np.bincount(place, gap, minlength=B)
    error = float(np.abs(gaps).sum()) / n
    if len(p) > MANY:
        # Sums over so many rows are normal.
        spread = np.sqrt(np.bincount(place, gap**2, minlength=B)), np.sqrt(np.bincount(place, weight**2 * p * (1 - p), minlength=B))
        found = np.abs(gaps + spread[0] * rng.standard_normal((DRAWS, B))).sum(axis=1) / n
        faultless = np.abs(spread[1] * rng.standard_normal((DRAWS, B))).sum(axis=1) / n
    else:
        found, faultless = np.empty(DRAWS), np.empty(DRAWS)
        for draw in range(DRAWS):
            rows = rng.integers(len(p), size=len(p))
            found[draw] = np.abs(np.bincount(place[rows], gap[rows], minlength=B)).sum() / float(weight[rows].sum())
            came_true = rng.random(len(p)) < p
            faultless[draw] = np.abs(np.bincount(place, weight * (came_true - p), minlength=B)).sum() / n
    low, high = np.quantile(found, [0.025, 0.975])
    return (max(0.0, 2 * error - float(high)), max(0.0, 2 * error - float(low))), float(faultless.mean())

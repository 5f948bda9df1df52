"""Have the classes become otherwise common? New priors from rows without labels, and a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import chi2

from ..array_types import Floats
from ..data.labels import check_labels
from ..errors import InputError
from ..inference.shares import normal_quantile
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view
from .posteriors import check_posteriors
from .priors import check_priors, require_priors

GAP = 1e-8
"""How far the log-likelihood may be from its maximum."""
MOST_STEPS = 20_000


@dataclass(frozen=True, eq=False)
class PriorShift:
    """Class priors estimated from unlabelled rows, beside those of the training.

    Attributes
    ----------
    priors : (K,) estimated; pass them on: `model.with_priors(shift.priors)` or `Decision(priors=shift.priors)`
    low, high : (K,) ends of their 95 % intervals
    trained_priors : (K,)
    classes : (K,) labels
    statistic, freedom, p_value : likelihood-ratio test of no shift
    n : number of rows
    gap : bound on how far the log-likelihood is from its maximum
    """

    priors: Floats
    low: Floats
    high: Floats
    trained_priors: Floats
    classes: NDArray[Any]
    statistic: float
    freedom: int
    p_value: float
    n: int
    gap: float

    def chart(self) -> Any:
        """Return the shares of the classes with intervals as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.intervals.prior_shift")(self)

    def table(self) -> Table:
        """Return one line per class."""
        columns = (
            Column("class", self.classes.tolist()),
            Column("trained", self.trained_priors, ".4f"),
            Column("now", self.priors, ".4f"),
            Column("95 % low", self.low, ".4f"),
            Column("high", self.high, ".4f"),
        )
        return Table("How common the classes are", columns, str(self).rsplit("\n", 1)[-1])

    def _repr_html_(self) -> str:
        return view(self.table().html)

    def __str__(self) -> str:
        lines = ["  class         trained       now  95 % interval"]
        lines += [
            f"  {label!s:12}  {old:.4f}    {new:.4f}  {a:.4f} to {b:.4f}"
            for label, old, new, a, b in zip(self.classes.tolist(), self.trained_priors, self.priors, self.low, self.high, strict=True)
        ]
        verdict = "the classes are otherwise common than in training" if self.p_value < 0.05 else "no sign that the priors have changed"
        p = f"p = {self.p_value:.3g}" if self.p_value > 1e-16 else "p < 1e-16"
        lines.append(f"χ²({self.freedom}) = {self.statistic:.2f}, {p} from {self.n} rows: {verdict}")
        return "\n".join(lines)


def prior_shift(model: Any, X: Any = None, *, trained_priors: Any = None, classes: Any = None) -> PriorShift:
    """Return the class priors of unlabelled rows, and whether they differ from those of the training.

    The priors maximise the likelihood of the rows, Σ_i log Σ_k p_ik π_k/π_k(trained), by the steps

        g_ik ∝ p_ik π_k/π_k(trained),    π_k ← mean of g_ik

    and twice its maximum is χ²(K − 1) where nothing has changed. The posteriors must be calibrated and only the priors may have changed,
    not what the rows of a class look like; that the model itself was estimated is not counted.

    Parameters
    ----------
    model : fitted classifier, or (n, K) posteriors of the new rows
    X : n unlabelled rows, for a classifier
    trained_priors : (K,), needed where the model does not know them, or posteriors are given
    classes : (K,) labels, for posteriors

    Returns
    -------
    PriorShift

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [500, 500])
    >>> model = LinearDiscriminantAnalysis().fit(rng.normal(size=(1000, 1)) + 2 * y[:, None], y)
    >>> shift = prior_shift(model, rng.normal(size=(2000, 1)) + 2 * (np.arange(2000) < 200)[:, None])
    >>> shift.priors.round(2).tolist(), shift.p_value < 0.001
    ([0.88, 0.12], True)

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14.
    """
    if hasattr(model, "fit"):
        if X is None:
            raise InputError("prior_shift(model, X) needs X, the new rows without labels.")
        if not hasattr(model, "predict_proba"):
            name = type(model).__name__
            raise InputError(f"{name} has no posteriors; calibrate it first: separatrix.CalibratedClassifier({name}()).fit(X, y).")
        labels, P = np.asarray(model.classes_), np.asarray(check_posteriors(model.predict_proba(X)), dtype=np.float64)
        old = require_priors(model, labels, trained_priors)
    else:
        P = np.asarray(check_posteriors(model), dtype=np.float64)
        labels = np.arange(P.shape[1]) if classes is None else check_labels(classes)
        if trained_priors is None:
            raise InputError("Posteriors alone do not say how common the classes were in training; pass trained_priors=.")
        old = check_priors(trained_priors, labels, "trained_priors")
    return _estimate(P, old, labels)


def _estimate(P: Floats, old: Floats, classes: NDArray[Any]) -> PriorShift:
    if len(P) == 0:
        raise InputError("There are no rows; at least one is needed.")
    seen = old > 0
    ratios = P[:, seen] / old[seen]
    found, gap = most_likely(ratios, old[seen])
    mixed = ratios @ found
    statistic = max(0.0, 2.0 * float(np.log(mixed).sum()))
    priors, low, high = np.zeros((3, len(old)))
    priors[seen], low[seen], high[seen] = found, *_intervals(ratios, found)
    freedom = int(seen.sum()) - 1
    return PriorShift(priors, low, high, old, classes, statistic, freedom, float(chi2.sf(statistic, freedom)), len(P), gap)


def most_likely(ratios: Floats, start: Floats, enough: float = GAP) -> tuple[Floats, float]:
    """Return π in the simplex of largest Σ_i log Σ_k ratios[i, k] π_k to within `enough`, and a bound on how much larger it could be.

    Each round takes two plain steps π_k ← π_k D_k, D_k = mean_i ratios[i, k]/(ratios π)_i, and a leap along them that is kept where it
    gains (squared extrapolation). Since the objective is concave, its maximum is at most n (max_k D_k − 1) away.

    Examples
    --------
    >>> found, gap = most_likely(np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 0.0]]), np.array([0.5, 0.5]))
    >>> found.round(6).tolist(), gap < 1e-6
    ([0.75, 0.25], True)

    References
    ----------
    Varadhan and Roland (2008), Simple and globally convergent methods for accelerating the convergence of any EM algorithm,
    Scandinavian Journal of Statistics 35.
    """
    pi, n = start / start.sum(), len(ratios)
    for _ in range(MOST_STEPS):
        D = _gains(ratios, pi)
        gap = n * (float(D.max()) - 1.0)
        if gap <= enough:
            break
        first = pi * D
        second = first * _gains(ratios, first)
        r, v = first - pi, second - 2 * first + pi
        length = -float(np.sqrt(r @ r / (v @ v))) if v @ v > 0 else -1.0
        leap = pi - 2 * length * r + length**2 * v
        usable = length < -1.0 and (leap > 0).all()
        pi = leap / leap.sum() if usable and np.log(ratios @ leap).sum() >= np.log(ratios @ second).sum() else second
    return pi / pi.sum(), max(0.0, gap)


def _gains(ratios: Floats, pi: Floats) -> Floats:
    mixed = ratios @ pi
    if not (mixed > 0).all():
        row = int(np.flatnonzero(~(mixed > 0))[0])
        raise InputError(f"Row {row} has all its posterior on classes without a prior; it says nothing about the others.")
    return ratios.T @ (1.0 / mixed) / len(ratios)


def _intervals(ratios: Floats, priors: Floats) -> tuple[Floats, Floats]:
    """Return 95 % intervals: normal ones, and near the border of the simplex, where these fail, those of the profile likelihood."""
    half = normal_quantile(0.95) * _standard_errors(ratios / (ratios @ priors)[:, None], priors)
    low, high = priors - half, priors + half
    for k in np.flatnonzero((half == 0) | (priors < 2 * half) | (priors > 1 - 2 * half)):
        low[k], high[k] = _profile(ratios, int(k), priors)
    return low, high


def _profile(ratios: Floats, k: int, priors: Floats) -> tuple[float, float]:
    """Return the ends of {t : 2 [L(π̂) − max L(π with π_k = t)] ≤ χ²(1)}, the other classes as likely as they can be."""
    own, others, estimate = ratios[:, k], np.delete(ratios, k, axis=1), float(priors[k])
    best, share = float(np.log(ratios @ priors).sum()), np.delete(priors, k)
    start = (share + 1e-6) / (share + 1e-6).sum()

    def excess(t: float) -> float:
        # π_k = t leaves a mixture of columns t·own + (1 − t)·others_l, whose weights are free: the same maximum as before.
        mixed = t * own[:, None] + (1 - t) * others
        found = most_likely(mixed, start, 0.01)[0] if others.shape[1] > 1 else np.ones(1)
        return 2.0 * (best - float(np.log(mixed @ found).sum())) - float(chi2.ppf(0.95, 1))

    tiny = 1e-12  # at 0 and 1 a row may be impossible
    low = brentq(excess, tiny, estimate, xtol=1e-5) if estimate > tiny and excess(tiny) > 0 else 0.0
    high = brentq(excess, estimate, 1 - tiny, xtol=1e-5) if estimate < 1 - tiny and excess(1 - tiny) > 0 else 1.0
    return float(low), float(high)


def _standard_errors(slopes: Floats, priors: Floats) -> Floats:
    """Return the standard errors of the priors from the curvature Σ_i slopes_i slopes_i' within the simplex; 0 at its border."""
    inside = np.flatnonzero(priors > 1e-9)
    errors = np.zeros(len(priors))
    if len(inside) < 2:
        return errors
    basis = np.linalg.svd(np.ones((1, len(inside))))[2][1:].T  # directions in which the sum stays one
    S = slopes[:, inside] @ basis
    # Of S itself, not of S'S, whose rounding would make a standard error of a direction that the rows say nothing about: that is infinite.
    size, directions = np.linalg.svd(S, full_matrices=False)[1:]
    told = size > np.finfo(float).eps * len(S) * size.max(initial=0.0)
    lengths = np.square(basis @ directions.T)
    untold = 1.0 - lengths[:, told].sum(axis=1) > 1e-9 + 1.0 / len(inside)
    errors[inside] = np.where(untold, np.inf, np.sqrt((lengths[:, told] / size[told] ** 2).sum(axis=1)))
    return errors

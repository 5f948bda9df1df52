"""Maps from held-out scores to probabilities: sigmoid, isotonic, temperature, beta.

Scores are log-odds or margins f, never probabilities. Of two classes there is one column, that of the second class; of K classes there
are K, each class against the rest for "sigmoid", "isotonic" and "beta" (then normalised), all together for "temperature".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Floats, Ints
from ..errors import one_of
from ..solvers.scores import log_posteriors_of, posteriors_of

Method = Literal["sigmoid", "isotonic", "temperature", "beta"]
METHODS = ("sigmoid", "isotonic", "temperature", "beta")
NEWTON_STEPS = 100


@dataclass(frozen=True, eq=False)
class CalibrationMap:
    """A fitted map.

        sigmoid      p = σ(a f + b)                                                   parameters (M, 2)
        beta         p = σ(a log s − b log(1 − s) + c),  s = σ(f), a, b ≥ 0           parameters (M, 3)
        temperature  p = softmax(f/T)                                                 parameters (1, 1): 1/T
        isotonic     p = the least-squares step function that never falls             parameters (2, all): levels of f, and of p

    for M = 1 column of scores (two classes) or M = K.

    Attributes
    ----------
    method : str
    parameters : see above
    starts : (M + 1,) where the levels of each column begin, for "isotonic"
    """

    method: str
    parameters: Floats
    starts: Ints

    def posteriors(self, scores: Floats) -> Floats:
        """Return the posteriors (n, K) of scores (n, 1) or (n, K)."""
        if self.method == "temperature":
            return posteriors_of(_joint(scores) * self.parameters[0, 0])
        own = np.column_stack([self._one(scores[:, m], m) for m in range(scores.shape[1])])
        if own.shape[1] == 1:
            return np.column_stack([1.0 - own, own])
        total = own.sum(axis=1, keepdims=True)
        # No class claims the row: nothing is known about it.
        return np.where(total > 0, own / np.where(total > 0, total, 1.0), 1.0 / own.shape[1])

    def _one(self, f: Floats, m: int) -> Floats:
        if self.method == "isotonic":
            levels, values = self.parameters[:, self.starts[m] : self.starts[m + 1]]
            shares: Floats = np.interp(f, levels, values)
            return shares
        from scipy.special import expit

        return np.asarray(expit(_terms(self.method, f) @ self.parameters[m]))


def fit_map(method: str, scores: Floats, codes: NDArray[np.integer], weight: Floats) -> CalibrationMap:
    """Return the map fitted to held-out scores and the true classes.

    Parameters
    ----------
    method : "sigmoid", "isotonic", "temperature" or "beta"
    scores : (n, 1) for two classes, else (n, K)
    codes : (n,) true classes
    weight : (n,) weights

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=5000)
    >>> f = 3.0 * (2.0 * y - 1.0) + 3.0 * rng.normal(size=5000)  # the true log-odds are 2 f/3
    >>> bool(abs(fit_map("temperature", f[:, None], y, np.ones(5000)).parameters[0, 0] - 2 / 3) < 0.03)
    True

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers.
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD.
    Kull, Silva Filho and Flach (2017), Beta calibration, AISTATS.
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML.
    """
    if method not in METHODS:
        raise one_of("method", method, METHODS)
    nowhere = np.zeros(1, dtype=np.int64)
    if method == "temperature":
        return CalibrationMap(method, np.array([[_inverse_temperature(_joint(scores), codes, weight)]]), nowhere)
    M = scores.shape[1]
    truths = [codes == (m if M > 1 else 1) for m in range(M)]
    if method == "isotonic":
        steps = [_isotonic(scores[:, m], truths[m], weight) for m in range(M)]
        starts = np.cumsum([0, *[step.shape[1] for step in steps]])
        return CalibrationMap(method, np.hstack(steps), starts.astype(np.int64))
    fit = _fit_sigmoid if method == "sigmoid" else _fit_beta
    return CalibrationMap(method, np.stack([fit(scores[:, m], truths[m], weight) for m in range(M)]), nowhere)


def _joint(scores: Floats) -> Floats:
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def _terms(method: str, f: Floats) -> Floats:
    """Return the columns a map is linear in."""
    one = np.ones(len(f))
    return np.column_stack([f, one] if method == "sigmoid" else [-np.logaddexp(0.0, -f), np.logaddexp(0.0, f), one])


def _isotonic(f: Floats, truth: Bools, weight: Floats) -> Floats:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(f, truth.astype(np.float64), sample_weight=weight)
    return np.stack([fitted.X_thresholds_, fitted.y_thresholds_]).astype(np.float64)


def _inverse_temperature(scores: Floats, codes: NDArray[np.integer], weight: Floats) -> float:
    """Return 1/T of least log-loss, which is convex in it, between e⁻¹² and e¹² in units of the scores' spread."""
    unit = float(np.std(scores)) or 1.0
    own = np.arange(len(codes)), codes

    def loss(log_beta: float) -> float:
        return -float(weight @ log_posteriors_of(scores * (np.exp(log_beta) / unit))[own]) / float(weight.sum())

    from scipy.optimize import minimize_scalar  # here: a map that is only used needs no solver

    return float(np.exp(minimize_scalar(loss, bounds=(-12.0, 12.0), method="bounded", options={"xatol": 1e-9}).x)) / unit


def _targets(truth: Bools, weight: Floats) -> Floats:
    """Return Platt's targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2): with them a finite optimum exists, also for separated classes."""
    positive, negative = float(weight[truth].sum()), float(weight[~truth].sum())
    return np.where(truth, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))


def _fit_sigmoid(f: Floats, truth: Bools, weight: Floats) -> Floats:
    return _newton(_terms("sigmoid", f), _targets(truth, weight), weight)


def _fit_beta(f: Floats, truth: Bools, weight: Floats) -> Floats:
    """Return a, b ≥ 0 and c; a coefficient that comes out negative is set to 0 and the others are fitted again."""
    terms, targets = _terms("beta", f), _targets(truth, weight)
    use = np.array([True, True, True])
    while True:
        found = np.zeros(3)
        found[use] = _newton(terms[:, use], targets, weight)
        negative = use & (found < 0) & np.array([True, True, False])
        if not negative.any():
            return found
        use[int(np.where(negative, found, np.inf).argmin())] = False


def _newton(F: Floats, targets: Floats, weight: Floats) -> Floats:
    """Return θ of least Σ w [log(1 + e^z) − t z], z = Fθ, by Newton's method with halved steps; columns in units of their own size."""
    unit = np.sqrt(np.mean(F * F, axis=0))
    unit = np.where(unit > 0, unit, 1.0)
    G, theta, n = F / unit, np.zeros(F.shape[1]), float(weight.sum())

    from scipy.special import expit

    def loss(t: Floats) -> float:
        z = G @ t
        return float(weight @ (np.logaddexp(0.0, z) - targets * z)) / n

    value = loss(theta)
    for _ in range(NEWTON_STEPS):
        p = expit(G @ theta)
        gradient = G.T @ (weight * (p - targets)) / n
        hessian = (G * (weight * p * (1.0 - p))[:, None]).T @ G / n
        step, length = np.linalg.lstsq(hessian, gradient, rcond=1e-13)[0], 1.0
        while loss(theta - length * step) > value + 1e-15 and length > 1e-10:
            length /= 2
        theta = theta - length * step
        previous, value = value, loss(theta)
        if float(gradient @ step) < 1e-20 or (previous - value <= 0.0 and length == 1.0):
            break
    return theta / unit

"""One support vector machine: what it minimises, and the certificate of how far a point is from the minimum.

    F(w, b) = ½‖w‖² + ½ρb² + Σ_i c_i ℓ(y_i(w'x_i + b)),   ℓ(m) = max(0, 1 − m) or its square,   c_i = s_i/(λS)

is f/λ for the mean loss f of `Problem`. ρ = 0 leaves the intercept free, ρ = ∞ means that there is none, and a finite ρ = 1/τ² is
liblinear's constant column τ. The dual has one multiplier a row, w = Σ α_i y_i x_i:

    D(α) = Σ α_i − ½‖Σ α_i y_i x_i‖² − (Σ α_i y_i)²/2ρ − [squared hinge] Σ α_i²/4c_i,   0 ≤ α_i (hinge: ≤ c_i),   ρ = 0: Σ α_i y_i = 0

Any such α gives D(α) ≤ min F. Hard margins are the hinge with c_i = ∞.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...array_types import Floats
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from .pieces import Pieces, line_minimum

NOTHING = 1e-8
"""Share of the largest multiplier of a hinge, and of the length of w, below which another one is rounding."""
SLIGHT = 1e-6
"""Share of the multipliers by which one side may outweigh the other for one row to make up for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A positive class against the rest.

    Attributes
    ----------
    rows : Rows
    signs : (n,) y_i = ±1
    cost : (n,) c_i ≥ 0; infinite for a hard margin
    squared : bool
        Squared hinge or hinge.
    ridge : float
        ρ.
    max_iter : int
    tol : float
        Stop when F − D ≤ tol F.
    seed : int
    shared : dict, optional
        What is the same in every machine of one table, once one of them has found it: the curvature of all rows, where each begins, and
        their squared lengths.
    is_trial : bool
        Whether it is solved before all other machines of its table.
    """

    rows: Rows
    signs: Floats
    cost: Floats
    squared: bool
    ridge: float = 0.0
    max_iter: int = 1000
    tol: float = 1e-6
    seed: int = 0
    shared: dict[str, Floats] | None = None
    is_trial: bool = False

    @property
    def is_hard(self) -> bool:
        """Whether no row may violate its margin."""
        return bool(np.isinf(self.cost).any())

    @property
    def has_intercept(self) -> bool:
        """Whether b may differ from 0."""
        return bool(np.isfinite(self.ridge))

    @property
    def cap(self) -> Floats:
        """Largest multiplier of each row."""
        return np.where(self.cost > 0.0, np.inf, 0.0) if self.squared else self.cost

    def loss(self, margins: Floats) -> float:
        """Return Σ c_i ℓ(m_i); without the rows of a hard margin, which have none."""
        short = np.maximum(0.0, 1.0 - margins)
        if self.is_hard:
            return 0.0
        return float(self.cost @ (short * short if self.squared else short))


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A point and multipliers that bound its distance from the minimum.

    Attributes
    ----------
    theta : (q,) w and c, see `CentredRows`
    alpha : (n,) multipliers, feasible
    primal, dual : float
        F and D.
    residual : float
        Largest entry of w − Σ α_i y_i x_i.
    """

    theta: Floats
    alpha: Floats
    primal: float
    dual: float
    residual: float

    @property
    def gap(self) -> float:
        """F − D ≥ F − min F; infinite where a solver has diverged and left no number."""
        return proven(self.primal, self.dual)


def proven(primal: float, dual: float) -> float:
    """Return F − D, at least 0; infinite where it is no number.

    Examples
    --------
    >>> proven(2.0, 1.5), proven(float("nan"), 1.0)
    (0.5, inf)
    """
    gap = primal - dual
    return max(gap, 0.0) if gap < np.inf else np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The end of a machine's solver: w (p,), b on the rows as they are, the certificate behind them, and which of several it was."""

    coef: Floats
    intercept: float
    certificate: Certificate
    iterations: int
    passes: int
    solver: str = ""

    @classmethod
    def of(cls, rows: CentredRows, certificate: Certificate, iterations: int, passes: int) -> Self:
        """Return the end at a certificate on centred rows."""
        theta = certificate.theta
        return cls(theta[:-1], rows.intercept(theta), certificate, iterations, passes)

    def better(self, other: Self) -> Self:
        """Return the end with the lower F, the multipliers with the higher D, which bound it wherever they come from, and the work of both.

        The residual is then at most √(2(F − D)).
        """
        low = other if other.certificate.primal < self.certificate.primal else self
        mine, yours = self.certificate, other.certificate
        high, own = (yours if yours.dual > mine.dual else mine), low.certificate
        if high is not own:
            gap = max(own.primal - high.dual, 0.0)
            own = replace(own, alpha=high.alpha, dual=high.dual, residual=max(own.residual, high.residual, float(np.sqrt(2.0 * gap))))
        return replace(low, certificate=own, iterations=self.iterations + other.iterations, passes=self.passes + other.passes)


def certify(machine: Machine, rows: CentredRows, theta: Floats, margins: Floats, alpha: Floats) -> Certificate:
    """Return the certificate of θ with its margins and of multipliers that may need to be made feasible; one pass.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Rows.of(as_source([[0.0], [2.0]], [0, 1]))
    >>> machine = Machine(rows, np.array([-1.0, 1.0]), np.full(2, np.inf), squared=False)
    >>> found = certify(machine, CentredRows.of(rows, True), np.array([1.0, 0.0]), np.ones(2), np.full(2, 0.5))
    >>> found.primal, found.dual, found.gap
    (0.5, 0.5, 0.0)
    """
    alpha = feasible(machine, theta, alpha)
    v = rows.sums(alpha * machine.signs)
    if machine.is_hard:
        least = margins[machine.cost > 0.0].min()
        theta = theta / least if least > 0.0 else theta
    w, b = theta[:-1], rows.intercept(theta) if machine.has_intercept else 0.0
    primal = 0.5 * float(w @ w) + machine.loss(margins)
    if machine.is_hard and least <= 0.0:
        primal = np.inf
    dual = float(alpha.sum()) - 0.5 * float(v[:-1] @ v[:-1])
    if machine.has_intercept and machine.ridge > 0.0:
        primal += 0.5 * machine.ridge * b * b
        dual -= 0.5 * float(v[-1] ** 2) / machine.ridge
    if machine.squared:
        used = machine.cost > 0.0
        dual -= 0.25 * float(np.sum(alpha[used] ** 2 / machine.cost[used]))
    return Certificate(theta, alpha, primal, dual, float(np.abs(w - v[:-1]).max()))


def best_intercept(machine: Machine, scores: Floats) -> float:
    """Return the shift of all scores that minimises the loss exactly.

    Hinge: its slope rises by c_i at y_i − z_i, from −Σ_{y=1} c_i, so that the root is a weighted quantile. Squared hinge: a
    piecewise linear root. Hard margin: the middle between the two classes.

    Examples
    --------
    >>> machine = Machine(None, np.array([-1.0, 1.0, 1.0]), np.ones(3), squared=False)
    >>> best_intercept(machine, np.array([0.0, 0.0, 3.0]))
    -1.0
    """
    y, cost = machine.signs, machine.cost
    if machine.is_hard:
        used = cost > 0.0
        above, below = scores[used & (y > 0.0)], scores[used & (y < 0.0)]
        return 0.0 if len(above) == 0 or len(below) == 0 else -0.5 * float(above.min() + below.max())
    if machine.squared:
        pieces = Pieces(np.zeros(len(y)), 2.0 * cost, machine.cap)
        m = y * scores
        start = pieces.along(m, y, 0.0)[0]
        direction = y if start < 0.0 else -y
        t = line_minimum(pieces, m, direction, -abs(start), 0.0, 0.0) if start != 0.0 else 0.0
        return t if start < 0.0 else -t
    kinks = y - scores
    order = np.argsort(kinks)
    place = np.searchsorted(np.cumsum(cost[order]), float(cost[y > 0.0].sum()))
    return float(kinks[order[min(int(place), len(order) - 1)]])


def feasible(machine: Machine, theta: Floats, alpha: Floats) -> Floats:
    """Return multipliers within their bounds that balance (ρ = 0: Σ α_i y_i = 0)."""
    alpha = np.clip(alpha, 0.0, machine.cap)
    if not machine.squared:
        # A row on its margin that no one needs keeps a multiplier of rounding size; without it the gap is the same.
        small = np.flatnonzero((alpha > 0.0) & (alpha < NOTHING * alpha.max(initial=0.0)))
        if len(small) > 0 and machine.rows.X is not None:
            X = machine.rows.X[small]
            lengths = np.sqrt(np.asarray((X * X if isinstance(X, np.ndarray) else X.multiply(X)).sum(axis=1)).ravel())
            alpha[small[alpha[small] * lengths * len(alpha) < NOTHING * np.linalg.norm(theta)]] = 0.0
    return alpha if machine.ridge != 0.0 else balance(alpha, machine.signs, machine.cap)


def balance(alpha: Floats, signs: Floats, cap: Floats) -> Floats:
    """Return multipliers with Σ α_i y_i = 0: a slight excess is one row's, which hardly moves w; a larger one is all of its side's.

    Examples
    --------
    >>> balance(np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, -1.0]), np.full(3, 2.0)).tolist()
    [0.5, 0.5, 1.0]
    """
    above = signs > 0.0
    up, down = float(alpha[above].sum()), float(alpha[~above].sum())
    if up == down:
        return alpha
    heavy, factor = (above, down / up) if up > down else (~above, up / down)
    if 1.0 - factor < SLIGHT:
        row = int(np.where(heavy, np.minimum(alpha, cap - alpha), 0.0).argmax())
        if alpha[row] > abs(up - down):
            alpha = alpha.copy()
            alpha[row] -= abs(up - down)
            return alpha
    return np.where(heavy, factor * alpha, alpha)

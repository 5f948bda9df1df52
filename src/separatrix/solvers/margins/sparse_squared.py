"""Which method a squared hinge on sparse rows gets, by counted work.

With s = mean cost × mean squared length of a row, and γ = 2p/n columns for each row that may be curved:

    epochs of dual coordinate descent     4 + 1/(1/22s + 1/(25 + 250 (n/p)²))
    products of conjugate gradients       10 + 20 κ,    κ = min(√s, (1 + √γ)/(1 − √γ)),  γ ≥ 1: √s
    steps of exact Newton                 7 κ^¼

Descent is slow by s as long as its rows have to share few columns; where columns are many, each row soon has its own. The curvature has the
condition number s at most, and that of a matrix of random columns where rows are many. Forty random problems need that much within a
factor of 3, most of them; so the method that comes first is left for another after a time in which that one would have ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..problem import Problem
from ..work import ADDED, CALL, EPOCH, FACTORED, PASS
from .one_machine import CONJUGATE, DUAL, FEW_COLUMNS, NEWTON

MEETING = 4e-10
"""Seconds of a meeting of two values in a sparse row, in a compiled sum over one machine's rows."""
PRODUCT, STEP = 4.5e-9, 4e-4
"""Seconds of a stored value in a product, which reads it twice, and of a step of either Newton method on small rows."""
SHORT = 15 * STEP
"""Seconds that exact Newton may always take, for the last digits of coefficients and multipliers."""
STEPS = 6
"""Steps of Newton's method by products."""
MISSED, CACHE, ROW_BYTES, VALUE_BYTES = 1e-7, 1.6e7, 48, 12
"""Seconds of a row that descent, which goes from row to row at random, finds nowhere in the caches; their bytes, and those of rows."""
PASSES = 5
"""Passes over the rows in a step of either."""
FEWEST = 10
"""Epochs that descent always gets."""
KEPT = 0.75
"""Share of the epochs allowed after which descent makes room for another method."""
FOLD_STEPS, DENSE = 8, 3e-9
"""Steps with a dense curvature that a machine takes for a fold, and seconds of a value of rows made dense."""
DOUBT, MOST = 3.0, 100_000
"""Times the seconds of the next best method that conjugate gradients get, which go on from where they stand, and their products at most."""

REASONS = {
    DUAL: "{n:,} sparse rows and {p:,} columns: reading the rows a few times is cheaper than any curvature",
    CONJUGATE: "{n:,} sparse rows and {p:,} columns: products with their curvature are cheaper than its matrix, and fewer than epochs",
    NEWTON: "{p:,} columns: the curvature of all of them is cheap",
}


@dataclass(frozen=True, slots=True)
class SparseSquared:
    """Seconds of each method for a machine, of an epoch and of a product."""

    seconds: dict[str, float]
    epoch: float
    product: float

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the work for a problem with a penalty whose rows are held in memory."""
        rows, X = problem.rows, problem.rows.X
        n, p = X.shape
        values = float(rows.values)
        with np.errstate(over="ignore"):
            s = max(float(np.vdot(X.data, X.data)) / n / (problem.strength * n), 1e-300)
        gamma = np.sqrt(2.0 * p / n)
        bent = min(np.sqrt(s), (1.0 + gamma) / (1.0 - gamma) if gamma < 1.0 else np.inf)
        held = ROW_BYTES * n + VALUE_BYTES * values
        epoch = EPOCH * values + MISSED * n * held / (held + CACHE)
        product, reading = PRODUCT * values, PASSES * PASS * values
        epochs = 4.0 + 1.0 / (1.0 / (22.0 * s) + 1.0 / (25.0 + 250.0 * (n / p) ** 2))
        seconds = {DUAL: CALL + epochs * epoch, CONJUGATE: (10.0 + 20.0 * bent) * product + STEPS * (STEP + reading)}
        if p <= FEW_COLUMNS:
            pairs = MEETING * float(np.square(np.diff(X.indptr).astype(np.float64)).sum())
            seconds[NEWTON] = 7.0 * bent**0.25 * (STEP + reading + pairs + FACTORED * p**3)
        return cls(seconds, epoch, product)

    def plan(self, max_iter: int) -> list[tuple[str, int]]:
        """Return the methods from the cheapest, each with the epochs or products after which the next would have ended."""
        order = sorted(self.seconds, key=lambda name: 0.0 if name == NEWTON and self.seconds[NEWTON] <= SHORT else self.seconds[name])
        found = []
        for name, then in zip(order, [*order[1:], None]):
            given = np.inf if then is None else self.seconds[then] * (1.0 if name == DUAL else DOUBT)
            epochs = np.clip(given / self.epoch, FEWEST, max(FEWEST, KEPT * max_iter))
            found.append((name, int(epochs if name == DUAL else min(FEWEST + given / self.product, MOST))))
        return found


def refits_are_cheaper(problem: Problem) -> bool:
    """Whether fits without a fold cost less than Newton steps from the fit of all rows, which have a dense curvature."""
    rows = problem.rows
    if not rows.is_sparse or problem.strength == 0.0:
        return False
    n, q = rows.X.shape[0], rows.X.shape[1] + 1
    steps = FOLD_STEPS * (STEP / 4 + DENSE * n * q + ADDED * n * q**2 + FACTORED * q**3)
    return bool(min(SparseSquared.of(problem).seconds.values()) < steps)

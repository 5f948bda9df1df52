"""The perceptron on all rows at once: every step is the mean over the rows that are wrong.

    g = (1/n) Σ_{i wrong} y_i (x_i, 1);    (w, w0) += eta g          n = Σ weights, y = ±1, i is wrong unless y_i f(x_i) > 0

For K classes a wrong row adds (x, 1) to the row of its class and takes it from that of its highest rival. g is a sum over
rows: blocks run on threads and merge in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...array_types import Floats
from ...data import Block, Source
from ...summaries.grouped import tile_rows
from ..rows import Rows
from ..scores import largest
from .online import PerceptronStatus
from .perceptron_rows import weighted


@dataclass(frozen=True, slots=True, eq=False)
class Wrong:
    """What the rows that are wrong add up to.

    Attributes
    ----------
    step : (R, p + 1) weighted sum over wrong rows
    count : number of wrong rows of weight above 0
    weight : weight of all rows
    """

    step: Floats
    count: int
    weight: float

    def merge(self, other: Wrong) -> Wrong:
        """Return that of both blocks together."""
        return Wrong(self.step + other.step, self.count + other.count, self.weight + other.weight)


def wrong_rows(weights: Floats, unit: float, factors: Floats | None = None) -> Callable[[Block], Wrong]:
    """Return the pass that sums over the wrong rows of a block; its step is not finite if a score is not.

    Examples
    --------
    >>> block = Block(np.array([[3.0, 2.0], [1.0, 4.0]]), np.array([1, 0], dtype=np.int32))
    >>> wrong_rows(np.array([[1.0, 0.0, 0.0]]), 1.0)(block)
    Wrong(step=array([[-1., -4., -1.]]), count=1, weight=2.0)
    """

    def of_block(block: Block) -> Wrong:
        total = Wrong(np.zeros_like(weights), 0, 0.0)
        # Sparse rows make no dense copies, so their block is one tile.
        for tile in block.tiles(block.n_rows if block.is_sparse else tile_rows(block.n_features)):
            with np.errstate(invalid="ignore", over="ignore"):  # per thread
                total = total.merge(_of_tile(weighted(tile, factors), weights, unit))
        return total

    return of_block


def _of_tile(tile: Block, weights: Floats, unit: float) -> Wrong:
    f = np.asarray(tile.X @ weights[:, :-1].T) + weights[:, -1]
    every, own = np.arange(len(f)), tile.codes
    c = np.ones(len(f)) if tile.weight is None else tile.weight
    finite = bool(np.isfinite(f).all())
    if len(weights) == 1:
        sign = np.where(own == 1, 1.0, -1.0)
        wrong = ~(sign * f[:, 0] > 0.0) & (c > 0.0)
        change = np.where(wrong, c * sign, 0.0)[:, None]
    else:
        best = f[every, own]
        f[every, own] = -np.inf
        rival = largest(f)
        wrong = ~(best > f[every, rival]) & (c > 0.0)
        change = np.zeros_like(f)
        change[every, own] = np.where(wrong, c, 0.0)
        change[every, rival] -= change[every, own]
    step = np.column_stack([(tile.X.T @ change).T, unit * change.sum(axis=0)])
    return Wrong(step if finite else np.full_like(step, np.nan), int(wrong.sum()), float(c.sum()))


@dataclass(frozen=True, slots=True)
class BatchRule:
    """How to learn: step, whether the intercept is learned, and when to stop."""

    eta: float = 1.0
    fit_intercept: bool = True
    max_iter: int = 1000
    epsilon: float = 0.0


def learn_batch(
    source: Source, rule: BatchRule, weights: Floats, factors: Floats | None = None, mistakes: int = 0
) -> tuple[Floats, PerceptronStatus, int]:
    """Step until no row is wrong, the step is shorter than epsilon or max_iter passes are over.

    Parameters
    ----------
    source : labelled rows
    rule : BatchRule
    weights : (R, p + 1) to start from, the intercept last
    factors : (K,) on the weights of the classes, optional
    mistakes : int, made before

    Returns
    -------
    weights, status, passes

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = as_source([[-1.0, 2.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1])
    >>> weights, status, passes = learn_batch(rows, BatchRule(fit_intercept=False), np.zeros((1, 3)))
    >>> weights.tolist(), status.converged, passes
    ([[1.0, -0.3333333333333333, 0.0]], True, 2)
    """
    unit, reason, made, last = float(rule.fit_intercept), "max_iter", mistakes, 0
    passes, rows = 0, Rows.of(source)  # a frame is converted once, not in every pass
    while passes < rule.max_iter:
        passes += 1
        wrong = rows.reduce(wrong_rows(weights, unit, factors))
        if not (np.isfinite(wrong.step).all() and np.isfinite(wrong.weight)):
            source.refuse_nonfinite()
        made, last = made + wrong.count, wrong.count
        step = wrong.step / wrong.weight
        if last == 0 or np.linalg.norm(step) < rule.epsilon:
            reason = "clean" if last == 0 else "epsilon"
            break
        weights = weights + rule.eta * step
    message = _MESSAGES[reason].format(rule=rule, passes=passes, made=made, last=last)
    return weights, PerceptronStatus(reason != "max_iter", message, made, last), passes


_MESSAGES = {
    "clean": "converged: pass {passes} found no row wrong.",
    "epsilon": "stopped by epsilon={rule.epsilon:g}: the mean step was shorter, with {last} rows still wrong. The mean is over all rows, "
    "so that many rows make it short while some are wrong: lower epsilon, or set it to 0.",
    "max_iter": "stopped at max_iter={rule.max_iter} with {last} rows wrong in the last pass. If the classes can be separated, raise "
    "max_iter or bring the columns to one scale (sklearn.preprocessing.StandardScaler). If they cannot, it never ends: "
    "set epsilon above 0, or use AveragedPerceptron, LogisticRegression or LinearSVC.",
}

"""The perceptron, row by row: Rosenblatt's rule until an epoch has no mistake.

With weights w (p,), intercept w0, a row x of class y = ±1 and step eta:

    f(x) = w'x + w0;  if y f(x) ≤ 0:  w += eta y x,  w0 += eta y        so that y f(x) grows by eta (‖x‖² + 1)

More than two classes are one machine W (K, p): a mistake is another class k scoring at least as much as the true class y;
then w_y += eta x and w_k −= eta x for the highest k. A row's weight c multiplies its step, as in the gradient of the weighted
perceptron loss Σ c_i max(0, −y_i f(x_i)), and counts as c visits in averages and votes; a row of weight 0 is not there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Floats
from ...data import Source
from .perceptron_rows import Learner, road_to
from .perceptron_trace import Trace


@dataclass(frozen=True, slots=True)
class Rule:
    """How to learn: step, whether the intercept is learned, order of rows, when to stop, and what to keep on the way.

    `tol` and `patience`: stop once the mean loss of an epoch has not come `tol` below the best one for `patience` epochs.
    """

    eta: float = 1.0
    fit_intercept: bool = True
    shuffle: bool = True
    max_iter: int = 1000
    tol: float | None = None
    patience: int = 5
    average: bool = False
    record: bool = False


@dataclass(frozen=True, slots=True)
class PerceptronStatus:
    """How learning ended.

    Attributes
    ----------
    converged : bool
        Whether an epoch had no mistake, or `tol` was reached.
    message : str
        What happened, and what to change if that is not enough.
    n_mistakes : int
        Mistakes of all epochs together.
    last_mistakes : int
        Mistakes of the last epoch.
    """

    converged: bool
    message: str
    n_mistakes: int
    last_mistakes: int


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """What the next step needs.

    Attributes
    ----------
    weights : (R, p + 1), the intercept last; R = 1 for two classes, else K
    memory : (R, p + 1) sum of clock · step where weights are averaged, else (0, p + 1)
    clock : weight of all rows visited so far
    mistakes, epochs : so far
    rows : rows of all data sets given so far
    start_norm : norm of the weights at the start
    """

    weights: Floats
    memory: Floats
    clock: float = 0.0
    mistakes: int = 0
    epochs: int = 0
    rows: int = 0
    start_norm: float = 0.0

    @classmethod
    def begin(cls, weights: Floats, average: bool) -> Progress:
        """Return the start at some weights."""
        memory = np.zeros((len(weights) if average else 0, weights.shape[1]))
        # Not numpy.linalg.norm: BLAS threads go on spinning for milliseconds after it and slow the first epoch by half.
        largest = float(np.abs(weights).max(initial=0.0)) or 1.0
        return cls(weights, memory, start_norm=largest * float(np.sqrt(np.square(weights / largest).sum())))

    @property
    def mean(self) -> Floats:
        """Mean of the weights over all visits so far, each taken after its visit."""
        return self.weights - self.memory / self.clock if self.clock > 0 else self.weights


def learn(
    source: Source, rule: Rule, start: Progress, seed: int, factors: Floats | None = None
) -> tuple[Progress, PerceptronStatus, Trace | None]:
    """Visit the rows epoch by epoch and return where that led.

    Parameters
    ----------
    source : labelled rows
    rule : Rule
    start : Progress, not changed
    seed : int ≥ 1, of the shuffle
    factors : (K,) on the weights of the classes, optional

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = as_source([[-1.0, 2.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1])
    >>> end, status, _ = learn(rows, Rule(fit_intercept=False, shuffle=False), Progress.begin(np.zeros((1, 3)), False), 1)
    >>> end.weights[0, :2], status.n_mistakes
    (array([ 2., -1.]), 2)
    """
    from ...kernels.perceptron import CLOCK, EPOCHS, LAST, LOSS

    learner, road = _learner(rule, start, seed), road_to(source, factors)
    last_epoch, watch = start.epochs + rule.max_iter, _Watch(rule)
    reason = "max_iter"
    while learner.tally[EPOCHS] < last_epoch:
        before = learner.tally[CLOCK]
        left = int(last_epoch - learner.tally[EPOCHS])
        if not road.run(learner, 1 if rule.tol is not None else left):
            source.refuse_nonfinite()
        if learner.tally[LAST] == 0.0:
            reason = "clean"
            break
        if rule.tol is not None and watch.is_stale(float(learner.tally[LOSS] / (learner.tally[CLOCK] - before))):
            reason = "tol"
            break
    return _end(source, rule, start, learner, reason)


@dataclass(slots=True)
class _Watch:
    """Tells when the loss has stopped to improve."""

    rule: Rule
    best: float = np.inf
    stale: int = 0

    def is_stale(self, loss: float) -> bool:
        assert self.rule.tol is not None
        self.stale = self.stale + 1 if loss > self.best - self.rule.tol else 0
        self.best = min(self.best, loss)
        return self.stale >= self.rule.patience


def _learner(rule: Rule, start: Progress, seed: int) -> Learner:
    return Learner(
        weights=start.weights.copy(),
        memory=start.memory.copy(),
        tally=np.array([start.clock, 0.0, start.mistakes, 0.0, start.epochs, 0.0, 0.0]),
        dice=np.array([seed], dtype=np.uint64),
        eta=rule.eta,
        unit=float(rule.fit_intercept),
        shuffle=rule.shuffle,
        record=rule.record,
        first_row=start.rows,
    )


def _end(source: Source, rule: Rule, start: Progress, learner: Learner, reason: str) -> tuple[Progress, PerceptronStatus, Trace | None]:
    from ...kernels.perceptron import CLOCK, EPOCHS, LAST, MISTAKES

    learner.turn(is_sparse=False)
    unit, weights, memory, tally = learner.unit, learner.weights, learner.memory, learner.tally
    mistakes, last, epochs = int(tally[MISTAKES]), int(tally[LAST]), int(tally[EPOCHS])
    tol = "set tol=1e-3" if rule.tol is None else f"raise tol={rule.tol:g}"
    remedy = tol if rule.average else f"{tol}, average the weights (AveragedPerceptron)"
    message = _MESSAGES[reason].format(rule=rule, epochs=epochs - start.epochs, made=mistakes - start.mistakes, last=last, remedy=remedy)
    if reason == "max_iter":
        message += _hopeless_row(source, rule, weights[:, -1])
    if not (np.isfinite(weights).all() and np.isfinite(memory).all() and np.isfinite(tally[CLOCK])):
        source.refuse_nonfinite()
    end = Progress(weights, memory, float(tally[CLOCK]), mistakes, epochs, start.rows + learner.rows, start.start_norm)
    trace = Trace.of(start.weights, unit, learner.logged) if rule.record else None
    return end, PerceptronStatus(reason != "max_iter", message, mistakes, last), trace


_MESSAGES = {
    "clean": "converged: epoch {epochs} had no mistake, after {made} mistakes in all.",
    "tol": "stopped by tol={rule.tol:g}: the loss has not come that much below its best for {rule.patience} epochs; "
    "{last} mistakes in the last of {epochs} epochs.",
    "max_iter": "stopped at max_iter={rule.max_iter} with {last} mistakes in the last epoch. If the classes can be separated, raise "
    "max_iter or bring the columns to one scale (sklearn.preprocessing.StandardScaler). If they cannot, it never ends: "
    "{remedy}, or use LogisticRegression or LinearSVC.",
}


def _hopeless_row(source: Source, rule: Rule, bias: Floats) -> str:
    """Return a sentence on a row of zeros that no weights can get right, or nothing.

    Without a learned intercept its scores are the intercepts, whatever the weights.
    """
    if rule.fit_intercept:
        return ""
    for block in source.blocks():
        stored = np.diff(block.X.indptr) if block.is_sparse else (block.X != 0).any(axis=1)
        zero = np.flatnonzero(~stored.astype(bool))
        wrong = [i for i in zero if _margin(bias, int(block.codes[i])) <= 0.0]  # type: ignore[index]
        if wrong:
            return (
                f" Row {block.start + int(wrong[0])} is all zeros: without an intercept to learn, no weights put it on its side; "
                "use fit_intercept=True or leave it out."
            )
    return ""


def _margin(scores: Floats, own: int) -> float:
    if len(scores) == 1:
        return float(scores[0] if own == 1 else -scores[0])
    return float(scores[own] - np.delete(scores, own).max())

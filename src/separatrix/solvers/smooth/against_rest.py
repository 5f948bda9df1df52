"""Several logistic machines on the same rows, each of one class against the rest: one pass serves all of them.

    f_k(θ_k) = (1/S) Σ_i s_i log(1 + e^(−y_ik z_ik)) + (λ/2)‖w_k‖²,    y_ik = +1 where row i is of class k, else −1

The machines share moments, sample and passes, and nothing else: each has its own start and Hessian from the sample (`whitened.py`),
its own L-BFGS, its own end. They go in step: a pass answers the points that all machines still under way ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ...array_types import Codes, Floats
from ...data import Block
from ...data.threads import single_threaded_blas, spread
from ...summaries import ClassMoments
from ...summaries.grouped import NO_WEIGHT
from ...thresholds import LOSSES
from ..accepted_losses import require_loss
from ..problem import Problem
from ..rows import Rows
from ..solution import Solution
from ..stopping import finish
from . import lbfgs, whitened
from .line_search import Asking
from .objective import PIECES, Objective
from .sampling import draw, spaced

T = TypeVar("T")


def serves(problem: Problem) -> bool:
    """Whether machines on these rows gain from going in step: many dense rows held in memory, few columns, an L2 penalty."""
    rows = problem.rows
    is_plain = rows.X is not None and not rows.is_sparse and LOSSES.reached(rows.values)
    return is_plain and problem.n_features < whitened.EXPLICIT and problem.strength > 0.0 and problem.l1_ratio == 0.0


def solve(problem: Problem, targets: Sequence[int]) -> list[Solution] | None:
    """Solve one two-class problem per target; None where a column's mean is too far from zero for rows that are not centred.

    Parameters
    ----------
    problem : Problem
        The logistic loss, and rows with the codes of all K classes; one for which `serves` is true.
    targets : codes of the classes, each to be set against the rest
    """
    require_loss(problem, "against_rest")
    with single_threaded_blas():
        sample = spaced(problem, min(whitened.SAMPLE, len(problem.rows.X) // 4))
        moments = _moments(problem if sample is None else sample)
        centre, G = whitened.covariance(moments.to("pooled"))
        shared = whitened.centred(problem, centre, G)
        if shared.shifts:
            return None
        mixed = 0.0
        if sample is None:
            sample, mixed = draw(problem, whitened.SAMPLE, centre, np.sqrt(np.diag(G))), whitened.TAU
        machines = [Objective(against(shared.problem, k), centre) for k in targets]

        def begin(t: int) -> tuple[Floats, lbfgs.Pairs]:
            machine, k = machines[t], targets[t]
            theta = whitened.start(machine.problem, moments.against(k).to("pooled"), G, machine)
            return whitened.from_sample(machine, theta, G, _relabelled(sample, k), mixed)

        # A sample that is worth threads of its own shares them out row by row.
        begun = spread(begin, range(len(targets)), problem.rows.threads if sample.rows.threads == 1 else 1)
        walks = [whitened.walk(machine.problem, *start) for machine, start in zip(machines, begun)]
        ends = in_step(walks, Pass(shared, machines, np.array(targets, dtype=np.int32)))
    why = f"{len(targets)} machines on the same {len(problem.rows.X):,} rows: one pass serves all"
    return [_solution(machine, end, why) for machine, end in zip(machines, ends)]


def _moments(problem: Problem) -> ClassMoments:
    moments = problem.rows.reduce(ClassMoments.summarise(np.arange(problem.n_classes), "full"))
    if not moments.is_finite:
        problem.rows.source.refuse_nonfinite()
    return moments


def against(problem: Problem, k: int) -> Problem:
    """Return the two-class problem of class k; its rows keep the codes of all classes."""
    return replace(problem, counts=np.array([problem.total - problem.counts[k], problem.counts[k]]))


def _relabelled(sample: Problem, k: int) -> Problem:
    rows = sample.rows
    assert rows.codes is not None
    own = Rows.of_arrays(rows.X, (rows.codes == k).astype(np.int32), rows.weight, rows.source)
    return replace(against(sample, k), rows=own)


def in_step(walks: Sequence[Asking[T]], answer: Callable[[dict[int, Floats]], dict[int, tuple[float, Floats]]]) -> list[T]:
    """Run generators together, answering the points that those not ended ask for all at once; return what they return.

    Examples
    --------
    >>> def walk(x):
    ...     while x > 1:
    ...         x, _ = yield np.array(x)
    ...     return x
    >>> in_step([walk(4.0), walk(9.0)], lambda asked: {k: (float(x) / 3, x) for k, x in asked.items()})
    [0.4444444444444444, 1.0]
    """
    ends: list[T | None] = [None] * len(walks)
    answers: dict[int, tuple[float, Floats]] = {}
    under_way = list(range(len(walks)))
    while under_way:
        asked: dict[int, Floats] = {}
        for k in under_way:
            try:
                asked[k] = walks[k].send(answers[k]) if answers else next(walks[k])
            except StopIteration as end:
                ends[k] = end.value
        under_way, answers = list(asked), answer(asked) if asked else {}
    return ends  # type: ignore[return-value]


class Pass:
    """f and gradient of several machines at a point each, from one pass over the rows.

    Parameters
    ----------
    shared : Objective
        That of the rows, for its centre.
    machines : one Objective a machine, whose passes are counted
    targets : (M,) classes of the machines
    """

    def __init__(self, shared: Objective, machines: Sequence[Objective], targets: Codes) -> None:
        self.problem, self.centre, self.machines, self.targets = shared.problem, shared.centre, machines, targets
        self.rows = self.problem.rows.in_pieces(PIECES)

    def __call__(self, asked: dict[int, Floats]) -> dict[int, tuple[float, Floats]]:
        """Return f and gradient (1, p + 1) of the machines asked for."""
        who = list(asked)
        theta = np.vstack([asked[k] for k in who])
        W, own = np.ascontiguousarray(theta[:, :-1]), self.targets[who]
        c = theta[:, -1] - W @ self.centre
        parts = self.rows.collect(lambda block: _partial(block, own, W, c))
        losses, gradient = (np.sum(part, axis=0) / self.problem.total for part in zip(*parts))
        gradient[:, :-1] -= gradient[:, -1:] * self.centre
        gradient[:, :-1] += self.problem.strength * W
        if not self.problem.fit_intercept:
            gradient[:, -1] = 0.0
        losses += 0.5 * self.problem.strength * np.einsum("kj,kj->k", W, W)
        for k in who:
            self.machines[k].passes += 1
        return {k: (float(losses[i]), gradient[i : i + 1]) for i, k in enumerate(who)}


def _partial(block: Block, targets: Codes, W: Floats, c: Floats) -> tuple[Floats, Floats]:
    from ...kernels.cross_entropy import logistic_rows

    assert block.codes is not None
    losses, gradient = np.zeros(len(W)), np.zeros((len(W), W.shape[1] + 1))
    logistic_rows(block.X, block.codes, NO_WEIGHT if block.weight is None else block.weight, targets, W, c, losses, gradient)
    return losses, gradient


def _solution(machine: Objective, end: lbfgs.Ended, why: str) -> Solution:
    theta, f, g, status, iterations = end
    return replace(finish(machine, theta, f, g, status=status, iterations=iterations, solver="whitened L-BFGS"), why=why)

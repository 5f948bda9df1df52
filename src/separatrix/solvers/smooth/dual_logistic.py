"""Dual coordinate descent for two classes of sparse rows with many columns, such as text.

Divided by λ the problem is ½‖w‖² + Σ C_i ℓ(y_i z_i) with C_i = s_i/(λS). Its dual variables 0 < α_i < C_i give w = Σ α_i y_i x_i,
and each is the root of one monotone equation. An unpenalised intercept would ask for Σ α_i y_i = 0, under which no single α_i can
move; so b = b_c + σ²Σ α_i y_i (a penalty around b_c), and b_c follows b after every second epoch: at the end the sum is 0 all the same.

The epochs stop when the decrease of the dual says that what is left is below the tolerance; the intercept is then settled, gradient
and gap are computed from the primal point. What is left falls by about the same share in every epoch, which tells soon whether it will be
there in time. Where it will not, or the primal point misses more than the dual says, the next best solver follows: from there if the primal
point is near its dual and better than no columns at all, else from the beginning.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from ...array_types import Floats, Ints
from ...data import Block
from ...summaries.grouped import csr_parts
from .. import choice
from ..accepted_losses import require_loss
from ..problem import Problem
from ..solution import Solution, Status
from ..stopping import GAP_SHARE, finish, small_enough
from . import newton_gap, proven_gap
from .objective import Objective

NAME = "dual coordinate descent"
EPOCHS = 30
FIRST, TRIED, DOUBT, LOOKS = 2, 5, 100.0, 3
"""The epoch from which on the share that is left is told, the first that may be the last, by how much its promise may be off, and looks at
the primal point that may be in vain.
"""
BIAS = 0.05
"""σ² in units of a row's mean squared length: larger, and one row's step throws the intercept of all others; smaller, and it lags."""
SETTLING, SETTLED = 10, 1e-5
"""Newton steps for the intercept alone, and the share of tol that they leave of its slope."""
STIFF, MORE = 10.0, 2.5
"""C‖x‖², on average, above which the primal point has more to gain than the dual, up to eight times as much; and how much more, near the
end, so that a look at the primal point, which costs two epochs, is rarely in vain."""
NEAR = 0.1
"""Share of f within which a dual point that is not finished must be of its own dual to be handed on: others cost Newton's method more
steps than it needs from the beginning."""
RUN = 16
"""Neighbours visited together: half the time of single rows all over memory, and as few epochs (64 took many more)."""


def solve(problem: Problem) -> Solution:
    """Minimise a penalised logistic problem of two classes whose sparse rows are held in memory.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source(sp.csr_array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.25))
    >>> found.status.value, found.coef.round(3).tolist()
    ('converged', [[0.453]])
    """
    require_loss(problem, "dual_logistic")
    objective, dual = Objective(problem), Dual(problem)
    target, looks, lefts = 0.5 * GAP_SHARE * problem.tol, 0, list[float]()
    while dual.epochs < min(EPOCHS, problem.max_iter) and looks < LOOKS and not _is_hopeless(lefts, target):
        left = dual.epoch()
        lefts.append(left)
        value = dual.value() if left <= target and dual.is_stiff else 0.0
        if left > target or MORE * left > GAP_SHARE * problem.tol * value > 0.0:
            continue
        looks += 1
        theta, z, curvature = dual.settled()
        f, g = objective.at_scores(theta, z)
        gap = proven_gap.from_longest(problem, g, curvature, dual.longest)
        # Where the penalty is strong the primal point may miss several times what the dual one does, and a proof costs an epoch or two.
        left = max(left, f - value - left) if dual.is_stiff else gap
        if small_enough(problem, f, g, left):
            known = gap if gap <= newton_gap.useful(problem, f) else None
            found = finish(objective, theta, f, g, status=Status.CONVERGED, iterations=dual.epochs, solver=NAME, gap=known)
            return replace(found, passes=dual.epochs + objective.passes)
        target *= 0.1
    theta, z, _ = dual.settled()
    f = objective.at_scores(theta, z)[0]
    handed_on = f < _cold(problem) and f - dual.value() <= NEAR * f
    found = choice.solve(replace(problem, start=(theta[:, :-1], theta[:, -1])) if handed_on else problem, tried=("dual_logistic",))
    passes = found.passes + dual.epochs + objective.passes
    return replace(found, passes=passes, iterations=found.iterations + dual.epochs, solver=NAME)


def _is_hopeless(lefts: list[float], target: float) -> bool:
    """Whether what was left after each epoch, falling on as it did, will be far above the target when the epochs are over.

    Examples
    --------
    >>> _is_hopeless([1.0, 1e-2, 9e-3, 8e-3, 7e-3], 1e-7), _is_hopeless([1.0, 1e-2, 4e-3, 2e-3, 1e-3], 1e-7)
    (True, False)
    """
    done = len(lefts)
    if done < TRIED or not lefts[-1] > target:
        return False
    share = (lefts[-1] / lefts[FIRST - 1]) ** (1.0 / (done - FIRST)) if lefts[FIRST - 1] > 0.0 else 1.0
    return lefts[-1] * min(share, 1.0) ** (EPOCHS - done) > DOUBT * target


def _cold(problem: Problem) -> float:
    """Return f of the model without columns, where Newton's method would begin by itself."""
    shares = problem.counts / problem.total
    return -float(shares @ np.log(shares)) if problem.fit_intercept else float(np.log(2.0))


class Dual:
    """The dual variables of a problem, and w and b that belong to them."""

    def __init__(self, problem: Problem) -> None:
        from ...kernels.sparse_products import weighted_squares

        rows = problem.rows
        assert rows.codes is not None
        self.problem, self.parts = problem, csr_parts(Block(rows.X))
        self.y = np.where(rows.codes == 1, 1.0, -1.0)
        self.cost = (np.ones(len(self.y)) if rows.weight is None else rows.weight) / (problem.strength * problem.total)
        self.norms = np.empty(len(self.y))
        weighted_squares(self.parts[0], self.parts[2], np.empty(0), self.norms)
        if not np.isfinite(self.norms).all():
            rows.source.refuse_nonfinite()
        self.scale = BIAS * float(self.norms.mean()) if problem.fit_intercept else 0.0
        self.w, self.b = np.zeros(problem.n_features), np.zeros(1)
        if problem.fit_intercept:
            self.b[0] = np.log(problem.counts[1] / problem.counts[0])
        self.alpha, self.logit = np.zeros(len(self.y)), -self.y * self.b[0]
        self.rng = np.random.default_rng(problem.seed)
        self.epochs, self.falls = 0, (0.0, 0.0)
        self.longest = float(np.sqrt(self.norms.max()))
        self.is_stiff = float(self.cost @ self.norms) > STIFF * len(self.cost)

    def settled(self) -> tuple[Floats, Floats, float]:
        """Return w and the intercept that is best with it as θ (1, p + 1), the scores (n, 1), and the mean curvature in the intercept.

        The last of the coordinates to settle costs no epochs.
        """
        z, b, s, curvature = self.scores(), 0.0, self.cost / self.cost.sum(), 0.0
        if self.problem.fit_intercept:
            b, positive = float(self.b[0]), self.y > 0
            for _ in range(SETTLING):
                p = expit(z + b)
                slope, curvature = float(s @ (p - positive)), float(s @ (p * (1.0 - p)))
                if abs(slope) <= SETTLED * self.problem.tol or curvature <= 0.0:
                    break
                b -= float(np.clip(slope / curvature, -1.0, 1.0))
        return np.append(self.w, b)[None], (z + b)[:, None], curvature

    def value(self) -> float:
        """Return the dual objective, in units of f: the entropies of the α_i less what w, and b about b_c, would cost."""
        entropy = np.logaddexp(0.0, self.logit) - self.logit * expit(self.logit)
        t = float(self.alpha @ self.y)
        bias = (float(self.b[0]) - 0.5 * self.scale * t) * t
        return self.problem.strength * (float(self.cost @ entropy) - 0.5 * float(self.w @ self.w) - bias)

    def scores(self) -> Floats:
        """Return Xw (n,)."""
        from ...kernels.sparse_products import rows_times

        def part(block: Block) -> Floats:
            out = np.empty((block.n_rows, 1))
            rows_times(*csr_parts(block), self.w[:, None], out)
            return out[:, 0]

        return np.concatenate(self.problem.rows.collect(part))

    def epoch(self) -> float:
        """Visit every row once; return an estimate of what is left to gain, from how fast the decrease falls."""
        from ...kernels.logistic import dual_epoch

        if self.epochs and self.epochs % 2 == 0:
            self.b[0] += self.scale * float(self.alpha @ self.y)
        order = shuffled(self.cost, self.rng)
        fall = self.problem.strength * float(
            dual_epoch(*self.parts, self.y, self.cost, self.norms, order, self.scale, self.logit, self.alpha, self.w, self.b)
        )
        # No fall at all is an end, or steps too small for floating point: the gradient at the primal point tells which.
        # The intercept moves at every other epoch, whose fall is then that of two steps: the slower of one epoch and two tells.
        before, first = self.falls
        ratio = min(max(fall / before, float(np.sqrt(fall / first)) if first > 0.0 else 0.0), 0.9) if before > 0.0 else 0.9
        self.epochs, self.falls = self.epochs + 1, (fall, before)
        return max(fall, float(np.sqrt(fall * before))) * ratio / (1.0 - ratio)


def shuffled(cost: Floats, rng: np.random.Generator) -> Ints:
    """Return the rows that count in random order: runs of neighbours, shuffled within and among each other."""
    inside = rng.permutation(RUN)
    order = (rng.permutation(-(-len(cost) // RUN))[:, None] * RUN + inside).ravel()
    order = order if len(order) == len(cost) else order[order < len(cost)]
    return order if (cost > 0).all() else order[cost[order] > 0]

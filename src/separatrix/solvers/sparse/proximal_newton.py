"""Smooth losses with an L1 part: which proximal Newton method runs.

Few coefficients, R(p + 1) ≤ 1,500, or rows read anew on every pass: the Hessian of all of them (`gram_proximal`), for any smooth loss,
unless a strong penalty lets hardly any column in, or walks through sparse columns cost less than a matrix of so many.
More: working sets of columns, for two classes (`working_set`) and for K, all at once (`softmax_columns`), for logistic and softmax losses.
Walks and sweeps of both grow with √C; two classes under a weak penalty are solved by an interior point (`interior`) where that costs less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats
from ...data.threads import single_threaded_blas
from ...errors import InputError
from ...losses import CrossEntropy
from ..accepted_losses import require_loss
from ..problem import Problem
from ..products import Products
from ..solution import Solution, Status
from ..work import ADDED, FACTORED, PASS, STEP, STORED
from . import gram_proximal, interior, one_call
from .l1_ending import Progress, ended
from .softmax_columns import SoftmaxColumns, from_the_strongest, may_be_crowded
from .working_set import FIRST, ColumnProblem, Point

FEW = 1_500
"""Coefficients up to which the Hessian of all is formed."""
NARROW, ENTERING = 64, 4
"""Columns whose Hessian is always cheap; and of more, one in how many may want to enter at first for working sets to be cheaper."""
STEPS, ENTRY, SWEPT = 11, 5e-9, 1e-9
"""Steps with a matrix, seconds of an entry of it in a step's quadratic, and in a sweep."""
MEETING, READ = 4e-10, 1.2e-9
"""Seconds of two values that meet in a row in a sum of products, and of a value read by the compiled call."""
INSIDE_STEPS, INSIDE_PRODUCTS, INSIDE_STEP = 40, 20, 2e-3
"""Steps of an interior point, its products with the columns in a step where it has no factor, and seconds of a step however small."""
CROWDED = 16
"""Dense rows per coefficient in use under a stronger penalty from which on a weak one is left to an interior point."""
STRONGER, ROUGH = 10.0, 1e-3
"""Factor between the penalties on the way to a weak one, and the tolerance on that way."""
IDLE = 4
"""Rounds without progress after which rounding is at work."""


def solve(problem: Problem) -> Solution:
    """Minimise a problem with an L1 part.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source(sp.csr_array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]), [0, 1, 0, 1]))
    >>> solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.15, l1_ratio=1.0)).coef.round(4).tolist()
    [[0.3258, 0.0]]
    """
    refuse_loss(problem)
    if one_call.serves(problem):
        return _at_once(problem)
    if isinstance(problem.loss, CrossEntropy) and problem.start is None and may_be_crowded(problem):
        with single_threaded_blas():
            found = from_the_strongest(problem, _columns_of(problem), FEW)
        if found is not None:
            return found
    is_few = problem.rows.X is not None and problem.n_scores * (problem.n_features + 1) <= FEW
    if _inside_is_cheaper(problem, is_few) and not _few_enter(problem):
        with single_threaded_blas():
            return _from_inside(*start_columns(problem))
    if problem.rows.X is None or (is_few and not _few_enter(problem)):
        return gram_proximal.solve(problem)
    with single_threaded_blas():
        return _two_classes(problem) if problem.n_scores == 1 else SoftmaxColumns(problem, _columns_of(problem), FEW).solve()


def _at_once(problem: Problem) -> Solution:
    """Return what one compiled call finds. What it leaves undone an interior point does, or steps from where it has stopped.

    It may take as much work as an interior point would; each of the two has the steps of the problem, unless these are too few for one.
    """
    is_sparse, is_cold = problem.rows.is_sparse, problem.start is None
    found = one_call.solve(problem, _inside_seconds(problem) / READ if is_sparse and is_cold else np.inf)
    if found is None:  # the other roads say what is wrong with the rows
        return _two_classes(problem) if is_sparse else gram_proximal.solve(problem)
    left = problem.max_iter - found.iterations
    if not is_cold and not found.is_converged and left > 0:
        # Rows that are certain at a given start tell too little of the way on: from 0 it is the better known.
        anew = _at_once(replace(problem, start=None, max_iter=left))
        return replace(anew, iterations=found.iterations + anew.iterations, passes=found.passes + anew.passes)
    goes_inside = is_sparse and is_cold and found.status is Status.MAX_ITER and problem.max_iter >= INSIDE_STEPS
    if found.is_converged or (left == 0 and not goes_inside):
        return found
    here = replace(problem, start=(found.coef, found.intercept), max_iter=left)
    with single_threaded_blas():
        if not is_sparse:
            further = gram_proximal.solve(here)
        elif goes_inside:
            further = _from_inside(*start_columns(problem))
        else:
            further = run_columns(*start_columns(here))[0]
    return replace(further, iterations=found.iterations + further.iterations, passes=found.passes + further.passes)


def _few_enter(problem: Problem) -> bool:
    """Whether the slopes at the model without columns let so few in that a Hessian of all of them would be wasted."""
    rows, p = problem.rows, problem.n_features
    if problem.n_scores > 1 or p <= NARROW or problem.start is not None or not isinstance(problem.loss, CrossEntropy):
        return False
    share = problem.counts[1] / problem.total if problem.fit_intercept else 0.5
    residuals = share - (rows.codes == 1) if rows.weight is None else rows.weight * (share - (rows.codes == 1))
    with np.errstate(over="ignore", invalid="ignore"), single_threaded_blas():
        slopes = np.abs(rows.X.T @ residuals) / problem.total
    return int(np.count_nonzero(slopes > problem.strength * problem.l1_ratio)) * ENTERING <= p


def _sweeps(problem: Problem) -> float:
    """Return how many sweeps over all columns quadratics need, about: 20 + 6 √s, s = C × mean squared length of a row.

    Fitted to 14 random problems.
    """
    values = problem.rows.X.ravel()
    with np.errstate(over="ignore"):
        stiffness = float(np.vdot(values, values)) / (len(problem.rows.X) * problem.strength * problem.total)
    return 20.0 + 6.0 * float(np.sqrt(stiffness))


def _matrices(problem: Problem) -> float:
    """Return the seconds of steps with a matrix of all columns, but for what its quadratics take."""
    n, q = len(problem.rows.X), problem.n_features + 1
    return STEPS * (2.0 * STEP + ENTRY * q**2 + 0.5 * ADDED * n * q**2 + 2.0 * PASS * problem.rows.values)


def _inside_is_cheaper(problem: Problem, is_few: bool) -> bool:
    """Whether dense rows take less time by an interior point than by sweeps over the quadratics of matrices, by the work of both.

    Fewer rows than very many columns are left to stronger penalties first, which tell whether many columns stay.
    """
    rows, p = problem.rows, problem.n_features
    if rows.X is None or problem.n_scores > 1 or not isinstance(problem.loss, CrossEntropy) or problem.start is not None or p <= NARROW:
        return False
    if rows.X.shape[0] < p and not is_few:
        return False
    return _inside_seconds(problem) < _matrices(problem) + _sweeps(problem) * SWEPT * p**2


def _inside_seconds(problem: Problem) -> float:
    """Return the seconds of an interior point, by factors or by products with the columns, whichever are less."""
    rows, (n, p) = problem.rows, problem.rows.X.shape
    m = min(n, p)
    formed = ADDED * m**2 * float(max(n, p))
    formed = min(formed, MEETING * _meetings(problem)) if rows.is_sparse and n >= p else formed
    products: float = 2.0 * INSIDE_PRODUCTS * (STORED if rows.is_sparse else PASS) * rows.values
    return float(INSIDE_STEPS * (INSIDE_STEP + 8.0 * PASS * rows.values + min(formed + FACTORED * m**3, products)))


def _meetings(problem: Problem) -> float:
    return float(np.square(np.diff(problem.rows.X.indptr).astype(np.float64)).sum())


def refuse_loss(problem: Problem) -> None:
    """Raise an error where these methods do not minimise the loss: any smooth one for few coefficients, cross-entropies for many."""
    require_loss(problem, "proximal_newton")
    size = problem.n_scores * (problem.n_features + 1)
    if size > FEW and not isinstance(problem.loss, CrossEntropy):
        raise InputError(
            f"With an L1 part the {problem.loss.name} loss is minimised for up to {FEW:,} coefficients, and the rows have {size:,}: more "
            "are possible with the logistic and softmax losses. Use fewer columns, or l1_ratio=0."
        )


def _columns_of(problem: Problem) -> Products:
    """Return X as an operator; raise the error that names the first NaN or infinity."""
    X = problem.rows.X
    if not np.isfinite(X.data.sum() if sp.issparse(X) else X.sum()):
        problem.rows.source.refuse_nonfinite()
    return Products(problem.rows)


def _two_classes(problem: Problem) -> Solution:
    columns, point = start_columns(problem)
    first, passes = point, 0
    # Few rows and hardly a penalty let nearly all columns in at first, and all but a few out again: stronger penalties never let them in.
    for strength in _stronger(columns, point):
        columns.change_strength(strength, point, columns.gradient(point))
        columns.problem, columns.chosen = replace(columns.problem, tol=max(problem.tol, ROUGH)), None
        found, point, _ = run_columns(columns, point)
        passes += found.passes
        if CROWDED * np.count_nonzero(point.w) > len(point.z):
            columns.change_strength(problem.strength, first, columns.gradient(first))
            columns.problem, columns.chosen = problem, None
            found = _from_inside(columns, first)
            return replace(found, passes=found.passes + passes)
    if passes > 0:
        columns.change_strength(problem.strength, point, columns.gradient(point))
        columns.problem, columns.chosen = problem, None
    found = run_columns(columns, point)[0]
    return replace(found, passes=found.passes + passes)


def _from_inside(columns: ColumnProblem, point: Point) -> Solution:
    """Return the solution that an interior point finds from w = 0; should it not arrive, working sets go on from there."""
    before = columns.passes
    point, steps = interior.walk(columns, point)
    found = columns.distance(point, columns.gradient(point))
    if found.is_small(columns.problem):
        done = ended(point.w[None], np.array([point.b]), found, Status.CONVERGED, steps, columns.passes - before)
        return replace(done, solver="interior point")
    passes = columns.passes - before
    rest = run_columns(columns, point)[0]
    return replace(rest, solver="interior point, then " + rest.solver, iterations=steps + rest.iterations, passes=passes + rest.passes)


def _stronger(columns: ColumnProblem, point: Point) -> list[float]:
    """Return the penalties on the way to a weak one, where dense rows are fewer than columns."""
    problem = columns.problem
    if problem.rows.is_sparse or problem.start is not None or problem.rows.X.shape[0] >= problem.n_features:
        return []
    most = float(np.abs(columns.gradient(point)).max()) / problem.l1_ratio
    count = int(np.log(max(most / problem.strength, 1.0)) / np.log(STRONGER))
    return [most / STRONGER**k for k in range(1, count)]


def start_columns(problem: Problem) -> tuple[ColumnProblem, Point]:
    """Return the problem by columns and the point where it begins."""
    codes = problem.rows.codes
    assert codes is not None
    columns = ColumnProblem(problem, _columns_of(problem), codes == 1)
    theta = problem.beginning()[0]
    return columns, columns.start(theta[:-1], theta[-1] or _log_odds(problem))


def run_columns(columns: ColumnProblem, point: Point) -> tuple[Solution, Point, Floats]:
    """Return the solution, the point behind it, and the gradient of the mean loss there."""
    problem, count, rounds = columns.problem, FIRST, 0
    passes, steps = columns.passes, columns.steps
    progress = Progress(IDLE)
    while True:
        G = columns.gradient(point)
        found = columns.distance(point, G)
        ends = rounds == problem.max_iter or progress.has_ended(found)
        if ends or found.is_small(problem):
            point, G, found = columns.certified(point, G, found)
            if ends or found.is_small(problem):
                break
        chosen = columns.columns(point, G, count)
        new = columns.improve(point, G, chosen, found)
        if new is point:
            point, G, found = columns.certified(point, G, found)
            break
        new = columns.centred(new)
        point, count, rounds = new, max(count, 2 * int(np.count_nonzero(new.w))), rounds + 1
    status = Status.CONVERGED if found.is_small(problem) else Status.MAX_ITER if rounds == problem.max_iter else Status.STALLED
    work = columns.steps - steps, columns.passes - passes
    return ended(point.w[None], np.array([point.b]), found, status, *work), point, G


def _log_odds(problem: Problem) -> float:
    return float(np.log(problem.counts[1] / problem.counts[0])) if problem.fit_intercept else 0.0

"""How much to shrink a discriminant: held-out error and log-loss along a whole path of shrinkages, at about one fit a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..argument_types import as_numbers, is_among
from ..arguments import PLAN, answers_to
from ..array_types import Codes, Floats, Folds, Indices, Ints
from ..data import Block
from ..data.source import chunk_rows
from ..data.threads import single_threaded_blas, spread, thread_count
from ..errors import InputError, one_of
from ..inference.tables import Column, Table
from ..loading import maker
from ..models import LinearDiscriminantAnalysis
from ..notebook import view
from ..solvers.closed_form.row_span import all_rows
from ..solvers.scores import largest, posteriors_of
from ..summaries.grouped import tile_rows
from ..thresholds import LEFT_OUT_LOSSES
from .evaluation_rows import EvaluationRows, rows_to_evaluate
from .held_out import hold_out
from .metrics import ScoredRows, error, log_losses
from .plans import LeaveOneOut
from .predictions import answers
from .splits import folds_of

CRITERIA = ("log_loss", "error")


@dataclass(frozen=True, eq=False)
class ShrinkagePath:
    """Held-out performance along shrinkages.

    Attributes
    ----------
    shrinkages : (A,) increasing
    error, log_loss : (A,) of held-out rows
    refitted : (A,) rows for which the algebra did not hold, and which were refitted
    """

    shrinkages: Floats
    error: Floats
    log_loss: Floats
    refitted: Ints

    def best(self, by: Literal["log_loss", "error"] = "log_loss") -> float:
        """Return the shrinkage with the smallest held-out log-loss or error; the largest among equals, which varies least."""
        if not is_among(by, list(CRITERIA)):
            raise one_of("by", by, list(CRITERIA))
        values = getattr(self, by)
        return float(self.shrinkages[np.flatnonzero(values == values.min())[-1]])

    def chart(self) -> Any:
        """Return log-loss and error along the shrinkage as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.paths.shrinkage")(self)

    def table(self) -> Table:
        """Return one line per shrinkage."""
        columns = (
            Column("shrinkage", self.shrinkages, ".4f"),
            Column("error", self.error, ".4f"),
            Column("log-loss", self.log_loss, ".4f"),
        )
        note = f"Best by log-loss: {self.best():.4g}; by error: {self.best('error'):.4g}."
        return Table("Held-out rows along the shrinkage", columns, note)

    def _repr_html_(self) -> str:
        return view(self.table().html)

    def __str__(self) -> str:
        lines = [f"{'shrinkage':>9} {'error':>8} {'log-loss':>9}"]
        lines += [f"{a:>9.4f} {e:>8.4f} {loss:>9.4f}" for a, e, loss in zip(self.shrinkages, self.error, self.log_loss, strict=True)]
        return "\n".join([*lines, f"best by log-loss: {self.best():.4g}; by error: {self.best('error'):.4g}"])

    __repr__ = __str__


@answers_to(cv=PLAN, scoring="the path has error and log-loss; choose by path.best('error')")
def shrinkage_path(
    X: Any,
    y: Any,
    *,
    shrinkages: Any = None,
    model: Any = None,
    plan: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> ShrinkagePath:
    """Return the held-out error and log-loss of linear discriminant analysis for each of many shrinkages.

    Leave-one-out, the default, is exact and needs one decomposition for all rows and all shrinkages, then O(npK) a shrinkage.

    Parameters
    ----------
    X, y : rows and labels
    shrinkages : numbers in [0, 1], optional
        Default: 50 from 0 to 1.
    model : LinearDiscriminantAnalysis, optional
        Its other parameters are kept.
    plan : as in `evaluate`; default LeaveOneOut()
    sample_weight, groups, random_state : as in `evaluate`

    Returns
    -------
    ShrinkagePath

    References
    ----------
    Friedman (1989), Regularized discriminant analysis, J. American Statistical Association 84.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> path = shrinkage_path(*load_iris(return_X_y=True), shrinkages=[0.0, 0.1, 0.5])
    >>> path.error.round(4).tolist(), path.best()
    ([0.02, 0.02, 0.04], 0.1)
    """
    values = _check(shrinkages)
    model = LinearDiscriminantAnalysis() if model is None else model
    if not abilities_of(model).shrinkages:
        raise InputError(f"shrinkage_path is for LinearDiscriminantAnalysis; got {type(model).__name__}. Use evaluate for other models.")
    rows = rows_to_evaluate(X, y, sample_weight)
    if rows.weight is not None and not rows.weight.max() < 1e100:
        raise InputError(
            f"sample_weight holds {rows.weight.max():g}, of which float64 holds no square; weights count rows: divide them by their mean."
        )
    plan = LeaveOneOut() if plan is None else plan
    start = clone(model).set_params(shrinkage=float(values[0]))
    abilities = abilities_of(start)
    table = isinstance(plan, LeaveOneOut) and len(rows.shape) == 2
    if table and abilities.leave_one_out:
        return _leave_one_out(start, rows, values)
    return _by_plan(start, rows, plan, folds_of(plan, rows.n, rows.labels, groups, random_state), values)


def _check(shrinkages: Any) -> Floats:
    if shrinkages is None:
        return np.linspace(0.0, 1.0, 50)
    values = np.unique(np.atleast_1d(as_numbers("shrinkages", shrinkages, "give numbers in [0, 1].")))
    if not len(values) or not ((values >= 0.0) & (values <= 1.0)).all():
        raise InputError(f"shrinkages={shrinkages!r} must be numbers in [0, 1], such as np.linspace(0, 1, 50).")
    return values


def _leave_one_out(model: Any, rows: EvaluationRows, values: Floats) -> ShrinkagePath:
    fitted = rows.fit(model)
    part, source = offered(abilities_of(fitted).shrinkages), rows.source(model.n_jobs)
    few = not offered(abilities_of(model).summary).suffices(rows.n, rows.shape[1], rows.on_device)
    left_out = part.in_span(all_rows(source, copy=False), values.tolist()) if few else part.scores(values.tolist())
    weight = np.ones(rows.n) if rows.weight is None else rows.weight

    def losses_of(block: Block) -> list[tuple[float, float, Indices]]:
        own = slice(block.start, block.start + block.n_rows)
        found = []
        for left in left_out(block):
            certain = np.where(left.refit, 0.0, weight[own])
            found.append((*_losses(left.scores, rows.codes[own], certain, rows.classes), block.start + np.flatnonzero(left.refit)))
        return found

    threads = (
        thread_count(model.n_jobs) if rows.n <= chunk_rows(source.n_features) else 1
    )  # chunks are the parallelism where there are several

    def tiled(block: Block) -> list[list[tuple[float, float, Indices]]]:
        if rows.on_device:
            return [losses_of(block)]
        with single_threaded_blas():
            return spread(losses_of, list(block.tiles(tile_rows(block.n_features))), threads)

    parts = [found for block in source.told(tiled) for found in block]
    errors, losses, refitted = np.zeros(len(values)), np.zeros(len(values)), np.zeros(len(values), dtype=np.int64)
    again = np.zeros((len(values), rows.n), dtype=bool)
    for a in range(len(values)):
        errors[a], losses[a] = (sum(found[a][j] for found in parts) for j in (0, 1))
        again[a, np.concatenate([found[a][2] for found in parts])] = True
    for i in np.flatnonzero(again.any(axis=0)):
        own = np.flatnonzero(again[:, i])
        found = np.array(list(_without(model, rows, int(i), values[own])))
        errors[own] += weight[i] * found[:, 0]
        losses[own] += weight[i] * found[:, 1]
        refitted[own] += 1
    return ShrinkagePath(values, errors / weight.sum(), losses / weight.sum(), refitted)


def _without(model: Any, rows: EvaluationRows, i: int, values: Floats) -> Iterator[tuple[float, float]]:
    """Yield error and log-loss of row i by the fit without it, for each shrinkage."""
    row, rest = rows.take(np.array([i])), rows.without_row(i)
    varies, losses = True, (0.0, 0.0)
    for alpha in values:
        if varies:
            fitted = rest.fit(clone(model).set_params(shrinkage=float(alpha)))
            judged = ScoredRows(row.codes, *answers(fitted, row), None, None, rows.classes)
            losses = error(judged).value, float(log_losses(judged)[0])
            # One class left has no covariance; where none varies it is 0, and shrinking it changes nothing: one fit serves all.
            covariance = getattr(fitted, "covariance_", 0.0)  # names: a public attribute of LinearDiscriminantAnalysis, the one model here
            varies = covariance is None or bool(np.any(covariance))
        yield losses


def _losses(scores: Floats, truth: Codes, weight: Floats, classes: NDArray[Any]) -> tuple[float, float]:
    """Return the weighted sums of errors and of log-losses."""
    if LEFT_OUT_LOSSES.reached(scores.size):
        from ..kernels.left_out import losses

        found: tuple[float, float] = losses(scores, truth, weight)
        return found
    codes = largest(scores)
    own = log_losses(ScoredRows(truth, codes, posteriors_of(scores), None, None, classes))
    return float(weight @ (codes != truth)), float(weight @ own)


def _by_plan(model: Any, rows: EvaluationRows, plan: Any, repeats: list[Folds], values: Floats) -> ShrinkagePath:
    errors, losses, refitted = np.zeros(len(values)), np.zeros(len(values)), np.zeros(len(values), dtype=np.int64)
    for a, alpha in enumerate(values):
        for folds in repeats:
            found = hold_out(clone(model).set_params(shrinkage=float(alpha)), rows, plan, folds)
            held = np.flatnonzero(folds >= 0)
            refitted[a] += len(held) if found.method == "refits" else found.refitted
            assert found.posteriors is not None
            weight = None if rows.weight is None else rows.weight[held]
            judged = ScoredRows(rows.codes[held], found.codes[held], found.posteriors[held], weight, None, rows.classes)
            errors[a] += error(judged).value / len(repeats)
            losses[a] += judged.mean(log_losses(judged)).value / len(repeats)
    return ShrinkagePath(values, errors, losses, refitted)

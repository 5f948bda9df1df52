"""What quadratic discriminant analysis can do without a refit: leave rows out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats, Ints
from ..data import Block
from ..solvers.closed_form.discriminant import log_priors
from ..solvers.closed_form.whitening import total_rank
from ..solvers.held_out.leave_one_out import LeftOut, gaussian_pass
from ..solvers.held_out.leave_one_out_shrunk import shrunk_pass
from ..solvers.held_out.leave_one_out_span import class_axes
from ..summaries import ClassMoments
from .page import Refused
from .parts import ESTIMATED, WEIGHTED, RowsLeftOut, SpanRowsLeftOut

Pass = Callable[[Block], LeftOut]


class Quadratic(Protocol):
    """What these parts read of a quadratic discriminant analysis."""

    priors: Any
    shrinkage: Any
    pooling: Any
    reg_param: float
    covariance: Any
    class_weight: Any
    classes_: NDArray[Any]
    priors_: Floats
    log_det_: Floats
    rank_: Ints
    summary_: Any


def rows_left_out(model: Quadratic, scores_of: Callable[[Block], Floats]) -> RowsLeftOut | SpanRowsLeftOut | Refused:
    """Return the part that leaves each row out, given the scores of all rows, or why rows cannot be left out by algebra."""
    if model.pooling:
        return Refused("pooling ties the covariances of the classes together")
    if isinstance(model.shrinkage, str):
        return ESTIMATED
    if model.class_weight is not None:
        return WEIGHTED
    how = "exact algebra: only its own class changes"
    if not (model.shrinkage or model.reg_param):
        return RowsLeftOut(how, lambda: _plain(model, scores_of))

    def scores() -> Pass:
        m: ClassMoments = model.summary_
        return _shrunk(model, scores_of, m, [np.linalg.eigh(W) for W in m.scatter])

    def in_span(rows: Block) -> Pass:
        m = ClassMoments.summarise(model.classes_, "diagonal")(rows)
        return _shrunk(model, scores_of, m, class_axes(rows, m))

    return SpanRowsLeftOut(how, scores, in_span)


def _fixed(model: Quadratic) -> tuple[Floats | None, float]:
    """Return the priors that are held and what counts are lessened by."""
    return None if model.priors is None else model.priors_, float(model.covariance == "unbiased")


def _shrunk(model: Quadratic, scores_of: Callable[[Block], Floats], m: ClassMoments, axes: Sequence[tuple[Floats, Floats]]) -> Pass:
    fixed, ddof = _fixed(model)
    shrunk = float(model.shrinkage or 0.0), float(model.reg_param)
    return shrunk_pass(m.counts, m.means, axes, scores_of, model.priors_, fixed, ddof, *shrunk)


def _plain(model: Quadratic, scores_of: Callable[[Block], Floats]) -> Pass:
    fixed, ddof = _fixed(model)
    m, ranks = model.summary_, model.rank_
    # Directions in which no row varies say nothing; where some class lacks others besides, their units change with every row.
    same = (ranks == ranks[0]).all() and ranks[0] == total_rank(m.counts, m.means, m.scatter.sum(axis=0))
    varying = int(ranks[0]) if same else m.n_features
    return gaussian_pass(scores_of, log_priors(model.priors_) - 0.5 * model.log_det_, m.counts, varying, ddof, fixed, ranks)

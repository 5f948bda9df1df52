"""What a result should make its reader ask before it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..alerts import Alert
from ..array_types import Bools
from ..data.columns import Column, ColumnBatch
from ..data.opening import is_frame
from ..errors import InputError, InputTypeError
from ..evaluation.estimate import Estimate
from ..evaluation.overfit import overfit_alerts
from ..evaluation.row_copies import row_copy_alerts
from ..evaluation.time_order import time_order_alerts
from ..selection.board import Board
from .table_columns import table_columns


def alerts_of_board(board: Board) -> tuple[Alert, ...]:
    """Return the alerts of a comparison: nothing learned, values at the end of their list, copies of rows across its folds.

    Examples
    --------
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> rng = np.random.default_rng(0)
    >>> board = compare(rng.normal(size=(100, 2)), rng.integers(0, 2, 100), models=[LinearDiscriminantAnalysis()], plan=KFold(5))
    >>> [alert.code for alert in alerts_of_board(board)]
    ['SPX011']
    """
    if not isinstance(board, Board):
        raise InputTypeError(f"board is a {type(board).__name__}; give what compare(X, y) returned.")
    setting = board.setting
    columns = _columns(setting.rows.X)
    return (
        *board.alerts,
        *row_copy_alerts(columns, setting.rows.codes, setting.repeats),
        *time_order_alerts(columns, setting.plan),
    )


def alerts_of_estimate(estimate: Estimate, X: Any = None, *, plan: Any = None) -> tuple[Alert, ...]:
    """Return the alerts of an evaluation: overfit; with the rows also errors that drift along a date, unless the plan was a `TimeSplit`.

    Parameters
    ----------
    estimate : what `evaluate` returned
    X : the rows that were evaluated, optional
    plan : the plan they were held out by, optional

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis, evaluate
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    >>> alerts_of_estimate(evaluate(LinearDiscriminantAnalysis(), X, y))
    ()
    """
    if not isinstance(estimate, Estimate):
        raise InputTypeError(f"estimate is a {type(estimate).__name__}; give what evaluate(model, X, y) returned.")
    found = overfit_alerts(estimate)
    if X is None or estimate.posteriors is None:
        return found
    columns = _columns(X)
    if columns and len(columns[0].values) != len(estimate.truth):
        raise InputError(f"X has {len(columns[0].values)} rows, the estimate {len(estimate.truth)}; give the rows that were evaluated.")
    held: Bools = np.isfinite(estimate.posteriors[:, 0])
    wrong = estimate.posteriors.argmax(axis=1) != estimate.truth
    return (*found, *time_order_alerts(columns, plan, wrong, held))


def _columns(X: Any) -> list[Column]:
    """Return the columns of evaluated rows; none of texts in one column, which pipelines take apart."""
    return table_columns(X) if isinstance(X, ColumnBatch) or is_frame(X) or len(np.shape(X)) == 2 else []

"""What single columns of a table say for one class against another, in naive Bayes of mixed kinds.

Rows are coded as numbers: categories by position, −1 for those never seen, NaN for missing values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...data import Block
from ...data.columns import ColumnBatch
from ...solvers.closed_form.log_sums import log_odds
from ...summaries.columns import COUNTED

if TYPE_CHECKING:
    from .mixed import MixedNB

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def coded(model: MixedNB, X: Any) -> Floats:
    """Return rows as numbers (n, p)."""
    names = vars(model).get("feature_names_in_")
    source = model._rows(X)
    return np.concatenate(
        [_coded_batch(model, ColumnBatch.of(block, None if names is None else tuple(names))) for block in source.blocks()]
    )


def _coded_batch(model: MixedNB, batch: ColumnBatch) -> Floats:
    layout = model.summary_.layout
    parts = layout.split(batch, model.missing == "ignore")
    found = np.empty((batch.n_rows, model.n_features_in_))
    found[:, layout.of("gaussian")] = parts.measured.toarray() if sp.issparse(parts.measured) else parts.measured
    found[:, layout.of(*COUNTED)] = parts.counted.toarray() if sp.issparse(parts.counted) else parts.counted
    for place, (j, (codes, levels)) in enumerate(zip(layout.of("categorical"), parts.categories, strict=True)):
        where = {name: c for c, name in enumerate(model.categorical_.counts.names(place))}
        found[:, j] = np.array([*(where.get(level, -1) for level in levels), np.nan])[codes]
    return found


def column_ratios(model: MixedNB, block: Block, of: Codes, against: Codes) -> Floats:
    """Return log p(x_j | of) − log p(x_j | against) of each value of coded rows, (n, p), for the pair of classes of each row or one."""
    X, layout = np.asarray(block.dense(), dtype=np.float64), model.summary_.layout
    found, measured, counted = np.zeros(X.shape), layout.of("gaussian"), layout.of(*COUNTED)
    Z = X[:, measured]
    near, far = ((Z - model.theta_[k]) ** 2 / model.var_[k] + np.log(model.var_[k]) for k in (of, against))
    found[:, measured] = 0.5 * (far - near)
    found[:, counted] = log_odds(*(_counted_logs(model, X[:, counted], k) for k in (of, against)))
    of, against = np.broadcast_to(of, len(X)), np.broadcast_to(against, len(X))
    starts, logs = model.categorical_.counts.starts, model.categorical_.exact
    for place, j in enumerate(layout.of("categorical")):
        known = X[:, j] >= 0
        cell = starts[place] + X[known, j].astype(np.int64)
        found[known, j] = log_odds(logs[of[known], cell], logs[against[known], cell])
    return np.where(np.isnan(X), 0.0, found)


def _counted_logs(model: MixedNB, X: Floats, k: Codes) -> Floats:
    counted = model.counted_
    value = X * counted.coef[k] + counted.offset[k]
    if counted.zero_coef is None or counted.zero_offset is None:
        return value
    return np.where(X * counted.zero_coef[k] + counted.zero_offset[k] > 0, -np.inf, value)

"""What single columns of a table say for one class against another, in naive Bayes of mixed kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data import Block
from ..data.columns import ColumnBatch
from ..summaries.columns import COUNTED
from .evidence import log_odds
from .likelihoods import CategoryColumns, CountedColumns

if TYPE_CHECKING:
    from .counted import CountedNB as Base
else:
    Base = object

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class MixedColumns(Base):
    """Log-odds column by column, of rows coded as numbers: categories by position, −1 for those never seen, NaN for missing values."""

    theta_: Floats
    var_: Floats
    counted_: CountedColumns
    categorical_: CategoryColumns

    def _coded(self, X: Any) -> Floats:
        """Return rows as numbers (n, p)."""
        names = getattr(self, "feature_names_in_", None)
        source = self._rows(X)
        return np.concatenate(
            [self._coded_batch(ColumnBatch.of(block, None if names is None else tuple(names))) for block in source.blocks()]
        )

    def _coded_batch(self, batch: ColumnBatch) -> Floats:
        layout = self.summary_.layout
        parts = layout.split(batch, self.missing == "ignore")
        found = np.empty((batch.n_rows, self.n_features_in_))
        found[:, layout.of("gaussian")] = parts.measured.toarray() if sp.issparse(parts.measured) else parts.measured
        found[:, layout.of(*COUNTED)] = parts.counted.toarray() if sp.issparse(parts.counted) else parts.counted
        for place, (j, (codes, levels)) in enumerate(zip(layout.of("categorical"), parts.categories, strict=True)):
            where = {name: c for c, name in enumerate(self.categorical_.counts.names(place))}
            found[:, j] = np.array([*(where.get(level, -1) for level in levels), np.nan])[codes]
        return found

    def _column_evidence(self, block: Block, of: Codes, against: Codes) -> Floats:
        """Return log p(x_j | of) − log p(x_j | against) of each value of coded rows, (n, p), for the pair of classes of each row or one."""
        X, layout = np.asarray(block.dense(), dtype=np.float64), self.summary_.layout
        found, measured, counted = np.zeros(X.shape), layout.of("gaussian"), layout.of(*COUNTED)
        Z = X[:, measured]
        near, far = ((Z - self.theta_[k]) ** 2 / self.var_[k] + np.log(self.var_[k]) for k in (of, against))
        found[:, measured] = 0.5 * (far - near)
        found[:, counted] = log_odds(*(self._counted_logs(X[:, counted], k) for k in (of, against)))
        of, against = np.broadcast_to(of, len(X)), np.broadcast_to(against, len(X))
        starts, logs = self.categorical_.counts.starts, self.categorical_.exact
        for place, j in enumerate(layout.of("categorical")):
            known = X[:, j] >= 0
            cell = starts[place] + X[known, j].astype(np.int64)
            found[known, j] = log_odds(logs[of[known], cell], logs[against[known], cell])
        return np.where(np.isnan(X), 0.0, found)

    def _counted_logs(self, X: Floats, k: Codes) -> Floats:
        counted = self.counted_
        value = X * counted.coef[k] + counted.offset[k]
        if counted.zero_coef is None or counted.zero_offset is None:
            return value
        return np.where(X * counted.zero_coef[k] + counted.zero_offset[k] > 0, -np.inf, value)

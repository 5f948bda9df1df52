"""Columns left out because they correlate with a column of higher score."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats, Indices
from ..data import Block, Source
from ..solvers.closed_form.whitening import total_spread
from ..summaries import ClassMoments


def correlations(source: Source, columns: Indices) -> Floats:
    """Return the correlations of some columns, by number, over all rows; 0 with a constant column.

    r_ij = T_ij/√(T_ii T_jj),   T = W + Σ n_k (m_k − m)(m_k − m)'
    """
    summarise = ClassMoments.summarise(source.classes, "pooled")
    everything = np.array_equal(columns, np.arange(source.n_features))

    def of(block: Block) -> ClassMoments:
        return summarise(block if everything else Block(block.X[:, columns], block.codes, block.weight, block.start))

    moments = source.reduce(of)
    if not moments.is_finite:
        source.refuse_nonfinite()
    centre, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
    apart = np.sqrt(moments.counts)[:, None] * (moments.means - centre)
    scale = np.where(spread > 0, spread * np.sqrt(moments.counts.sum()), np.inf)
    return (moments.scatter + apart.T @ apart) / scale / scale[:, None]


def drop_redundant(R: Floats, limit: float, count: int) -> tuple[Indices, dict[int, int]]:
    """Return the first `count` columns of which none is correlated above a limit with one before, and those skipped.

    Parameters
    ----------
    R : (p, p) correlations of columns, the best first

    Returns
    -------
    kept : numbers of columns
    instead : dict {column skipped: column kept that it is most correlated with}

    Examples
    --------
    >>> drop_redundant(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), limit=0.8, count=3)
    (array([0, 2]), {1: 0})
    """
    kept: list[int] = []
    instead: dict[int, int] = {}
    nearest, like = np.zeros(len(R)), np.zeros(len(R), dtype=np.intp)
    for j in range(len(R)):
        if len(kept) == count:
            break
        if nearest[j] > limit:
            instead[j] = int(like[j])
            continue
        kept.append(j)
        nearer = np.abs(R[j]) > nearest
        nearest[nearer], like[nearer] = np.abs(R[j])[nearer], j
    return np.array(kept, dtype=np.intp), instead

"""What every column adds to the decision about every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abilities.additive_scores import AdditiveScores, pairs
from ..array_types import Floats
from ..data import Block, Source
from ..data.source import ChunkedSource
from ..errors import InputError
from ..summaries.grouped import tile_rows
from .encoded import check_encoding, encoded_model
from .explained_rows import Spread, open_rows
from .explained_table import ExplainedTable, table_contributions
from .model_views import CHECKED, check_reading, code_of, explainable, remembered, view_of


def contributions(model: Any, X: Any, *, of: Any = None, against: Any = None, reference: Any = None) -> Any:
    """Return what each column adds to the score of one class against another, for every row.

        f_a(x_i) − f_b(x_i) = base + Σ_j C_ij

    Linear models: C_ij = (w_a − w_b)_j (x_ij − m_j), in the columns' own units whatever a pipeline scales, m the mean row. Quadratic
    discriminants: the gradient half way between m and x in place of w, which is exact. Naive Bayes: C_ij = log p(x_ij | a)/p(x_ij | b).

    Parameters
    ----------
    model : fitted classifier
        Of this package or of scikit-learn, with scores that add up over columns; see :func:`separatrix.explain`.
    X : array, sparse matrix, frame or table of n rows
    of, against : labels, optional
        a and b. Default for two classes: `classes_[1]` against `classes_[0]`; for more: the class predicted for the row against its
        runner-up. With one of them given, the other is the best of the remaining classes.
    reference : rows, optional
        Their mean is m. Default: the training mean if the model remembers it, else the mean of X.

    Returns
    -------
    C : (n, p) array
        Of a pipeline with encoders one column for each column of the table; where it has a vectorizer, a sparse array with one column for
        each word, after those of the table.

    Examples
    --------
    >>> from separatrix import NearestMean, contributions
    >>> model = NearestMean().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> contributions(model, [[3, 2], [3, 6]]).tolist()
    [[-0.0, -4.5], [-0.0, 7.5]]

    References
    ----------
    Štrumbelj and Kononenko (2014), Explaining prediction models and individual predictions with feature contributions, KAIS 41.
    """
    model = explainable(model)
    pair = code_of(model, "of", of), code_of(model, "against", against)
    if len(model.classes_) == 2 and pair == (None, None):
        pair = (1, 0)
    around = encoded_model(model, X)
    if around is not None:
        table = ExplainedTable(*around, X, reference)
        check_encoding(model, around[0], X, table.parts, range(min(CHECKED, table.parts.shape[0])))
        return table_contributions(table, pair)
    view, source = view_of(model), open_rows(model, X)
    mean = mean_row(model, view, source, None if reference is None else open_rows(model, reference, "reference"))
    check_reading(model, view, first_rows(source))
    return _collect(view, source, mean, pair)


def _collect(view: AdditiveScores, source: Source, mean: Floats, pair: tuple[int | None, int | None]) -> Floats:
    if isinstance(source, ChunkedSource):
        found = np.empty((source.n_rows, source.n_features))
        finite = list(source.map(lambda block: _fill(view, block, mean, pair, found[block.start : block.start + block.n_rows])))
    else:
        parts = list(source.map(lambda block: _fresh(view, block, mean, pair)))
        finite, found = [part[0] for part in parts], np.concatenate([part[1] for part in parts])
    if not all(finite):
        source.refuse_nonfinite()
    return found


def _fresh(view: AdditiveScores, block: Block, mean: Floats, pair: tuple[int | None, int | None]) -> tuple[bool, Floats]:
    out = np.empty((block.n_rows, block.n_features))
    return _fill(view, block, mean, pair, out), out


def _fill(view: AdditiveScores, block: Block, mean: Floats, pair: tuple[int | None, int | None], out: Floats) -> bool:
    """Write the contributions of a block; return whether all its rows are finite."""
    finite = True
    for tile in block.tiles(tile_rows(block.n_features)):
        own = out[tile.start - block.start :][: tile.n_rows]
        with np.errstate(invalid="ignore", over="ignore"):  # per thread
            view.parts(tile, *pairs(view, tile, pair), mean, own)
        finite &= not np.isnan(own.sum())
    return finite


def mean_row(model: Any, view: AdditiveScores, source: Source, reference: Source | None) -> Floats:
    """Return the row to which contributions are relative: that of the reference, else the training mean, else that of X."""
    if not view.relative:
        return np.zeros(source.n_features)
    if reference is not None:
        return column_means(reference)
    known = remembered(model)[0]
    if known is not None:
        return known
    if source.n_rows == 1:
        raise InputError(
            f"Contributions are relative to a mean row, and {type(model).__name__} does not remember that of its training rows; pass these "
            "rows: reference=X_train."
        )
    return column_means(source)


def column_means(source: Source) -> Floats:
    """Return the mean row; a NaN or infinity is an error that names it."""
    # One product by BLAS and no fresh memory: a third of the time that means and squares take.
    parts = list(source.map(lambda block: (block.n_rows, _sums(block))))
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.sum([total for _, total in parts], axis=0) / sum(n for n, _ in parts)
    if not np.isfinite(mean).all():
        source.refuse_nonfinite()
    return np.asarray(mean)


def _sums(block: Block) -> Floats:
    if block.is_sparse or block.X.dtype != np.float64:
        return np.asarray(block.X.sum(axis=0, dtype=np.float64)).ravel()
    sums: Floats = np.ones(block.n_rows) @ block.X
    return sums


def finite_spread(source: Source) -> Spread:
    """Return count, mean and spread of the columns; a NaN or infinity is an error that names it."""
    with np.errstate(invalid="ignore", over="ignore"):
        found = source.reduce(Spread.of)
    if not np.isfinite(found.squares).all():
        source.refuse_nonfinite()
    return found


def first_rows(source: Source, n: int = 32) -> Floats:
    """Return the first rows as numbers, for a look at what they are."""
    if isinstance(source, ChunkedSource):
        return np.asarray(Block(source.rows(0, min(n, source.n_rows))).dense(), dtype=np.float64)
    return np.asarray(next(iter(source.blocks())).part(0, 0 + n).dense(), dtype=np.float64)

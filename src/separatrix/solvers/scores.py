"""Scores of rows and what follows from them: X W' + b, the class of the largest, posteriors.

Two classes share one score, that of the second class: f > 0 means the second. `folded` (coefficients) and `folded_classes` (anything else)
go from K classes to that form, `unfolded` and `per_class` back; the largest score and the softmax of scores are taken here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Indices
from ..data import Block
from ..data.device import is_on_device
from ..data.namespaces import is_foreign
from ..summaries.grouped import tile_rows
from ..thresholds import LABELS, SCORES
from . import device_scores

FEW_CLASSES = 16
"""Up to here a fused kernel beats a matrix product with so few columns."""

CACHED_SCORES = 131_072
"""Scores of many classes that are made and compared at once."""

SOFTMAX_VALUES, SHORT = 32_768, 64
"""Scores whose softmax is taken at once, so that they stay in a cache, and classes up to which they are turned for it."""

SINGLE, UNDERFLOW, TOO_CLOSE = 2.0**-24, 1e-30, 0.2
"""Rounding of float32, differences that are lost below its range, and the share of rows too close to tell that ends its use."""

VECTORS = 40
"""Classes from which NumPy finds the largest of a row faster than a loop, by vector instructions."""

FEW_ROWS, MANY_CLASSES = 500, 12
"""Rows from which, and classes up to which, comparing columns is faster than looking for the largest of each row."""


def linear_scores(block: Block, coef: Floats, intercept: Floats) -> Floats:
    """Return X coef' + intercept of a block in float64: the reference for small or sparse blocks, else tiles."""
    if is_on_device(block):
        return device_scores.linear_scores(block, coef, intercept)  # type: ignore[no-any-return]
    if _is_small(block):
        found = np.asarray(_product(block.X, coef), dtype=np.float64)
        found += intercept  # in place: fresh memory for as many scores again takes longer than adding to them
        return found
    scores = np.empty((block.n_rows, len(coef)))
    coef = np.ascontiguousarray(coef)
    for tile in block.tiles(tile_rows(block.n_features)):
        _score_tile(tile, coef, intercept, scores[tile.start - block.start :][: tile.n_rows])
    return scores


def _product(X: Any, coef: Floats) -> Any:
    """Return X coef'; of a single sparse row by its own columns, because SciPy's product would turn all coefficients over for it."""
    if X.shape[0] == 1 and len(coef) > 1 and not isinstance(X, np.ndarray):
        return (coef[:, X.indices] @ X.data)[None]
    return X @ coef.T


def linear_codes(block: Block, coef: Floats, intercept: Floats) -> Codes | None:
    """Return the code of the largest score of each row (one score: whether it is above 0), or None if a score is not finite.

    No score is stored: an array of them would cost more in fresh memory than the products do.
    """
    if is_on_device(block):
        return device_scores.linear_codes(block, coef, intercept)  # type: ignore[no-any-return]
    if len(coef) > FEW_CLASSES and not block.is_sparse and LABELS.reached(block.n_rows * len(coef)):
        return _codes_of_many(block, coef, intercept)
    if _is_small(block):
        return codes_of(linear_scores(block, coef, intercept))
    from ..kernels.scores import linear_argmax

    coef, codes, finite = np.ascontiguousarray(coef), np.empty(block.n_rows, dtype=np.int32), True
    # Rows that lie as the kernel wants them go in one call: threads meet in Python as rarely as can be.
    ready = block.X.flags.c_contiguous and block.X.dtype in (np.float32, np.float64) and block.X.dtype.isnative
    for tile in block.tiles(block.n_rows if ready else tile_rows(block.n_features)):
        finite &= linear_argmax(tile.X, coef, intercept, codes[tile.start - block.start :][: tile.n_rows])
    return codes if finite else None


def _codes_of_many(block: Block, coef: Floats, intercept: Floats) -> Codes | None:
    """Return the codes of many classes: scores of as many rows as a cache holds are made and compared, in the same memory each time."""
    coef, codes = np.ascontiguousarray(coef), np.empty(block.n_rows, dtype=np.int32)
    rows = max(min(tile_rows(block.n_features), CACHED_SCORES // len(coef)), 64)
    scores, single = np.empty((rows, len(coef))), Single.of(block, coef, intercept)
    for tile in block.tiles(rows):
        out = codes[tile.start - block.start :][: tile.n_rows]
        left = np.arange(tile.n_rows) if single is None else single.settle(tile.X, out)
        if len(left) == 0:
            continue
        own = scores[: len(left)]
        np.matmul(tile.X if len(left) == tile.n_rows else tile.X[left], coef.T, out=own)
        own += intercept
        found = codes_of(own)
        if found is None:
            return None
        out[left] = found
        if len(left) > TOO_CLOSE * tile.n_rows:
            single = None
    return codes


@dataclass(frozen=True, slots=True)
class Single:
    """The largest of many scores of float32 rows, from a product in float32 where that proves which one it is.

    A product of p columns is off by no more than (p + 4) 2⁻²⁴ (‖x‖ ‖w‖ + |b|), rounded weights included: where the second largest is more
    than twice as far below, float64 would find the same one, in twice the time.

    Attributes
    ----------
    coef : (K, p) and intercept (K,) in float32
    length, offset : largest ‖w_k‖ and |b_k|, times the share of them that a score may be off by
    """

    coef: NDArray[np.float32]
    intercept: NDArray[np.float32]
    length: float
    offset: float

    @classmethod
    def of(cls, block: Block, coef: Floats, intercept: Floats) -> Self | None:
        """Return the float32 form of coefficients for a block of dense float32 rows, or None for others."""
        if block.X.dtype != np.float32:
            return None
        with np.errstate(over="ignore", under="ignore"):
            share = (block.n_features + 4) * SINGLE
            length = share * float(np.sqrt(np.einsum("kp,kp->k", coef, coef).max()))
            return cls(coef.astype(np.float32), intercept.astype(np.float32), length, share * float(np.abs(intercept).max()))

    def settle(self, X: NDArray[np.float32], codes: Codes) -> Indices:
        """Fill the codes of rows whose class is proven; return the other rows, all that are not finite or too large among them."""
        from ..kernels.scores import two_largest

        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            top = np.full((2, len(X)), -np.inf, dtype=np.float32)
            two_largest(np.matmul(self.coef, X.T), self.intercept, top[0], top[1], codes)
            lengths = np.sqrt(np.einsum("ij,ij->i", X, X), dtype=np.float64)
            off = 3.0 * (self.length * lengths + self.offset) + UNDERFLOW
            return np.flatnonzero(~(top[0] - top[1] > off))


def _is_small(block: Block) -> bool:
    return block.is_sparse or not SCORES.reached(block.n_rows * block.n_features)


def _score_tile(tile: Block, coef: Floats, intercept: Floats, out: Floats) -> None:
    if len(coef) <= FEW_CLASSES:
        from ..kernels import scores as kernels

        kernels.linear_scores(tile.X, coef, intercept, out)
    else:
        np.matmul(tile.X, coef.T, out=out)
        out += intercept


def diagonal_scores(block: Block, means: Floats, precision: Floats, offset: Floats) -> Floats:
    """Return offset_k − ½ Σ_j precision_kj (x_j − means_kj)² of each row; absent values of sparse rows are never visited."""
    if is_on_device(block):
        return device_scores.diagonal_scores(block, means, precision, offset)  # type: ignore[no-any-return]
    if block.is_sparse:
        squares = block.X.copy()
        squares.data = squares.data.astype(np.float64) ** 2
        scaled = means * precision
        scores: Floats = offset - 0.5 * np.einsum("kj,kj->k", scaled, means) - 0.5 * (squares @ precision.T) + block.X @ scaled.T
        return scores
    if not SCORES.reached(block.n_rows * block.n_features):
        X = np.asarray(block.X, dtype=np.float64)
        return np.stack([offset[k] - 0.5 * ((X - means[k]) ** 2 @ precision[k]) for k in range(len(means))], axis=1)
    from ..kernels import scores as kernels

    scores = np.empty((block.n_rows, len(means)))
    for tile in block.tiles(tile_rows(block.n_features)):
        out = scores[tile.start - block.start :][: tile.n_rows]
        kernels.diagonal_scores(tile.X, means, precision, offset, out)
    return scores


def codes_of(scores: Floats) -> Codes | None:
    """Return the class code of each row of scores, the first among equals; None if a score is not finite.

    Examples
    --------
    >>> codes_of(np.array([[0.2, 0.7], [1.0, 1.0]]))
    array([1, 0], dtype=int32)
    """
    if is_foreign(scores):
        return device_scores.codes_of(scores)  # type: ignore[no-any-return]
    if scores.shape[1] >= VECTORS or not LABELS.reached(scores.size):
        return largest(scores) if np.isfinite(scores).all() else None
    from ..kernels.scores import argmax_rows

    codes = np.empty(len(scores), dtype=np.int32)
    return codes if argmax_rows(np.ascontiguousarray(scores, dtype=np.float64), codes) else None


def largest(scores: Floats) -> Codes:
    """Return the first largest score of each row; of one column, whether it is above 0.

    Examples
    --------
    >>> largest(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist(), largest(np.array([[-1.0], [1.0]])).tolist()
    ([0, 1], [0, 1])
    """
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.int32)
    if scores.shape[1] == 2:
        return (scores[:, 1] > scores[:, 0]).astype(np.int32)
    if len(scores) < FEW_ROWS or scores.shape[1] > MANY_CLASSES:
        best: Codes = scores.argmax(axis=1).astype(np.int32)
        return best
    codes, top = np.zeros(len(scores), dtype=np.int32), scores[:, 0].copy()
    for k in range(1, scores.shape[1]):  # argmax over a short last axis is slow
        above = scores[:, k] > top
        codes[above] = k
        np.maximum(top, scores[:, k], out=top)
    return codes


def posteriors_of(scores: Floats, out: Floats | None = None) -> Floats:
    """Return softmax of scores (n, K) by rows, in `out` where that is given, which may be the scores; −∞ gives 0.

    Examples
    --------
    >>> posteriors_of(np.array([[0.0, 0.0], [-np.inf, 3.0]])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if is_foreign(scores):
        return device_scores.posteriors_of(scores)  # type: ignore[no-any-return]
    found = np.empty(scores.shape, scores.dtype) if out is None else out
    step = max(SOFTMAX_VALUES // scores.shape[1], 1)
    for start in range(0, len(scores), step):
        (_sigmoid if scores.shape[1] == 2 else _softmax)(scores[start : start + step], found[start : start + step])
    return found


def _sigmoid(scores: Floats, out: Floats) -> None:
    """out = softmax of two columns, by one exponential: with e = exp(−|d|) the shares are 1/(1 + e) and e/(1 + e)."""
    d = scores[:, 1] - scores[:, 0]
    e = np.abs(d)
    np.negative(e, out=e)
    np.exp(e, out=e)
    larger = 1.0 / (1.0 + e)
    e *= larger
    is_second = d > 0.0
    out[:, 1], out[:, 0] = np.where(is_second, larger, e), np.where(is_second, e, larger)


def _softmax(scores: Floats, out: Floats) -> None:
    """out = softmax of scores (n, K) by rows."""
    if scores.shape[1] > SHORT:
        np.subtract(scores, scores.max(axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
        out *= 1.0 / out.sum(axis=1, keepdims=True)
        return
    turned = scores.T.copy()  # sums over a short last axis are slow
    turned -= turned.max(axis=0)
    np.exp(turned, out=turned)
    turned *= 1.0 / turned.sum(axis=0)
    out[:] = turned.T


def log_posteriors_of(scores: Floats) -> Floats:
    """Return the logarithm of the softmax of scores (n, K) by rows, exact also where a posterior rounds to 0 or 1.

    Examples
    --------
    >>> log_posteriors_of(np.array([[0.0, 1000.0]])).tolist()
    [[-1000.0, 0.0]]
    """
    if is_foreign(scores):
        return device_scores.log_posteriors_of(scores)  # type: ignore[no-any-return]
    from scipy.special import log_softmax  # here: what is not used is not imported, for commands that answer at once

    return np.asarray(log_softmax(scores, axis=1))


def per_class(scores: Floats) -> Floats:
    """Return one score per class (n, K), also where two classes share one (n, 1).

    Examples
    --------
    >>> per_class(np.array([[1.5], [-2.0]])).tolist()
    [[0.0, 1.5], [0.0, -2.0]]
    """
    if is_foreign(scores):
        return device_scores.per_class(scores)  # type: ignore[no-any-return]
    if scores.shape[1] != 1:
        return scores
    found = np.zeros((len(scores), 2), dtype=scores.dtype)
    found[:, 1] = scores[:, 0]
    return found


def folded_classes(values: Floats, axis: int = 0) -> Floats:
    """Return values of K classes along an axis as they are, or of two classes the second minus the first.

    Examples
    --------
    >>> folded_classes(np.array([[1.0, 4.0], [2.0, 2.0]]), axis=1).tolist()
    [[3.0], [0.0]]
    """
    if values.shape[axis] != 2:
        return values
    return values[1:] - values[:1] if axis == 0 else values[:, 1:] - values[:, :1]


def folded(coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
    """Return (K, p) weights and (K,) offsets in the form that estimators keep: two classes have one row, second minus first.

    Examples
    --------
    >>> folded(np.array([[1.0, 2.0], [4.0, 2.0]]), np.array([0.5, 0.0]))
    (array([[3., 0.]]), array([-0.5]))
    """
    return folded_classes(coef), folded_classes(intercept)


def unfolded(coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
    """Return one row of weights per class, also where two classes share one: the first class then scores 0.

    Examples
    --------
    >>> unfolded(np.array([[3.0, 0.0]]), np.array([-0.5]))
    (array([[0., 0.],
           [3., 0.]]), array([ 0. , -0.5]))
    """
    if len(coef) > 1:
        return coef, intercept
    return np.vstack([np.zeros_like(coef), coef]), np.array([0.0, intercept[0]])

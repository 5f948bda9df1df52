"""Classifiers whose scores are linear in x: decision function and boundaries."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data import Block
from ..errors import InputError
from ..geometry import Hyperplane
from ..summaries.grouped import tile_rows
from ..thresholds import SCORES
from .base import Classifier, codes_of, finite_or_none

Floats = NDArray[np.float64]

FEW_CLASSES = 16
"""Up to here a fused kernel beats a matrix product with so few columns."""


class LinearClassifier(Classifier):
    """Scores f_k(x) = x'coef_k + intercept_k. Two classes have one row of `coef_`: f > 0 means `classes_[1]`."""

    coef_: Floats
    intercept_: Floats
    _finite: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")

    def _scores(self, block: Block) -> Floats:
        return linear_scores(block, self.coef_, self.intercept_)

    def _codes(self, block: Block) -> NDArray[np.int32] | None:
        if self._linear_parts() is None:
            return super()._codes(block)  # scores that a subclass reads otherwise, such as switches made of numbers
        return linear_codes(block, self.coef_, self.intercept_)

    def _linear_parts(self) -> tuple[Floats, Floats] | None:
        """Return coef (R, p) and intercept (R,) where the scores are linear in the rows as they are, else None."""
        return (self.coef_, self.intercept_) if type(self)._scores is LinearClassifier._scores else None

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Return the scores of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        scores : (n,) for two classes, positive for `classes_[1]`; else (n, K)
        """
        scores = self._collect(X, lambda block: finite_or_none(self._scores(block), block.X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def boundary(self, j: Any, k: Any) -> Hyperplane:
        """Return the hyperplane between classes j and k, positive on k's side.

            (w_k − w_j)'x + (w_k0 − w_j0) = 0

        Parameters
        ----------
        j, k : labels
        """
        check_is_fitted(self)
        weights, offsets = self._per_class()
        a, b = self._code(j), self._code(k)
        if a == b:
            raise InputError(f"A boundary needs two different classes; both are {k!r}.")
        return Hyperplane(weights[b] - weights[a], float(offsets[b] - offsets[a]))

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        moved = self.intercept_ + (shift if len(self.intercept_) > 1 else shift[1:] - shift[:1])
        return {**super()._prior_attributes(priors, shift), "intercept_": moved}

    def _per_class(self) -> tuple[Floats, Floats]:
        """Return one row of weights per class, also where two classes share one."""
        if len(self.coef_) > 1:
            return self.coef_, self.intercept_
        return np.vstack([np.zeros_like(self.coef_), self.coef_]), np.array([0.0, self.intercept_[0]])


def linear_scores(block: Block, coef: Floats, intercept: Floats) -> Floats:
    """Return X coef' + intercept of a block in float64: the reference for small or sparse blocks, else tiles."""
    if _is_small(block):
        return np.asarray(block.X @ coef.T + intercept, dtype=np.float64)
    scores = np.empty((block.n_rows, len(coef)))
    coef = np.ascontiguousarray(coef)
    for tile in block.tiles(tile_rows(block.n_features)):
        _score_tile(tile, coef, intercept, scores[tile.start - block.start :][: tile.n_rows])
    return scores


def linear_codes(block: Block, coef: Floats, intercept: Floats) -> NDArray[np.int32] | None:
    """Return the code of the largest score of each row (one score: whether it is above 0), or None if a score is not finite.

    No score is stored: an array of them would cost more in fresh memory than the products do.
    """
    if _is_small(block):
        return codes_of(linear_scores(block, coef, intercept))
    if len(coef) > FEW_CLASSES:
        return codes_of(linear_scores(block, coef, intercept))
    from ..kernels.scores import linear_argmax

    coef, codes, finite = np.ascontiguousarray(coef), np.empty(block.n_rows, dtype=np.int32), True
    # Rows that lie as the kernel wants them go in one call: threads meet in Python as rarely as can be.
    ready = block.X.flags.c_contiguous and block.X.dtype in (np.float32, np.float64) and block.X.dtype.isnative
    for tile in block.tiles(block.n_rows if ready else tile_rows(block.n_features)):
        finite &= linear_argmax(tile.X, coef, intercept, codes[tile.start - block.start :][: tile.n_rows])
    return codes if finite else None


def _is_small(block: Block) -> bool:
    return block.is_sparse or not SCORES.reached(block.n_rows * block.n_features)


def _score_tile(tile: Block, coef: Floats, intercept: Floats, out: Floats) -> None:
    if len(coef) <= FEW_CLASSES:
        from ..kernels import scores as kernels

        kernels.linear_scores(tile.X, coef, intercept, out)
    else:
        np.matmul(tile.X, coef.T, out=out)
        out += intercept

"""Classifiers whose scores become posteriors by a softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from ..data import Block
from .base import Classifier, finite_or_none

Floats = NDArray[np.float64]


class PosteriorClassifier(Classifier):
    """p(k | x) ∝ e^(s_k(x)); the default s_k are the scores of the classes, a lone score being that of the second class.

    Posteriors are float64 for any X: a float32 posterior cannot tell 1 from 1 − 1e-8.
    """

    def _posterior_scores(self, block: Block) -> Floats:
        return per_class(self._scores(block))

    def predict_proba(self, X: Any) -> Floats:
        """Return the posteriors p(k | x).

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        posteriors : (n, K), rows sum to 1, columns in the order of `classes_`
        """
        return self._collect(X, lambda block: finite_or_none(softmax(self._posterior_scores(block), axis=1)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the posteriors, exact also where a posterior rounds to 0 or 1.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        return self._collect(X, lambda block: finite_or_none(log_softmax(self._posterior_scores(block), axis=1)))


def per_class(scores: Floats) -> Floats:
    """Return one score per class, also where two classes share one.

    Examples
    --------
    >>> per_class(np.array([[1.5], [-2.0]]))
    array([[ 0. ,  1.5],
           [ 0. , -2. ]])
    """
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores

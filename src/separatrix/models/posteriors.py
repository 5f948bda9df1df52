"""Posteriors p(k | x) ∝ e^(s_k(x)) as methods: classifiers with `_posterior_scores` adopt these functions.

Posteriors are float64 for any X: a float32 posterior cannot tell 1 from 1 − 1e-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..array_types import Floats
from ..data.namespaces import is_foreign
from ..solvers.scores import log_posteriors_of, posteriors_of
from .base import finite_or_none

if TYPE_CHECKING:
    from .base import Classifier


def predict_proba(self: Classifier, X: Any) -> Floats:
    """Return the posteriors p(k | x).

    Parameters
    ----------
    X : array, sparse matrix, frame or table of n rows

    Returns
    -------
    posteriors : (n, K), rows sum to 1, columns in the order of `classes_`
    """
    return self._collect(X, lambda block: _posteriors(self._posterior_scores(block)))


def predict_log_proba(self: Classifier, X: Any) -> Floats:
    """Return the logarithms of the posteriors, exact also where a posterior rounds to 0 or 1.

    Parameters
    ----------
    X : array, sparse matrix, frame or table of n rows
    """
    return self._collect(X, lambda block: finite_or_none(log_posteriors_of(self._posterior_scores(block))))


def _posteriors(scores: Floats) -> Floats | None:
    """Turn scores into their softmax, in their own memory; None if one is not finite: a posterior of 1 would hide that it is infinite."""
    if finite_or_none(scores) is None:
        return None
    return posteriors_of(scores) if is_foreign(scores) else posteriors_of(scores, out=scores)

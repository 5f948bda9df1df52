"""Scores of standardised columns as scores of the columns themselves."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from ...errors import InputTypeError
from .scores import Diagonal, Linear, Quadratic, Scores


def scaled(score: Scores, scale: Floats, mean: Floats) -> Scores:
    """Return the scores of x that are the given ones of (x − mean)/scale.

    Examples
    --------
    >>> found = scaled(Linear(np.array([[4.0]]), np.array([1.0])), np.array([2.0]), np.array([10.0]))
    >>> found.coef.tolist(), found.intercept.tolist()
    ([[2.0]], [-19.0])
    """
    if isinstance(score, Linear):
        coef = score.coef / scale
        return Linear(np.ascontiguousarray(coef), score.intercept - coef @ mean)
    if isinstance(score, Diagonal):
        return Diagonal(score.means * scale + mean, score.precision / scale**2, score.offset)
    if isinstance(score, Quadratic) and score.bases is not None:
        return Quadratic(score.means * scale + mean, score.bases / scale[:, None], score.offset)
    raise InputTypeError(f"A StandardScaler before {type(score).__name__.lower()} scores has no formula; leave it out.")

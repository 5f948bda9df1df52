"""Class priors and class weights, as given by the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..errors import InputError, did_you_mean
from ..summaries import ClassMoments
from .priors import check_priors

NEVER = float(np.finfo(np.float32).min) / 2
"""Score of a class not seen yet, where no prior can say so: below every other, and still a number after rounding to float32."""


def effective_priors(priors: Any, classes: NDArray[Any], counts: Floats) -> Floats:
    """Return the given priors, or the shares of the counts; 0 for classes announced but not seen yet.

    Examples
    --------
    >>> effective_priors(None, np.array(["ham", "spam"]), np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    if priors is None:
        shares: Floats = counts / counts.sum()
        return shares
    known = np.where(counts > 0, check_priors(priors, classes), 0.0)
    if not known.any():
        raise InputError(f"Every class seen so far has a prior of zero: priors={np.asarray(priors).tolist()}; give them a positive one.")
    scaled: Floats = known / known.sum()
    return scaled


def stand_in(values: Floats, counts: Floats) -> Floats:
    """Return class parameters (K, …) in which classes not seen yet repeat those of the largest class.

    With a prior of zero such a class then scores below the largest one everywhere, however far out a row lies.
    """
    if counts.all():
        return values.copy()
    seen = (counts > 0).reshape(-1, *[1] * (values.ndim - 1))
    return np.where(seen, values, values[int(counts.argmax())])


def class_factors(class_weight: Any, classes: NDArray[Any], counts: Floats) -> Floats | None:
    """Return the factor on the weights of each class, or None where all are 1.

    "balanced" gives n / (K n_k), with n_k the summed weights of class k, so that all classes weigh the same.

    Examples
    --------
    >>> class_factors("balanced", np.array([0, 1]), np.array([3.0, 1.0]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError(
                f"class_weight={class_weight!r} is not known; use 'balanced', a dict {{label: weight}} or None."
                f"{did_you_mean(class_weight, ['balanced'])}"
            )
        seen = counts > 0
        return np.where(seen, counts.sum() / (seen.sum() * np.where(seen, counts, 1.0)), 1.0)
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight must be a dict {{label: weight}}, 'balanced' or None; got {class_weight!r}.")
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise InputError(f"class_weight names {unknown[0]!r}, which is not a class.{did_you_mean(unknown[0], labels)} Classes: {labels}.")
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    if not np.isfinite(factors).all() or (factors < 0).any() or not factors.any():
        raise InputError(f"class_weight must hold finite weights ≥ 0, not all zero; got {dict(class_weight)!r}.")
    return factors


def weighted(moments: ClassMoments, class_weight: Any) -> ClassMoments:
    """Return moments after class weights, which are chosen by their counts."""
    factors = class_factors(class_weight, moments.classes, moments.counts)
    return moments if factors is None else moments.scaled(factors)

"""Class priors: given, changed after training, and what a change does to posteriors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import as_numbers
from ..array_types import Floats
from ..errors import InputError, UnknownNameError, did_you_mean
from .posteriors import as_distributions, check_posteriors


def check_priors(priors: Any, classes: NDArray[Any], name: str = "priors") -> Floats:
    """Return given priors as an array of one probability per class, from numbers in the order of the classes, {label: prior} or a Series.

    Examples
    --------
    >>> check_priors([0.25, 0.75], np.array(["ham", "spam"]))
    array([0.25, 0.75])
    >>> check_priors({"spam": 0.75, "ham": 0.25}, np.array(["ham", "spam"]))
    array([0.25, 0.75])
    """
    K = len(classes)
    priors = by_label(priors, name)
    given = np.asarray(_in_order(priors, classes.tolist(), name) if isinstance(priors, Mapping) else priors)
    if given.shape != (K,):
        raise InputError(
            f"The number of priors must match the number of classes: {name} has shape {given.shape}, but there are {K} classes "
            f"({', '.join(map(repr, classes[:8].tolist()))}); pass {K} numbers in this order."
        )
    if not np.isfinite(given).all() or (given < 0).any():
        raise InputError(f"Priors must be non-negative; got {name}={given.tolist()}.")
    if abs(given.sum() - 1.0) > 1e-6:
        raise InputError(f"The sum of the priors should be 1, got {given.sum():.6g}; pass {name} / sum({name}).")
    scaled: Floats = given / given.sum()
    return scaled


def by_label(priors: Any, name: str = "priors") -> Any:
    """Return priors as {label: prior} where they come with labels, as those of `y.value_counts(normalize=True)` do; else as an array.

    Examples
    --------
    >>> import pandas as pd
    >>> by_label(pd.Series(["ham", "spam", "spam", "spam"]).value_counts(normalize=True))
    {'spam': 0.75, 'ham': 0.25}
    """
    if isinstance(priors, Mapping):
        return priors
    # A Series that was given no labels is numbered, and stands in the order of the classes.
    if hasattr(priors, "iloc") and type(priors.index).__name__ != "RangeIndex":
        return dict(priors.to_dict())
    given = as_numbers(name, priors, "pass one per class, or {label: prior}.").copy()
    if np.isnan(given).any():
        raise InputError(f"{name}={priors!r:.60} holds NaN; pass one number per class, or {{label: prior}}.")
    return given


def _in_order(priors: Mapping[Any, Any], labels: list[Any], name: str) -> list[float]:
    for label in priors:
        if label not in labels:
            raise UnknownNameError(f"{name} names {label!r}, which is not a class.{did_you_mean(label, labels)} Classes: {labels}.")
    missing = [label for label in labels if label not in priors]
    if missing:
        raise InputError(f"{name} has no prior for class {missing[0]!r}; give one to each of {labels}.")
    listed: list[float] = as_numbers(name, [priors[label] for label in labels], "give each class a number.").tolist()
    return listed


def prior_odds(new: Floats, old: Floats, classes: NDArray[Any]) -> Floats:
    """Return π_k(new)/π_k(old), the factors on posteriors; 0 for a class that neither has.

    A prior of zero for a class seen in training, or a positive one for a class never seen, is an error.

    Examples
    --------
    >>> prior_odds(np.array([0.9, 0.1]), np.array([0.5, 0.5]), np.array(["ham", "spam"]))
    array([1.8, 0.2])
    """
    for k in np.flatnonzero((new <= 0) & (old > 0)):
        raise InputError(
            f"The new prior of class {classes.tolist()[k]!r} is zero, though it was seen in training: no row could ever get it. Give it a "
            "small positive prior, such as 1e-6, or fit without its rows."
        )
    for k in np.flatnonzero((new > 0) & (old <= 0)):
        raise InputError(
            f"Class {classes.tolist()[k]!r} had a prior of zero in training, so its posteriors say nothing and cannot be re-weighted to "
            f"{new[k]:g}; fit with rows of it first, or give it a new prior of 0."
        )
    return np.where(old > 0, new / np.where(old > 0, old, 1.0), 0.0)


def reweight(posteriors: Any, priors: Any, trained_priors: Any, classes: Any = None) -> Floats:
    """Return the posteriors under other class priors, by Bayes' rule.

        p'(k | x) ∝ p(k | x) π_k/π_k(trained)

    The class densities p(x | k) must be the same in both worlds: only how common the classes are has changed.

    Parameters
    ----------
    posteriors : (n, K)
    priors, trained_priors : (K,) or {label: prior}
        How common the classes are now, and how common they were in training.
    classes : (K,) labels, optional

    Examples
    --------
    >>> reweight([[0.5, 0.5]], [0.9, 0.1], [0.5, 0.5]).tolist()
    [[0.9, 0.1]]

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14.
    """
    P = check_posteriors(posteriors)
    labels = np.arange(P.shape[1]) if classes is None else np.asarray(classes)
    new, old = check_priors(priors, labels), check_priors(trained_priors, labels, "trained_priors")
    weighted = P * prior_odds(new, old, labels)
    if not (weighted.sum(axis=1) > 0).all():
        raise InputError("Some rows have all their posterior on classes without a prior in training; they cannot be re-weighted.")
    return as_distributions(weighted)


def known_priors(model: Any) -> Floats | None:
    """Return the class priors behind the posteriors of a fitted model, where it keeps them as generative models do; else None."""
    for priors in (getattr(model, "priors_", None), getattr(model, "class_prior_", None)):
        if priors is not None:
            return np.asarray(priors, dtype=np.float64)
    logs = getattr(model, "class_log_prior_", None)
    return None if logs is None else np.exp(np.asarray(logs, dtype=np.float64))


def require_priors(model: Any, classes: NDArray[Any], given: Any = None) -> Floats:
    """Return the class priors of a model's training, given or declared by the model, or say how to give them."""
    if given is not None:
        return check_priors(given, classes, "trained_priors")
    found = known_priors(model)
    if found is None:
        raise InputError(
            f"New priors need the old ones, and {type(model).__name__} does not keep the class shares it was trained with; pass "
            "trained_priors, for instance numpy.unique(y, return_counts=True)[1] / len(y)."
        )
    return found

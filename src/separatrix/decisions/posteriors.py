"""Posteriors as given by a user: one distribution over the classes in each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import as_numbers, is_among
from ..array_types import Codes, Floats
from ..data.labels import Labels
from ..data.opening import check_weights, with_squares
from ..errors import InputError


def tolerance_of(P: NDArray[Any]) -> float:
    """Return how far from one a row of posteriors may sum: what rounding of its type explains, with a margin."""
    return 1e-3 if P.dtype == np.float32 else 1e-6


def as_posteriors(posteriors: Any, n_classes: int | None = None) -> NDArray[np.floating]:
    """Return posteriors as floats (n, K), rows unchecked; n numbers are the probabilities of the second of two classes.

    Examples
    --------
    >>> as_posteriors([0.25, 1.0]).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    P = posteriors if isinstance(posteriors, np.ndarray) else as_numbers("posteriors", posteriors, "pass model.predict_proba(X).")
    if P.dtype not in (np.float32, np.float64):
        P = as_numbers("posteriors", posteriors, "pass model.predict_proba(X).")
    if P.ndim == 1 and n_classes in (None, 2):
        P = np.column_stack([1.0 - P, P])
    if P.ndim != 2 or P.shape[1] < 2:
        raise InputError(f"Posteriors need one row per case and one column per class, got shape {P.shape}; pass model.predict_proba(X).")
    if n_classes is not None and P.shape[1] != n_classes:
        raise InputError(f"The posteriors have {P.shape[1]} columns, but there are {n_classes} classes; pass one column per class.")
    return P


def with_classes(posteriors: Any, classes: Any = None) -> tuple[NDArray[np.floating], NDArray[Any]]:
    """Return posteriors (n, K), rows unchecked, and the labels of their columns: 0 … K − 1 if not given."""
    if classes is None:
        P = as_posteriors(posteriors)
        return P, np.arange(P.shape[1])
    labels = as_classes(classes)
    return as_posteriors(posteriors, len(labels)), labels


def as_classes(classes: Any) -> NDArray[Any]:
    """Return labels as an array (K,).

    Examples
    --------
    >>> as_classes(3)
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: classes=3 is no list of labels; give one label per class, such as model.classes_.
    """
    try:
        labels = np.asarray(classes)
    except ValueError:  # rows of different lengths
        labels = np.empty(())
    if labels.ndim != 1:
        raise InputError(f"classes={classes!r:.60} is no list of labels; give one label per class, such as model.classes_.")
    return labels


def refuse_no_distribution(P: NDArray[np.floating]) -> None:
    """Raise the error that names the first row which is not a distribution, if there is one."""
    tolerance = tolerance_of(P)
    with np.errstate(over="ignore", invalid="ignore"):
        good = (np.abs(P.sum(axis=1) - 1.0) <= tolerance) & (-tolerance <= P).all(axis=1)
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    shown = ", ".join(f"{p:.6g}" for p in P[row][:6]) + (", …" if P.shape[1] > 6 else "")
    if np.isnan(P[row]).any():
        raise InputError(f"Row {row} of the posteriors is NaN ({shown}): it was never held out, or the model failed; leave such rows out.")
    total = sum(P[row].tolist())
    raise InputError(
        f"Row {row} of the posteriors is no distribution: {shown} sums to {total:.6g}. Posteriors are ≥ 0 and sum to one, as "
        "predict_proba gives them; scores of decision_function must be calibrated first (separatrix.CalibratedClassifier)."
    )


def check_posteriors(posteriors: Any, n_classes: int | None = None) -> NDArray[np.floating]:
    """Return posteriors (n, K) whose rows are distributions.

    Examples
    --------
    >>> check_posteriors([[0.5, 0.5]]).shape
    (1, 2)
    """
    P = as_posteriors(posteriors, n_classes)
    refuse_no_distribution(P)
    return P


def as_distributions(P: NDArray[np.floating]) -> Floats:
    """Return rows that sum to one as exactly as float64 can; what rounding left below zero is zero.

    Examples
    --------
    >>> as_distributions(np.array([[0.1, 0.9]], dtype=np.float32)).sum().item()
    1.0
    """
    rows = np.maximum(P, 0.0, dtype=np.float64)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True), dtype=np.float64)


class Cases:
    """Rows with posteriors and known truth: the material of tuning, curves and calibration tables.

    Rows of NaN, which a plan never held out, are left out.

    Attributes
    ----------
    P : (n, K) posteriors
    codes : (n,) true classes as positions in `classes`
    weight : (n,) weights
    factor : (n,) part of the weight that stands for other priors, or 1
    classes : (K,) labels

    Examples
    --------
    >>> cases = Cases.of([0.2, 0.9, np.nan], ["no", "yes", "yes"])
    >>> len(cases.codes), cases.classes.tolist()
    (2, ['no', 'yes'])
    """

    def __init__(self, P: Floats, codes: Codes, weight: Floats, classes: NDArray[Any], factor: Any = None) -> None:
        self.P, self.codes, self.weight, self.classes = P, codes, weight, classes
        self.factor: Floats = np.ones(len(P)) if factor is None else factor

    @classmethod
    def of(cls, posteriors: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Cases:
        """Check posteriors, labels and weights against each other; an Estimate stands for its posteriors and classes."""
        if hasattr(posteriors, "posteriors") and hasattr(posteriors, "classes"):
            posteriors, classes = posteriors.posteriors, posteriors.classes if classes is None else classes
        if posteriors is None:
            raise InputError(
                "There are no posteriors: the model has no predict_proba. Evaluate separatrix.CalibratedClassifier(model) instead."
            )
        labels = Labels.of(y, classes)
        P = np.asarray(as_posteriors(posteriors), dtype=np.float64)
        if len(P) != len(labels):
            raise InputError(f"There are {len(P)} rows of posteriors and {len(labels)} labels; one label per row is needed.")
        if P.shape[1] != len(labels.classes):
            raise InputError(
                f"The posteriors have {P.shape[1]} columns, but y has {len(labels.classes)} classes ({labels.classes.tolist()[:8]}); pass "
                "classes=model.classes_ where y lacks a class."
            )
        weight = check_weights(sample_weight, len(P))
        codes, weight = labels.codes(0, len(labels)), np.ones(len(P)) if weight is None else with_squares(weight)
        held = ~np.isnan(P).all(axis=1) & (weight > 0)
        if not held.any():
            raise InputError("No row has posteriors and a positive weight; pass Estimate.posteriors of an evaluation that held rows out.")
        if not held.all():
            P, codes, weight = P[held], codes[held], weight[held]
        refuse_no_distribution(P)
        return cls(P, codes, weight, labels.classes)

    @property
    def n(self) -> float:
        """Sum of the weights."""
        return float(self.weight.sum())

    @property
    def effective(self) -> float:
        """Number of rows as informative as these where priors make some of them count more (Kish)."""
        return self.n**2 / float(self.weight @ self.factor)

    def shares(self) -> Floats:
        """Return the share of each class (K,)."""
        return np.bincount(self.codes, self.weight, minlength=len(self.classes)) / self.n

    def take(self, rows: NDArray[Any]) -> Cases:
        """Return some of the rows."""
        return Cases(self.P[rows], self.codes[rows], self.weight[rows], self.classes, self.factor[rows])

    def positive(self, label: Any = None) -> int:
        """Return the position of the class that counts as positive: the one named, or the second of two."""
        known = self.classes.tolist()
        if label is None:
            if len(known) != 2:
                raise InputError(f"There are {len(known)} classes; name the one that counts as positive, as in positive={known[-1]!r}.")
            return 1
        if not is_among(label, known):
            raise InputError(f"positive={label!r} is not a class; the classes are {known}.")
        return int(known.index(label))

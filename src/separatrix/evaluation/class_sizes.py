"""Classes with too few rows to be held out as a plan asks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..alerts import Alert
from ..array_types import Codes
from .plans import KFold, LeaveOneOut, Plan
from .random_plans import Bootstrap, Holdout, RandomSubsampling

NEEDED = 2
"""Rows of a class without which nothing can be trained on once one is held out."""


def class_size_alerts(codes: Codes, classes: NDArray[Any], plan: Any = None) -> tuple[Alert, ...]:
    """Return an alert (SPX008) for each class with fewer rows than the plan has parts to hold out.

    Parameters
    ----------
    codes : (n,) class codes
    classes : (K,) labels
    plan : a plan of this package, a scikit-learn splitter or a number of folds; default KFold(10)

    Examples
    --------
    >>> codes = np.repeat([0, 1], [40, 3]).astype(np.int32)
    >>> print(class_size_alerts(codes, np.array(["no", "yes"]))[0].do)
    Use plan=KFold(3), or join the class with another one, or collect more rows of it.
    """
    sizes, parts = np.bincount(codes, minlength=len(classes)), parts_of(plan)
    found = []
    for label, size in zip(classes.tolist(), sizes.tolist(), strict=True):
        if 0 < size < parts:
            rows = "1 row" if size == 1 else f"{size} rows"
            fewer = f"Use plan=KFold({size}), or join" if size >= NEEDED else "Join"
            found.append(
                Alert(
                    "SPX008",
                    str(label),
                    f"Class {label!r} has {rows}, and the plan needs {parts} to hold some out in every part.",
                    "In some parts nothing is known about the class, and its error rests on a handful of rows.",
                    f"{fewer} the class with another one, or collect more rows of it.",
                )
            )
    return tuple(found)


def parts_of(plan: Any) -> int:
    """Return how many rows of a class a plan needs: one for each part held out, and one to train on at least."""
    if plan is None:
        plan = KFold(10)
    if isinstance(plan, Holdout | RandomSubsampling):
        return max(NEEDED, int(np.ceil(1.0 / plan.fraction)))
    if isinstance(plan, LeaveOneOut | Bootstrap):
        return NEEDED
    if isinstance(plan, int | np.integer):
        return max(NEEDED, int(plan))
    folds = vars(plan).get("n_splits", NEEDED) if isinstance(plan, Plan) or hasattr(plan, "split") else NEEDED
    return max(NEEDED, int(folds)) if isinstance(folds, int | np.integer) else NEEDED

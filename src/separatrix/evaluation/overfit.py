"""A model that knows the rows it was trained on far better than others."""

from __future__ import annotations

from ..alerts import Alert
from .estimate import Estimate

GAP = 0.05
"""Distance between the error on training rows and the lower end of the held-out error's interval from which it is far."""


def overfit_alerts(estimate: Estimate, subject: str = "") -> tuple[Alert, ...]:
    """Return an alert (SPX012) where even the lower end of the held-out error's interval is far above the error on the training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from separatrix import KFold, evaluate
    >>> rng = np.random.default_rng(0)
    >>> found = evaluate(KNeighborsClassifier(1), rng.normal(size=(100, 2)), rng.integers(0, 2, 100), plan=KFold(5))
    >>> [alert.code for alert in overfit_alerts(found)]
    ['SPX012']
    """
    low, high = estimate.interval
    training = estimate.training_error
    if not low - training >= GAP:  # not <: an interval may be unknown
        return ()
    return (
        Alert(
            "SPX012",
            subject,
            f"The error is {100 * training:.3g} % on the rows trained on and {100 * estimate.error:.3g} % on rows held out (95 % interval "
            f"{100 * low:.3g} to {100 * high:.3g} %).",
            "The model has learned its own rows by heart: what it says about them, or about its fit, says little about others.",
            "Judge by the held-out error alone; try a simpler model, a stronger penalty (a smaller C), fewer columns or more rows.",
        ),
    )

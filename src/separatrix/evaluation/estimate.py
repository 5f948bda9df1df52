"""What an evaluation found: scores with intervals, held-out posteriors, and how they were obtained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .intervals import wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Held-out performance of a model.

    Attributes
    ----------
    error : float
        Misclassification rate of held-out rows (for a bootstrap: the .632+ estimate).
    interval : (low, high)
        95 % interval of the error.
    scores : {metric: float}
    intervals : {metric: (low, high)}, where one is known
    per_fold : {metric: (folds,) array}
    posteriors : (n, K) held-out posteriors in the order of `classes`; NaN if never held out, mean if repeated; None without
    confusion : (K, K) held-out counts, rows are the truth
    method : "exact algebra", "certified", "two Newton steps" or "refits"
    seconds : float
    optimism : held-out error minus the error on the rows trained on
    error_632, error_632plus : for a bootstrap, else None
    calibration : (intercept, slope) of the truth on the held-out log-odds, for two classes, else None
    """

    error: float
    interval: tuple[float, float]
    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    per_fold: dict[str, Floats]
    posteriors: Floats | None
    confusion: Floats
    classes: NDArray[Any]
    method: str
    seconds: float
    optimism: float
    calibration: tuple[float, float] | None = None
    error_632: float | None = None
    error_632plus: float | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def recall_intervals(self) -> Floats:
        """Share of each class found (K,) with its Wilson interval: (K, 3) of low, share, high."""
        totals = self.confusion.sum(axis=1)
        shares = np.diag(self.confusion) / np.where(totals > 0, totals, 1.0)
        return np.array([(low, s, high) for s, (low, high) in zip(shares, map(wilson, shares, totals), strict=True)])

    def error_at(self, priors: Any) -> float:
        """Return the error where classes have other shares: Σ_k π_k · (share of class k that is misclassified)."""
        given = np.asarray(priors, dtype=np.float64)
        if given.shape != (len(self.classes),) or abs(given.sum() - 1.0) > 1e-6:
            raise InputError(f"priors must be {len(self.classes)} numbers that sum to one, in the order of {self.classes.tolist()}.")
        return float(given @ (1.0 - self.recall_intervals[:, 1]))

    def __str__(self) -> str:
        low, high = self.interval
        lines = [f"error {self.error:.4f}  (95 % interval {low:.4f} to {high:.4f}; {self.method}, {self.seconds:.2f} s)"]
        for name, value in self.scores.items():
            if name != "error":
                span = self.intervals.get(name)
                lines.append(f"{name} {value:.4f}" + (f"  ({span[0]:.4f} to {span[1]:.4f})" if span else ""))
        return "\n".join([*lines, *self.notes])

"""Sums of log-probabilities of rows, with the zeros among the probabilities kept apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from ...array_types import Floats
from ...errors import DataWarning
from .smoothing import FAR


@dataclass(frozen=True, slots=True)
class LogSums:
    """Sums of log-probabilities of n rows in K classes without their zeros, and how many zeros each met (None: none can)."""

    value: Floats
    zeros: Floats | None = None

    def plus(self, other: LogSums) -> LogSums:
        """Return the sums over both sets of columns."""
        if self.zeros is None or other.zeros is None:
            return LogSums(self.value + other.value, self.zeros if other.zeros is None else other.zeros)
        return LogSums(self.value + other.value, self.zeros + other.zeros)

    @property
    def exact(self) -> Floats:
        """The sums, -inf where one of the probabilities is 0."""
        return self.value if self.zeros is None else np.where(self.zeros > 0, -np.inf, self.value)


@dataclass(frozen=True, slots=True)
class UnknownCategories:
    """What was met while rows were scored, on whichever thread; told once, at the end."""

    unknown: list[tuple[str, int]] = field(default_factory=list)

    def tell(self) -> None:
        """Warn of categories that were never seen in training."""
        if not self.unknown:
            return
        rows: dict[str, int] = {}
        for column, count in self.unknown:
            rows[column] = rows.get(column, 0) + count
        listed = ", ".join(f"{column} ({count} {'row' if count == 1 else 'rows'})" for column, count in list(rows.items())[:8])
        warnings.warn(
            f"Categories that were not there when the model was fitted: {listed}{', …' if len(rows) > 8 else ''}. They say nothing about "
            "the class and are left out of the product for these rows.",
            DataWarning,
            stacklevel=4,
        )


def unbounded(scores: Floats) -> Floats:
    """Return scores with infinities where a class was ruled out.

    Examples
    --------
    >>> unbounded(np.array([1.0, -FAR]))
    array([  1., -inf])
    """
    return np.where(np.abs(scores) >= 0.5 * FAR, np.copysign(np.inf, scores), scores)


def log_odds(of: Floats, against: Floats) -> Floats:
    """Return the difference of two logarithms of probabilities; 0 where both probabilities are 0.

    Examples
    --------
    >>> log_odds(np.array([-1.0, -np.inf, -np.inf]), np.array([-3.0, -3.0, -np.inf]))
    array([  2., -inf,   0.])
    """
    both = np.isneginf(of) & np.isneginf(against)
    return np.where(both, 0.0, of) - np.where(both, 0.0, against)

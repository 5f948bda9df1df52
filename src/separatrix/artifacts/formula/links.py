"""From scores to posteriors, and from posteriors to actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Floats
from ...decisions.calibration import CalibrationMap
from ...solvers.scores import folded_classes, per_class, posteriors_of


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """p_k ∝ e^(s_k + shift_k); of one score, the second class's, σ. The shift is what new priors add, (R,) or None."""

    shift: Floats | None = None

    def posteriors(self, scores: Floats) -> Floats:
        """Return posteriors (n, K)."""
        return posteriors_of(per_class(scores if self.shift is None else scores + self.shift))

    def reweighted(self, odds: Floats, n_scores: int) -> Softmax:
        """Return the link under new priors, in which posteriors have factors `odds` (K,); exact where a posterior rounds to 0 or 1."""
        shift = np.log(np.where(odds > 0, odds, 1.0))
        shift = folded_classes(shift) if n_scores == 1 else shift
        return Softmax(shift if self.shift is None else self.shift + shift)


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """A map of held-out scores to probabilities; `inner` makes posteriors whose log-odds go into it, None: the scores do.

    Attributes
    ----------
    map : CalibrationMap
    floor : posteriors below it count as it
    odds : (K,) factors that new priors stand for, or None
    """

    map: CalibrationMap
    inner: Softmax | None
    floor: float
    odds: Floats | None = None

    def posteriors(self, scores: Floats) -> Floats:
        """Return posteriors (n, K)."""
        found = self.map.posteriors(self.mapped(scores))
        if self.odds is None:
            return found
        weighted = found * self.odds
        return np.asarray(weighted / weighted.sum(axis=1, keepdims=True))

    def mapped(self, scores: Floats) -> Floats:
        """Return what goes into the map."""
        if self.inner is None:
            return scores
        P = np.maximum(self.inner.posteriors(scores), self.floor)
        if P.shape[1] == 2:
            return np.log(P[:, 1:]) - np.log(P[:, :1])
        logs: Floats = np.log(P)
        return logs if self.map.method == "temperature" else logs - np.log(P @ (1.0 - np.eye(P.shape[1])))

    def reweighted(self, odds: Floats, n_scores: int) -> Calibrated:
        """Return the link under new priors."""
        return Calibrated(self.map, self.inner, self.floor, odds if self.odds is None else self.odds * odds)


Link = Softmax | Calibrated


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """The action of least expected cost: argmin over a of Σ_k p_k costs[k, a].

    Attributes
    ----------
    costs : (K, A), the last column for rejecting where that is an option
    names : (A,) labels or names of actions; None where a row is rejected
    """

    costs: Floats
    names: NDArray[Any]

    def codes(self, posteriors: Floats) -> Codes:
        """Return the number of each row's action, the first among equals."""
        found: Codes = np.argmin(posteriors @ self.costs, axis=1).astype(np.int32)
        return found

    @property
    def cutoff(self) -> float | None:
        """The posterior of the second of two classes above which it is chosen; None where the rule is no threshold."""
        if self.costs.shape != (2, 2):
            return None
        false_alarm, miss = self.costs[0, 1] - self.costs[0, 0], self.costs[1, 0] - self.costs[1, 1]
        return float(false_alarm / (false_alarm + miss)) if false_alarm >= 0 and miss >= 0 and false_alarm + miss > 0 else None

"""What a decision costs on rows whose truth is known, and what it saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InputTypeError
from ..inference.shares import mean_interval
from ..loading import maker
from ..notebook import Sentences
from .decision import Decision
from .posteriors import Cases
from .priors import check_priors, prior_odds, reweight


@dataclass(frozen=True)
class Saving(Sentences):
    """Mean cost of a decision beside that of doing the same for all.

    Attributes
    ----------
    cost, cost_interval : mean cost per row
    baseline, baseline_cost : the one action that is best for all rows alike (with 0-1 costs: the majority class; None: rejecting all
        of them), and its mean cost
    saving, saving_interval : baseline_cost − cost, and its interval from the differences row by row
    rejected : share of the rows rejected
    n : number of rows
    """

    cost: float
    cost_interval: tuple[float, float]
    baseline: Any
    baseline_cost: float
    saving: float
    saving_interval: tuple[float, float]
    rejected: float
    n: float

    def chart(self) -> Any:
        """Return costs and saving with intervals as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.intervals.saving")(self)

    def __str__(self) -> str:
        low, high = self.saving_interval
        always = "rejecting all rows" if self.baseline is None else f"always {self.baseline!r}"
        return (
            f"cost {self.cost:.4f} per row ({self.cost_interval[0]:.4f} to {self.cost_interval[1]:.4f}), {always} "
            f"{self.baseline_cost:.4f}\nsaving {self.saving:.4f} per row (95 % interval {low:.4f} to {high:.4f}), "
            f"{self.rejected:.1%} of {self.n:g} rows rejected"
        )


def saving(decision: Decision, posteriors: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> Saving:
    """Return the mean cost of a decision on rows with known truth, and what it saves against one action for all.

        cost = Σ_i w_i costs[y_i, a_i] / Σ_i w_i

    Where the decision has priors, rows of class k weigh π_k / share_k as much: the cost is that of the world it is made for.

    Parameters
    ----------
    decision : Decision
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional

    Examples
    --------
    >>> found = saving(Decision([[0, 1], [5, 0]]), [0.1, 0.3, 0.1, 0.8], [0, 1, 0, 1])
    >>> found.cost, found.baseline, found.baseline_cost
    (0.0, 1, 0.5)
    """
    if not isinstance(decision, Decision):
        raise InputTypeError(f"decision of type {type(decision).__name__} is no Decision; give one, such as Decision([[0, 1], [5, 0]]).")
    cases = Cases.of(posteriors, y, classes, sample_weight)
    decision.check(cases.classes)
    at = at_priors(cases, decision.priors)
    plain = decision.without_priors()
    table, codes = plain.table(at.classes), plain.codes(at.P, at.classes)
    paid = table[at.codes, codes]
    constant = at.shares() @ table
    best = int(constant.argmin())
    cost, *around = mean_interval(paid, at.weight, at.factor, (table.min(), table.max()))
    gain, *gains = mean_interval(table[at.codes, best] - paid, at.weight, at.factor)
    rejected = float(at.weight[codes == table.shape[1] - 1].sum()) / at.n if decision.reject_cost is not None else 0.0
    name = plain.names(at.classes).tolist()[best]
    return Saving(cost, (around[0], around[1]), name, float(constant[best]), gain, (gains[0], gains[1]), rejected, at.n)


def at_priors(cases: Cases, priors: Any) -> Cases:
    """Return the cases as they would be where classes are otherwise common: posteriors and weights by class."""
    if priors is None:
        return cases
    shares = cases.shares()
    new = check_priors(priors, cases.classes)
    factor = prior_odds(new, shares, cases.classes)[cases.codes]
    return Cases(reweight(cases.P, new, shares, cases.classes), cases.codes, cases.weight * factor, cases.classes, factor)

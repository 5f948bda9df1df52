"""Choose a decision from held-out posteriors: least cost, a wanted recall or precision, a wanted share of rejected rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..argument_types import check_arguments
from ..array_types import Floats
from ..errors import InputError
from ..inference.shares import mean_interval, wilson_band
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import code, view
from ..progress import task
from .cost_factors import best_factors
from .cost_savings import at_priors
from .decision import Decision
from .posteriors import Cases

FOLDS = 5
"""Parts of the rows, each of which is left out of the tuning once to see what it costs there."""


@dataclass(frozen=True)
class Tuned:
    """A decision chosen from held-out posteriors, and what it reached there.

    Attributes
    ----------
    decision : Decision
    goal : what was asked for
    threshold : of the class that counts as positive, None where there is none
    achieved, intervals : {name: value} and {name: (low, high)} of cost, recall, precision or rejected, on the rows tuned on
    before : cost of the rule without tuning, where costs were tuned
    held_out_cost : cost of rows not tuned on, choosing on four fifths and counting on the last in turn: free of the tuning's optimism
    rows : number of rows tuned on
    """

    decision: Decision
    goal: str
    threshold: float | None
    achieved: dict[str, float]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    before: float | None = None
    held_out_cost: float | None = None
    rows: int = 0

    def chart(self) -> Any:
        """Return what was reached, with intervals, as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.intervals.tuned")(self)

    def table(self) -> Table:
        """Return what was reached, with intervals where they are known."""
        nothing = (np.nan, np.nan)
        more = {"cost of rows not tuned on": self.held_out_cost, "cost without tuning": self.before}
        values = {**self.achieved, **{name: value for name, value in more.items() if value is not None}}
        columns = (
            Column("", list(values)),
            Column("value", list(values.values()), ".4f"),
            Column("95 % low", [self.intervals.get(name, nothing)[0] for name in values], ".4f"),
            Column("high", [self.intervals.get(name, nothing)[1] for name in values], ".4f"),
        )
        said = self.goal + ("" if self.threshold is None else f": threshold {self.threshold:.4g}")
        return Table(f"Tuned for {said}", columns, f"On the {self.rows:,} rows it was tuned on.")

    def _repr_html_(self) -> str:
        return view(self.table().html, code(repr(self.decision)))

    def __str__(self) -> str:
        lines = [self.goal + ("" if self.threshold is None else f": threshold {self.threshold:.4g}")]
        for name, value in self.achieved.items():
            low, high = self.intervals.get(name, (np.nan, np.nan))
            lines.append(f"{name} {value:.4f}" + ("" if np.isnan(low) else f"  (95 % interval {low:.4f} to {high:.4f})"))
        if self.held_out_cost is not None:
            lines.append(f"cost of rows not tuned on {self.held_out_cost:.4f}, without tuning {self.before:.4f}")
        return "\n".join(lines)


def tune(
    posteriors: Any,
    y: Any,
    *,
    costs: Any = None,
    recall: float | None = None,
    precision: float | None = None,
    rejection_rate: float | None = None,
    positive: Any = None,
    priors: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> Tuned:
    """Choose a decision from held-out posteriors; no model is fitted.

    Give one goal. `recall`: the fewest false alarms that find this share of the positive class. `precision`: the most of the positive
    class found while this share of what is called positive is. `rejection_rate`: the cost of rejecting that rejects at most this share,
    the least certain rows. None of them: the threshold (two classes) or factors on the rows of the costs (more) of least mean cost.

    Parameters
    ----------
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    costs : (K, K), rows are the truth, optional
        Default: 1 for every mistake.
    recall, precision, rejection_rate : float in (0, 1], at most one of them
    positive : a class, default the second of two
        Of more classes, the positive one is chosen where p/(p + largest other p) is above the threshold.
    priors : (K,) or {label: prior}, optional
        How common the classes will be; default: as in y.
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional

    Returns
    -------
    Tuned

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import LinearDiscriminantAnalysis, LeaveOneOut, evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=LeaveOneOut())
    >>> tuned = tune(found, y, recall=0.95, positive=0)
    >>> round(tuned.achieved["recall"], 4), round(tuned.achieved["precision"], 4)
    (0.9528, 0.9758)
    >>> model = LinearDiscriminantAnalysis().fit(X, y).with_decision(tuned.decision)
    """
    check_arguments(tune, locals())
    _check_goals(costs, {"recall": recall, "precision": precision, "rejection_rate": rejection_rate})
    cases = at_priors(Cases.of(posteriors, y, classes, sample_weight), priors)
    if rejection_rate is not None:
        return _rejecting(cases, costs, rejection_rate, priors)
    if recall is not None or precision is not None:
        return _finding(cases, recall, precision, positive, priors)
    return _cheapest(cases, costs, priors)


def _check_goals(costs: Any, goals: dict[str, float | None]) -> None:
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) > 1:
        raise InputError(f"One goal at a time: {' and '.join(given)} were given; drop all but one.")
    for name, value in given.items():
        if not 0.0 < value <= 1.0:
            raise InputError(f"{name}={value!r} is a share in (0, 1], such as {0.05 if name == 'rejection_rate' else 0.95}.")
        if costs is not None and name != "rejection_rate":
            raise InputError(f"{name}={value!r} decides alone, so costs have no say; drop one of the two.")


def threshold_scores(cases: Cases, k: int) -> Floats:
    """Return p_k/(p_k + largest other p): the posterior of class k for two classes; 0.5 is where it becomes the most probable."""
    others = np.delete(cases.P, k, axis=1).max(axis=1)
    shares: Floats = cases.P[:, k] / (cases.P[:, k] + others)
    return shares


def thresholds_between(scores: Floats) -> Floats:
    """Return thresholds t (descending) at which `score > t` cuts between distinct scores (descending), one below each of them."""
    lower = np.append(scores[1:], 0.0)
    # Not the midpoint where it rounds to the upper score.
    middle = lower + (scores - lower) / 2
    return np.where(middle < scores, middle, lower)


def threshold_costs(t: float, k: int, K: int) -> Floats:
    """Return the costs (K, K) under which class k is chosen where its score is above t, else the most probable other class."""
    rows = np.where(np.arange(K) == k, 1.0 - t, t)
    return rows[:, None] * (1.0 - np.eye(K))


def _finding(cases: Cases, recall: float | None, precision: float | None, positive: Any, priors: Any) -> Tuned:
    from sklearn.metrics import confusion_matrix_at_thresholds

    k, K = cases.positive(positive), len(cases.classes)
    scores, truth = threshold_scores(cases, k), cases.codes == k
    if truth.all() or not truth.any():
        raise InputError(f"Recall and precision need rows of both kinds; {'all' if truth.all() else 'none'} are of the positive class.")
    _, fp, _, tp, levels = confusion_matrix_at_thresholds(truth, scores, sample_weight=cases.weight)
    found, correct = tp / tp[-1], tp / np.maximum(tp + fp, np.finfo(float).tiny)
    usable = levels > 0  # a score of 0 is never above a threshold
    if recall is not None:
        fits = np.flatnonzero(usable & (found >= recall - 1e-12))
        goal, best = f"recall of {cases.classes.tolist()[k]!r} ≥ {float(recall):g}", found[usable].max()
    else:
        assert precision is not None
        fits = np.flatnonzero(usable & (correct >= precision - 1e-12))[::-1]
        goal, best = f"precision of {cases.classes.tolist()[k]!r} ≥ {float(precision):g}", correct[usable].max()
    if not len(fits):
        raise InputError(f"No threshold reaches a {goal}; the largest is {best:.4f}. Ask for less, or fit a better model.")
    i = int(fits[0])
    t = float(thresholds_between(levels)[i])
    per_row = cases.effective / cases.n
    intervals = {
        "recall": _pair(wilson_band(found[i], tp[-1] * per_row)),
        "precision": _pair(wilson_band(correct[i], (tp[i] + fp[i]) * per_row)),
    }
    decision = Decision(threshold_costs(t, k, K), priors=priors)
    return Tuned(decision, goal, t, {"recall": float(found[i]), "precision": float(correct[i])}, intervals, rows=len(cases.codes))


def _rejecting(cases: Cases, costs: Any, rate: float, priors: Any) -> Tuned:
    base = Decision(costs)
    least = (cases.P @ base.table(cases.classes)).min(axis=1)
    order = np.argsort(-least, kind="stable")
    share = np.cumsum(cases.weight[order]) / cases.n
    # Rows whose least cost is above c are rejected: c lies at the first row that stays, halfway from the last that goes.
    ends = np.flatnonzero(np.append(np.diff(least[order]) < 0, True))
    going = ends[share[ends] <= rate + 1e-12]
    stays = 0 if not len(going) else int(going[-1]) + 1
    if stays == len(order):
        c = float(least.min()) - 1.0
    else:
        above = least[order[stays - 1]] if stays else least[order[0]]
        c = float(least[order[stays]] + (above - least[order[stays]]) / 2)
    rejected = float(share[stays - 1]) if stays else 0.0
    kept = order[stays:]
    decision = Decision(costs, reject_cost=c, priors=priors)
    achieved, intervals = {"rejected": rejected}, {"rejected": _pair(wilson_band(rejected, cases.effective))}
    if len(kept):
        own = cases.take(kept)
        achieved["cost of the rest"], low, high = mean_interval(_paid(base, own), own.weight, own.factor, _span(base.table(own.classes)))
        intervals["cost of the rest"] = low, high
    return Tuned(decision, f"at most {float(rate):.1%} rejected: reject_cost {c:.4g}", None, achieved, intervals, rows=len(cases.codes))


def _cheapest(cases: Cases, costs: Any, priors: Any) -> Tuned:
    K = len(cases.classes)
    C = Decision(costs).table(cases.classes)
    parts = range(FOLDS if len(cases.codes) >= 2 * FOLDS else 0)
    with task("tune", total=1 + len(parts)) as work:
        rule = least_cost_rule(cases, C)
        held_out = []
        for fold in parts:
            work.advance("all rows" if fold == 0 else f"all but part {fold}")
            held_out.append(_held_out_cost(cases, C, fold))
        work.advance("held-out cost")
    cost, low, high = mean_interval(_realised(rule, C, cases), cases.weight, cases.factor, _span(C))
    return Tuned(
        decision=Decision(rule.costs, priors=priors),
        goal="least cost",
        threshold=rule.cutoff if K == 2 else None,
        achieved={"cost": cost},
        intervals={"cost": (low, high)},
        before=float(np.average(_paid(Decision(C), cases), weights=cases.weight)),
        held_out_cost=float(np.sum(held_out)) / cases.n if held_out else None,
        rows=len(cases.codes),
    )


def _held_out_cost(cases: Cases, C: Floats, fold: int) -> float:
    """Return the summed cost of every fifth row of each class under the rule tuned on the others."""
    place = np.empty(len(cases.codes), dtype=np.int64)
    place[np.argsort(cases.codes, kind="stable")] = np.arange(len(cases.codes))
    out = place % FOLDS == fold
    held = cases.take(out)
    return float(_realised(least_cost_rule(cases.take(~out), C), C, held) @ held.weight)


def least_cost_rule(cases: Cases, C: Floats) -> Decision:
    """Return the rule of least mean cost: an exact threshold for two classes, else factors on the rows of C."""
    ordinary = C.shape == (2, 2) and C[0, 1] > C[0, 0] and C[1, 0] > C[1, 1]
    return _best_threshold(cases, C) if ordinary else _best_factors(cases, C)


def _best_threshold(cases: Cases, C: Floats) -> Decision:
    scores = cases.P[:, 1]
    order = np.argsort(-scores, kind="stable")
    # What a row adds to the cost when it goes from the first to the second class.
    change = cases.weight[order] * (C[cases.codes[order], 1] - C[cases.codes[order], 0])
    last = np.flatnonzero(np.append(np.diff(scores[order]) < 0, True))
    levels = scores[order][last]
    last = last[levels > 0]
    levels = levels[levels > 0]
    total = np.append(0.0, np.cumsum(change)[last])
    cuts = np.append(1.0 if not len(levels) else levels[0] + (1.0 - levels[0]) / 2, thresholds_between(levels))
    best = np.flatnonzero(total <= total.min() + 1e-9 * cases.n * np.abs(C).max())
    # Of equal ones, the nearest to where calibrated posteriors would be cut.
    bayes = Decision(C).cutoff
    i = best[int(np.abs(cuts[best] - bayes).argmin())]
    inside = i > 0 and i < len(levels) and levels[i] <= bayes < levels[i - 1]
    return Decision.threshold(float(bayes) if inside and bayes is not None else float(cuts[i]))


def _best_factors(cases: Cases, C: Floats) -> Decision:
    return Decision(best_factors(cases, C)[:, None] * C, actions=None if C.shape[0] == C.shape[1] else range(C.shape[1]))


def _realised(rule: Decision, C: Floats, cases: Cases) -> Floats:
    """Return C[truth, action of the rule] of each row."""
    return np.asarray(C[cases.codes, rule.codes(cases.P)])


def _paid(rule: Decision, cases: Cases) -> Floats:
    return _realised(rule, rule.table(cases.classes), cases)


def _span(C: Floats) -> tuple[float, float]:
    return float(C.min()), float(C.max())


def _pair(band: tuple[Any, Any]) -> tuple[float, float]:
    return float(band[0]), float(band[1])

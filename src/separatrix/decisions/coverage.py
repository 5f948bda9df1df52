"""Risk against coverage: how good the decisions are on the rows that are not rejected."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inference.shares import normal_quantile, wilson_band
from .curves import Curve
from .decision import Decision
from .posteriors import Cases


def risk_coverage(posteriors: Any, y: Any, costs: Any = None, *, classes: Any = None, sample_weight: Any = None) -> Curve:
    """Return the mean cost of the rows kept against their share, the most certain (of least expected cost) first.

    The area is the mean risk over all coverages; `thresholds` are the reject costs that keep so many. With 0-1 costs the band is
    Wilson's, else normal.

    Parameters
    ----------
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    costs : (K, K), rows are the truth; default: 1 for every mistake
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional

    Examples
    --------
    >>> curve = risk_coverage([0.1, 0.6, 0.3, 0.95], [0, 0, 0, 1])
    >>> curve.x.tolist(), curve.y.round(4).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25])

    References
    ----------
    El-Yaniv and Wiener (2010), On the foundations of noise-free selective classification, JMLR 11.
    """
    cases, rule = Cases.of(posteriors, y, classes, sample_weight), Decision(costs)
    table = rule.table(cases.classes)
    expected = cases.P @ table
    least, paid = expected.min(axis=1), table[cases.codes, rule.codes(cases.P)]
    order = np.argsort(least, kind="stable")
    last = np.flatnonzero(np.append(np.diff(least[order]) > 0, True))  # rows equally certain are kept together
    kept = np.cumsum(cases.weight[order])[last]
    risk = np.cumsum((cases.weight * paid)[order])[last] / kept
    if costs is None:
        low, high = wilson_band(risk, kept)
    else:
        squares = np.cumsum((cases.weight * paid**2)[order])[last] / kept
        half = normal_quantile(0.95) * np.sqrt(np.maximum(squares - risk**2, 0.0) / kept)
        low, high = risk - half, risk + half
    coverage = kept / cases.n
    area = float(risk @ np.diff(np.append(0.0, coverage)))
    return Curve("risk and coverage", coverage, risk, low, high, least[order][last], ("coverage", "risk"), area, rows=len(cases.codes))

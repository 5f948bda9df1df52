"""Decisions for many rows of posteriors, beside the same in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

from benchmarks.harness import Peer, Row, publish, race
from separatrix import CalibratedClassifier, Decision, LinearDiscriminantAnalysis, evaluate


def decisions(rng: Any, n: int, K: int) -> list[Row]:
    P = rng.random((n, K))
    P /= P.sum(axis=1, keepdims=True)
    C = rng.random((K, K)) * (1 - np.eye(K))
    rule, labels = Decision(C), np.arange(K)
    assert np.array_equal(rule.codes(P[:100_000], labels), np.argmin(P[:100_000] @ C, axis=1))
    peer = Peer("np.argmin(P @ C, axis=1)", lambda: np.argmin(P @ C, axis=1))
    rows = race(f"actions of least cost, {n:,} × {K}", lambda: rule.codes(P, labels), [peer], {peer.name: 0.5}, rounds=4)
    named = np.array([f"class {k}" for k in range(K)])
    peer = Peer("names[np.argmin(P @ C, axis=1)]", lambda: named[np.argmin(P @ C, axis=1)])
    return [*rows, *race(f"labels of least cost, {n:,} × {K}", lambda: rule.decide(P, named), [peer], rounds=2)]


def calibration(rng: Any, n: int, p: int, K: int) -> list[Row]:
    y = rng.integers(K, size=n)
    X = rng.normal(size=(n, p)) + rng.normal(size=(K, p))[y]
    ours = CalibratedClassifier(LinearDiscriminantAnalysis(), plan=5)
    peer = Peer("CalibratedClassifierCV, one map", lambda: CalibratedClassifierCV(PeerLDA(), ensemble=False, cv=5).fit(X, y))
    return race(f"LDA calibrated by 5 folds, {n:,} × {p}, K = {K}", lambda: ours.fit(X, y), [peer], rounds=3)


def threshold(rng: Any, n: int, p: int) -> list[Row]:
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, p)) + 0.3 * y[:, None]

    def ours() -> float:
        estimate = evaluate(LinearDiscriminantAnalysis(), X, y, plan=5)
        return Decision.tune(estimate, y, costs=[[0, 1], [3, 0]]).achieved["cost"]

    def cost(truth: Any, called: Any) -> float:
        return -float(np.mean((truth == 0) & (called == 1)) + 3 * np.mean((truth == 1) & (called == 0)))

    scorer = make_scorer(cost)
    peer = Peer("TunedThresholdClassifierCV", lambda: TunedThresholdClassifierCV(PeerLDA(), scoring=scorer, cv=5).fit(X, y))
    return race(f"threshold of LDA by 5 folds, {n:,} × {p}", ours, [peer], rounds=2)


def main() -> None:
    """Race and publish."""
    rng = np.random.default_rng(0)
    publish("decisions", [*decisions(rng, 10_000_000, 5), *calibration(rng, 50_000, 20, 3), *threshold(rng, 20_000, 20)])


if __name__ == "__main__":
    main()

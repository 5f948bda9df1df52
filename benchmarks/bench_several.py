"""Several classes from two-class machines: one summary for all duels, shared rows for all machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from benchmarks.harness import Peer, publish, race
from separatrix import LinearDiscriminantAnalysis, LogisticRegression, OneVsOne, OneVsRest


def rows(n: int, p: int, K: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(K, p))[y], y


def main() -> None:
    X, y = rows(20_000, 30, 20)
    found = race(
        "OneVsOne of LDA, 20,000 × 30, K = 20",
        lambda: OneVsOne(LinearDiscriminantAnalysis()).fit(X, y),
        [Peer("OneVsOneClassifier(LDA)", lambda: OneVsOneClassifier(PeerLDA()).fit(X, y))],
        {"OneVsOneClassifier(LDA)": 20},
        rounds=3,
    )
    X5, y5 = rows(50_000, 30, 5)
    jobs = {"OneVsRestClassifier(lbfgs)": None, "OneVsRestClassifier(lbfgs), n_jobs=2": 2}
    converged = lambda model: f"iterations {max(int(m.n_iter_[0]) for m in model.estimators_)} of 1000"  # noqa: E731
    found += race(
        "OneVsRest of logistic, 50,000 × 30, K = 5",
        lambda: OneVsRest(LogisticRegression()).fit(X5, y5),
        [
            Peer(name, lambda n=n: OneVsRestClassifier(PeerLogistic(max_iter=1000), n_jobs=n).fit(X5, y5), converged)
            for name, n in jobs.items()
        ],
        dict.fromkeys(jobs, 3),
        rounds=3,
    )
    publish("Several classes", found)


if __name__ == "__main__":
    main()

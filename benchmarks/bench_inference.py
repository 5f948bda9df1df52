"""The price of a logistic summary and of influence beside a bare fit, one that keeps no information for `summary()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Row, once, publish, show
from separatrix.models.logistic import LogisticRegression

ROUNDS = 5
CASES = [(100_000, 20, 2), (20_000, 20, 3)]


class Bare(LogisticRegression):
    """A fit alone: the information that `summary()` needs must not make what it is compared with look slow."""

    def _keep(self, problem: Any, solution: Any) -> dict[str, Any]:
        return {"evidence_": None}


def make(n: int, p: int, K: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, (X @ rng.standard_normal((p, K)) * 0.5 + rng.gumbel(size=(n, K))).argmax(axis=1)


def best(runs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the best seconds of each run, taken in turn."""
    times = {name: float("inf") for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            times[name] = min(times[name], once(run)[0])
    return times


def main() -> list[Row]:
    rows = []
    for n, p, K in CASES:
        X, y = make(n, p, K)
        model = LogisticRegression(C=np.inf).fit(X, y)
        model.summary(X, y)  # never time a first call
        runs: dict[str, Callable[[], Any]] = {
            "bare fit": lambda X=X, y=y: Bare(C=np.inf).fit(X, y),
            "fit that keeps its information": lambda X=X, y=y: LogisticRegression(C=np.inf).fit(X, y),
            "summary(X, y)": lambda X=X, y=y, model=model: model.summary(X, y),
            "summary()": lambda model=model: model.summary(),
            "influence(X, y)": lambda X=X, y=y, model=model: model.influence(X, y),
        }
        times = best(runs)
        fit = times.pop("bare fit")
        for name, seconds in times.items():
            ratio, asked = seconds / fit, 3.0 if name.startswith("summary") else None
            case = f"{name}, {n:,} × {p}, K = {K}"
            said = "" if asked is None else f"≤ {asked:g} × fit"
            rows.append(
                Row(case, show(seconds), f"bare fit: {show(fit)}", f"{ratio:.2f} × fit", said, None if asked is None else ratio <= asked)
            )
    publish("inference", rows)
    return rows


if __name__ == "__main__":
    main()

"""Evaluation at nearly the cost of one fit: leave-one-out, folds, bootstrap and a shrinkage path, metrics and intervals included."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut as PeerLeaveOneOut
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from threadpoolctl import threadpool_limits

from benchmarks.harness import Peer, Row, once, publish, race, show
from separatrix import LinearDiscriminantAnalysis, LinearSVC, LogisticRegression
from separatrix.evaluation import Bootstrap, KFold, LeaveOneOut, evaluate, shrinkage_path


def rows(n: int, p: int, K: int) -> tuple[Any, Any]:
    """Gaussian classes that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, p)) + 0.3 * rng.normal(size=(K, p))[y], y


def against_fits(case: str, ours: Any, fit: Any, most: float, rounds: int = 7) -> Row:
    """Compare an evaluation with one fit of the same model: best of several rounds in turn."""
    ours(), fit()
    best = [min(values) for values in zip(*[(once(ours)[0], once(fit)[0]) for _ in range(rounds)], strict=True)]
    ratio = best[0] / best[1]
    return Row(case, show(best[0]), f"one fit: {show(best[1])}", f"{ratio:.2f} fits", f"≤ {most:g} fits", ratio <= most)


def part_of_a_loop(case: str, ours: Any, one: Any, times: int, done: int, peer: str, asked: float) -> Row:
    """Compare with a loop of a peer's fits of which `done` of `times` are run, with 1 and with 2 threads."""
    seconds = {}
    for threads in (1, 2):
        with threadpool_limits(threads):
            start = time.perf_counter()
            for i in range(done):
                one(i)
            seconds[threads] = (time.perf_counter() - start) * times / done
    ours()
    best, threads = min(once(ours)[0] for _ in range(7)), min(seconds, key=seconds.__getitem__)
    theirs = f"{peer}: {show(seconds[threads])} ({threads} thread{'s' * (threads > 1)}; from {done} of {times})"
    ratio = seconds[threads] / best
    return Row(case, show(best), theirs, f"{ratio:.0f}×", f"≥ {asked:g}×", ratio >= asked)


def discriminants() -> list[Row]:
    lda = LinearDiscriminantAnalysis()
    X, y = rows(2_000, 30, 3)

    def left_out(i: int) -> Any:
        kept = np.arange(len(y)) != i
        model = PeerLDA().fit(X[kept], y[kept])
        return model.predict(X[i : i + 1]), model.predict_proba(X[i : i + 1])

    loop = "loop over LinearDiscriminantAnalysis"
    found = [part_of_a_loop("LOO LDA, 2,000 × 30", lambda: evaluate(lda, X, y, plan=LeaveOneOut()), left_out, 2_000, 200, loop, 300)]
    for K in (2, 5):
        big, labels = rows(200_000, 50, K)
        case = f"LDA, 200,000 × 50, K = {K}"
        plans = (("LOO", LeaveOneOut(), 5.0), ("10-fold", KFold(10, random_state=0), 3.0))
        for name, plan, most in plans:
            ours = lambda p=plan, a=big, b=labels: evaluate(lda, a, b, plan=p)  # noqa: E731
            found.append(against_fits(f"{name} {case}", ours, lambda a=big, b=labels: lda.fit(a, b), most))
    return found


def bootstraps() -> list[Row]:
    X, y = load_breast_cancer(return_X_y=True)

    def resample(i: int) -> Any:
        drawn = np.random.default_rng(i).integers(0, len(y), len(y))
        out = np.setdiff1d(np.arange(len(y)), drawn)
        model = PeerLDA().fit(X[drawn], y[drawn])
        return model.predict(X[out]), model.predict_proba(X[out])

    ours = LinearDiscriminantAnalysis()
    loop = "loop over LinearDiscriminantAnalysis"
    found = [
        part_of_a_loop(
            "bootstrap 200 LDA, 569 × 30", lambda: evaluate(ours, X, y, plan=Bootstrap(200, random_state=0)), resample, 200, 100, loop, 40
        )
    ]
    found.append(against_fits("shrinkage path, 50 values × LOO, 569 × 30", lambda: shrinkage_path(X, y), lambda: ours.fit(X, y), 60))
    X2, y2 = rows(20_000, 50, 3)
    found.append(
        against_fits("shrinkage path, 50 values × LOO, 20,000 × 50", lambda: shrinkage_path(X2, y2), lambda: ours.fit(X2, y2), 60, 3)
    )
    return found


def logistic() -> list[Row]:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = LogisticRegression()

    def left_out(i: int) -> Any:
        kept = np.arange(len(y)) != i
        return PeerLogistic().fit(X[kept], y[kept]).predict_proba(X[i : i + 1])

    found = [
        part_of_a_loop(
            "LOO logistic, 569 × 30 standardised",
            lambda: evaluate(ours, X, y, plan=LeaveOneOut()),
            left_out,
            569,
            100,
            "loop over LogisticRegression",
            50,
        )
    ]
    P = cross_val_predict(PeerLogistic(tol=1e-10, max_iter=10_000), X, y, cv=PeerLeaveOneOut(), method="predict_proba")
    exact, mine = log_loss(y, P), evaluate(ours, X, y, plan=LeaveOneOut()).scores["log_loss"]
    off = abs(mine / exact - 1.0)
    found.append(Row("its log-loss", f"{mine:.6f}", f"refits: {exact:.6f}", f"{off:.1e} off", "≤ 1 %", off <= 0.01))
    D, d = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)

    def peer(max_iter: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cross_val_predict(PeerLogistic(max_iter=max_iter), D, d, cv=folds, method="predict_proba")

    names = {100: "cross_val_predict, default (100 iterations)", 10_000: "cross_val_predict, to convergence"}
    peers = [Peer(name, lambda m=m: peer(m), lambda P: f"log-loss {log_loss(d, P):.4f}") for m, name in names.items()]
    case = "10-fold multinomial logistic, digits"
    return [*found, *race(case, lambda: evaluate(ours, D, d, plan=folds), peers, {names[10_000]: 4}, rounds=1)]


def hinges() -> list[Row]:
    found = []
    for n, p, plan, most in ((10_000, 20, LeaveOneOut(), 30.0), (528, 10, KFold(10, random_state=0), 10.0)):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        y = (X @ rng.normal(size=p) + 0.3 * np.sqrt(p) * rng.normal(size=n) > 0.0).astype(int)
        model = LinearSVC(loss="hinge")
        ours, fit = partial(evaluate, model, X, y, plan=plan), partial(model.fit, X, y)
        found.append(against_fits(f"{type(plan).__name__} hinge, {n:,} × {p}", ours, fit, most, 3))
    return found


def main() -> list[Row]:
    found = [*discriminants(), *bootstraps(), *logistic(), *hinges()]
    publish("Evaluation", found)
    return found


if __name__ == "__main__":
    main()

"""Shapes at which a fit, a prediction or an evaluation once took many times what is possible: processor time of ours beside that.

`python -m benchmarks.bench_holes [part of a name …]`. What is possible is either seconds, measured once with the better road, or a peer or
another road of ours that runs here in turn; ours should take at most TIMES as long. Processor time counts all threads, so that waiting for
busy cores shows. Every peer is told to converge, and a warning of it that it did not is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning as Unfinished
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB as PeerGaussian
from sklearn.svm import LinearSVC as Liblinear

import separatrix as own
from benchmarks.harness import Row, publish, show

TIMES = 2.0
ROUNDS, ENOUGH = 7, 3.0
"""Rounds of a case at most, and processor seconds after which no further one begins."""
Run = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """What is timed, and the seconds that are possible, or a run that shows them and its name; None: nobody knows."""

    name: str
    ours: Run
    possible: float | Run | None = None
    source: str = "possible"


def spent(run: Run) -> float:
    """Return the processor seconds of a call, those of processes that it waits for included."""
    start = _spent()
    run()
    return _spent() - start


def _spent() -> float:
    return time.process_time() + sum(os.times()[2:4])


def measured(case: Case) -> Row:
    """Return the row of a case, ours and the other run in turn."""
    peer = case.possible if callable(case.possible) else None
    case.ours()  # never a first call
    ours = other = np.inf
    began = time.process_time()
    for _ in range(ROUNDS):
        ours = min(ours, spent(case.ours))
        if peer is not None:
            other = min(other, spent(peer))
        if time.process_time() - began > ENOUGH:
            break
    if case.possible is None:
        return Row(case.name, show(ours), "", show(ours))
    least = other if peer is not None else float(case.possible)  # type: ignore[arg-type]  # seconds where it is no run
    times = ours / least
    return Row(case.name, show(ours), f"{case.source}: {show(least)}", f"{times:.2f} times", f"≤ {TIMES:g} times", bool(times <= TIMES))


def fit(model: Any, X: Any, y: Any) -> Run:
    return lambda: model.fit(X, y)


def rows(n: int, p: int, K: int = 2, gap: float = 0.5, seed: int = 0) -> tuple[Any, Any]:
    """Return Gaussian classes whose means lie a gap apart in every tenth column."""
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    means = gap * rng.normal(size=(K, p)) * (np.arange(p) % 10 == 0)
    return rng.normal(size=(n, p)) + means[y], y


def levels(n: int, columns: int, many: int, seed: int = 0) -> tuple[Any, Any]:
    """Return 0/1 columns of all levels of categories, and labels that depend on some."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(many, size=(n, columns)) + many * np.arange(columns)
    X = _counts(codes, columns * many)
    score = X @ rng.normal(size=columns * many)
    return X, (score + rng.logistic(size=n) > np.median(score)).astype(int)


def text(n: int, p: int, seed: int = 0) -> tuple[Any, Any]:
    """Return rows of unit length of some 80 words each, some much more often than others."""
    rng = np.random.default_rng(seed)
    words = (p * rng.power(0.2, size=(n, 80))).astype(int)
    X = _counts(words, p)
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr))
    score = X @ rng.normal(size=p) + 0.1 * rng.normal(size=n)
    return X, (score > np.median(score)).astype(int)


def _counts(columns: Any, p: int) -> Any:
    """Return how often a row names each column, with the indices of 32 bits that liblinear needs."""
    n, each = columns.shape
    starts = np.arange(0, n * each + 1, each, dtype=np.int32)
    X = sp.csr_array((np.ones(columns.size), columns.ravel().astype(np.int32), starts), shape=(n, p))
    X.sum_duplicates()
    return X


def margins() -> Iterator[Case]:
    hinge, joint = partial(own.LinearSVC, loss="hinge"), partial(own.LinearSVC, multi_class="crammer_singer")
    peer = partial(Liblinear, max_iter=1_000_000, random_state=0)
    for n, p, possible in ((20, 2_308, 0.03), (60, 1_900, 0.012), (60, 2_100, 0.012)):
        yield Case(f"hinge {n} × {p:,}", fit(hinge(), *rows(n, p)), possible)
    yield Case("squared hinge, one-hot 100,000 × 789", fit(own.LinearSVC(), *levels(100_000, 3, 263)), 1.5)
    for n, p, K in ((1_000, 20, 10), (10_000, 10, 50)):
        X, y = rows(n, p, K)
        yield Case(f"hinge {n:,} × {p}, K = {K}", fit(hinge(), X, y), fit(peer(loss="hinge"), X, y), "liblinear")
    X, y = text(20_000, 30_000)
    yield Case("hinge on text 20,000 × 30,000", fit(hinge(), X, y), fit(peer(loss="hinge"), X, y), "liblinear")
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        theirs = fit(peer(multi_class="crammer_singer", tol=1e-4), X, y)
        yield Case(f"Crammer–Singer, {name}", fit(joint(), X, y), theirs, "liblinear")


def closed_forms() -> Iterator[Case]:
    for p in (3_000, 7_129):
        X, y = rows(72, p)
        shrunk = own.QuadraticDiscriminantAnalysis(shrinkage=0.5)
        yield Case(f"QDA 72 × {p:,}, shrunk", fit(shrunk, X, y), fit(own.LinearDiscriminantAnalysis(shrinkage=0.5), X, y), "LDA, shrunk")
    yield Case("StepwiseDiscriminant 200 × 20,000", fit(own.StepwiseDiscriminant(), *rows(200, 20_000)), 2.5)
    yield Case("LDA 1,000 × 2,000", quiet(fit(own.LinearDiscriminantAnalysis(), *rows(1_000, 2_000))), 0.6)
    for n, p in ((100, 5_000), (1_000, 2_000)):
        X, y = rows(n, p)
        yield Case(f"least squares {n:,} × {p:,}", fit(own.LeastSquaresClassifier(alpha=1.0), X, y), fit(RidgeClassifier(), X, y), "Ridge")
    for n in (1_000, 2_500, 20_000, 50_000):
        X, y = rows(n, 20)
        yield Case(f"GaussianNB {n:,} × 20", fit(own.GaussianNB(), X, y), fit(PeerGaussian(), X, y), "scikit-learn")
    yield Case("LDA 10,000 × 20", fit(own.LinearDiscriminantAnalysis(), *rows(10_000, 20, 3)), 0.002)
    X, y = rows(60, 2_200, 3)
    for outer in (own.OneVsRest, own.OneVsOne):
        yield Case(f"{outer.__name__} around LDA, 60 × 2,200", quiet(fit(outer(own.LinearDiscriminantAnalysis()), X, y)), 0.2)


def smooth() -> Iterator[Case]:
    logistic = own.LogisticRegression
    X, y = rows(1_000_000, 3)
    model = logistic().fit(X, y)
    yield Case("predict_proba 1,000,000 × 3", lambda: model.predict_proba(X), 0.015)
    yield Case("logistic 100 × 1,000, K = 10", fit(logistic(n_jobs=1), *rows(100, 1_000, 10)), 0.021)
    yield Case("logistic 10,000 × 200, C = ∞", fit(logistic(C=np.inf), *rows(10_000, 200)), 0.04)
    yield Case("logistic 1,000 × 1,000", fit(logistic(), *rows(1_000, 1_000)), 0.046)
    X, y = rows(100, 200)
    yield Case("logistic 100 × 200", fit(logistic(), X, y), fit(PeerLogistic(solver="liblinear"), X, y), "liblinear")
    X, y = text(1_000, 5_000)
    yield Case("logistic, C = ∞, separable text 1,000 × 5,000", quiet(fit(logistic(C=np.inf), X, y)), fit(logistic(C=1e4), X, y), "C = 1e4")
    for n, p in ((50, 3), (462, 9), (699, 9)):
        X, y = rows(n, p)
        yield Case(f"L1 {n} × {p}", fit(logistic(l1_ratio=1.0), X, y), fit(peer_l1(1e-4), X, y), "liblinear")
    X, y = rows(10_000, 500)
    yield Case("L1 10,000 × 500, C = .01", fit(logistic(l1_ratio=1.0, C=0.01), X, y), celer(X, y, 0.01), "celer")
    X, y = levels(100_000, 3, 11_000)
    yield Case("L1 one-hot 100,000 × 33,000", fit(logistic(l1_ratio=1.0), X, y), fit(peer_l1(1e-4), X, y), "liblinear")
    loose, tight = (fit(logistic(l1_ratio=1.0, tol=tol), X, y) for tol in (1e-2, 1e-4))
    yield Case("the same with tol = 1e-2", loose, tight, "tol = 1e-4")


def peer_l1(tol: float) -> Any:
    return PeerLogistic(solver="liblinear", l1_ratio=1.0, tol=tol, max_iter=100_000, random_state=0)


def celer(X: Any, y: Any, C: float) -> Run:
    from celer import LogisticRegression as Celer

    return fit(Celer(C=C, tol=1e-6), X, y)


def quiet(run: Run) -> Run:
    """Return a run whose warnings are expected: of separated classes, or of singular columns."""

    def silent() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run()

    return silent


def evaluations() -> Iterator[Case]:
    lda, one = own.LinearDiscriminantAnalysis(), partial(own.evaluate, plan=own.LeaveOneOut())
    X, y = levels(2_000, 5, 8)
    full, dropped = X.toarray(), np.delete(X.toarray(), np.arange(5) * 8, axis=1)
    yield Case("leave-one-out, one-hot 2,000 × 40", quiet(lambda: one(lda, full, y)), lambda: one(lda, dropped, y), "a level dropped")
    X, y = rows(72, 7_129)
    shrunk = own.LinearDiscriminantAnalysis(shrinkage=0.5)
    yield Case("leave-one-out of LDA 72 × 7,129", lambda: one(shrunk, X, y), 0.1)
    X, y = rows(10_000, 20)
    for model, name in ((own.LogisticRegression(), "logistic"), (own.LinearSVC(), "squared hinge"), (own.LinearSVC(loss="hinge"), "hinge")):
        yield Case(f"leave-one-out of {name} 10,000 × 20", partial(one, model, X, y), times_of(50, fit(model, X, y)), "50 fits")
    tall = rows(1_000_000, 10)
    ten = partial(own.evaluate, plan=own.KFold(10), random_state=0)
    refits = times_of(10, fit(own.LogisticRegression(), *tall))
    yield Case("10-fold of logistic 1,000,000 × 10", lambda: ten(own.LogisticRegression(), *tall), refits, "10 fits")
    X5, y5 = rows(100_000, 20, 5)
    five = partial(own.evaluate, plan=own.KFold(5), random_state=0)
    yield Case("5-fold of LDA 100,000 × 20, K = 5", lambda: five(lda, X5, y5), times_of(2, fit(lda, X5, y5)), "2 fits")
    X10, y10 = rows(528, 10, 11)
    svc = own.LinearSVC(loss="hinge")
    yield Case("10-fold of hinge 528 × 10, K = 11", lambda: ten(svc, X10, y10), times_of(10, fit(svc, X10, y10)), "10 fits")
    X, y = rows(100_000, 20)
    resample = partial(own.evaluate, plan=own.Bootstrap(200), random_state=0)
    for model in (own.GaussianNB(), own.QuadraticDiscriminantAnalysis(), own.NearestMean(), own.LeastSquaresClassifier(), lda):
        name = type(model).__name__
        loop = times_of(200, partial(drawn, model, X, y, np.random.default_rng(0)))
        yield Case(f"200 resamples of {name} 100,000 × 20", partial(resample, model, X, y), loop, "one by one")


def drawn(model: Any, X: Any, y: Any, rng: np.random.Generator) -> Any:
    chosen = rng.integers(len(y), size=len(y))
    return model.fit(X[chosen], y[chosen]).predict(X)


def times_of(many: int, run: Run) -> Run:
    return lambda: [run() for _ in range(many)]


def others() -> Iterator[Case]:
    X, y = rows(20_000, 20, 3)
    voted = quiet(fit(own.VotedPerceptron(max_iter=5), X[:5_000], y[:5_000]))()
    yield Case("VotedPerceptron.predict 20,000 × 20 × 3", lambda: voted.predict(X), 1.0)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    model = own.LinearDiscriminantAnalysis().fit(frame, y)
    row = frame.iloc[[7]]
    yield Case("one row predicted from a frame", times_of(100, lambda: model.predict(row)), 0.030, "possible, 100 rows")
    words = np.array(["red", "green", "blue"])[y]
    yield Case("string labels, LDA 20,000 × 20", fit(own.LinearDiscriminantAnalysis(), X, words), fit(model, X, y), "integers")
    codes = np.random.default_rng(0).integers(9, size=(30_000, 12))
    dummies = pd.get_dummies(pd.DataFrame(codes).astype(str), dtype=float)
    label = (codes[:, 0] + codes[:, 1] > 8).astype(int)
    tuned = partial(own.compare, dummies, label, plan=5, models="Bernoulli naive Bayes", random_state=0)
    yield Case("compare: Bernoulli naive Bayes on a frame 30,000 × 108", tuned, 1.0)
    for name in ("LogisticRegression", "Perceptron", "LinearDiscriminantAnalysis"):
        yield Case(f"first {name} with an empty cache of kernels", partial(cold, name))


def cold(name: str) -> None:
    """Fit in a new process without compiled kernels, and count its time as ours."""
    code = f"import numpy as np, separatrix as s; X = np.random.default_rng(0).normal(size=(20000, 20)); s.{name}().fit(X, X[:, 0] > 0)"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ | {"NUMBA_CACHE_DIR": folder}, check=True)


def main(wanted: list[str] | None = None) -> None:
    warnings.simplefilter("error", Unfinished)
    found = []
    for group in (margins, closed_forms, smooth, evaluations, others):
        for case in group():
            if not wanted or any(part in case.name for part in wanted):
                found.append(measured(case))
                print(" | ".join(found[-1].cells()), flush=True)
    if not wanted:
        publish("Holes", found)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Linear support vector machines against liblinear (scikit-learn's LinearSVC): dense, text-like, one-hot, a9a, covertype, small tables.

Ours penalises the intercept as liblinear does, C = 1 unless said, and goes on until its objective is no worse than liblinear's; the notes
give both objectives, and the gap that ours proves. Cases are published one by one: `python -m benchmarks.bench_svm small` runs one of them.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_svmlight_file, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC as Liblinear

from benchmarks.harness import Peer, Row, publish, race
from separatrix.models.svm import LinearSVC

DATA = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data"))


def dense(n: int = 100_000, p: int = 50) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) @ (rng.normal(size=(p, p)) / np.sqrt(p)) + rng.normal(size=p)
    scores = X @ rng.normal(size=p)
    return X, (scores - np.median(scores) + rng.normal(size=n) > 0).astype(int)


def text(n: int = 40_000, p: int = 50_000, words: int = 80) -> tuple[Any, Any]:
    """Rows of about 80 words from a Zipf vocabulary, tf-idf weighted and scaled to length 1; 5 % of the words carry the label."""
    rng = np.random.default_rng(0)
    share = 1.0 / np.arange(1, p + 1)
    lengths = np.maximum(rng.poisson(words, n), 5)
    columns = rng.choice(p, lengths.sum(), p=share / share.sum())
    X = sp.csr_matrix((np.ones(len(columns)), (np.repeat(np.arange(n), lengths), columns)), shape=(n, p))
    X.sum_duplicates()
    seen = np.bincount(X.indices, minlength=p)
    X.data = (1.0 + np.log(X.data)) * (np.log(n / (1.0 + seen)) + 1.0)[X.indices]
    X = sp.csr_matrix(sp.diags_array(1.0 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X)
    scores = X @ (rng.normal(size=p) * (rng.random(p) < 0.05))
    return X, (scores + 0.3 * scores.std() * rng.normal(size=n) > np.median(scores)).astype(int)


def objective(model: Any, X: Any, y: Any, loss: str, C: float = 1.0) -> float:
    total = 0.0
    for k, (w, b) in enumerate(zip(model.coef_, model.intercept_)):
        sign = np.where(y == model.classes_[k if len(model.coef_) > 1 else 1], 1.0, -1.0)
        short = np.maximum(0.0, 1.0 - sign * (X @ w + b))
        total += 0.5 * w @ w + 0.5 * b * b + C * np.sum(short**2 if loss == "squared_hinge" else short)
    return float(total)


def peer(X: Any, y: Any, loss: str, max_iter: int, **more: Any) -> Callable[[], Any]:
    def run() -> tuple[Any, bool]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = Liblinear(loss=loss, max_iter=max_iter, **more).fit(X, y)
        return model, any(issubclass(w.category, ConvergenceWarning) for w in caught)

    return run


def case(
    name: str,
    X: Any,
    y: Any,
    loss: str,
    asked: float,
    *,
    rounds: int = 3,
    max_iter: int = 1000,
    tol: float = 1e-4,
    C: float = 1.0,
    **more: Any,
) -> list[Row]:
    """Race one case; where ours ends above liblinear's objective, it is asked for a smaller gap."""
    theirs = objective(peer(X, y, loss, max_iter, C=C, **more)()[0], X, y, loss, C)
    while (
        objective(LinearSVC(C=C, loss=loss, penalize_intercept=True, tol=tol).fit(X, y), X, y, loss, C) > theirs * (1 + 1e-12)
        and tol > 1e-12
    ):
        tol /= 10.0
    ours = LinearSVC(C=C, loss=loss, penalize_intercept=True, tol=tol)

    def note(result: Any) -> str:
        model, failed = result
        end = "stopped by max_iter" if failed else "converged"
        found = ours.solution_
        return (
            f"{loss}, {max(np.atleast_1d(model.n_iter_))} iterations, {end}, objective {theirs:.9g}; "
            f"ours {objective(ours, X, y, loss, C):.9g}, "
            f"tol={tol:.0e}, proven gap {found.gap / found.objective:.0e}, {found.solver}"
        )

    return race(
        f"{name}, {loss}",
        lambda: ours.fit(X, y),
        [Peer("liblinear", peer(X, y, loss, max_iter, C=C, **more), note)],
        {"liblinear": asked},
        rounds,
    )


def measured() -> list[Row]:
    X, y = dense()
    rows = case("100,000 × 50 dense", X, y, "squared_hinge", 10, rounds=2)
    return rows + case("100,000 × 50 dense", X, y, "hinge", 1, rounds=2, tol=1e-5)


def thousands() -> list[Row]:
    """Rows and columns both in the thousands, a third of the rows on the margin."""
    X, y = dense(5_000, 2_100)
    return case("5,000 × 2,100 dense", X / np.sqrt(X.shape[1]), y, "hinge", 1, rounds=1)


def covertype() -> list[Row]:
    with np.load(DATA / "covtype" / "covtype.npz") as held:
        X, y = held["X"].astype(np.float64), held["y"]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return case("covertype, class 2 against the rest", X, (y == 2).astype(int), "squared_hinge", 4, rounds=1)


def a9a() -> list[Row]:
    X, y = load_svmlight_file(str(DATA / "a9a" / "a9a"))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # liblinear refuses what the loader returns
    return case("a9a", X, y, "squared_hinge", 0.9) + case("a9a", X, y, "hinge", 0.9, max_iter=20_000)


def words() -> list[Row]:
    X, y = text()
    return case("40,000 × 50,000 text-like", X, y, "squared_hinge", 0.9) + case("40,000 × 50,000 text-like", X, y, "hinge", 0.9)


def small() -> list[Row]:
    rows = []
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        rows += case(name, X, y, "squared_hinge", 1, rounds=50)
        rows += case(name, X, y, "hinge", 1, rounds=50, max_iter=100_000)
    return rows


def one_hot(n: int, factors: int, levels: int) -> tuple[Any, Any]:
    """Rows of as many factors, each with levels of unequal frequency; labels from a linear score and noise."""
    rng = np.random.default_rng(0)
    columns = (rng.random((n, factors)) ** 2 * levels).astype(np.int32) + levels * np.arange(factors, dtype=np.int32)
    X = sp.csr_matrix(
        (np.ones(n * factors), columns.ravel(), np.arange(0, n * factors + 1, factors, dtype=np.int32)), (n, factors * levels)
    )
    scores = X @ rng.normal(size=factors * levels)
    return X, (scores + scores.std() * rng.normal(size=n) > 0).astype(int)


def levels() -> list[Row]:
    """One-hot rows with more columns than have room for a matrix in time: liblinear's primal solver is its best there."""
    rows = []
    for n, factors, count, C in ((31_500, 13, 270, 4.8), (9_900, 56, 38, 39.0)):
        X, y = one_hot(n, factors, count)
        rows += case(f"one-hot {n:,} × {X.shape[1]:,}, C = {C:g}", X, y, "squared_hinge", 1, C=C, dual=False)
    return rows


def joint_objective(model: Any, X: Any, y: Any) -> float:
    Z = X @ model.coef_.T + model.intercept_
    own = (np.arange(len(y)), np.searchsorted(model.classes_, y))
    short = Z - Z[own][:, None] + 1.0
    short[own] = 0.0
    return float(0.5 * np.sum(model.coef_**2) + 0.5 * np.sum(model.intercept_**2) + short.max(axis=1).sum())


def joint() -> list[Row]:
    """Crammer and Singer's machine at our default gap, which liblinear's stopping rule is far from."""
    rows = []
    for name, load, rounds in (("iris", load_iris, 30), ("wine", load_wine, 30), ("digits", load_digits, 3)):
        X, y = load(return_X_y=True)
        X = X if name == "digits" else (X - X.mean(axis=0)) / X.std(axis=0)
        ours = LinearSVC(multi_class="crammer_singer", penalize_intercept=True)

        def note(result: Any, X: Any = X, y: Any = y, ours: Any = ours) -> str:
            found = ours.solution_
            return (
                f"objective {joint_objective(result[0], X, y):.9g}, {'stopped by max_iter' if result[1] else 'converged'}; "
                f"ours {joint_objective(ours, X, y):.9g}, proven gap {found.gap / found.objective:.0e}, {found.solver}"
            )

        theirs = peer(X, y, "squared_hinge", 100_000, multi_class="crammer_singer")
        fit = partial(ours.fit, X, y)
        rows += race(f"{name}, Crammer and Singer", fit, [Peer("liblinear", theirs, note)], {"liblinear": 1}, rounds)
    return rows


def joint_many() -> list[Row]:
    """Crammer and Singer's machine on many rows with eight classes, some labels drawn at random."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(155_383, 120))
    y = np.where(rng.random(len(X)) < 0.15, rng.integers(0, 8, len(X)), (X @ rng.normal(size=(120, 8))).argmax(axis=1))
    ours = LinearSVC(C=0.15, multi_class="crammer_singer", penalize_intercept=True)
    theirs = peer(X, y, "squared_hinge", 1000, C=0.15, multi_class="crammer_singer")
    note = lambda result: f"proven gap {ours.solution_.gap / ours.solution_.objective:.0e}, {ours.solution_.solver}"  # noqa: E731
    return race("155,383 × 120, Crammer and Singer", partial(ours.fit, X, y), [Peer("liblinear", theirs, note)], {"liblinear": 1}, 1)


CASES = {
    "dense": measured,
    "thousands": thousands,
    "text": words,
    "levels": levels,
    "small": small,
    "joint": joint,
    "joint many": joint_many,
} | ({"covertype": covertype, "a9a": a9a} if DATA.is_dir() else {})


def main(names: list[str] | None = None) -> list[Row]:
    rows = []
    for name in names or list(CASES):
        rows += (found := CASES[name]())
        publish(f"Support vector machines: {name}", found)
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])

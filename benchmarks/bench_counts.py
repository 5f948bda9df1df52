"""Naive Bayes by counting: sparse text of 40,000 × 50,000, categories of 1,000,000 × 20, small tables, memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import naive_bayes as peers
from sklearn.datasets import load_iris

from benchmarks.harness import Peer, Row, publish, race
from separatrix.models import BernoulliNB, CategoricalNB, MultinomialNB

N, P, STORED = 40_000, 50_000, 75


def words(rng: np.random.Generator, dtype: Any) -> sp.csr_array:
    """Rows of 75 words each; words are drawn evenly, which is the hardest on the cache."""
    columns = rng.integers(0, P, size=N * STORED).astype(np.int32)
    counts = rng.integers(1, 4, N * STORED).astype(dtype)
    X = sp.csr_array((counts, columns, np.arange(0, N * STORED + 1, STORED, dtype=np.int32)), shape=(N, P))
    X.sum_duplicates()
    return X


def text() -> list[Row]:
    rng = np.random.default_rng(0)
    found = []
    for dtype, K in ((np.float64, 2), (np.int64, 2), (np.float64, 20)):
        X, y = words(rng, dtype), rng.integers(0, K, N)
        asked = 2.0 if K == 2 and dtype is np.float64 else None
        case = f"{N:,} × {P:,} CSR {np.dtype(dtype)}, K = {K}"
        found += contest(MultinomialNB(), case, X, y, asked, None, 15)
        found += contest(BernoulliNB(), case, X, y, asked, asked, 15)
    return found


def categories() -> list[Row]:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 10, size=(1_000_000, 20))
    found = []
    for K in (2, 5):
        case = f"1,000,000 × 20 int64 below 10, K = {K}"
        found += contest(CategoricalNB(), case, X, rng.integers(0, K, len(X)), 5.0, None, 3)
    return found


def contest(ours: Any, case: str, X: Any, y: Any, fit: float | None, predict: float | None, rounds: int) -> list[Row]:
    """Race a model against scikit-learn's of the same name, fitting and predicting, and see whether its fit copies X."""
    name = type(ours).__name__
    theirs = getattr(peers, name)().fit(X, y)
    found = versus(f"{name} fit, {case}", lambda: ours.fit(X, y), name, lambda: theirs.fit(X, y), fit, rounds)
    found += versus(f"{name} predict, {case}", lambda: ours.predict(X), name, lambda: theirs.predict(X), predict, rounds)
    if len(ours.classes_) == 2:  # with more, the K × p attributes of a fit are as large as X itself
        size = X.data.nbytes + X.indices.nbytes if sp.issparse(X) else X.nbytes
        found.append(memory(f"{name} fit, {case}", lambda: ours.fit(X, y), size))
    return found


def small() -> list[Row]:
    X, y = load_iris(return_X_y=True)
    X = np.round(X).astype(int)
    found = []
    for Ours in (MultinomialNB, BernoulliNB, CategoricalNB):
        ours, theirs = Ours().fit(X, y), getattr(peers, Ours.__name__)().fit(X, y)
        for rows, what in ((X, "iris, whole numbers"), (sp.csr_array(X), "iris, sparse")):
            if sp.issparse(rows) and Ours is CategoricalNB:
                continue  # the peer takes no sparse rows
            for verb, run in (("fit", lambda m, r=rows: m.fit(r, y)), ("predict", lambda m, r=rows: m.predict(r))):
                case = f"{Ours.__name__} {verb}, {what}"
                found += versus(case, lambda r=run, m=ours: r(m), Ours.__name__, lambda r=run, m=theirs: r(m), 1.0, 200)
    return found


def versus(case: str, ours: Any, name: str, theirs: Any, asked: float | None, rounds: int) -> list[Row]:
    return race(case, ours, [Peer(name, theirs)], None if asked is None else {name: asked}, rounds)


def memory(case: str, run: Any, size: int) -> Row:
    """Peak of what a warm call allocates, as a share of X (numpy reports its arrays to tracemalloc)."""
    run()
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    share = peak / size
    return Row(f"{case}, peak memory on top of X", f"{peak / 1e6:.1f} MB", "", f"{share:.1%} of X", "no copy of X", share < 0.5)


def main() -> list[Row]:
    found = [*text(), *categories(), *small()]
    publish("Counts", found)
    return found


if __name__ == "__main__":
    main()

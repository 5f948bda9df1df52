"""Linear discriminant analysis and Gaussian naive Bayes: 500,000 × 50 with 5 classes, iris, memory, import time."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.naive_bayes import GaussianNB as PeerNB

from benchmarks.harness import Peer, Row, publish, race
from separatrix import ClassMoments, GaussianNB, LinearDiscriminantAnalysis

N, P, K = 500_000, 50, 5


def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, N)
    return rng.normal(size=(N, P)) + 0.3 * rng.normal(size=(K, P))[y], y


def tall() -> list[Row]:
    X, y = rows()
    lda, nb = LinearDiscriminantAnalysis(), GaussianNB()
    size = f"{N:,} × {P}, K = {K}"
    found = race(
        f"LDA fit, {size}",
        lambda: lda.fit(X, y),
        [Peer("default (svd)", lambda: PeerLDA().fit(X, y)), Peer("lsqr", lambda: PeerLDA(solver="lsqr").fit(X, y))],
        {"default (svd)": 22, "lsqr": 6},
        rounds=3,
    )
    found += race(f"LDA fit, {size}", lambda: lda.fit(X, y), [Peer("bare X.T @ X", lambda: X.T @ X)], {"bare X.T @ X": 1 / 1.2})
    found += race(f"GaussianNB fit, {size}", lambda: nb.fit(X, y), [Peer("GaussianNB", lambda: PeerNB().fit(X, y))], {"GaussianNB": 8})
    theirs, their_nb = PeerLDA(solver="lsqr").fit(X, y), PeerNB().fit(X, y)
    found += race(f"LDA predict, {size}", lambda: lda.predict(X), [Peer("LDA", lambda: theirs.predict(X))], {"LDA": 2})
    found += race(
        f"GaussianNB predict, {size}", lambda: nb.predict(X), [Peer("GaussianNB", lambda: their_nb.predict(X))], {"GaussianNB": 2}
    )
    found += race("class moments, one scatter per class", lambda: ClassMoments.from_data(X, y), [Peer("bare X.T @ X", lambda: X.T @ X)])
    for name, model in (("LDA", lda), ("GaussianNB", nb)):
        found.append(memory(name, model, X, y))
    return found


def memory(name: str, model: Any, X: Any, y: Any) -> Row:
    """Peak of what a warm fit allocates, as a share of X (numpy reports its arrays to tracemalloc)."""
    model.fit(X, y)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    share = peak / X.nbytes
    return Row(f"{name} fit, peak memory on top of X", f"{peak / 1e6:.1f} MB", "", f"{share:.1%} of X", "< 5 %", share < 0.05)


def small() -> list[Row]:
    X, y = load_iris(return_X_y=True)
    found = []
    for name, ours, theirs in (
        ("LDA", LinearDiscriminantAnalysis(), PeerLDA()),
        ("GaussianNB", GaussianNB(), PeerNB()),
    ):
        found += race(f"{name} fit, iris", lambda m=ours: m.fit(X, y), [Peer(name, lambda m=theirs: m.fit(X, y))], {name: 1}, rounds=200)
        found += race(
            f"{name} predict, iris", lambda m=ours: m.predict(X), [Peer(name, lambda m=theirs: m.predict(X))], {name: 1}, rounds=200
        )
    return found


def import_time() -> Row:
    """Seconds of `import separatrix` and its first model on top of `import sklearn` and its own."""

    def seconds(code: str) -> float:
        timed = f"import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        return min(
            float(subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout) for _ in range(7)
        )

    bare = seconds("import separatrix") - seconds("import sklearn")
    model = seconds("from separatrix import LinearDiscriminantAnalysis") - seconds("from sklearn.discriminant_analysis import *")
    return Row(
        "import separatrix over import sklearn",
        f"{bare:+.3f} s",
        f"with the model on both sides {model:+.3f} s",
        f"{bare:+.3f} s",
        "≤ 0.15 s",
        bare <= 0.15,
    )


def main() -> None:
    publish("Foundation", [*tall(), *small(), import_time()])


if __name__ == "__main__":
    main()

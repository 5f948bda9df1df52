"""Perceptrons: 500,000 × 50 shuffled and in order, sparse text, iris, the average, the trace, memory."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Theirs

from benchmarks.harness import Peer, Row, once, publish, race
from separatrix import AveragedPerceptron, Perceptron

N, P, EPOCHS = 500_000, 50, 6


def dense_rows() -> tuple[Any, Any]:
    """Normal rows and a linear boundary with noise: a perceptron never ends on them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, P))
    return X, (X @ rng.standard_normal(P) + 0.5 * rng.standard_normal(N) > 0).astype(np.int64)


def text_rows(n: int = 40_000, p: int = 50_000, words: int = 75) -> tuple[Any, Any]:
    """Rows of about 75 words, common ones more often, weighted and of unit length as TF-IDF makes them."""
    rng = np.random.default_rng(0)
    columns = np.minimum((p * rng.random((n, words)) ** 3).astype(np.int32), p - 1)
    rows = np.repeat(np.arange(n, dtype=np.int32), words)
    X = sp.csr_matrix((np.ones(n * words), (rows, columns.ravel())), shape=(n, p))
    X.data = np.log1p(X.data)
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    return X, (X @ rng.standard_normal(p) + 0.3 * rng.standard_normal(n) > 0).astype(np.int64)


def peer(options: dict[str, Any], X: Any, y: Any) -> Peer:
    """Return scikit-learn's perceptron; stopped after the same number of epochs as ours, not converged either."""
    name = f"Perceptron({', '.join(f'{k}={v}' for k, v in options.items())})"
    return Peer(name, lambda: Theirs(**options).fit(X, y), lambda model: f"{model.n_iter_} epochs")


def against(case: str, X: Any, y: Any, asked: float | None, rounds: int, **options: Any) -> list[Row]:
    """Race with the same options on both sides."""
    options = {"max_iter": EPOCHS, "tol": None, "random_state": 0, **options}
    other = peer(options, X, y)
    return race(case, lambda: Perceptron(**options).fit(X, y), [other], {} if asked is None else {other.name: asked}, rounds)


def bare_reads(X: Any) -> Peer:
    """Return the least that memory allows: every epoch reads X once."""
    return Peer(f"X.sum(), {EPOCHS} times", lambda: [X.sum() for _ in range(EPOCHS)])


def averaged(case: str, X: Any, y: Any, rounds: int, **options: Any) -> Row:
    """The time of averaging, in times that of the plain perceptron."""
    options = {"max_iter": EPOCHS, "random_state": 0, **options}
    plain, mean = ratio(lambda: Perceptron(**options).fit(X, y), lambda: AveragedPerceptron(**options).fit(X, y), rounds)
    share = mean / plain
    return Row(case, f"{1e3 * mean:.1f} ms", f"Perceptron: {1e3 * plain:.1f} ms", f"{share:.2f}×", "≤ 1.3×", share <= 1.3)


def ratio(first: Callable[[], Any], second: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Return the best times of two contestants, run in turn."""
    first(), second()
    times = [(once(first)[0], once(second)[0]) for _ in range(rounds)]
    return min(a for a, _ in times), min(b for _, b in times)


def traced(X: Any, y: Any) -> Row:
    options = {"max_iter": EPOCHS, "random_state": 0}
    plain, trace = ratio(lambda: Perceptron(**options).fit(X, y), lambda: Perceptron(trace=True, **options).fit(X, y), 5)
    updates = len(Perceptron(trace=True, **options).fit(X, y).history_)
    return Row(
        f"trace of {updates:,} updates",
        f"{1e3 * trace:.1f} ms",
        f"without: {1e3 * plain:.1f} ms",
        f"{1e9 * (trace - plain) / updates:.0f} ns an update",
    )


def memory(X: Any, y: Any) -> Row:
    model = Perceptron(max_iter=EPOCHS, random_state=0).fit(X, y)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    share = peak / X.nbytes
    return Row("fit, peak memory on top of X", f"{peak / 1e6:.1f} MB", "", f"{share:.1%} of X", "no copy of X", share < 0.1)


def dense() -> list[Row]:
    X, y = dense_rows()
    size = f"{N:,} × {P}, {EPOCHS} epochs"
    return [
        *against(f"fit, {size}, shuffled", X, y, 3.0, 8),
        *against(f"fit, {size}, in order", X, y, 4.0, 8, shuffle=False),
        *race(f"fit, {size}, in order", lambda: Perceptron(max_iter=EPOCHS, shuffle=False).fit(X, y), [bare_reads(X)], rounds=8),
        *against(f"fit, {size}, float32, shuffled", X.astype(np.float32), y, None, 4),
        *against(f"fit, {size}, Fortran order, shuffled", np.asfortranarray(X), y, None, 3),
        averaged(f"average, {size}, shuffled", X, y, 8),
        averaged(f"average, {size}, in order", X, y, 8, shuffle=False),
        traced(X, y),
        memory(X, y),
    ]


def sparse() -> list[Row]:
    X, y = text_rows()
    size = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} a row, {EPOCHS} epochs"
    return [
        *against(f"fit, {size}, shuffled", X, y, 1.0, 15),
        *against(f"fit, {size}, in order", X, y, 1.0, 15, shuffle=False),
        averaged(f"average, {size}, shuffled", X, y, 15),
        averaged(f"average, {size}, in order", X, y, 15, shuffle=False),
    ]


def small() -> list[Row]:
    X, y = load_iris(return_X_y=True)
    return [
        *against("fit, iris, 1,000 epochs", X, y, 1.0, 30, max_iter=1000),
        *against("fit, iris, tol=1e-3", X, y, 1.0, 100, max_iter=1000, tol=1e-3),
        *against("fit, iris, one species", X, y == 0, 1.0, 100, max_iter=1000, tol=1e-3),
    ]


def rows() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a number of epochs is what is compared
        return [*dense(), *sparse(), *small()]


def main() -> None:
    publish("Perceptron", rows())


if __name__ == "__main__":
    main()

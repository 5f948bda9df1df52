"""Sets the seconds of an operation that `separatrix/solvers/work.py` counts with beside those of this machine.

`python -m benchmarks.bench_work`: one core, best of several, operations alone; the constants are those of whole fits, with what comes
along. They need not be those of a machine: only their ratios decide, and a factor of two or three changes little.

`python -m benchmarks.bench_work sides`: processor time of whole fits on both sides of every switch between roads; these should be within
three times of each other.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import separatrix as own
from separatrix.data import as_source
from separatrix.losses import Logistic
from separatrix.solvers import work
from separatrix.solvers.problem import Problem
from separatrix.solvers.products import Products
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import dual_logistic
from separatrix.solvers.smooth.newton import Factor
from separatrix.solvers.smooth.objective import Objective
from separatrix.solvers.span import Span


def best(run: Callable[[], Any], rounds: int = 7) -> float:
    """Return the least CPU seconds of a call."""
    run()
    least = np.inf
    for _ in range(rounds):
        start = time.process_time()
        run()
        least = min(least, time.process_time() - start)
    return float(least)


def problem(X: Any, strength: float = 0.01) -> Problem:
    n = X.shape[0]
    return Problem(Rows.of(as_source(X, np.arange(n) % 2, n_jobs=1)), np.array([n - n // 2, n // 2], dtype=float), Logistic(), strength)


def measured() -> dict[str, float]:
    """Return the seconds of each operation."""
    rng = np.random.default_rng(0)
    n, p = 2_000, 300
    X, S = rng.normal(size=(n, p)), sp.random_array((20_000, 400), density=0.05, rng=rng, format="csr")
    dense, sparse, theta = Objective(problem(X)), Objective(problem(S)), np.zeros((1, p + 1))
    H, products = dense.curved(theta)[2], Products(problem(X).rows)
    stored, v, w = Products(problem(S).rows), np.ones((p, 1)), np.ones((400, 1))
    meetings = float(np.square(np.diff(S.indptr).astype(float)).sum())
    wide, tall = rng.normal(size=(300, 3_000)), rng.normal(size=(100_000, 20))
    fused = Objective(problem(tall))
    dual = problem(S, 1.0 / S.shape[0])
    solution = dual_logistic.solve(dual)
    hessian, factor, a_pass = best(lambda: dense.curved(theta)), best(lambda: Factor(H, 1)), best(lambda: dense.at(theta))
    return {
        "ADDED": (hessian - a_pass) / (n * (p + 1) ** 2),
        "FACTORED": factor / (p + 1) ** 3,
        "MEETING": best(lambda: sparse.curved(np.zeros((1, 401)))) / meetings,
        "PASS": a_pass / X.size,
        "PRODUCT": best(lambda: products.transposed_times(products.times(v))) / X.size,
        "FUSED": best(lambda: fused.at(np.zeros((1, 21)))) / tall.size,
        "STORED": best(lambda: stored.transposed_times(stored.times(w))) / S.nnz,
        "EPOCH": best(lambda: dual_logistic.solve(dual), 3) / (max(solution.passes, 1) * S.nnz),
        "SPANNED": best(lambda: Span.of(wide)) / (len(wide) * wide.size),
    }


LOGISTIC, L1 = own.LogisticRegression(), own.LogisticRegression(C=0.05, l1_ratio=1.0)
HINGE, SQUARED = own.LinearSVC(loss="hinge"), own.LinearSVC()
SIDES: list[tuple[str, Any, tuple[int, int, int, float], tuple[int, int, int, float]]] = [
    ("1,500 coefficients", LOGISTIC, (3_000, 1_499, 2, 1.0), (3_000, 1_500, 2, 1.0)),
    ("1,500 coefficients, K = 5", LOGISTIC, (3_000, 299, 5, 1.0), (3_000, 300, 5, 1.0)),
    ("1,500 coefficients, sparse", LOGISTIC, (5_000, 1_499, 2, 0.01), (5_000, 1_500, 2, 0.01)),
    ("sample of 20,000 rows", LOGISTIC, (19_999, 50, 2, 1.0), (20_000, 50, 2, 1.0)),
    ("sample of 20,000 rows, K = 5", LOGISTIC, (19_999, 30, 5, 1.0), (20_000, 30, 5, 1.0)),
    ("rows as many as columns", LOGISTIC, (601, 600, 2, 1.0), (600, 601, 2, 1.0)),
    ("a fifth of the values stored", LOGISTIC, (4_000, 300, 2, 0.19), (4_000, 300, 2, 0.21)),
    ("kernels for 1,000,000 values", LOGISTIC, (19_900, 50, 2, 1.0), (20_100, 50, 2, 1.0)),
    ("threads for 300,000 values", LOGISTIC, (590, 500, 2, 1.0), (610, 500, 2, 1.0)),
    ("L1, 1,500 coefficients", L1, (600, 1_498, 2, 1.0), (600, 1_501, 2, 1.0)),
    ("hinge, 50,000 values", HINGE, (4_500, 10, 2, 1.0), (4_600, 10, 2, 1.0)),
    ("squared hinge, 50,000 values", SQUARED, (4_500, 10, 2, 1.0), (4_600, 10, 2, 1.0)),
    ("hinge, rows as many as columns", HINGE, (301, 300, 2, 1.0), (300, 301, 2, 1.0)),
    ("hinge, 2,000 columns", HINGE, (5_000, 2_000, 2, 0.01), (5_000, 2_001, 2, 0.01)),
    ("squared hinge, 2,000 columns", SQUARED, (5_000, 2_000, 2, 0.01), (5_000, 2_001, 2, 0.01)),
    ("sums of 50,000 values", own.LinearDiscriminantAnalysis(), (4_900, 10, 3, 1.0), (5_100, 10, 3, 1.0)),
    ("span of a cube of 1,000,000", own.LinearDiscriminantAnalysis(shrinkage=0.3), (80, 99, 2, 1.0), (80, 101, 2, 1.0)),
]


def fitted(model: Any, shape: tuple[int, int, int, float]) -> float:
    """Return the processor seconds of a fit to random rows of n, p, K and a share of values stored."""
    n, p, K, density = shape
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) if density == 1.0 else sp.random_array((n, p), density=density, rng=rng, format="csr")
    Z = np.asarray(X @ rng.normal(size=(p, K)))
    y = (Z / Z.std() + rng.gumbel(size=Z.shape)).argmax(axis=1)
    return best(lambda: model.fit(X, y), 3)


def sides() -> None:
    """Print both sides of every switch."""
    warnings.simplefilter("ignore")
    print("      below       above   ratio  switch")
    for name, model, below, above in SIDES:
        one, other = fitted(model, below), fitted(model, above)
        print(f"{1e3 * one:8.2f} ms {1e3 * other:8.2f} ms {max(one, other) / min(one, other):7.2f}  {name}", flush=True)


def main() -> None:
    if sys.argv[1:] == ["sides"]:
        sides()
        return
    with threadpool_limits(1):
        found = measured()
    print("operation       measured   in work.py    ratio")
    for name, seconds in found.items():
        print(f"{name:12s} {seconds:11.2e} {getattr(work, name):12.2e} {seconds / getattr(work, name):8.2f}")


if __name__ == "__main__":
    main()

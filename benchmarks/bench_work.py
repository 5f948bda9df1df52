"""Sets the seconds of an operation that `separatrix/solvers/work.py` counts with beside those of this machine.

`python -m benchmarks.bench_work`: one core, best of several, operations alone; the constants are those of whole fits, with what comes
along. They need not be those of a machine: only their ratios decide, and a factor of two or three changes little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

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


def main() -> None:
    with threadpool_limits(1):
        found = measured()
    print("operation       measured   in work.py    ratio")
    for name, seconds in found.items():
        print(f"{name:12s} {seconds:11.2e} {getattr(work, name):12.2e} {seconds / getattr(work, name):8.2f}")


if __name__ == "__main__":
    main()

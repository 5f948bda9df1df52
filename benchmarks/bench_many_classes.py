"""Many classes on dense float32 rows, on the CPU: logistic regression beside scikit-learn's, allowed to converge.

python -m benchmarks.bench_device cpu
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as PeerLogistic

from benchmarks.harness import Peer, Row, race
from separatrix import LogisticRegression


def on_cpu(n: int, p: int, K: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((p, p)))[0] * np.arange(1, p + 1)[:, None] ** -0.5
    X = (rng.standard_normal((n, p)) @ turn).astype(np.float32)
    Z = X @ rng.standard_normal((p, K))
    return X, (3.0 * Z / Z.std() + rng.gumbel(size=(n, K))).argmax(axis=1)


def objective(model: Any, X: Any, y: Any, C: float = 1.0) -> float:
    """Return the mean loss plus penalty in float64."""
    Z = X.astype(np.float64) @ np.asarray(model.coef_, dtype=np.float64).T + model.intercept_
    Z -= Z.max(axis=1, keepdims=True)
    losses = np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(len(y)), y]
    return float(losses.mean() + 0.5 * np.sum(np.asarray(model.coef_, dtype=np.float64) ** 2) / (C * len(y)))


def cpu(n: int, p: int, K: int) -> list[Row]:
    """Race scikit-learn's default, allowed to converge: ours at the loosest tolerance whose objective is no worse, and at its default."""
    X, y = on_cpu(n, p, K)
    peer = PeerLogistic(max_iter=100_000)
    theirs = objective(peer.fit(X, y), X, y)
    tolerances = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
    enough = next((tol for tol in tolerances if objective(LogisticRegression(tol=tol).fit(X, y), X, y) <= theirs), 1e-5)
    rows = []
    for tol in dict.fromkeys((enough, 1e-4)):
        ours = LogisticRegression(tol=tol).fit(X, y)
        above = objective(ours, X, y) - theirs
        said = f"{int(peer.n_iter_[0])} iterations; ours {above:+.1e} of its objective after {ours.solution_.passes} passes"
        contestant = Peer("scikit-learn", lambda: peer.fit(X, y), lambda _, said=said: said)
        fit = partial(LogisticRegression(tol=tol).fit, X, y)
        rows += race(f"{n:,} × {p} × {K} float32, tol = {tol:g}", fit, [contestant], {"scikit-learn": 5.0}, 1)
    return rows

"""L1 and elastic-net logistic fits on random problems of every kind: converged, and as low as the best of the peers.

Rows sparse and dense, 2 to 10 classes, C from 1e-4 to 1e6, columns from 1e-6 to 1e6, with an intercept or without. Each of our fits must
converge at its default tolerance without any other warning. Its objective, computed anew from the coefficients, must not exceed the best of
scikit-learn's saga, liblinear and our own fit with more digits by more than 1e-6 of it, nor by more than its own gap. One line per problem
that fails, and a summary: `python -m benchmarks.bench_soundness_l1 [how many] [first seed]`.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Sklearn

from separatrix import LogisticRegression
from separatrix.losses import Logistic, Softmax

CLOSE = 1e-6
PROBLEMS = 200


@dataclass(frozen=True)
class Case:
    """Rows, labels and the parameters of a fit."""

    seed: int
    X: Any
    y: Any
    C: float
    r: float
    fit_intercept: bool
    scaled: bool

    @property
    def name(self) -> str:
        kind = "sparse" if sp.issparse(self.X) else "dense"
        shape = f"{self.X.shape[0]} × {self.X.shape[1]}, K = {self.y.max() + 1}"
        more = f"C = {self.C:.1e}, r = {self.r:g}{'' if self.fit_intercept else ', no intercept'}{', scaled' if self.scaled else ''}"
        return f"{self.seed:4d} {kind} {shape}, {more}"

    def objective(self, coef: Any, intercept: Any) -> float:
        """Return the mean loss plus λΩ from the coefficients alone."""
        Z = self.X @ coef.T + intercept
        loss = Softmax().value(Z, self.y) if len(coef) > 1 else Logistic().value(Z[:, 0], np.where(self.y == 1, 1.0, -1.0))
        penalty = 0.5 * (1.0 - self.r) * np.sum(coef**2) + self.r * np.abs(coef).sum()
        return float(loss.mean() + penalty / (self.C * len(self.y)))


def case(seed: int) -> Case:
    """Return a random problem."""
    rng = np.random.default_rng([13, seed])
    n, p = int(np.exp(rng.uniform(np.log(30), np.log(800)))), int(np.exp(rng.uniform(np.log(3), np.log(1500))))
    K = 2 if rng.random() < 0.4 else int(rng.integers(3, 11))
    dense = rng.random() < 0.5
    X = (
        rng.normal(size=(n, p)) + rng.normal(size=p)
        if dense
        else sp.random_array((n, p), density=min(1.0, 8 / p + 0.02), rng=rng, format="csr")
    )
    if rng.random() < 0.3:
        X = X @ (np.eye(p) + 0.5 * rng.normal(size=(p, p)) / np.sqrt(p)) if dense else X
    Z = X @ (rng.normal(size=(p, K)) * (rng.random((p, 1)) < 5 / p + 0.1))
    y = (rng.choice([0.5, 2.0, 10.0]) * Z / max(Z.std(), 1e-9) + rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    scaled = bool(rng.random() < 0.5)
    if scaled:
        units = 10.0 ** rng.uniform(-6, 6, p)
        X = X * units if dense else sp.csr_array(X @ sp.diags_array(units))
    if not dense:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    r = 1.0 if rng.random() < 0.65 else float(rng.choice([0.1, 0.5, 0.9]))
    return Case(seed, X, y, float(10.0 ** rng.uniform(-4, 6)), r, bool(rng.random() < 0.7), scaled)


def peers(own: Case, seconds: float = 3.0) -> dict[str, float]:
    """Return the objectives that scikit-learn reaches, and ours with a hundred times the digits."""
    given: dict[str, Any] = {"C": own.C, "l1_ratio": own.r, "fit_intercept": own.fit_intercept}
    cost = own.X.nnz if sp.issparse(own.X) else own.X.size
    epochs = int(np.clip(seconds * 3e7 / (cost * (own.y.max() + 1)), 50, 5000))
    models = {"saga": Sklearn(solver="saga", tol=1e-9, max_iter=epochs, random_state=0, **given)}
    if own.y.max() == 1 and own.r == 1.0 and not own.fit_intercept:
        models["liblinear"] = Sklearn(solver="liblinear", tol=1e-9, max_iter=2000, **given)
    found = {}
    for name, model in models.items():
        model.fit(own.X, own.y)
        found[name] = own.objective(model.coef_, model.intercept_)
    exact = LogisticRegression(tol=1e-7, max_iter=1000, **given).fit(own.X, own.y)
    return {**found, "ours, tol=1e-7": own.objective(exact.coef_, exact.intercept_)}


def findings(own: Case) -> list[str]:
    """Return what is wrong with our fit of a problem; empty where nothing is."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = LogisticRegression(C=own.C, l1_ratio=own.r, fit_intercept=own.fit_intercept).fit(own.X, own.y)
    said = [f"{type(w.message).__name__}: {w.message}" for w in heard]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = peers(own)
    value, solution = own.objective(model.coef_, model.intercept_), model.solution_
    assert solution is not None
    name, best = min(others.items(), key=lambda item: item[1])
    wrong = [f"{solution.solver} {solution.status} ({solution.passes} passes), gap {solution.gap:.1e}"] if not solution.is_converged else []
    wrong += [w for w in said if "ConvergenceWarning" not in w]
    if value > best * (1 + CLOSE):
        wrong.append(f"objective {value:.9g} above {name} {best:.9g}")
    if value > best + solution.gap + 1e-12 * abs(best):
        wrong.append(f"above {name} by {value - best:.2e}, more than its gap {solution.gap:.1e}")
    if abs(solution.objective - value) > 1e-10 * value:
        wrong.append(f"objective reported {solution.objective:.12g}, true {value:.12g}")
    return wrong


def main(count: int = PROBLEMS, first: int = 0) -> int:
    """Print what fails; return how many problems do."""
    failed, start = 0, time.perf_counter()
    for seed in range(first, first + count):
        own = case(seed)
        wrong = findings(own)
        failed += bool(wrong)
        if wrong:
            print(f"{own.name}: {'; '.join(wrong)}", flush=True)
    print(
        f"L1: {count - failed} of {count} random problems converged and within {CLOSE:g} of the best ({time.perf_counter() - start:.0f} s)"
    )
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)

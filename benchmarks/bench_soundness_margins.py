"""Support vector machines on random problems: every fit converged or rightly warned, and no peer with a better objective.

200 problems: dense and sparse rows, 2 to 10 classes, C from 1e-4 to 1e6, columns in units from 1e-6 to 1e6, hinge, squared hinge, Crammer
and Singer; intercepts free, penalised or none. Objectives of all contestants and our duality gap are computed anew here. Fits that end
above the best objective by more than 1e-6 of it, or whose report is wrong, are printed. `python -m benchmarks.bench_soundness_margins 0 20`
runs the first twenty.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.svm import LinearSVC as Liblinear

from separatrix import LinearSVC

PROBLEMS = 200
NEAR = 1e-6
"""Share of the best objective that ours may lie above it, and by which a recomputed gap may differ from the one reported."""


@dataclass(frozen=True, eq=False)
class Case:
    """Rows, labels 0 … K − 1 and what is minimised; ρ is the weight of b²/2: 0 for a free intercept, infinite for none."""

    seed: int
    kind: str
    X: Any
    y: Any
    K: int
    C: float
    loss: str
    rho: float

    @property
    def name(self) -> str:
        return f"seed {self.seed}: {self.loss}, {self.kind} {self.X.shape[0]} × {self.X.shape[1]}, K={self.K}, C={self.C:.1e}, ρ={self.rho}"

    @property
    def signs(self) -> Any:
        """y (R, n) of the machines, one for two classes."""
        return np.where(self.y == np.arange(self.K)[:, None] if self.K > 2 else self.y == 1, 1.0, -1.0).reshape(-1, len(self.y))


def draw(seed: int) -> Case:
    """Return the problem of a seed."""
    rng = np.random.default_rng([seed, 14])
    loss = ("hinge", "squared_hinge", "crammer_singer")[seed % 3]
    K = int(rng.choice([2, 2, 3, 4, 6, 10]) if loss != "crammer_singer" else rng.integers(2, 11))
    kind = str(rng.choice(["normal", "correlated", "wide", "counts", "one-hot", "text"]))
    X = ROWS[kind](rng)
    n, p = X.shape
    scores = np.asarray(X @ (rng.normal(size=(p, K)) * (rng.random((p, 1)) < 0.5)))
    scores = scores / np.maximum(scores.std(axis=0), 1e-12) + rng.choice([0.0, 0.5, 2.0]) * rng.normal(size=(n, K))
    y = scores.argmax(axis=1)
    y[:K] = np.arange(K)
    width = rng.choice([0.0, 2.0, 6.0])
    units = 10.0 ** rng.uniform(-width, width, p)
    X = sp.csr_array(X @ sp.diags_array(units)) if sp.issparse(X) else X * units
    return Case(seed, kind, X, y, K, float(10.0 ** rng.uniform(-4, 6)), loss, float(rng.choice([0.0, 1.0, np.inf])))


def _normal(rng: Any) -> Any:
    return rng.normal(size=(int(rng.integers(40, 3000)), int(rng.integers(2, 40)))) + rng.choice([0.0, 5.0])


def _correlated(rng: Any) -> Any:
    n, p = int(rng.integers(100, 2000)), int(rng.integers(5, 60))
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, p)) + 0.1 * rng.normal(size=(n, p))


def _wide(rng: Any) -> Any:
    return rng.normal(size=(int(rng.integers(30, 120)), int(rng.integers(150, 2500))))


def _counts(rng: Any) -> Any:
    n, p = int(rng.integers(200, 2000)), int(rng.integers(50, 1000))
    return sp.random_array((n, p), density=0.02, format="csr", rng=rng, data_sampler=lambda size: rng.integers(1, 6, size).astype(float))


def _one_hot(rng: Any) -> Any:
    n, levels = int(rng.integers(300, 3000)), rng.integers(2, 120, int(rng.integers(3, 9)))
    parts = [sp.csr_array(np.eye(m))[rng.zipf(1.5, n) % m] for m in levels]
    return sp.csr_array(sp.hstack(parts, format="csr"))


def _text(rng: Any) -> Any:
    X = sp.random_array((int(rng.integers(100, 800)), int(rng.integers(300, 3000))), density=0.01, format="csr", rng=rng)
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).ravel()
    return sp.csr_array(sp.diags_array(1.0 / np.where(norms > 0.0, norms, 1.0)) @ X)


ROWS = {"normal": _normal, "correlated": _correlated, "wide": _wide, "counts": _counts, "one-hot": _one_hot, "text": _text}


def objective(case: Case, W: Any, b: Any) -> float:
    """Return ½‖W‖² + ½ρ‖b‖² + C Σ losses, in float64."""
    Z = np.asarray(case.X @ W.T) + b
    value = 0.5 * np.sum(W * W) + (0.5 * case.rho * np.sum(b * b) if np.isfinite(case.rho) else 0.0)
    if case.loss == "crammer_singer":
        Z = np.column_stack([-0.5 * Z, 0.5 * Z]) if case.K == 2 else Z
        own = (np.arange(len(Z)), case.y)
        short = Z - Z[own][:, None] + 1.0
        short[own] = 0.0
        half = 0.5 if case.K == 2 else 1.0  # w_1 = −w_0 = w/2
        return float(half * value + case.C * short.max(axis=1).sum())
    short = np.maximum(0.0, 1.0 - case.signs.T * Z)
    return float(value + case.C * np.sum(short**2 if case.loss == "squared_hinge" else short))


def dual(case: Case, model: Any) -> tuple[float, float]:
    """Return the dual objective of our multipliers, and by how much they violate their constraints, as a share of their size."""
    A = np.zeros((len(model.dual_coef_), len(case.y)))
    A[:, model.support_] = model.dual_coef_
    V, over, C = np.asarray((case.X.T @ A.T).T), A.sum(axis=1), case.C
    size = max(float(np.abs(A).sum()), 1e-300)
    penalty = 0.5 * np.sum(V * V) + (0.5 * np.sum(over**2) / case.rho if 0.0 < case.rho < np.inf else 0.0)
    off = np.abs(over).max() / size if case.rho == 0.0 else 0.0
    if case.loss == "crammer_singer" and case.K > 2:
        own = np.arange(case.K)[:, None] == case.y
        off = max(off, np.abs(A.sum(axis=0)).max() / size, float((A - C * own).max()) / C)
        return float(A[own].sum() - penalty), off
    scale = 2.0 if case.loss == "crammer_singer" else 1.0
    alpha = A * case.signs
    off = max(off, -float(alpha.min()) / size)
    if case.loss == "squared_hinge":
        return float(alpha.sum() - penalty - np.sum(alpha**2) / (4.0 * C)), off
    return float(alpha.sum() - penalty) / scale, max(off, float(alpha.max()) / (scale * C) - 1.0)


def rivals(case: Case) -> Iterator[float]:
    """Yield the objectives that scikit-learn's machines reach."""
    # Copies: libsvm sorts the indices of what it is given in place, and with them values that it shares.
    X = (
        sp.csr_matrix((case.X.data.copy(), case.X.indices.astype(np.int32), case.X.indptr.astype(np.int32)), case.X.shape)
        if sp.issparse(case.X)
        else case.X
    )
    joint = {"multi_class": "crammer_singer"} if case.loss == "crammer_singer" else {"loss": case.loss}
    given = {"C": case.C, "max_iter": 2_000, "tol": 1e-6, "random_state": 0, "fit_intercept": bool(np.isfinite(case.rho)), **joint}
    scaling = 1.0 if case.rho > 0.0 else 10.0
    for dual in (True, False) if case.loss == "squared_hinge" else (True,):
        model = Liblinear(intercept_scaling=scaling, dual=dual, **given).fit(X, case.y)
        yield objective(case, model.coef_, model.intercept_)
    if case.loss == "hinge" and case.rho == 0.0:
        machines = [SVC(C=case.C, kernel="linear", tol=1e-6, max_iter=200_000).fit(X, sign) for sign in case.signs]
        W = np.vstack([np.asarray(m.coef_.todense() if sp.issparse(m.coef_) else m.coef_) for m in machines])
        yield objective(case, W, np.array([m.intercept_[0] for m in machines]))


def fitted(case: Case) -> LinearSVC:
    """Return our fit."""
    given = {"multi_class": "crammer_singer"} if case.loss == "crammer_singer" else {"loss": case.loss}
    model = LinearSVC(C=case.C, fit_intercept=bool(np.isfinite(case.rho)), penalize_intercept=case.rho == 1.0, store_dual=True, **given)
    return model.fit(case.X, case.y)


def examine(case: Case) -> str:
    """Return what is wrong with our fit, or nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fitted(case)
        warned = any(issubclass(w.category, ConvergenceWarning) for w in caught)
        ours = objective(case, model.coef_, model.intercept_)
        best = min([ours, *rivals(case)])
    lower, off = dual(case, model)
    found, faults = model.solution_, []
    proven = found.gap / found.objective
    if found.is_converged == warned:
        faults.append("warning and status differ")
    if ours > best + NEAR * abs(best):
        faults.append(f"objective {ours / best - 1.0:.1e} above the best")
    if not found.is_converged:
        faults.append(f"{found.status} with a gap of {proven:.1e} (recomputed {(ours - lower) / ours:.1e})")
    elif off > 1e-9 or (ours - lower) / ours > proven + NEAR:
        faults.append(f"gap {proven:.1e} reported, {(ours - lower) / ours:.1e} recomputed, multipliers off by {off:.1e}")
    return f"{'; '.join(faults)} [{found.solver}, {found.iterations} iterations]" if faults else ""


def main(first: int = 0, last: int = PROBLEMS) -> int:
    """Examine the problems and return how many fits have a fault."""
    count, start = 0, time.process_time()
    print("margins: tables of words and counts are small (at most 800 × 3,000 and 2,000 × 1,000), to save time")
    for seed in range(first, last):
        case = draw(seed)
        said = examine(case)
        if said:
            count += 1
            print(f"{case.name}: {said}", flush=True)
    print(f"margins: {count} of {last - first} fits with a fault, {time.process_time() - start:.0f} s of processor time", flush=True)
    return count


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)

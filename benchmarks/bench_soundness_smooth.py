"""Every L2 or unpenalised logistic fit arrives, or warns and is right to: 200 random problems, hostile in several ways at once.

Dense, sparse, counts, one-hot; K from 2 to 10; C from 1e-4 to 1e6 and none; columns in units from 1e-6 to 1e6; separable classes; weights.
A fit at its defaults fails where its objective is above the best known by more than a relative TARGET without a warning of it, where a
warning is wrong (the objective is right, or no hyperplane separates), or where the gap reported is less than the true one. The best known
is that of ours with a small tolerance, of scikit-learn's solvers run to convergence, and of liblinear.

`python -m benchmarks.bench_soundness_smooth 17 23` runs the problems of these seeds.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression as Sklearn

from separatrix import LogisticRegression

PROBLEMS = 200
TARGET = 1e-6
ROUNDING = 1e-12
"""Share of the objective, and of 1, within which two objectives are equal."""
KINDS = ("dense", "tall", "sparse", "wide sparse", "counts", "one-hot")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One problem: rows, codes, weights or None, C, whether there is an intercept, and its name."""

    X: Any
    y: Any
    weight: Any
    C: float
    fit_intercept: bool
    name: str

    def objective(self, coef: Any, intercept: Any) -> float:
        """Return the mean loss plus the penalty."""
        Z = np.asarray(self.X @ np.asarray(coef).T) + intercept
        s = np.ones(len(self.y)) if self.weight is None else self.weight
        if Z.shape[1] == 1:
            losses = np.logaddexp(0.0, np.where(self.y == 1, -Z[:, 0], Z[:, 0]))
        else:
            losses = logsumexp(Z, axis=1) - Z[np.arange(len(Z)), self.y]
        return float((s @ losses + 0.5 * np.sum(np.square(coef)) / self.C) / s.sum())

    def fit(self, model: Any) -> float:
        """Return the objective at which a model ends, infinite where it cannot be fitted."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                model.fit(self.X, self.y, self.weight)
            except (ValueError, np.linalg.LinAlgError):
                return np.inf
        value = self.objective(model.coef_, model.intercept_)
        return value if np.isfinite(value) else np.inf


def case(seed: int) -> Case:
    """Return the problem of a seed."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    K = 2 if rng.random() < 0.4 else int(rng.integers(3, 11))
    X = _rows(kind, K, rng)
    n, p = X.shape
    effects = rng.normal(size=(p, K)) * (rng.random((p, 1)) < min(1.0, 20 / p))
    Z = np.asarray(X @ effects) * (3.0 / np.sqrt(_squares(X).sum() / n))
    separable = rng.random() < 0.25
    y = (Z + (0.0 if separable else 1.0) * rng.gumbel(size=(n, K))).argmax(axis=1)
    y[rng.permutation(n)[: 3 * K]] = np.tile(np.arange(K), 3)
    scaled = rng.random() < 0.4
    if scaled:
        units = 10.0 ** rng.uniform(-6, 6, p)
        X = sp.csr_array(X @ sp.diags_array(units)) if sp.issparse(X) else X * units
    elif kind == "dense" and rng.random() < 0.3:
        X = X + 100.0 * rng.normal(size=p)
    C = np.inf if rng.random() < 0.15 else float(10.0 ** rng.uniform(-4, 6))
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.05, 0.3, 0.5, 0.15]) if rng.random() < 0.3 else None
    if weight is not None:
        weight[[int(np.flatnonzero(y == k)[0]) for k in range(K)]] = 1.0
    name = f"{kind} {n} × {p}, K = {K}, C = {C:.3g}{', units' * scaled}{', separable' * separable}{', weights' * (weight is not None)}"
    return Case(X, y, weight, C, bool(rng.random() < 0.8), name)


def _rows(kind: str, K: int, rng: np.random.Generator) -> Any:
    if kind == "dense":
        return rng.normal(size=(int(rng.integers(10 * K, 3000)), int(rng.integers(2, 100))))
    if kind == "tall":
        return rng.normal(size=(int(rng.integers(20_000, 50_000)), int(rng.integers(2, 25))))
    if kind == "one-hot":
        n, factors = int(rng.integers(300, 4000)), int(rng.integers(2, 8))
        levels = rng.integers(2, 60, factors)
        codes = np.column_stack([rng.integers(0, m, n) for m in levels]) + np.append(0, np.cumsum(levels)[:-1])
        return sp.csr_array((np.ones(codes.size), codes.ravel(), np.arange(0, codes.size + 1, factors)), (n, int(levels.sum())))
    n = int(rng.integers(200, 3000))
    p = int(rng.integers(2000, 5000)) if kind == "wide sparse" else int(rng.integers(50, 2500))
    values = (lambda k: rng.integers(1, 6, k).astype(float)) if kind == "counts" else (lambda k: rng.random(k))
    return sp.csr_array(sp.random(n, p, density=float(rng.uniform(0.003, 0.03)), format="csr", rng=rng, data_rvs=values))


def _squares(X: Any) -> Any:
    return np.asarray((X.multiply(X) if sp.issparse(X) else X * X).sum(axis=0)).ravel()


def best_known(given: Case) -> float:
    """Return the least objective that any contestant reaches."""
    K, p = int(given.y.max()) + 1, given.X.shape[1]
    shared = {"C": given.C, "fit_intercept": given.fit_intercept, "max_iter": 2000, "tol": 1e-10}
    peers: list[Any] = [LogisticRegression(**{**shared, "tol": 1e-7, "max_iter": 1000}), Sklearn(**{**shared, "max_iter": 200})]
    if (1 if K == 2 else K) * (p + 1) <= 1000 and not sp.issparse(given.X):
        peers.append(Sklearn(solver="newton-cholesky", **{**shared, "max_iter": 200}))
    elif sp.issparse(given.X) and K * p <= 5000:
        peers.append(Sklearn(solver="newton-cg", **{**shared, "max_iter": 30}))
    if K == 2 and np.isfinite(given.C) and not given.fit_intercept:
        peers.append(Sklearn(solver="liblinear", **shared))
    return min(given.fit(peer) for peer in peers)


def separates(given: Case) -> bool:
    """Whether some direction lowers no row's lead over any other class, and raises one: a linear program."""
    keep = slice(None) if given.weight is None else given.weight > 0
    X = sp.csr_array(given.X)[keep] if sp.issparse(given.X) else np.asarray(given.X)[keep]
    units = np.sqrt(_squares(X) / X.shape[0])
    X = sp.csr_array(X @ sp.diags_array(1.0 / np.where(units > 0, units, 1.0)))
    if given.fit_intercept:
        X = sp.csr_array(sp.hstack([X, np.ones((X.shape[0], 1))]))
    y, q = given.y[keep], X.shape[1]
    K = int(given.y.max()) + 1
    leads = []
    for k in range(K):
        for other in set(range(K)) - {k}:
            own = X[y == k]
            empty = sp.csr_array((own.shape[0], q))
            leads.append(sp.hstack([own if c == k else -own if c == other else empty for c in range(K)]))
    A = sp.csr_array(sp.vstack(leads))
    found = linprog(-np.asarray(A.sum(axis=0)).ravel(), A_ub=-A, b_ub=np.zeros(A.shape[0]), bounds=(-1, 1), method="highs")
    return bool(found.status == 0 and (A @ found.x).max() > 1e-7)


def verdict(given: Case) -> str:
    """Return what is wrong with our fit of a problem, or nothing."""
    model = LogisticRegression(C=given.C, fit_intercept=given.fit_intercept)
    own = given.fit(model)
    found = model.solution_
    assert found is not None
    if found.status == "separable":
        return "" if np.isinf(given.C) and separates(given) else f"called separable, objective {own:.6g}"
    best = min(own, best_known(given))
    above = own - best
    said = f"{found.solver} {found.status}, {found.iterations} iterations, {found.passes} passes, objective {own:.9g}, best {best:.9g}"
    if above > found.gap + ROUNDING * max(best, 1.0):
        return f"gap of {above:.3g} reported as {found.gap:.3g}: {said}"
    if above > TARGET * best + ROUNDING:
        return f"above the best by {above / best:.2g}: {said}"
    return "" if found.is_converged else f"warned without need: {said}"


def main(seeds: list[int] | None = None) -> None:
    failed = 0
    chosen = seeds or range(PROBLEMS)
    for seed in chosen:
        given = case(seed)
        wrong = verdict(given)
        failed += bool(wrong)
        if wrong:
            print(f"{seed:4d}  {given.name}: {wrong}", flush=True)
    print(f"L2 logistic: {len(chosen) - failed} of {len(chosen)} problems solved to {TARGET:g}, or rightly warned of", flush=True)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])

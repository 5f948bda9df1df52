"""L1-penalised logistic regression against liblinear, skglm and celer (saga for several classes), and paths of C against one fit.

C = 1, no intercept (liblinear would penalise it, which is another objective). Each contestant, ours too, runs with the loosest tolerance
that brings it within TARGET of the best objective known; the notes give the tolerance and what was reached. Cases are published one by
one: `python -m benchmarks.bench_l1 a9a` runs one of them. The case `weak` has C up to 1e6; liblinear may stop above ours there, and
the notes say how far.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_svmlight_file
from sklearn.linear_model import LogisticRegression as Sklearn

from benchmarks.bench_logistic import newsgroups
from benchmarks.bench_svm import dense, text
from benchmarks.harness import Peer, Row, once, publish, race, show
from benchmarks.shapes.families import log_loss
from benchmarks.shapes.problems import draw
from separatrix import LogisticRegression
from separatrix.data import as_source
from separatrix.losses import Logistic, Softmax
from separatrix.solvers import choice
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.solution import Solution
from separatrix.solvers.sparse.path import solve_path

DATA = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data"))
TARGET = 1e-6
"""Relative gap at which contestants must have arrived."""


def problem(X: Any, y: Any, tol: float = 1e-4) -> Problem:
    return Problem(Rows.of(as_source(X, y)), np.bincount(y).astype(float), Logistic(), 1.0 / len(y), 1.0, fit_intercept=False, tol=tol)


def objective(coef: Any, X: Any, y: Any) -> float:
    z = np.where(y == 1, 1.0, -1.0) * (X @ np.ravel(coef))
    return float(np.logaddexp(0.0, -z).mean() + np.abs(coef).sum() / len(y))


def liblinear(X: Any, y: Any, tol: float) -> Callable[[], Any]:
    return lambda: Sklearn(C=1.0, l1_ratio=1.0, solver="liblinear", tol=tol, max_iter=10_000, fit_intercept=False).fit(X, y)


def skglm(X: Any, y: Any, tol: float) -> Callable[[], Any]:
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic as Datafit
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    signs = np.where(y == 1, 1.0, -1.0)

    def run() -> Any:
        solver = ProxNewton(tol=tol, fit_intercept=False, max_iter=1000)
        return GeneralizedLinearEstimator(Datafit(), L1(1.0 / len(y)), solver).fit(X, signs)

    return run


def celer(X: Any, y: Any, tol: float) -> Callable[[], Any]:
    from celer import LogisticRegression

    return lambda: LogisticRegression(C=1.0, tol=tol, max_iter=1000).fit(X, np.where(y == 1, 1, -1))


@dataclass
class Ours:
    """Our solution under the names of an estimator."""

    solution: Solution

    @property
    def coef_(self) -> Any:
        return self.solution.coef


def separatrix(X: Any, y: Any, tol: float) -> Callable[[], Ours]:
    return lambda: Ours(choice.solve(problem(X, y, tol)))


PEERS = {"liblinear": liblinear, "skglm": skglm, "celer": celer}


def until(make: Callable[..., Any], X: Any, y: Any, best: float) -> tuple[Callable[[], Any], float, float]:
    """Return the contestant with the loosest tolerance that arrives, its tolerance and the gap it reached."""
    for tol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
        run = make(X, y, tol)
        gap = objective(run().coef_, X, y) / best - 1.0
        if gap <= TARGET:
            break
    return run, tol, gap


def case(name: str, X: Any, y: Any, asked: dict[str, float], rounds: int = 3) -> list[Row]:
    best = choice.solve(problem(X, y, 1e-6)).objective
    ours, own, reached = until(separatrix, X, y, best)
    proven = ours().solution.gap / best
    peers = []
    for peer in asked:
        run, tol, gap = until(PEERS[peer], X, y, best)
        said = f"tol={tol:.0e}, gap {gap:.0e}; ours tol={own:.0e}, gap {max(reached, 0.0):.0e}, proven {proven:.0e}"
        peers.append(Peer(peer, run, lambda _, said=said: said))
    return race(name, ours, peers, asked, rounds)


def path(name: str, X: Any, y: Any, rounds: int = 3) -> Row:
    """Twenty values of C up to 1 against one fit at C = 1, both to a gap of 1e-8."""
    asked, one, many = problem(X, y), np.inf, np.inf
    for _ in range(rounds):
        one, many = min(one, once(lambda: choice.solve(asked))[0]), min(many, once(lambda: solve_path(asked, np.logspace(-3, 0, 20)))[0])
    return Row(f"{name}, path of 20 C", show(many), f"one fit {show(one)}", f"{many / one:.2f} fits", "≤ 4 fits", many <= 4 * one)


def a9a() -> list[Row]:
    X, y = load_svmlight_file(str(DATA / "a9a" / "a9a"))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = (y > 0).astype(int)
    return [*case("L1 logistic, a9a", X, y, {"liblinear": 10, "skglm": 1, "celer": 10}, 2), path("L1 logistic, a9a", X, y)]


def words() -> list[Row]:
    X, y = text()
    rows = case("L1 logistic, 40,000 × 50,000 text-like", X, y, {"liblinear": 0.9, "skglm": 0.9, "celer": 2})
    return [*rows, path("L1 logistic, 40,000 × 50,000 text-like", X, y)]


def measured() -> list[Row]:
    X, y = dense()
    return [path("L1 logistic, 100,000 × 50", X, y)]  # liblinear needs minutes to come near


def small() -> list[Row]:
    X, y = load_breast_cancer(return_X_y=True)
    rows = case("L1 logistic, breast cancer (569 × 30)", (X - X.mean(axis=0)) / X.std(axis=0), y, {"liblinear": 1}, 20)
    rng = np.random.default_rng(0)
    for n, p in ((50, 3), (462, 9), (699, 9), (150, 400)):
        X = rng.normal(size=(n, p))
        y = (X[:, : max(p // 9, 3)] @ rng.normal(size=max(p // 9, 3)) + rng.logistic(size=n) > 0).astype(int)
        rows += case(f"L1 logistic, {n} × {p}", X, y, {"liblinear": 1}, 20)
    return rows


def several(epochs: int = 40) -> list[Row]:
    """Twenty classes with an intercept; saga stops after its epochs, far from the end, and the notes say how far."""
    X, labels = newsgroups()
    classes, y = np.unique(labels, return_inverse=True)
    asked = Problem(Rows.of(as_source(X, y)), np.bincount(y).astype(float), Softmax(), 1.0 / len(y), 1.0)
    found = choice.solve(asked)

    def note(model: Any) -> str:
        loss = Softmax().value(X @ model.coef_.T + model.intercept_, y).mean()
        gap = (loss + np.abs(model.coef_).sum() / len(y)) / found.objective - 1.0
        return f"{epochs} epochs, gap {gap:.0e}; ours {found.status}, proven {found.gap / found.objective:.0e}"

    saga = Peer("saga", lambda: Sklearn(C=1.0, l1_ratio=1.0, solver="saga", max_iter=epochs, tol=1e-4, random_state=0).fit(X, y), note)
    return race(
        f"L1 softmax, 20 Newsgroups ({X.shape[0]:,} × {X.shape[1]:,}), K = {len(classes)}", lambda: choice.solve(asked), [saga], {}, 1
    )


def weak() -> list[Row]:
    """Weak penalties: levels, words and dense rows, fewer than columns or not, against liblinear with two tolerances."""
    rows = []
    for number in (0, 149, 247, 298, 316):  # of the random shapes of a seed
        shape = draw(8801, number)
        given = {"C": shape.C, "l1_ratio": 1.0, "fit_intercept": False}
        fit = partial(LogisticRegression(**given).fit, shape.X, shape.y, sample_weight=shape.weight)
        best = log_loss(shape, (own := fit()).coef_, own.intercept_, 1.0)
        said = f"ours {own.solution_.status}, proven {own.solution_.gap / own.solution_.objective:.0e}"
        peers = []
        for tol in (1e-3, 1e-6):
            peer = Sklearn(solver="liblinear", tol=tol, max_iter=10_000, random_state=0, **given)

            def above(model: Any, best: float = best, shape: Any = shape, said: str = said) -> str:
                return f"objective {log_loss(shape, model.coef_, model.intercept_, 1.0) / best - 1.0:.0e} above ours; {said}"

            peers.append(Peer(f"liblinear {tol:g}", partial(peer.fit, shape.X, shape.y, sample_weight=shape.weight), above))
        rows += race(f"weak L1, {shape.name}", fit, peers, {}, 1)
    return rows


CASES = {"weak": weak, "text": words, "dense": measured, "small": small} | ({"a9a": a9a, "several": several} if DATA.is_dir() else {})


def main(names: list[str] | None = None) -> list[Row]:
    warnings.simplefilter("ignore")  # of the peers: their convergence is told by the gap
    rows = []
    for name in names or list(CASES):
        rows += (found := CASES[name]())
        publish(f"L1 logistic regression: {name}", found)
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])

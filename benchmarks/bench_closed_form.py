"""Quadratic discriminants, least squares, nearest mean and Fisher: 500,000 × 50 with 5 classes, iris, memory."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as PeerQDA
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import NearestCentroid

from benchmarks.bench_foundation import K, N, P, memory, rows
from benchmarks.harness import Peer, Row, publish, race
from separatrix import FisherDiscriminant, LeastSquaresClassifier, NearestMean, QuadraticDiscriminantAnalysis

SIZE = f"{N:,} × {P}, K = {K}"


def solver(model: Any) -> str:
    """Return which of its solvers the peer used; all of these are direct."""
    return f"solver_={model.solver_}"


def fits(X: Any, y: Any) -> list[Row]:
    qda, squares, nearest, fisher = QuadraticDiscriminantAnalysis(), LeastSquaresClassifier(1.0), NearestMean(), FisherDiscriminant()
    found = race(
        f"QDA fit, {SIZE}",
        lambda: qda.fit(X, y),
        [Peer("default (svd)", lambda: PeerQDA().fit(X, y)), Peer("eigen", lambda: PeerQDA(solver="eigen").fit(X, y))],
        {"default (svd)": 12},
        rounds=3,
    )
    ridge = Peer("RidgeClassifier, default", lambda: RidgeClassifier().fit(X, y), solver)
    found += race(f"least squares fit, α = 1, {SIZE}", lambda: squares.fit(X, y), [ridge], {ridge.name: 6})
    centroid = Peer("NearestCentroid", lambda: NearestCentroid().fit(X, y))
    found += race(f"nearest mean fit, {SIZE}", lambda: nearest.fit(X, y), [centroid], {centroid.name: 8})
    found += race(f"Fisher fit, {SIZE}", lambda: fisher.fit(X, y), [Peer("bare X.T @ X", lambda: X.T @ X)])
    for name, model in (("QDA", qda), ("least squares", squares), ("nearest mean", nearest), ("Fisher", fisher)):
        found.append(memory(name, model, X, y))
    return found


def predictions(X: Any, y: Any) -> list[Row]:
    found = []
    for name, ours, theirs in (
        ("QDA", QuadraticDiscriminantAnalysis(), PeerQDA(solver="eigen")),
        ("least squares", LeastSquaresClassifier(1.0), RidgeClassifier()),
        ("nearest mean", NearestMean(), NearestCentroid()),
    ):
        ours.fit(X, y), theirs.fit(X, y)
        peer = Peer(type(theirs).__name__, lambda m=theirs: m.predict(X))
        found += race(f"{name} predict, {SIZE}", lambda m=ours: m.predict(X), [peer], rounds=3)
    return found


def small() -> list[Row]:
    X, y = load_iris(return_X_y=True)
    found = []
    for name, ours, theirs in (
        ("QDA", QuadraticDiscriminantAnalysis(), PeerQDA()),
        ("least squares", LeastSquaresClassifier(1.0), RidgeClassifier()),
        ("nearest mean", NearestMean(), NearestCentroid()),
    ):
        peer = type(theirs).__name__
        found += race(f"{name} fit, iris", lambda m=ours: m.fit(X, y), [Peer(peer, lambda m=theirs: m.fit(X, y))], {peer: 1}, rounds=200)
        found += race(
            f"{name} predict, iris", lambda m=ours: m.predict(X), [Peer(peer, lambda m=theirs: m.predict(X))], {peer: 1}, rounds=200
        )
    return found


def main() -> list[Row]:
    X, y = rows()
    found = [*fits(X, y), *predictions(X, y), *small()]
    publish("Closed form", found)
    return found


if __name__ == "__main__":
    main()

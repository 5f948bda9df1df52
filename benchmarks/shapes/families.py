"""The families of models: ours, the peers that minimise the same objective or estimate the same numbers, and that objective."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as PeerQDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import BernoulliNB as PeerBernoulli
from sklearn.naive_bayes import GaussianNB as PeerGaussian
from sklearn.naive_bayes import MultinomialNB as PeerMultinomial
from sklearn.neighbors import NearestCentroid
from sklearn.svm import LinearSVC as Liblinear

import separatrix as own
from benchmarks.shapes.problems import Shape

BLOCK = 50_000


@dataclass(frozen=True)
class Contestant:
    """An estimator to be made, its name, and the numbers of threads it is tried with."""

    name: str
    make: Callable[[], Any]
    threads: tuple[int, ...] = (1, 2)


@dataclass(frozen=True)
class Family:
    """Ours and the peers on a problem; `objective` is None where all estimate the same numbers."""

    ours: Callable[[Shape], Any]
    peers: Callable[[Shape], Iterator[Contestant]]
    suits: Callable[[Shape], bool]
    objective: Callable[[Shape, Any, Any], float] | None = None


def log_loss(shape: Shape, coef: Any, intercept: Any, l1: float = 0.0) -> float:
    """Return C Σ s_i losses + penalty, computed anew in float64."""
    total = 0.0
    for rows in range(0, len(shape.y), BLOCK):
        part = slice(rows, rows + BLOCK)
        Z, y = _scores(shape, part, coef, intercept), shape.y[part]
        s = 1.0 if shape.weight is None else shape.weight[part]
        if Z.shape[1] == 1:
            total += np.sum(s * np.logaddexp(0.0, np.where(y == 1, -Z[:, 0], Z[:, 0])))
        else:
            total += np.sum(s * (logsumexp(Z, axis=1) - Z[np.arange(len(Z)), y]))
    return float(shape.C * total + (1.0 - l1) * 0.5 * np.sum(np.square(coef)) + l1 * np.abs(coef).sum())


def margin_loss(shape: Shape, coef: Any, intercept: Any, power: int = 1) -> float:
    """Return C Σ s_i max(0, 1 − y z)^power + ½‖w‖² + ½b² of all machines, in float64."""
    total = 0.0
    for rows in range(0, len(shape.y), BLOCK):
        part = slice(rows, rows + BLOCK)
        Z, y = _scores(shape, part, coef, intercept), shape.y[part]
        own_class = y[:, None] == (np.arange(shape.n_classes) if Z.shape[1] > 1 else 1)
        s = 1.0 if shape.weight is None else shape.weight[part, None]
        total += np.sum(s * np.maximum(0.0, 1.0 - np.where(own_class, Z, -Z)) ** power)
    return float(shape.C * total + 0.5 * np.sum(np.square(coef)) + 0.5 * np.sum(np.square(intercept)))


def joint_loss(shape: Shape, coef: Any, intercept: Any) -> float:
    """Return Crammer and Singer's C Σ s_i max_k(1 − [k = y] + z_k − z_y) + ½‖W‖² + ½‖b‖², in float64; K > 2."""
    total = 0.0
    for rows in range(0, len(shape.y), BLOCK):
        part = slice(rows, rows + BLOCK)
        Z, y = _scores(shape, part, coef, intercept), shape.y[part]
        short = Z - Z[np.arange(len(Z)), y][:, None] + 1.0
        short[np.arange(len(Z)), y] = 0.0
        total += np.sum((1.0 if shape.weight is None else shape.weight[part]) * short.max(axis=1))
    return float(shape.C * total + 0.5 * np.sum(np.square(coef)) + 0.5 * np.sum(np.square(intercept)))


def squared_loss(shape: Shape, coef: Any, intercept: Any) -> float:
    """Return Σ_i ‖t_i − W x_i − b‖² + ‖W‖² with targets of ±1, in float64."""
    targets, total = np.array([[-1.0], [1.0]]) if shape.n_classes == 2 else 2.0 * np.eye(shape.n_classes) - 1.0, 0.0
    for rows in range(0, len(shape.y), BLOCK):
        part = slice(rows, rows + BLOCK)
        total += np.sum((targets[shape.y[part]] - _scores(shape, part, coef, intercept)) ** 2)
    return float(total + np.sum(np.square(coef, dtype=np.float64)))


def _scores(shape: Shape, part: slice, coef: Any, intercept: Any) -> Any:
    X = shape.X[part]
    X = X if shape.is_sparse else np.asarray(X, dtype=np.float64)
    return np.asarray(X @ np.asarray(coef, dtype=np.float64).T) + intercept


def _size(shape: Shape) -> int:
    return (1 if shape.n_classes == 2 else shape.n_classes) * (shape.X.shape[1] + 1)


def _logistic(shape: Shape) -> Iterator[Contestant]:
    for tol in (1e-4, 1e-8):
        given = {"C": shape.C, "tol": tol, "max_iter": 10_000}
        yield Contestant(f"lbfgs {tol:g}", partial(PeerLogistic, **given))
        yield Contestant(f"newton-cg {tol:g}", partial(PeerLogistic, solver="newton-cg", **given))
        if _size(shape) <= 3000:
            yield Contestant(f"newton-cholesky {tol:g}", partial(PeerLogistic, solver="newton-cholesky", **given))
    yield from _sklearnex(shape)


def _sklearnex(shape: Shape) -> Iterator[Contestant]:
    try:
        from sklearnex.linear_model import LogisticRegression as Intel
    except ImportError:
        return
    yield Contestant("sklearnex 0.0001", partial(Intel, C=shape.C, tol=1e-4, max_iter=10_000))


def _l1(shape: Shape) -> Iterator[Contestant]:
    given = {"C": shape.C, "l1_ratio": 1.0, "max_iter": 10_000, "fit_intercept": False}
    if shape.n_classes == 2:
        for tol in (1e-3, 1e-6):
            yield Contestant(f"liblinear {tol:g}", partial(PeerLogistic, solver="liblinear", tol=tol, random_state=0, **given), (1,))
        if shape.weight is None:
            yield from _celer(shape)
    yield Contestant("saga 1e-5", partial(PeerLogistic, solver="saga", tol=1e-5, random_state=0, **given), (1,))


def _celer(shape: Shape) -> Iterator[Contestant]:
    try:
        from celer import LogisticRegression as Celer
    except ImportError:
        return
    yield Contestant("celer 1e-6", partial(Celer, C=shape.C, tol=1e-6), (1,))


def _liblinear(shape: Shape, **given: Any) -> Iterator[Contestant]:
    for tol in (1e-4, 1e-6):
        yield Contestant(f"liblinear {tol:g}", partial(Liblinear, C=shape.C, tol=tol, max_iter=20_000, random_state=0, **given), (1,))


def _squared(shape: Shape) -> Iterator[Contestant]:
    for dual in (True, False):
        yield from (Contestant(f"{c.name}, dual={dual}", c.make, c.threads) for c in _liblinear(shape, dual=dual))


def _lda(shape: Shape) -> Iterator[Contestant]:
    for solver in ("svd", "lsqr"):
        yield Contestant(f"LDA {solver}", partial(PeerLDA, solver=solver))


class RidgeInDouble(RidgeClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """The peer that solves float32 rows in float64: in float32 its objective may be a hundredth above the minimum."""

    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(np.asarray(X, dtype=np.float64), y)


def _ridge(shape: Shape) -> Iterator[Contestant]:
    yield Contestant("RidgeClassifier", RidgeClassifier)
    if shape.kind == "float32":
        yield Contestant("RidgeClassifier in float64", RidgeInDouble)


def _alone(name: str, make: Callable[[], Any], shape: Shape) -> Iterator[Contestant]:
    yield Contestant(name, make)


def _dense(shape: Shape) -> bool:
    return not shape.is_sparse


def _unweighted(shape: Shape) -> bool:
    return _dense(shape) and shape.weight is None


def _tall(shape: Shape) -> bool:
    return _unweighted(shape) and shape.X.shape[1] <= 2000 and shape.X.shape[0] > shape.X.shape[1] + shape.n_classes


def _full(shape: Shape) -> bool:
    least = np.bincount(shape.y).min()
    return (
        _unweighted(shape) and shape.X.shape[1] <= 1000 and least > 1.5 * shape.X.shape[1] and shape.n_classes * shape.X.shape[1] ** 2 < 1e8
    )


def _counted(shape: Shape) -> bool:
    return shape.kind in ("counts", "one-hot", "tf-idf")


def _pairs(shape: Shape) -> bool:
    return shape.n_classes <= 20


FAMILIES = {
    "logistic": Family(lambda s: own.LogisticRegression(C=s.C), _logistic, _pairs, log_loss),
    "logistic l1": Family(
        lambda s: own.LogisticRegression(C=s.C, l1_ratio=1.0, fit_intercept=False), _l1, _pairs, partial(log_loss, l1=1.0)
    ),
    "hinge": Family(
        lambda s: own.LinearSVC(C=s.C, loss="hinge", penalize_intercept=True), partial(_liblinear, loss="hinge"), _pairs, margin_loss
    ),
    "squared hinge": Family(lambda s: own.LinearSVC(C=s.C, penalize_intercept=True), _squared, _pairs, partial(margin_loss, power=2)),
    "joint hinge": Family(
        lambda s: own.LinearSVC(C=s.C, multi_class="crammer_singer", penalize_intercept=True),
        partial(_liblinear, multi_class="crammer_singer"),
        lambda s: 2 < s.n_classes <= 20,
        joint_loss,
    ),
    "LDA": Family(lambda s: own.LinearDiscriminantAnalysis(), _lda, _tall),
    "LDA shrunk": Family(
        lambda s: own.LinearDiscriminantAnalysis(shrinkage=0.3),
        partial(_alone, "LDA lsqr", lambda: PeerLDA(solver="lsqr", shrinkage=0.3)),
        lambda s: _unweighted(s) and s.X.shape[1] <= 5000,
    ),
    "QDA": Family(lambda s: own.QuadraticDiscriminantAnalysis(), partial(_alone, "QDA", PeerQDA), _full),
    "Gaussian NB": Family(lambda s: own.GaussianNB(), partial(_alone, "GaussianNB", PeerGaussian), _dense),
    "nearest mean": Family(lambda s: own.NearestMean(), partial(_alone, "NearestCentroid", NearestCentroid), _unweighted),
    "least squares": Family(lambda s: own.LeastSquaresClassifier(alpha=1.0), _ridge, _unweighted, squared_loss),
    "multinomial NB": Family(lambda s: own.MultinomialNB(), partial(_alone, "MultinomialNB", PeerMultinomial), _counted),
    "Bernoulli NB": Family(lambda s: own.BernoulliNB(), partial(_alone, "BernoulliNB", PeerBernoulli), _counted),
}

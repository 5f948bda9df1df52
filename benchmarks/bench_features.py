"""Features chosen: filters by one pass against a loop over the columns, searches by algebra against refits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.feature_selection import SequentialFeatureSelector, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.preprocessing import StandardScaler

from benchmarks.harness import Peer, Row, once, publish, race, show
from separatrix import (
    AnovaFilter,
    BackwardSelection,
    ForwardSelection,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MutualInformationFilter,
)


def filters() -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100_000)
    X = (rng.random((100_000, 1_000)) < 0.3 + 0.2 * y[:, None] * rng.random(1_000)).astype(np.float64)
    ours = MutualInformationFilter(k=100).fit(X, y).scores_
    same = lambda scores: f"largest difference {np.abs(scores - ours).max():.0e}"  # noqa: E731
    found = race(
        "mutual information of 1,000 binary columns, 100,000 rows",
        lambda: MutualInformationFilter(k=100).fit(X, y),
        [Peer("mutual_info_classif", lambda: mutual_info_classif(X, y, discrete_features=True), same)],
        {"mutual_info_classif": 50},
        rounds=1,
    )
    found += race(
        "F of 1,000 columns, 100,000 rows",
        lambda: AnovaFilter(k=100).fit(X, y),
        [Peer("f_classif", lambda: f_classif(X, y))],
        rounds=3,
    )
    return found


def search(case: str, ours: Any, theirs: Any, X: Any, y: Any, asked: float) -> list[Row]:
    """Race a search against scikit-learn's: same model, folds and number of columns."""
    way = "backward" if isinstance(ours, BackwardSelection) else "forward"
    peer = SequentialFeatureSelector(theirs, n_features_to_select=ours.n_features, direction=way, cv=ours.plan)
    found = ours.fit(X, y).score_

    def note(fitted: Any) -> str:
        errors = 1.0 - cross_val_score(theirs, X[:, fitted.get_support()], y, cv=ours.plan)
        return f"error {errors.mean():.4f}, ours {found:.4f}"

    name = f"SequentialFeatureSelector({type(theirs).__name__})"
    return race(case, lambda: ours.fit(X, y), [Peer(name, lambda: peer.fit(X, y), note)], {name: asked}, rounds=1)


def wrappers() -> list[Row]:
    X, y = load_breast_cancer(return_X_y=True)
    ten, five = StratifiedKFold(10), StratifiedKFold(5)
    lda, ridge, scaled = LinearDiscriminantAnalysis(), LeastSquaresClassifier(1.0), StandardScaler().fit_transform(X)
    logistic = LogisticRegression()
    found = search("LDA forward, 10 of 30 columns, 10 folds", ForwardSelection(lda, 10, plan=ten), PeerLDA(), X, y, 200)
    found += search("LDA backward, 10 of 30 columns, 10 folds", BackwardSelection(lda, 10, plan=ten), PeerLDA(), X, y, 200)
    found += search("ridge forward, 10 of 30 columns, 10 folds", ForwardSelection(ridge, 10, plan=ten), RidgeClassifier(), X, y, 100)
    found += search("Gaussian NB forward, 10 of 30 columns, 10 folds", ForwardSelection(GaussianNB(), 10, plan=ten), PeerNB(), X, y, 100)
    found += search("logistic forward, 5 of 30 columns, 5 folds", ForwardSelection(logistic, 5, plan=five), PeerLogistic(), scaled, y, 10)
    every = ForwardSelection(logistic, 5, plan=five, exhaustive=True)
    found += search("logistic forward, every candidate fitted", every, PeerLogistic(), scaled, y, 10)
    return [*found, wide()]


def wide() -> Row:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5_000)
    X = rng.standard_normal((5_000, 1_000)) + 0.2 * y[:, None] * rng.random(1_000)
    selector = ForwardSelection(LinearDiscriminantAnalysis(), 50, plan=StratifiedKFold(5))
    seconds = min(once(lambda: selector.fit(X, y))[0] for _ in range(2))
    fits = 5 * sum(1_000 - k for k in range(50))
    return Row(
        "LDA forward, 50 of 1,000 columns, 5,000 rows, 5 folds", show(seconds), f"{fits:,} fits by refitting", "", "< 5 s", seconds < 5
    )


def main() -> None:
    publish("Features", filters())
    publish("Features, searched", wrappers())


if __name__ == "__main__":
    main()

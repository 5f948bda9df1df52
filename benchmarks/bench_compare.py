"""Comparing all families with nested tuning, one family against a nested grid search, and permutations without refits."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, permutation_test_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.harness import Peer, Row, once, publish, race, show
from separatrix import LinearDiscriminantAnalysis, compare, permutation_test

FEW = 20
"""Permutations of the peer, which refits: times are per permutation."""


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    found = []
    for n_jobs in (1, 2):
        seconds, board = min((once(partial(compare, X, y, random_state=0, n_jobs=n_jobs)) for _ in range(2)), key=lambda run: run[0])
        case = f"compare: {len(board)} families, breast cancer, 10 folds, tuned inside, {n_jobs} process{'es' * (n_jobs > 1)}"
        found.append(Row(case, show(seconds), "", show(seconds), "< 10 s", seconds < 10.0 and not board.failures))
    grid = {"logisticregression__C": np.geomspace(1e-3, 1e3, 7)}
    search = GridSearchCV(make_pipeline(StandardScaler(), PeerLogistic(max_iter=1000)), grid, cv=StratifiedKFold(5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found += race(
            "compare: logistic regression, C tuned inside 10 folds, breast cancer",
            lambda: compare(X, y, models=["logistic L2"], random_state=0),
            [Peer("cross_val_predict(GridSearchCV)", lambda: cross_val_predict(search, X, y, cv=StratifiedKFold(10)))],
            rounds=1,
        )
    ours, result = once(lambda: permutation_test(LinearDiscriminantAnalysis(), X, y, random_state=0))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    peer = partial(permutation_test_score, PeerLDA(), X, y, cv=folds, n_permutations=FEW)
    theirs = min(once(partial(peer, n_jobs=n_jobs))[0] for n_jobs in (1, 2))
    per = ours / len(result.permuted), theirs / (FEW + 1)
    case = f"permutation test of LDA, {len(result.permuted):,} permutations, breast cancer, 5 folds"
    found.append(Row(case, show(ours), f"permutation_test_score: {show(per[1])} a permutation", f"{per[1] / per[0]:.0f}× a permutation"))
    publish("Comparing models", found)


if __name__ == "__main__":
    main()

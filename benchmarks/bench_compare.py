"""Comparing all families with nested tuning, one family against a nested grid search, and permutations without refits."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, permutation_test_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.harness import Peer, Row, once, publish, race, show
from separatrix import LinearDiscriminantAnalysis, compare, permutation_test

DATA = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data"))
ASKED = 90.0
"""Seconds of a comparison of all families on two cores."""
FEW = 20
"""Permutations of the peer, which refits: times are per permutation."""


def mnist() -> tuple[Any, Any]:
    file = np.load(DATA / "mnist" / "mnist.npz")
    return file["X_test"].astype(np.float64), file["y_test"]


def golub() -> tuple[Any, Any]:
    file = np.load(DATA / "golub" / "golub.npz")
    return file["X"].astype(np.float64), file["y"]


def covtype() -> tuple[Any, Any]:
    file = np.load(DATA / "covtype" / "covtype.npz")
    some = np.random.default_rng(0).permutation(len(file["y"]))[:50_000]
    return file["X"][some].astype(np.float64), file["y"][some]


def adult() -> tuple[Any, Any]:
    import pandas as pd

    frame = pd.read_csv(DATA / "adult" / "adult-train.csv", skipinitialspace=True, header=None).rename(columns="c{}".format)
    return pd.get_dummies(frame.iloc[:, :-1], dtype=float), frame.iloc[:, -1].to_numpy(dtype=str)


def large(name: str, read: Callable[[], tuple[Any, Any]]) -> Row:
    """Return the row of all families on a table of the shared data, or why there is none."""
    case = f"compare: all families, {name}, 5 folds, tuned inside, 2 processes"
    if not (DATA / name).exists():
        return Row(case, "", "", f"skipped: {name} is not under {DATA.name}/")
    X, y = read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, board = once(partial(compare, X, y, plan=5, random_state=0, n_jobs=2))
    slowest = sorted(board, key=lambda entry: -entry.seconds)[:3]
    told = "seconds of its jobs: " + ", ".join(f"{entry.name} {entry.seconds:.0f}" for entry in slowest)
    shape = " × ".join(f"{n:,}" for n in X.shape)
    return Row(
        case.replace(name, f"{name} {shape}"), show(seconds), told, show(seconds), f"< {ASKED:g} s", seconds < ASKED and not board.failures
    )


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    found = [large(read.__name__, read) for read in (mnist, golub, covtype, adult)]
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

"""Fitted models of every kind, for the laws of the model file: each with rows to predict."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from separatrix import (
    BackwardSelection,
    CalibratedClassifier,
    CorrelationFilter,
    Decision,
    ForwardSelection,
    KFold,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    StabilitySelection,
    TableClassifier,
    VotedPerceptron,
)
from tests.tables import COUNT_MODELS, ESTIMATORS

LABELS = {
    "text": np.array(["ham", "spam", "née", "x" * 20]),
    "objects": np.array(["no", "yes", "maybe", "…"], dtype=object),
    "whole": np.array([3, -1, 7, 100]),
    "small": np.array([0, 1, 2, 3], dtype=np.int8),
    "float": np.array([0.0, 1.0, -2.0, 7.0]),
    "dates": np.array(["2020-01-01", "2021-06-30", "1969-12-31", "2030-01-01"], dtype="M8[D]"),
    "bytes": np.array([b"a", b"bc", b"d", b"\xff"]),
    "switch": np.array([False, True]),
}
MORE = [
    LogisticRegression(C=np.inf),
    LogisticRegression(C=0.5, l1_ratio=1.0, class_weight={0: 2.0, 1: 1.0, 2: 1.0}),
    LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5], shrinkage="auto", n_components=1),
    LinearSVC(loss="hinge"),
    LinearSVC(multi_class="crammer_singer"),
    LeastSquaresClassifier(coding="numbers", alpha=0.1),
    QuadraticDiscriminantAnalysis(reg_param=0.2),
    Perceptron(random_state=np.random.RandomState(3), max_iter=5),
    VotedPerceptron(max_iter=3, trace=True),
    OneVsRest(LinearDiscriminantAnalysis(), machines="all_but_last", scores="distance"),
    OneVsOne(LinearSVC(), rule="all_duels"),
    OneVsRest(CalibratedClassifier(LinearSVC(), method="sigmoid")),
    *[CalibratedClassifier(LinearSVC(), method=method, plan=KFold(3)) for method in ("sigmoid", "isotonic", "beta", "temperature")],
    ForwardSelection(LogisticRegression(), 2, plan=KFold(3, random_state=1), include=[0], floating=True),
    BackwardSelection(LinearDiscriminantAnalysis(), metric="aic", n_features=2),
    StabilitySelection(CorrelationFilter(k=2), n_subsamples=5, random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(CorrelationFilter(k=2), StandardScaler(with_mean=False), PolynomialFeatures(2), LinearDiscriminantAnalysis()),
    TableClassifier(make_pipeline(StandardScaler(), LinearSVC())),
    TableClassifier(standardise=True),
]
"""Beside `ESTIMATORS`, what a model file must hold too."""


def rows(n: int = 72, K: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % K
    return rng.normal(size=(n, 4)) + 0.8 * codes[:, None] * np.array([1.0, -1.0, 0.0, 0.5]), codes


def rows_for(model: Any, K: int = 3) -> tuple[Any, Any]:
    X, codes = rows(K=K)
    if type(model) not in {type(own) for own in COUNT_MODELS}:
        return X, codes
    whole = np.clip(np.rint(np.abs(X)), 0, 3)
    return (whole > 1.0).astype(float) if type(model).__name__ == "BernoulliNB" else whole, codes


def table(n: int = 72) -> tuple[pd.DataFrame, Any]:
    X, codes = rows(n)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame.loc[::7, "a"] = np.nan
    frame["city"] = np.array(["Oslo", "Rome", 'a "quoted" one', "Ülm"])[(codes + (np.arange(n) % 5 == 0)) % 4]
    frame["day"] = pd.date_range("2024-01-01", periods=n)
    return frame, np.array(["no", "yes", "maybe"])[codes]


def fitted() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, fitted model and rows to predict, of every public estimator and more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, model in enumerate([*ESTIMATORS, *MORE]):
            X, y = rows_for(model)
            yield f"{number} {type(model).__name__}", clone(model).fit(X, y), X
        yield from of_tables()


def of_tables() -> Iterator[tuple[str, Any, Any]]:
    frame, labels = table()
    models = [
        TableClassifier(),
        TableClassifier(CalibratedClassifier(LinearSVC())),
        TableClassifier(standardise=True),
        MixedNB(missing="ignore"),
    ]
    for model in models:
        given = frame.drop(columns="day") if isinstance(model, MixedNB) else frame
        yield f"table {type(model).__name__}", model.fit(given, labels), given
    decision = Decision(costs=[[0, 1, 2], [5, 0, 1], [1, 1, 0]], reject_cost=0.4, priors={"no": 0.5, "yes": 0.25, "maybe": 0.25})
    decided = TableClassifier().fit(frame, labels).with_decision(decision, trained_priors=[1 / 3] * 3)
    yield "table DecidedClassifier", decided, frame
    X, y = rows()
    names = pd.DataFrame(X, columns=["ä", "b b", "", "d"])
    yield "frame", LinearDiscriminantAnalysis().fit(names, y), names
    yield "sparse", LogisticRegression().fit(sp.csr_matrix(X), y), sp.csr_matrix(X)
    yield "single", LinearDiscriminantAnalysis().fit(X.astype(np.float32), y), X.astype(np.float32)
    wide = np.random.default_rng(0).normal(size=(12, 40))
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), LogisticRegression(), LeastSquaresClassifier()):
        yield f"wide {type(model).__name__}", model.fit(wide, y[:12]), wide

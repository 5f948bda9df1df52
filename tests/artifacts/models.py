"""Fitted models of every family with rows to predict: what formulas and exports are held against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from separatrix import CalibratedClassifier, Decision, TableClassifier, TablePrep
from separatrix.models import (
    AveragedPerceptron,
    BatchPerceptron,
    BernoulliNB,
    CategoricalNB,
    DecidedClassifier,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    NearestMean,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    VotedPerceptron,
)
from separatrix.prepare.table_columns import TableColumns


@dataclass(frozen=True)
class Case:
    """A fitted model and rows to predict; `table` says whether they are a frame."""

    name: str
    model: Any
    rows: Any

    def __str__(self) -> str:
        return self.name


def numbers(K: int, n: int = 90, p: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    X = rng.normal(size=(n, p)) * [1.0, 3.0, 0.5, 10.0][:p] + y[:, None] * [1.0, -1.0, 0.3, 2.0][:p] + 5.0
    return X, np.array(["no", "yes", "may be"])[y]


def counts(K: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(K + 7)
    y = np.arange(120) % K
    X = rng.poisson(1.0 + y[:, None] * [0.5, 1.0, 0.0, 2.0])
    return np.minimum(X, 5).astype(float), y


PLAIN = [
    LinearDiscriminantAnalysis(), LogisticRegression(), GaussianNB(), QuadraticDiscriminantAnalysis(shrinkage=0.2), NearestMean(),
    NearestMean(metric="standardised"), LeastSquaresClassifier(), FisherDiscriminant(), LinearSVC(), AveragedPerceptron(),
]  # fmt: skip
LOOPS = [Perceptron(max_iter=5), BatchPerceptron(max_iter=5), VotedPerceptron(max_iter=2)]
COUNTS = [BernoulliNB(binarize=1.0), MultinomialNB(), CategoricalNB(), MixedNB()]
RULES = [
    Decision([[0, 1], [4, 0]]),
    Decision.threshold(0.2, priors=[0.3, 0.7]),
    Decision(reject_cost=0.2),
    Decision([[0, 3, 1], [9, 0, 1]], actions=["leave", "call", "write"]),
]


def quiet_fit(model: Any, X: Any, y: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


@cache
def number_cases() -> tuple[Case, ...]:
    found = []
    for K in (2, 3):
        X, y = numbers(K)
        found += [Case(f"{type(own).__name__}-{K}", quiet_fit(_new(own), X, y), X[:40] * 1.1) for own in [*PLAIN, *LOOPS]]
        for method in ("sigmoid", "isotonic", "temperature", "beta"):
            for inner in (LinearSVC(), GaussianNB()):
                model = CalibratedClassifier(_new(inner), method)
                found.append(Case(f"Calibrated-{method}-{type(inner).__name__}-{K}", quiet_fit(model, X, y), X[:40] * 1.1))
        C, labels = counts(K)
        found += [Case(f"{type(own).__name__}-{K}", quiet_fit(_new(own), C, labels), C[:50]) for own in COUNTS]
    X, y = numbers(2)
    for i, rule in enumerate(RULES):
        for inner in (LogisticRegression(), GaussianNB(), CalibratedClassifier(LinearSVC())):
            model = DecidedClassifier(_new(inner), rule)
            found.append(Case(f"Decided{i}-{type(inner).__name__}", quiet_fit(model, X, y), X[:40]))
    return tuple(found)


@cache
def machine_cases() -> tuple[Case, ...]:
    found = []
    for K in (2, 3):
        X, y = numbers(K)
        for inner in (LogisticRegression(), GaussianNB(), QuadraticDiscriminantAnalysis(shrinkage=0.2)):
            several = (OneVsRest(_new(inner)), OneVsOne(_new(inner)), OneVsRest(_new(inner), machines="all_but_last"))
            found += [Case(f"{type(own).__name__}-{type(inner).__name__}-{K}", quiet_fit(own, X, y), X[:40]) for own in several]
        found.append(Case(f"OneVsRest-distance-{K}", quiet_fit(OneVsRest(LinearSVC(), scores="distance"), X, y), X[:40]))
    return tuple(found)


def _new(model: Any) -> Any:
    from sklearn.base import clone

    return clone(model)


def table(n: int = 240, seed: int = 3) -> pd.DataFrame:
    """A table as people have it: gaps, numbers written as text, dates, categories with rare levels, many levels."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    found = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "income": rng.lognormal(10, 1, n).round(2),
            "price": [f"${1000 + 37 * i % 9000:,}.5" if i % 11 else "n/a" for i in range(n)],
            "city": rng.choice(["Oslo", "Rome", "Bern", 'it\'s "odd"\\', "Ulm"], n, p=[0.4, 0.3, 0.2, 0.08, 0.02]),
            "plan": rng.choice(["basic", "plus", None], n),
            "code": [f"c{i % 60}" for i in rng.integers(0, 60, n)],
            "since": pd.Timestamp("2020-01-05") + pd.to_timedelta(rng.integers(0, 1500 * 24, n), "h"),
            "flag": rng.random(n) < 0.5,
        }
    )
    found.loc[::17, "since"] = pd.NaT
    return found


def answers(frame: pd.DataFrame, K: int = 2) -> Any:
    rng = np.random.default_rng(1)
    score = np.nan_to_num(frame["age"], nan=40) / 20 + (frame["city"] == "Rome") * 1.0 + rng.normal(size=len(frame))
    return np.array(["no", "yes", "later"])[np.digitize(score, [2.6] if K == 2 else [2.0, 3.2])]


def unseen(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table with levels that were never seen, gaps everywhere and odd numbers."""
    found = frame.head(60).copy()
    found.loc[found.index[:5], "city"] = ["Paris", " Rome ", None, "", "NA"]
    found.loc[found.index[5:9], "age"] = [np.nan, np.inf, -np.inf, 1e6]
    found.loc[found.index[9:16], "price"] = ["(12.5)", "€ 1.299,00", "7 %", "lots", "", "-3", None]
    found.loc[found.index[16:18], "code"] = ["zz", None]
    return found


WISHES = {
    "plain": {},
    "shapes": {"shapes": {"age": "spline", "income": "log"}},
    "bins": {"shapes": {"age": "bins", "income": "squash"}, "interactions": [("age", "plan")]},
}


@cache
def table_cases(written: bool = True) -> tuple[Case, ...]:
    """Models of tables, with a column of numbers written as text or without."""
    frame, found = table(), []
    rows = unseen(frame)
    if not written:
        frame, rows = frame.drop(columns="price"), rows.drop(columns="price")
    for K in (2, 3):
        y = answers(frame, K)
        for name, wishes in WISHES.items():
            model = TableClassifier(LogisticRegression(C=1.0), prep=TablePrep(**wishes), standardise=name == "shapes")
            found.append(Case(f"table-{name}-{K}", quiet_fit(model, frame, y), rows))
        several = (GaussianNB(), LinearDiscriminantAnalysis(shrinkage=0.1))
        found += [Case(f"table-{type(own).__name__}-{K}", quiet_fit(TableClassifier(own), frame, y), rows) for own in several]
        naive = TableClassifier(MixedNB(missing="ignore"), prep=TableColumns())
        found.append(Case(f"table-MixedNB-{K}", quiet_fit(naive, frame, y), rows))
    found.append(Case("table-decided", quiet_fit(TableClassifier(), frame, answers(frame)).with_decision(RULES[3]), rows))
    return tuple(found)

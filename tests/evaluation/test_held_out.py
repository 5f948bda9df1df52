"""Naive Bayes by counting without a row, or without a fold, is the refit without it."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix import BernoulliNB, CategoricalNB, MixedNB, MultinomialNB
from separatrix.evaluation import KFold, LeaveOneOut, evaluate
from separatrix.evaluation.evaluation_rows import rows_to_evaluate
from separatrix.evaluation.held_out import hold_out

pytestmark = pytest.mark.usefixtures("roads")

N = 28
MODELS = [
    BernoulliNB,
    MultinomialNB,
    CategoricalNB,
    partial(MixedNB, {0: "gaussian", 1: "poisson", 2: "categorical", 3: "multinomial", 4: "multinomial"}),
]
MORE: list[dict[str, Any]] = [{}, {"fit_prior": False}, {"class_weight": {"b": 2.0}}, {"class_weight": "balanced"}]


def counts(rng: Any, lonely: bool = False) -> tuple[Any, Any]:
    """Small counts; one row alone has something in the last column, and may be alone in its class."""
    y = np.array(list("abc"))[np.arange(N) % 3]
    X = rng.poisson(0.7, (N, 5)).astype(float)
    X[:, 4], X[7, 4] = 0.0, 4.0
    if lonely:
        y = np.where(y == "a", "b", y)
        y[3] = "a"
    return X, y


def agree(model: Any, X: Any, y: Any, weight: Any = None, folds: Any = None) -> None:
    rows = rows_to_evaluate(X, y, weight)
    plan: Any = LeaveOneOut() if folds is None else KFold(4)
    numbers = plan.folds(rows.n)[0] if folds is None else folds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of categories that only the held-out rows have
        quick, brute = (hold_out(model, rows, plan, numbers, exact) for exact in (False, True))
    assert quick.method == "exact algebra" and quick.posteriors is not None and brute.posteriors is not None
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-9)
    best = np.sort(brute.posteriors, axis=1)
    clear = ~(best[:, -1] - best[:, -2] <= 1e-9)  # classes that are equally probable may come in either order
    assert (quick.codes == brute.codes)[clear].all()


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("lonely", [False, True])
def test_one_row_left_out(model: Any, alpha: float, lonely: bool, rng: Any) -> None:
    X, y = counts(rng, lonely)
    for weight in (None, rng.integers(1, 4, N).astype(float), rng.uniform(0.5, 1.5, N)):
        agree(model(alpha=alpha), X, y, weight)


@pytest.mark.parametrize("more", MORE, ids=repr)
@pytest.mark.parametrize("model", MODELS)
def test_priors_and_class_weights(model: Any, more: Any, rng: Any) -> None:
    X, y = counts(rng)
    agree(model(alpha=0.3, **more), X, y)
    agree(model(alpha=0.3, **more), X, y, rng.uniform(0.5, 1.5, N), np.arange(N) % 4)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("model", MODELS)
def test_missing_values_and_two_classes(model: Any, alpha: float, rng: Any) -> None:
    X, y = counts(rng)
    X[rng.random(X.shape) < 0.15] = np.nan
    agree(model(alpha=alpha, missing="ignore"), X, np.where(y == "a", "b", y))
    agree(model(alpha=alpha, missing="ignore"), X, y, None, np.arange(N) % 4)


@pytest.mark.parametrize("alpha", [1.0, 0.0, np.array([0.5, 1.0, 2.0, 0.0, 0.3])], ids=repr)
@pytest.mark.parametrize("model", [BernoulliNB, MultinomialNB])
def test_sparse_rows(model: Any, alpha: Any, rng: Any) -> None:
    X, y = counts(rng)
    agree(model(alpha=alpha), sp.csr_array(X), y, rng.integers(1, 3, N).astype(float))


@pytest.mark.parametrize("model", MODELS)
def test_folds_with_rows_never_held_out(model: Any, rng: Any) -> None:
    X, y = counts(rng)
    folds = np.where(np.arange(N) % 5 == 0, -1, np.arange(N) % 3)
    agree(model(), X, y, None, folds)


def test_categories_beyond_those_seen(rng: Any) -> None:
    X, y = counts(rng)
    agree(CategoricalNB(min_categories=6), X, y)
    agree(CategoricalNB(alpha=0.0, min_categories=[1, 1, 1, 1, 5]), X, y)


def test_tables_whose_kinds_hinge_on_a_row(rng: Any) -> None:
    """With row 5 a column varies too much for counts; the fit without it is another model."""
    _, y = counts(rng)
    trips = rng.poisson(1.0, N).astype(float)
    trips[5] = 30.0
    X = pd.DataFrame({"trips": trips, "size": rng.normal(size=N), "name": rng.choice(["u", "v"], N)})
    assert MixedNB().fit(X, y).kinds_.tolist() == ["gaussian", "gaussian", "categorical"]
    assert MixedNB().fit(X.drop(5), np.delete(y, 5)).kinds_.tolist() == ["poisson", "gaussian", "categorical"]
    agree(MixedNB(), X, y)
    agree(MixedNB(), X, y, rng.uniform(0.5, 1.5, N), np.arange(N) % 4)


def test_leave_one_out_of_many_rows_is_quick_and_right(rng: Any) -> None:
    X = rng.poisson(0.3, (20_000, 20)).astype(float)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0.5).astype(int)
    for model in (BernoulliNB(), MultinomialNB(), CategoricalNB()):
        found = evaluate(model, X, y, plan=LeaveOneOut())
        rows = rows_to_evaluate(X, y)
        for i in (0, 9_999, 19_999):
            one = rows.without_row(i).fit(model).predict_proba(X[i : i + 1])
            assert found.posteriors is not None
            assert_allclose(found.posteriors[i], one[0], atol=1e-10)

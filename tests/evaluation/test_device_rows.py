"""Rows on another device are evaluated there, with the numbers of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as OtherLogistic

from separatrix.data import namespaces
from separatrix.data.device import DeviceSource
from separatrix.errors import InputError
from separatrix.evaluation import Bootstrap, KFold, LeaveOneOut, evaluate, permutation_test, shrinkage_path
from separatrix.models import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)
from tests.libraries import each_library, torch

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage=0.3),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage=0.3),
    GaussianNB(),
    NearestMean(),
    NearestMean(metric="standardised"),
    LeastSquaresClassifier(alpha=0.5),
    FisherDiscriminant(),
]


def rows(K: int, seed: int = 4) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K).repeat(3), rng.integers(0, K, 60))
    X = rng.normal(size=(len(y), 4)) @ rng.normal(size=(4, 4)) + 3.0 + rng.normal(size=(K, 4))[y]
    return X, y, rng.integers(0, 3, len(y)).astype(float)


def agree(found: Any, expected: Any) -> None:
    assert found.error == expected.error and found.method == expected.method
    if expected.posteriors is not None:
        assert_allclose(found.posteriors, expected.posteriors, atol=1e-9)


@each_library
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_folds_and_rows_left_out(model: Any, weighted: bool, K: int, convert: Any) -> None:
    X, y, w = rows(K)
    for plan in (KFold(3), LeaveOneOut()):
        here, there = ({"sample_weight": f(w)} if weighted else {} for f in (np.asarray, convert))
        agree(evaluate(model, convert(X), convert(y), plan=plan, **there), evaluate(model, X, y, plan=plan, **here))


@pytest.mark.parametrize("model", [LogisticRegression(tol=1e-10, max_iter=1000), LinearSVC(tol=1e-12, max_iter=3000)], ids=str)
def test_losses_are_refitted_fold_by_fold(model: Any) -> None:
    X, y, _ = rows(3)
    agree(evaluate(model, torch(X), torch(y), plan=KFold(3)), evaluate(model, X, y, plan=KFold(3), exact=True))


@each_library
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LeastSquaresClassifier(alpha=0.5), GaussianNB()], ids=str)
def test_labels_shuffled(model: Any, convert: Any) -> None:
    X, y, _ = rows(3)
    here, there = (permutation_test(model, f(X), f(y), n_permutations=12) for f in (np.asarray, convert))
    assert (there.observed, there.method) == (here.observed, here.method)
    assert_allclose(there.permuted, here.permuted)


@each_library
@pytest.mark.parametrize("plan", [LeaveOneOut(), KFold(3)], ids=str)
def test_shrinkages(plan: Any, convert: Any) -> None:
    X, y, _ = rows(3)
    here, there = (shrinkage_path(f(X), f(y), shrinkages=[0.0, 0.2, 1.0], plan=plan) for f in (np.asarray, convert))
    assert_allclose(there.log_loss, here.log_loss, rtol=1e-9)
    assert_allclose(there.error, here.error)


@each_library
def test_a_row_that_is_its_class_and_rows_fewer_than_columns(convert: Any) -> None:
    X, y, _ = rows(3)
    alone = np.append(X[:30], X[-1:], axis=0), np.append(y[:30], 7)
    wide = np.random.default_rng(0).normal(size=(12, 20)), np.arange(12) % 2
    for model, (A, b) in ((GaussianNB(), alone), (NearestMean(), alone), (LinearDiscriminantAnalysis(shrinkage=0.5), wide)):
        here, there = (evaluate(clone(model), f(A), f(b), plan=LeaveOneOut()) for f in (np.asarray, convert))
        assert there.error == here.error


def test_resamples() -> None:
    X, y, _ = rows(2)
    here, there = (evaluate(LinearDiscriminantAnalysis(), f(X), f(y), plan=Bootstrap(4)) for f in (np.asarray, torch))
    assert_allclose(there.error, here.error)


def test_rows_do_not_come_to_the_host(monkeypatch: Any) -> None:
    X, y, _ = rows(3)
    moved: list[tuple[int, ...]] = []
    to_host = namespaces.to_host
    for module in ("solvers.held_out.leave_one_out", "solvers.held_out.leave_one_out_shrunk", "evaluation.held_out"):
        monkeypatch.setattr(f"separatrix.{module}.to_host", lambda a: moved.append(tuple(a.shape)) or to_host(a))
    for plan in (KFold(3), LeaveOneOut()):
        evaluate(LinearDiscriminantAnalysis(shrinkage=0.3), torch(X), torch(y), plan=plan)
    assert moved and not any(shape[-1:] == (4,) and len(shape) == 2 and shape[0] > 4 for shape in moved)


def test_views_of_rows() -> None:
    X, y, w = rows(3)
    view = DeviceSource(torch(X)).labelled(y, w).take(np.array([5, 3, 60])).take(np.array([2, 0]))
    (block,) = view.blocks()
    assert_allclose(block.X.numpy(), X[[60, 5]])
    assert block.codes.tolist() == y[[60, 5]].tolist() and block.weight.tolist() == w[[60, 5]].tolist()
    X[60, 1] = np.nan
    with pytest.raises(InputError, match="first at row 60, column 1"):
        DeviceSource(torch(X)).take(np.array([5, 60])).refuse_nonfinite()


def test_other_models_are_refused() -> None:
    X, y, _ = rows(2)
    with pytest.raises(InputError, match=r"takes rows in NumPy, X is an array of torch on cpu; pass X\.numpy\(force=True\)"):
        evaluate(OtherLogistic(), torch(X), torch(y), plan=KFold(3))

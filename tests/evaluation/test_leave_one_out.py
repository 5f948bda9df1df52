"""Leaving one row out by algebra is refitting without it: every model, every kind of rows, every trap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis, NearestMean, QuadraticDiscriminantAnalysis
from separatrix.errors import InputError
from separatrix.evaluation import KFold, LeaveOneOut, evaluate
from separatrix.evaluation.evaluation_rows import EvaluationRows, rows_to_evaluate
from separatrix.evaluation.held_out import hold_out, method_of
from tests.tables import MODELS

pytestmark = pytest.mark.usefixtures("roads")

MORE = [
    LinearDiscriminantAnalysis(shrinkage=1.0),
    LinearDiscriminantAnalysis(shrinkage=0.3, priors=[0.2, 0.3, 0.5]),
    LinearDiscriminantAnalysis(covariance="mle"),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    QuadraticDiscriminantAnalysis(shrinkage=0.3),
    QuadraticDiscriminantAnalysis(reg_param=0.2, shrinkage=0.1, covariance="unbiased"),
    LeastSquaresClassifier(2.0, class_weight={"a": 2.0, "c": 0.5}),
    LeastSquaresClassifier(coding="numbers", numbers={"a": 2, "b": 0, "c": 1}, alpha=0.1),
    NearestMean(metric="standardised", priors=[0.2, 0.3, 0.5]),
    FisherDiscriminant(threshold="priors"),
    FisherDiscriminant(n_components=1),
]


SINGULAR = [LinearDiscriminantAnalysis(), FisherDiscriminant(), QuadraticDiscriminantAnalysis(), LeastSquaresClassifier()]
"""Models whose algebra needs columns that vary independently in all rows but one."""


def three(rng: Any) -> tuple[Any, Any]:
    y = np.repeat(["a", "b", "c"], [6, 9, 15])
    return rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4)) + np.arange(4) * (y == "c")[:, None] + 5.0, y


def lonely(rng: Any) -> tuple[Any, Any]:
    """A class of one row goes with it."""
    X, y = three(rng)
    return X, np.where(np.arange(30) == 4, "a", np.where(y == "a", "b", y))


def carried(rng: Any) -> tuple[Any, Any]:
    """One row alone makes a column vary; another column never does."""
    X, y = three(rng)
    return np.column_stack([X[:, :2], np.arange(30) == 7, np.ones(30)]), y


def wide(rng: Any) -> tuple[Any, Any]:
    """Fewer rows than columns."""
    y = np.repeat(["a", "b", "c"], [3, 4, 5])
    return rng.normal(size=(12, 15)) + (y == "b")[:, None], y


def far(rng: Any) -> tuple[Any, Any]:
    """Means of 1e6 beside a standard deviation of one."""
    X, y = three(rng)
    return X + 1e6, y


def agree(model: Any, X: Any, y: Any, weight: Any = None, atol: float = 1e-8) -> str:
    rows = rows_to_evaluate(X, y, weight)
    plan = LeaveOneOut()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of singular fits, which the traps bring about on both roads
        quick, brute = (hold_out(model, rows, plan, plan.folds(rows.n)[0], exact) for exact in (False, True))
    assert_array_equal(quick.codes, brute.codes)
    if brute.posteriors is not None:
        assert_allclose(quick.posteriors, brute.posteriors, atol=atol)
    return quick.method


@pytest.mark.parametrize("model", [*MODELS, *MORE], ids=repr)
def test_algebra_is_refitting(model: Any, rng: Any) -> None:
    method = agree(model, *three(rng))
    assert method == ("refits" if getattr(model, "shrinkage", None) == "auto" else "exact algebra")


@pytest.mark.parametrize("model", [*MODELS, *MORE], ids=repr)
def test_with_weights_on_sparse_rows(model: Any, rng: Any) -> None:
    X, y = three(rng)
    X = sp.csr_array(np.where(rng.random(X.shape) < 0.4, 0.0, X))
    agree(model, X, y, rng.integers(1, 4, len(y)).astype(float))
    agree(model, X.toarray(), y, rng.uniform(0.5, 1.5, len(y)))


@pytest.mark.parametrize("trap", [lonely, carried, wide, far])
@pytest.mark.parametrize("model", [*MODELS, *MORE], ids=repr)
def test_in_traps(model: Any, trap: Any, rng: Any) -> None:
    X, y = trap(rng)
    if trap is lonely and any(name in repr(model) for name in ("priors=[", "{'a'", "covariance='unbiased', reg_param")):
        with pytest.raises(InputError):
            agree(model, X, y)
        return  # given for three classes, or for two rows in each: the fit itself refuses
    agree(model, X, y, atol=1e-6)


@pytest.mark.parametrize("model", [m for m in [*MODELS, *MORE] if "priors=[" not in repr(m) and "{'a'" not in repr(m)], ids=repr)
def test_of_two_classes(model: Any, rng: Any) -> None:
    X, y = three(rng)
    agree(model, X, np.where(y == "a", "b", y))


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("columns", [4, 5], ids=["carried by a row", "one of them twice"])
@pytest.mark.parametrize("model", SINGULAR, ids=repr)
def test_the_method_says_how_many_rows_were_refitted(model: Any, columns: int, rng: Any, monkeypatch: Any) -> None:
    X, y = three(rng)
    X[:, 3] = np.where(np.arange(30) == 7, 1.0, 0.0)
    X = np.column_stack([X[:, :4], X[:, 0]])[:, :columns]
    fits: list[int] = []
    fit = EvaluationRows.fit
    monkeypatch.setattr(EvaluationRows, "fit", lambda rows, *more: fits.append(rows.n) or fit(rows, *more))
    refitted = (evaluate(model, X, y, plan=LeaveOneOut()), fits.count(29))[1]
    said = {0: "exact algebra", 30: "refits"}.get(refitted, f"exact algebra, {refitted} of 30 rows refitted")
    assert evaluate(model, X, y, plan=LeaveOneOut()).method == said and refitted


def one_hot(rng: Any, rare: bool) -> tuple[Any, Any]:
    """All levels of two categories and a number, in columns of different units; where rare, one row has a level alone."""
    a, b, y = np.arange(60) % 3, np.arange(60) // 3 % 4, np.arange(60) // 12 % 2
    a = np.where(np.arange(60) == 7, 3, a) if rare else a
    columns = [np.eye(a.max() + 1)[a], np.eye(4)[b] * 1e4, rng.normal(size=(60, 1)) + y[:, None], np.full((60, 1), 0.1)]
    return np.hstack(columns), y


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("model", [*SINGULAR, LinearDiscriminantAnalysis(covariance="mle", priors=[0.3, 0.7])], ids=repr)
def test_directions_in_which_no_row_differs_are_left_out_once(model: Any, rare: bool, rng: Any) -> None:
    X, y = one_hot(rng, rare)
    w = rng.integers(1, 3, 60).astype(float)
    separate = isinstance(model, QuadraticDiscriminantAnalysis)  # the class without the level has a plane of its own
    for weight in (None, w):
        said = "refits" if rare and separate else "exact algebra, 1 of 60 rows refitted" if rare else "exact algebra"
        assert method_of([held(model, X, y, weight)]) == said
        agree(model, X, y, weight, atol=1e-7)


def held(model: Any, X: Any, y: Any, weight: Any) -> Any:
    rows = rows_to_evaluate(X, y, weight)
    return hold_out(model, rows, LeaveOneOut(), LeaveOneOut().folds(rows.n)[0])


FEW_ROWS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(covariance="mle", priors=[0.2, 0.3, 0.5]),
    LinearDiscriminantAnalysis(shrinkage=0.3),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="priors"),
    LeastSquaresClassifier(alpha=2.0, class_weight={0: 2.0}),
    LeastSquaresClassifier(alpha=0.5, coding="numbers"),
    QuadraticDiscriminantAnalysis(shrinkage=0.2),
    QuadraticDiscriminantAnalysis(reg_param=0.3, covariance="unbiased", priors=[0.2, 0.3, 0.5]),
]


@pytest.mark.parametrize("model", FEW_ROWS, ids=repr)
@pytest.mark.parametrize("p", [20, 110])
def test_rows_fewer_than_columns_are_left_out_in_their_span(model: Any, p: int, rng: Any) -> None:
    X, y = rng.normal(size=(18, p)) * 10.0 ** rng.uniform(-2, 2, p) + 3.0, np.arange(18) % 3
    X[:, 4] = 0.1
    for weight in (None, rng.integers(1, 3, 18).astype(float)):
        agree(model, X, y, weight)
        assert p == 20 or agree(model, sp.csr_array(X), y, weight) == "exact algebra"


@pytest.mark.parametrize("model", FEW_ROWS[:1] + FEW_ROWS[3:4], ids=repr)
def test_a_row_that_carries_a_column_alone_is_refitted_in_the_span_too(model: Any, rng: Any) -> None:
    X, y = rng.normal(size=(18, 110)), np.arange(18) % 3
    X[:, 3], X[:, 4] = np.arange(18) == 7, 0.1
    X[9], X[10] = X[12], X[13]  # of one class, and of two
    agree(model, X, y)
    lonely = np.where(np.arange(18) == 5, 3, y)
    agree(model, X, lonely)


def test_a_hundred_refits_of_a_singular_fit_warn_once(rng: Any) -> None:
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    X[:, 2] = y  # means differ along a direction without variance
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=LeaveOneOut())
    assert found.method == "refits" and len(caught) == 1
    assert "has no inverse: along 1 direction(s) involving column 2" in str(caught[0].message)


def test_a_fold_per_row_is_leave_one_out(rng: Any) -> None:
    X, y = three(rng)
    one, other = (evaluate(NearestMean(), X, y, plan=p) for p in (LeaveOneOut(), KFold(30, stratified=False, random_state=3)))
    assert one.scores == other.scores and one.method == other.method

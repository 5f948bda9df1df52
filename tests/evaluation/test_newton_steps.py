"""Minimised losses without rows and folds: Newton steps end where refits end, or a refit takes their place."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import scale

from separatrix import LinearSVC, LogisticRegression
from separatrix.abilities import logistic_held_out
from separatrix.evaluation import KFold, LeaveOneOut, evaluate
from separatrix.evaluation.evaluation_rows import EvaluationRows, rows_to_evaluate
from separatrix.evaluation.held_out import hold_out
from separatrix.evaluation.refits import by_refits
from separatrix.solvers.held_out import left_out_newton
from separatrix.solvers.held_out.left_out_newton import leave_rows_out
from separatrix.solvers.held_out.left_out_third import suits_third_order, third_order_scores

pytestmark = pytest.mark.usefixtures("roads")

SMOOTH = [
    LogisticRegression(),
    LogisticRegression(C=0.05, fit_intercept=False),
    LogisticRegression(C=20.0, class_weight={0: 2.0}),
    LogisticRegression(C=0.5, l1_ratio=1.0),
    LogisticRegression(C=0.5, l1_ratio=0.5),
]
MARGINS = [
    LinearSVC(),
    LinearSVC(C=5.0),
    LinearSVC(C=0.1, fit_intercept=False),
    LinearSVC(C=0.01, penalize_intercept=True),
    LinearSVC(loss="hinge"),
    LinearSVC(C=5.0, loss="hinge", penalize_intercept=True, intercept_scaling=3.0),
    LinearSVC(C=0.1, loss="hinge", fit_intercept=False),
]
PLANS = [LeaveOneOut(), KFold(5, random_state=0)]


def iris(rng: Any, classes: int) -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    chosen = rng.permutation(np.flatnonzero(y >= 3 - classes))[:40]
    return X[chosen], y[chosen] - (3 - classes)


def exact_scores(model: Any, rows: Any, folds: Any) -> Any:
    """Scores of refits to all digits."""
    found = None
    for fold in range(int(folds.max()) + 1):
        held = np.flatnonzero(folds == fold)
        fitted = rows.take(np.flatnonzero(folds != fold)).fit(clone(model).set_params(tol=1e-13 if isinstance(model, LinearSVC) else 1e-10))
        scores = fitted.decision_function(rows.take(held).X).reshape(len(held), -1)
        found = np.full((rows.n, scores.shape[1]), np.nan) if found is None else found
        found[held] = scores
    return found


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("model", [*SMOOTH, *MARGINS], ids=repr)
def test_steps_end_where_refits_end(model: Any, plan: Any, classes: int, rng: Any) -> None:
    X, y = iris(rng, classes)
    rows = rows_to_evaluate(X, y, rng.integers(1, 3, len(y)).astype(float))
    folds = plan.coded_folds(rows.codes, rows.classes)[0]
    fitted = rows.fit(clone(model).set_params(tol=1e-8))
    found, method = fitted.abilities().folds.scores(rows.source(), folds, isinstance(plan, LeaveOneOut))
    certain = ~found.refit
    assert method == ("certified" if model in MARGINS else "Newton steps") and (certain.any() or model.get_params().get("l1_ratio"))
    brute = exact_scores(model, rows, folds)
    shift = brute.mean(axis=1, keepdims=True) - found.scores.mean(axis=1, keepdims=True) if classes > 2 and model in SMOOTH else 0.0
    assert_allclose((found.scores + shift)[certain], brute[certain], atol=1e-7 if model in MARGINS else 2e-3, rtol=1e-3)


@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("model", [SMOOTH[0], SMOOTH[3], MARGINS[1]], ids=repr)
def test_sparse_rows_are_rows(model: Any, plan: Any, rng: Any) -> None:
    X, y = iris(rng, 3)
    dense, sparse = (hold_out(model, rows_to_evaluate(kind(X), y), plan, plan.folds(40, y)[0]) for kind in (np.asarray, sp.csr_array))
    assert_array_equal(dense.codes, sparse.codes)
    if dense.posteriors is not None:
        assert_allclose(dense.posteriors, sparse.posteriors, atol=1e-4)


def some_digits(rng: Any) -> tuple[Any, Any]:
    X, y = load_digits(n_class=4, return_X_y=True)
    chosen = rng.permutation(len(y))[:300]
    return X[chosen], y[chosen]


@pytest.mark.parametrize("model", [LogisticRegression(C=0.01), LogisticRegression(fit_intercept=False), SMOOTH[2]], ids=repr)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_folds_around_one_hessian_end_where_refits_end(model: Any, offset: float, rng: Any) -> None:
    X, y = some_digits(rng)
    rows = rows_to_evaluate(X + offset * bool(model.fit_intercept), y, rng.integers(1, 3, len(y)).astype(float))
    folds = KFold(4, random_state=0).coded_folds(rows.codes, rows.classes)[0]
    exact = clone(model).set_params(tol=1e-9, max_iter=500)
    found, method = rows.fit(exact).abilities().folds.scores(rows.source(), folds, False)
    assert method == "Newton steps" and found.polished and not found.refit.any()
    brute = exact_scores(model.set_params(max_iter=500), rows, folds)
    shift = brute.mean(axis=1, keepdims=True) - found.scores.mean(axis=1, keepdims=True)
    assert_allclose(found.scores + shift, brute, atol=1e-4 * np.abs(brute).max())


def test_classes_as_separate_as_digits_need_no_refit(rng: Any) -> None:
    X, y = some_digits(rng)
    quick, brute = (evaluate(LogisticRegression(), X, y, plan=KFold(5, random_state=0), exact=exact) for exact in (False, True))
    assert quick.method.startswith("Newton steps") and brute.method == "refits"
    assert quick.scores["log_loss"] == pytest.approx(brute.scores["log_loss"], rel=2e-3)
    assert quick.error == brute.error


def test_a_class_that_goes_with_its_fold_is_refitted(rng: Any) -> None:
    X, y = some_digits(rng)
    y = np.where(np.arange(300) < 3, 7, y)
    folds = np.where(np.arange(300) < 10, 0, 1 + np.arange(300) % 3)
    rows = rows_to_evaluate(X, y)
    found, _ = rows.fit(LogisticRegression()).abilities().folds.scores(rows.source(), folds, False)
    assert_array_equal(found.refit, folds == 0)


def test_leave_one_out_log_loss_is_that_of_refits() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X[:150]), y[:150]
    quick, brute = (evaluate(LogisticRegression(C=10.0), X, y, plan=LeaveOneOut(), exact=exact) for exact in (False, True))
    assert quick.method.startswith("Newton steps") and brute.method == "refits"
    assert quick.scores["log_loss"] == pytest.approx(brute.scores["log_loss"], rel=1e-3)
    assert quick.error == brute.error


def test_of_many_rows_only_those_moved_far_are_polished(monkeypatch: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X[:150]), y[:150]
    exact = evaluate(LogisticRegression(), X, y, plan=LeaveOneOut())
    monkeypatch.setattr(logistic_held_out, "WORK", 0.0)
    found = evaluate(LogisticRegression(), X, y, plan=LeaveOneOut())
    assert found.method.startswith("approximate leave-one-out")
    assert found.scores["log_loss"] == pytest.approx(exact.scores["log_loss"], rel=0.01)
    assert found.scores["log_loss"] != exact.scores["log_loss"]


def test_a_class_that_goes_with_its_row_is_refitted(rng: Any) -> None:
    X, y = iris(rng, 3)
    y = np.where(np.arange(40) == 3, 2, np.minimum(y, 1))
    quick, brute = (evaluate(LogisticRegression(), X, y, plan=LeaveOneOut(), exact=exact) for exact in (False, True))
    assert_allclose(quick.posteriors, brute.posteriors, atol=1e-4)
    assert quick.posteriors[3, 2] == 0.0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_coefficient_without_rows_outside_its_fold_is_refitted(kind: Any, rng: Any) -> None:
    X, y = iris(rng, 2)
    own = np.where(np.arange(40) < 8, rng.uniform(1.0, 2.0, 40), 0.0)
    X, folds = kind(np.column_stack([X, own * (2 * y - 1)])), np.arange(40) // 8
    model = LogisticRegression(C=10.0, l1_ratio=1.0)
    quick, brute = (hold_out(model, rows_to_evaluate(X, y), KFold(5), folds, exact) for exact in (False, True))
    assert quick.method.startswith("Newton steps")
    assert_array_equal(quick.codes, brute.codes)
    assert_allclose(quick.posteriors, brute.posteriors, atol=2e-3)


@pytest.mark.parametrize("model", [LogisticRegression(C=0.5, l1_ratio=1.0), LogisticRegression()], ids=repr)
def test_a_hessian_that_rounding_leaves_indefinite_costs_a_refit(model: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = iris(rng, 3)
    monkeypatch.setattr(left_out_newton, "lapack", SimpleNamespace(dpotrf=lambda A, **_: (A, 27)))
    rows, folds = rows_to_evaluate(X, y), KFold(5, random_state=0).folds(len(y), y)[0]
    quick, brute = (hold_out(model, rows, KFold(5), folds, exact) for exact in (False, True))
    assert quick.method != brute.method == "refits" and quick.refitted == len(y)
    assert_array_equal(quick.codes, brute.codes)


def test_nothing_to_move_is_no_system(rng: Any) -> None:
    model, (X, y) = LogisticRegression(C=1e-6, l1_ratio=1.0, fit_intercept=False), iris(rng, 2)
    for plan in PLANS:
        assert_array_equal(evaluate(model, X, y, plan=plan).posteriors, 0.5)


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(firth=True), LogisticRegression(class_weight="balanced"), LinearSVC(multi_class="crammer_singer")],
    ids=repr,
)
def test_other_fits_are_refitted(model: Any, rng: Any) -> None:
    assert evaluate(model, *iris(rng, 2), plan=KFold(3, random_state=0)).method == "refits"


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_third_derivatives_certify_most_of_many_rows(C: float, rng: Any) -> None:
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 3)) + 0.7 * y[:, None]
    rows = rows_to_evaluate(X, y)
    part = rows.fit(LogisticRegression(C=C, tol=1e-10)).abilities().folds
    objective, theta, ridge = part.likelihood.penalised(rows.source())
    left_out = part._left_out_rows(objective, theta, ridge.reshape(theta.shape))
    scores, certain = third_order_scores(left_out)
    exact = leave_rows_out(replace(left_out, still=1e-13), polish_all=True).scores[:, 0]
    assert certain.mean() > 0.5 and suits_third_order(left_out)
    assert (np.abs(scores - exact) <= left_out.still * (1.0 + np.abs(exact)))[certain].all()
    assert not third_order_scores(replace(left_out, still=0.0))[1].any()


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("model", [MARGINS[0], MARGINS[2], MARGINS[3]], ids=repr)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_fewer_than_columns_are_held_out_in_their_span(model: Any, plan: Any, kind: Any, rng: Any) -> None:
    X, y = iris(rng, 3)
    wide = np.hstack([X, rng.normal(size=(40, 60))]) * np.geomspace(0.1, 10.0, 64)
    rows = rows_to_evaluate(kind(wide), y, rng.integers(1, 3, len(y)).astype(float))
    folds = plan.coded_folds(rows.codes, rows.classes)[0]
    given = rows.fit(clone(model).set_params(tol=1e-8)).abilities().folds.scores(rows.source(), folds, isinstance(plan, LeaveOneOut))
    if given is None:
        assert kind is sp.csr_array  # whose descent promises less work than steps
        return
    certain = ~given[0].refit
    assert certain.any()
    assert_allclose(given[0].scores[certain], exact_scores(model, rows, folds)[certain], atol=1e-6, rtol=1e-4)


def test_folds_of_many_coefficients_are_refitted_where_that_is_less_work(rng: Any) -> None:
    X = sp.random_array((400, 900), density=0.01, rng=rng, format="csr")
    y = (np.asarray(X @ rng.normal(size=900)) > 0.0).astype(int)
    quick, brute = (evaluate(LogisticRegression(), X, y, plan=KFold(5, random_state=0), exact=exact) for exact in (False, True))
    assert quick.method == brute.method == "refits"
    assert quick.scores["log_loss"] == pytest.approx(brute.scores["log_loss"], rel=1e-3)


def test_folds_of_an_l1_fit_are_refitted_where_that_costs_less(rng: Any) -> None:
    X = rng.normal(size=(300, 250))
    y = (X[:, :3].sum(axis=1) + rng.normal(size=300) > 0.0).astype(int)
    for C, columns, road in ((0.1, 3, "Newton steps"), (10.0, 250, "refits")):
        model, rows, folds = LogisticRegression(C=C, l1_ratio=1.0, tol=1e-6), rows_to_evaluate(X[:, :columns], y), np.arange(300) % 4
        own, brute = (hold_out(model, rows, KFold(4), folds, exact) for exact in (False, True))
        assert road in own.method
        assert_allclose(own.posteriors, brute.posteriors, atol=1e-4)


def test_folds_begin_anew_where_the_fit_of_all_rows_is_a_worse_start(rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, starts = rng.normal(size=(60, 4)), []
    y = (X[:, 0] + rng.normal(size=60) > 0.0).astype(int)
    rows, folds, model = rows_to_evaluate(X, y), np.arange(60) % 4, LogisticRegression(l1_ratio=1.0)
    start, fit = rows.fit(model), EvaluationRows.fit
    monkeypatch.setattr(EvaluationRows, "fit", lambda rows, model, start: starts.append(start) or fit(rows, model, start))
    for passes in (1, 1000):
        start.solution_ = replace(start.solution_, passes=passes)
        by_refits(model, rows, folds, None, start)
    assert starts == [start, None, None, None] + 4 * [start]

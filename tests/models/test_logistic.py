"""LogisticRegression: agreement with scikit-learn, laws, warnings that help, errors that say what to type."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.preprocessing import StandardScaler

from separatrix.data import Block, Source, as_source
from separatrix.errors import InputError, InputTypeError, SingularWarning
from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.solution import ConvergenceWarning, SeparableWarning
from tests.solvers.problems import make_problem, make_rows, make_sparse, objective

SETS = {name: getattr(datasets, f"load_{name}") for name in ("iris", "wine", "breast_cancer", "digits")}
CLASSES = pytest.mark.parametrize("K", [2, 3])


class Streamed(Source):
    """Rows that can only be read block by block, as those of a file."""

    def __init__(self, X: Any, y: Any, weight: Any = None, size: int = 50) -> None:
        self.inner = as_source(X, y, weight)
        self.n_features, self.classes, self.size = X.shape[1], self.inner.classes, size

    def blocks(self) -> Iterator[Block]:
        whole = next(self.inner.blocks())
        return whole.tiles(self.size)

    def with_classes(self, classes: Any) -> Source:
        return self


@pytest.mark.parametrize(("name", "C"), [(name, C) for name in SETS for C in (0.01, 1.0) if name != "digits" or C < 1.0])
def test_the_objective_is_no_worse_than_scikit_learns(name: str, C: float) -> None:
    X, y = SETS[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours, peer = LogisticRegression(C=C).fit(X, y), Peer(C=C, tol=1e-6, max_iter=20_000).fit(X, y)
    problem = make_problem(X, y, C=C)
    f, g, gb = objective(problem, ours.coef_, ours.intercept_)
    theirs = objective(problem, peer.coef_, peer.intercept_)[0]
    assert max(np.abs(g).max(), np.abs(gb).max()) <= 1e-4
    assert -1e-6 <= (theirs - f) / f <= 1e-6
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=2e-3)
    assert (ours.predict(X) == peer.predict(X)).all()


@pytest.mark.parametrize("weights", [None, "balanced", {0: 1.0, 1: 2.5, 2: 0.5}])
def test_class_and_sample_weights_mean_what_they_do_in_scikit_learn(weights: Any) -> None:
    X, y = make_rows(K=3)
    s = np.random.default_rng(0).random(len(y))
    ours = LogisticRegression(class_weight=weights).fit(X, y, sample_weight=s)
    peer = Peer(class_weight=weights, tol=1e-8, max_iter=5000).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4)


@CLASSES
def test_integer_weight_is_repetition_and_zero_is_removal(K: int) -> None:
    X, y = make_rows(K=K)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    a, b = LogisticRegression().fit(X, y, sample_weight=w), LogisticRegression().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-8)


@CLASSES
def test_every_road_leads_to_the_same_model(K: int) -> None:
    X, y = make_rows(K=K)
    expected = LogisticRegression().fit(X, y)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])
    for rows in (np.asfortranarray(X), sp.csr_matrix(X), sp.csc_array(X), frame, X.tolist()):
        np.testing.assert_allclose(LogisticRegression().fit(rows, y).coef_, expected.coef_, atol=1e-7)
    found = LogisticRegression(tol=1e-7).fit(Streamed(X, y))
    assert found.solution_.solver == "whitened L-BFGS" and "read anew" in found.solution_.why
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-5)


def test_a_table_with_weights_and_class_weights() -> None:
    X, y = make_rows(K=3)
    w = np.random.default_rng(0).random(len(y))
    a = LogisticRegression(class_weight="balanced", tol=1e-7).fit(X, y, sample_weight=w)
    b = LogisticRegression(class_weight="balanced", tol=1e-7).fit(Streamed(X, y, w))
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)


@CLASSES
def test_probabilities(K: int) -> None:
    X, y = make_rows(K=K)
    model = LogisticRegression().fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(P), model.predict_log_proba(X), atol=1e-12)
    assert (model.classes_[P.argmax(axis=1)] == model.predict(X)).all()
    assert np.isfinite(model.predict_log_proba(1e3 * X)).all()


def test_the_boundary_is_where_two_classes_are_equally_likely() -> None:
    X, y = make_rows(K=3)
    model = LogisticRegression().fit(X, np.array(["a", "b", "c"])[y])
    plane = model.boundary("a", "c")
    on = plane.project(X[:5])
    P = model.predict_proba(on)
    np.testing.assert_allclose(P[:, 0], P[:, 2])


def test_float32_scores_and_float64_coefficients() -> None:
    X, y = make_rows()
    model = LogisticRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float64 and model.decision_function(X.astype(np.float32)).dtype == np.float32


@CLASSES
def test_state_pickle_and_clone(K: int) -> None:
    X, y = make_rows(K=K)
    model = LogisticRegression(C=2.0).fit(X, y)
    assert LogisticRegression.restore(model.state()).state() == model.state()
    assert pickle.loads(pickle.dumps(model)).solution_.status is model.solution_.status
    assert clone(model).get_params() == model.get_params()
    model.partial_fit(X, y)
    assert LogisticRegression.restore(model.state()).state() == model.state()


def test_warm_start_begins_where_the_last_fit_ended() -> None:
    X, y = make_rows(K=3)
    model = LogisticRegression(C=100.0, warm_start=True).fit(X, y)
    assert model.fit(X, y).n_iter_[0] < LogisticRegression(C=100.0).fit(X, y).n_iter_[0]


def test_two_fits_are_the_same_and_the_seed_matters_little() -> None:
    X, y = make_rows(n=60_000, K=3)
    a, b, c = (LogisticRegression(random_state=seed).fit(X, y) for seed in (None, None, 7))
    assert np.array_equal(a.coef_, b.coef_)
    assert a.solution_.objective == pytest.approx(c.solution_.objective, rel=1e-7)


def test_partial_fit_comes_near_fit() -> None:
    X, y = make_rows(n=8000, K=3)
    learned = LogisticRegression()
    for rows in np.array_split(np.arange(8000), 10):
        learned.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    problem, best = make_problem(X, y), LogisticRegression().fit(X, y).solution_.objective
    assert objective(problem, learned.coef_, learned.intercept_)[0] < 1.01 * best
    assert learned.solution_ is None


def test_partial_fit_continues_a_fit_and_refuses_what_it_cannot_do() -> None:
    X, y = make_rows(n=2000)
    model = LogisticRegression().fit(X, y)
    before = model.coef_.copy()
    assert np.abs(model.partial_fit(X[:32], y[:32]).coef_ - before).max() < np.abs(before).max()
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        LogisticRegression().partial_fit(X, y)
    with pytest.raises(InputError, match="not the same as on the last call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InputError, match="partial_fit has no L1 penalty"):
        LogisticRegression(l1_ratio=0.5).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InputError, match="'balanced' needs all rows"):
        LogisticRegression(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    X[5, 1] = np.nan
    with pytest.raises(InputError, match="row 5, column 1"):
        model.partial_fit(X, y)


def test_a_stop_before_the_end_warns_with_the_gap_and_is_usable() -> None:
    X, y = make_rows(K=3)
    with pytest.warns(ConvergenceWarning, match=r"stopped at max_iter.*gradient norm .*gap ≤ .*Raise max_iter") as caught:
        model = LogisticRegression(C=100.0, max_iter=2).fit(X, y)
    assert issubclass(caught[0].category, SklearnConvergenceWarning)
    assert model.score(X, y) > 1 / 3 and np.isfinite(model.coef_).all() and model.solution_.gap > 0


@CLASSES
def test_separable_data_without_penalty_warn(K: int) -> None:
    X = np.repeat(np.eye(K), 5, axis=0)
    y = np.repeat(np.arange(K), 5)
    with pytest.warns(SeparableWarning, match="maximum-likelihood estimate does not exist.*Set C to a finite number"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert model.score(X, y) == 1.0


def test_collinear_columns_without_penalty_warn_and_are_named() -> None:
    X, y = make_rows(p=3)
    frame = pd.DataFrame(np.column_stack([X, X[:, 0] + X[:, 1]]), columns=["a", "b", "c", "sum"])
    with pytest.warns(SingularWarning, match="column 'sum' can be computed from the other columns"):
        model = LogisticRegression(C=np.inf).fit(frame, y)
    plain = LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), atol=1e-6)


BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"C": 0}, r"C=0 must be a positive number; use C=np.inf for no penalty"),
    ({"C": -1.0}, "C=-1.0 must be"),
    ({"C": np.nan}, "C=nan must be"),
    ({"C": "1"}, "C='1' must be"),
    ({"l1_ratio": 1.5}, r"l1_ratio=1.5 must be a number in \[0, 1\]"),
    ({"l1_ratio": None}, "l1_ratio=None must be"),
    ({"max_iter": 0}, "max_iter=0 must be a whole number"),
    ({"tol": 0.0}, "tol=0.0 must be a positive number"),
    ({"class_weight": "balance"}, "Did you mean 'balanced'"),
    ({"class_weight": {0: 0.0}}, "The weights leave rows of one class only, 1"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=str)
def test_parameters_that_make_no_sense(parameters: dict[str, Any], message: str) -> None:
    X, y = make_rows(n=30)
    with pytest.raises(InputError, match=message):
        LogisticRegression(**parameters).fit(X, y)


def test_weights_that_leave_too_few_classes() -> None:
    X, y = make_rows(n=30)
    with pytest.raises(InputError, match="The weights leave rows of one class only, 1"):
        LogisticRegression().fit(X, y, sample_weight=y)
    with pytest.raises(InputError, match="leave no row of class 2; drop its rows"):
        LogisticRegression(class_weight={2: 0.0}).fit(*make_rows(n=30, K=3))
    with pytest.raises(InputError, match="greater than one; got 1 class"):
        LogisticRegression().fit(X, np.zeros(30))


@pytest.mark.parametrize(
    ("name", "message"),
    [("solver", "chosen from the data"), ("penalty", "C=np.inf for no penalty"), ("dual", "leave it out"), ("multi_class", "OneVsRest")],
)
def test_parameters_of_scikit_learns_internals_name_the_replacement(name: str, message: str) -> None:
    with pytest.raises(InputTypeError, match=f"LogisticRegression has no parameter '{name}': .*{message}"):
        LogisticRegression(**{name: "x"})
    with pytest.raises(TypeError, match=r"LogisticRegression has no parameter 'c'. Did you mean 'C'\? It has C, class_weight"):
        LogisticRegression(c=1.0)


def test_the_solution_says_which_solver_ran_and_why() -> None:
    model = LogisticRegression().fit(*make_sparse(n=100, p=5000))
    assert model.solution_.solver == "dual coordinate descent" and "two classes of sparse rows" in model.solution_.why
    assert model.solution_.gap >= 0 and model.solution_.passes >= 1 and model.n_iter_.shape == (1,)

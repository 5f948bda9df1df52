"""Linear support vector machines: optimality first, then the peers, then what the attributes mean."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.svm import SVC
from sklearn.svm import LinearSVC as Peer

from separatrix.errors import InputError, InputTypeError
from separatrix.models.svm import LinearSVC
from separatrix.solvers.solution import ConvergenceWarning

LOSSES = pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
PENALISED = pytest.mark.parametrize("penalised", [True, False])
SETS = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}


def standardised(name: str) -> tuple[Any, Any]:
    X, y = SETS[name](return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def overlapping(rng: Any, n: int = 200, p: int = 5, classes: int = 2) -> tuple[Any, Any]:
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, p)) + 0.8 * rng.normal(size=(classes, p))[y]
    return np.where(rng.random(X.shape) < 0.4, X, 0.0), y


def objective(model: Any, X: Any, y: Any, loss: str, C: float = 1.0, penalised: bool = False, weight: Any = 1.0) -> float:
    """½‖w‖² (+ ½b²) + C Σ s ℓ, summed over the machines."""
    total = 0.0
    for k in range(len(model.coef_)):
        w, b = model.coef_[k], model.intercept_[k]
        sign = np.where(y == model.classes_[k if len(model.coef_) > 1 else 1], 1.0, -1.0)
        short = np.maximum(0.0, 1.0 - sign * (X @ w + b))
        total += 0.5 * w @ w + 0.5 * penalised * b * b + C * np.sum(weight * (short**2 if loss == "squared_hinge" else short))
    return float(total)


@LOSSES
@PENALISED
@pytest.mark.parametrize("sparse", [False, True])
def test_multipliers_meet_the_kkt_conditions(loss: str, penalised: bool, sparse: bool, rng: Any) -> None:
    X, y = overlapping(rng)
    weight, C = rng.integers(0, 4, len(y)).astype(float), 0.7
    given = sp.csr_array(X) if sparse else X
    model = LinearSVC(C, loss, penalize_intercept=penalised, tol=1e-13, store_dual=True).fit(given, y, weight)
    alpha = np.zeros(len(y))
    alpha[model.support_] = model.dual_coef_[0]
    sign = np.where(y == 1, 1.0, -1.0)
    assert (alpha * sign >= 0).all()
    assert_allclose(model.coef_[0], alpha @ X, atol=1e-5)
    assert_allclose(alpha.sum(), model.intercept_[0] if penalised else 0.0, atol=1e-5)
    a, short = alpha * sign, 1.0 - sign * (X @ model.coef_[0] + model.intercept_[0])
    if loss == "squared_hinge":
        assert_allclose(a, 2 * C * weight * np.maximum(short, 0.0), atol=1e-6)
    else:
        assert (a <= C * weight + 1e-12).all()
        assert (short[a < C * weight - 1e-6] <= 1e-5).all() and (short[a > 1e-6] >= -1e-5).all()


@LOSSES
@PENALISED
@pytest.mark.parametrize("name", SETS)
def test_the_gap_bounds_what_is_left_and_the_objective_is_the_one_reported(loss: str, penalised: bool, name: str) -> None:
    X, y = standardised(name)
    model = LinearSVC(2.0, loss, penalize_intercept=penalised).fit(X, y)
    exact = LinearSVC(2.0, loss, penalize_intercept=penalised, tol=1e-11).fit(X, y)
    found, best = model.solution_, exact.solution_
    assert_allclose(found.objective * 2.0 * len(y), objective(model, X, y, loss, 2.0, penalised), rtol=1e-10)
    assert -1e-12 <= found.objective - best.objective <= found.gap + 1e-12
    assert found.is_converged and found.gap <= 1e-6 * found.objective and best.gap <= 1e-11 * best.objective


@LOSSES
@pytest.mark.parametrize("name", SETS)
def test_agrees_with_liblinear(loss: str, name: str) -> None:
    X, y = standardised(name)
    ours = LinearSVC(loss=loss, penalize_intercept=True, intercept_scaling=1.0).fit(X, y)
    theirs = Peer(loss=loss, tol=1e-8, max_iter=2_000_000).fit(X, y)
    best = objective(theirs, X, y, loss, penalised=True)
    assert_allclose(objective(ours, X, y, loss, penalised=True), best, rtol=1e-6)
    if loss == "squared_hinge":
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-2, atol=1e-3)


def test_agrees_with_libsvm_where_the_intercept_is_free() -> None:
    X, y = standardised("cancer")
    ours, theirs = LinearSVC(loss="hinge", tol=1e-9, store_dual=True).fit(X, y), SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert_allclose(objective(ours, X, y, "hinge"), objective(theirs, X, y, "hinge"), rtol=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_array_equal(ours.support_, np.sort(theirs.support_))
    assert_allclose(ours.dual_coef_[0], theirs.dual_coef_[0][np.argsort(theirs.support_)], atol=1e-4)


@LOSSES
@pytest.mark.parametrize("scaling", [0.5, 10.0])
def test_intercept_scaling_is_that_of_liblinear(loss: str, scaling: float) -> None:
    X, y = standardised("cancer")
    ours = LinearSVC(loss=loss, penalize_intercept=True, intercept_scaling=scaling, tol=1e-9).fit(X, y)
    theirs = Peer(loss=loss, intercept_scaling=scaling, tol=1e-9, max_iter=2_000_000).fit(X, y)
    assert_allclose(np.r_[ours.coef_[0], ours.intercept_], np.r_[theirs.coef_[0], theirs.intercept_], atol=2e-3)


@LOSSES
def test_without_intercept_nothing_is_added(loss: str, rng: Any) -> None:
    X, y = overlapping(rng)
    ours = LinearSVC(loss=loss, fit_intercept=False, tol=1e-9).fit(X, y)
    theirs = Peer(loss=loss, fit_intercept=False, tol=1e-9, max_iter=1_000_000).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_ == [0.0]


@pytest.mark.parametrize("sparse", [False, True])
def test_crammer_singer_agrees_with_liblinear(sparse: bool) -> None:
    X, y = standardised("wine")
    given = sp.csr_array(X) if sparse else X
    ours = LinearSVC(multi_class="crammer_singer", penalize_intercept=True, max_iter=50_000, store_dual=True).fit(given, y)
    theirs = Peer(multi_class="crammer_singer", tol=1e-8, max_iter=1_000_000).fit(X, y)
    assert_allclose(joint_objective(ours, X, y), joint_objective(theirs, X, y), rtol=1e-6)
    assert_allclose(ours.solution_.objective * len(y), joint_objective(ours, X, y), rtol=1e-9)
    assert_allclose(ours.coef_, ours.dual_coef_ @ X[ours.support_], atol=1e-8)


def joint_objective(model: Any, X: Any, y: Any, C: float = 1.0) -> float:
    Z = X @ model.coef_.T + model.intercept_
    short = Z - Z[np.arange(len(y)), y][:, None] + 1.0
    short[np.arange(len(y)), y] = 0.0
    return float(0.5 * np.sum(model.coef_**2) + 0.5 * np.sum(model.intercept_**2) + C * short.max(axis=1).sum())


def test_crammer_singer_of_two_classes_is_the_hinge_at_twice_the_price(rng: Any) -> None:
    X, y = overlapping(rng)
    joint = LinearSVC(0.5, multi_class="crammer_singer", tol=1e-10).fit(X, y)
    assert_allclose(joint.coef_, LinearSVC(1.0, "hinge", tol=1e-10).fit(X, y).coef_, atol=1e-5)
    theirs = Peer(C=0.5, multi_class="crammer_singer", tol=1e-9, max_iter=1_000_000).fit(X, y)
    ours = LinearSVC(0.5, multi_class="crammer_singer", penalize_intercept=True, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@LOSSES
def test_a_machine_per_class_is_that_class_against_the_rest(loss: str, rng: Any) -> None:
    X, y = overlapping(rng, classes=4)
    model = LinearSVC(loss=loss, tol=1e-9, store_dual=True).fit(X, y)
    for k in range(4):
        one = LinearSVC(loss=loss, tol=1e-9).fit(X, y == k)
        assert_allclose(model.coef_[k], one.coef_[0], atol=1e-6)
    assert_allclose(model.coef_, model.dual_coef_ @ X[model.support_], atol=1e-4)
    assert_allclose(model.margin_, 1.0 / np.linalg.norm(model.coef_, axis=1))


@LOSSES
@pytest.mark.parametrize("shape", [(300, 40), (60, 700)])
def test_all_roads_agree(loss: str, shape: tuple[int, int], rng: Any, monkeypatch: Any) -> None:
    from separatrix.solvers.margins import machines
    from separatrix.solvers.margins.method import Method

    X, y = overlapping(rng, *shape)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    expected = LinearSVC(0.1, loss, tol=1e-11).fit(X, y)
    roads = [np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X), long, X.astype(np.float32)]
    found = [LinearSVC(0.1, loss, tol=1e-9, max_iter=20_000).fit(road, y) for road in roads]
    monkeypatch.setattr(machines, "choose", lambda problem, squared: Method("", "asked", in_turns=True))
    if shape[0] > shape[1]:
        found += [LinearSVC(0.1, loss, max_iter=20_000).fit(road, y) for road in (X, long, sp.csr_array(X))]
    for model in found:
        assert_allclose(model.solution_.objective, expected.solution_.objective, rtol=1e-6)
        assert_allclose(model.coef_, expected.coef_, atol=2e-3)


@LOSSES
def test_few_rows_are_solved_in_their_span(loss: str, rng: Any, monkeypatch: Any) -> None:
    from separatrix.solvers.margins import machines, method

    X, y = overlapping(rng, 50, 3_000)
    monkeypatch.setattr(machines, "choose", method.with_matrix)
    for penalised in (True, False):
        model = LinearSVC(0.1, loss, penalize_intercept=penalised, tol=1e-9).fit(X, y)
        assert model.solution_.solver.endswith("in the rows' span") and model.solution_.gap <= 1e-9 * model.solution_.objective
        assert_allclose(model.solution_.objective * 0.1 * len(y), objective(model, X, y, loss, 0.1, penalised), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_joint_machines_end_alike_in_the_span_of_rows_and_out_of_it(form: Any, rng: Any, monkeypatch: Any) -> None:
    from separatrix.solvers.margins import svm

    X, y = overlapping(rng, 60, 400, 3)
    model, found = LinearSVC(0.1, multi_class="crammer_singer", tol=1e-9, max_iter=20_000), []
    for most in (60, 59):
        monkeypatch.setattr(svm, "MANY_ROWS", most)
        solution = model.fit(form(X), y).solution_
        assert solution.is_converged and solution.solver.endswith("in the rows' span") == (most == 60)
        found.append(solution)
    assert_allclose(found[0].objective, found[1].objective, rtol=2e-9)
    assert_allclose(found[0].coef, found[1].coef, atol=1e-4)


@LOSSES
def test_rows_in_files_are_read_pass_by_pass(loss: str, rng: Any, tmp_path: Any) -> None:
    import pandas as pd

    from separatrix import open_table

    X, y = overlapping(rng, classes=3)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(label=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=64)
    filed = LinearSVC(loss=loss, tol=1e-8).fit(open_table(tmp_path / "rows.parquet", target="label"))
    held = LinearSVC(loss=loss, tol=1e-8).fit(X, y)
    assert_allclose(filed.coef_, held.coef_, atol=1e-4)
    assert "passes" in filed.solution_.why


@LOSSES
def test_integer_weights_are_repetitions(loss: str, rng: Any) -> None:
    X, y = overlapping(rng, classes=3)
    weight = rng.integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = LinearSVC(loss=loss, tol=1e-10).fit(X, y, weight)
    repeated = LinearSVC(loss=loss, tol=1e-10).fit(X[again], y[again])
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    assert_allclose(weighted.solution_.objective, repeated.solution_.objective, rtol=1e-9)


@LOSSES
def test_a_large_mean_does_not_hurt(loss: str, rng: Any) -> None:
    X, y = overlapping(rng)
    near, far = LinearSVC(loss=loss, tol=1e-9).fit(X, y), LinearSVC(loss=loss, tol=1e-9).fit(X + 1e8, y)
    assert_allclose(far.coef_, near.coef_, atol=1e-4)
    assert_allclose(far.decision_function(X + 1e8), near.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("sparse", [False, True])
def test_no_copy_of_a_float64_matrix_is_made(sparse: bool, rng: Any) -> None:
    import tracemalloc

    X = rng.normal(size=(30_000, 40)) if not sparse else sp.random_array((20_000, 3_000), density=0.01, rng=rng, format="csr")
    y = np.asarray(X @ rng.normal(size=X.shape[1]) > 0).astype(int)
    size = X.data.nbytes if sparse else X.nbytes
    LinearSVC(1e-3).fit(X, y)
    tracemalloc.start()
    LinearSVC(1e-3).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (4 if sparse else 0.9) * size + 40 * 8 * len(y)


UNITS = [{"loss": "hinge"}, {"loss": "squared_hinge"}, {"multi_class": "crammer_singer"}]


@pytest.mark.parametrize("options", UNITS, ids=str)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("sparse", [False, True])
def test_columns_in_many_units_arrive(options: dict[str, Any], C: float, sparse: bool, rng: Any) -> None:
    """Warnings are errors: a fit at its optimum is never called stalled, in whatever units the columns are."""
    X, y = overlapping(rng, 300, 12, classes=3)
    X = X * 10.0 ** np.linspace(-6, 6, 12)
    model = LinearSVC(C, **options).fit(sp.csr_array(X) if sparse else X, y)
    assert model.solution_.is_converged and model.solution_.gap <= 1e-6 * model.solution_.objective


@pytest.mark.parametrize(("n", "p", "K"), [(1000, 20, 10), (3000, 10, 10), (400, 60, 10)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_crammer_singer_arrives_at_its_defaults(n: int, p: int, K: int, C: float, rng: Any) -> None:
    X = rng.normal(size=(n, p))
    y = (X @ rng.normal(size=(p, K)) + rng.normal(size=(n, K))).argmax(axis=1)
    model = LinearSVC(C, multi_class="crammer_singer", penalize_intercept=True).fit(X, y)
    assert model.solution_.gap <= 1e-6 * model.solution_.objective
    assert_allclose(joint_objective(model, X, y, C), model.solution_.objective * C * n, rtol=1e-9)


def test_a_hinge_on_one_hot_rows_arrives_at_its_defaults(rng: Any) -> None:
    levels, n = [2, 5, 24, 60, 200, 300], 20_000
    X = sp.csr_array(sp.hstack([sp.csr_array(np.eye(m))[rng.zipf(1.5, n) % m] for m in levels], format="csr"))
    scores = X @ rng.normal(size=sum(levels))
    model = LinearSVC(loss="hinge").fit(X, scores + rng.normal(size=n) > np.median(scores))
    assert model.solution_.gap <= 1e-6 * model.solution_.objective


@pytest.mark.parametrize("options", UNITS, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("K", [2, 3])
def test_what_cannot_be_squared_is_refused(options: dict[str, Any], make: Any, K: int, rng: Any) -> None:
    X, y = rng.normal(size=(60, 3)), np.arange(60) % K
    model = LinearSVC(**options).fit(make(X), y)
    before = model.state()
    for value in (1e156, 1e200, 1e308):
        with pytest.raises(InputError, match="too large to square"):
            model.fit(make(np.where(np.arange(180).reshape(60, 3) == 10, value, X)), y)
    with pytest.raises(InputError, match=r"lower C, or rescale sample_weight"):
        model.fit(make(X), y, np.full(60, 1e300))
    assert model.state() == before


def test_a_pickle_grows_with_the_rows_only_where_asked(rng: Any) -> None:
    sizes = {}
    for n in (100, 3_000):
        X, y = overlapping(rng, n)
        sizes[n] = [len(pickle.dumps(LinearSVC(store_dual=kept).fit(X, y))) for kept in (False, True)]
    assert sizes[3_000][0] < sizes[100][0] + 100 and sizes[3_000][1] > sizes[100][1] + 10_000
    with pytest.raises(AttributeError, match=r"dual_coef_ is kept by LinearSVC\(store_dual=True\) alone"):
        _ = LinearSVC().fit(X, y).dual_coef_


def test_a_solver_that_stops_early_says_so() -> None:
    X, y = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"LinearSVC: .* stopped at max_iter.*gap ≤ .*Raise max_iter"):
        model = LinearSVC(loss="hinge", max_iter=2).fit(X, y)
    assert not model.solution_.is_converged


BAD: list[tuple[dict[str, Any], str]] = [
    ({"C": 0.0}, "C=0.0 must be a positive number; use C=np.inf for a hard margin"),
    ({"C": -1}, "C=-1 must be a positive number"),
    ({"loss": "hing"}, "loss='hing' is not known; use one of 'squared_hinge', 'hinge'. Did you mean 'hinge'?"),
    ({"multi_class": "crammer"}, "multi_class='crammer' is not known.*Did you mean 'crammer_singer'?"),
    ({"multi_class": "crammer_singer", "C": np.inf}, "hard margins.*use a finite C"),
    ({"intercept_scaling": 2.0}, "changes nothing while the intercept is not penalised; add penalize_intercept=True"),
    ({"penalize_intercept": True, "intercept_scaling": 0}, "intercept_scaling=0 must be a positive number"),
    ({"max_iter": 0}, "max_iter=0 must be a whole number"),
    ({"tol": -1.0}, "tol=-1.0 must be a positive number"),
    (
        {"C": np.inf},
        r"no hyperplane separates class 1 from the rest: a point between its rows 1 is also one between rows 0, 2 .*Use a finite C",
    ),
]


@pytest.mark.parametrize(("parameters", "message"), BAD, ids=[str(case[0]) for case in BAD])
def test_bad_parameters_say_what_to_type(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LinearSVC(**parameters).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def test_parameters_of_internals_name_their_replacement() -> None:
    with pytest.raises(InputTypeError, match="no parameter 'dual': primal or dual is chosen from the data"):
        LinearSVC(dual=False)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["loss", "C"])
def test_one_class_after_weights_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="leave rows of one class only, 'a'"):
        LinearSVC().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1.0, 0.0])


def test_state_gives_the_model_back(rng: Any) -> None:
    X, y = overlapping(rng, classes=3)
    model = LinearSVC(loss="hinge").fit(X, y)
    again = LinearSVC.restore(model.state())
    assert again.state() == model.state()
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.solution_.solver == "interior point"


def test_files_of_the_peers_own_loader_are_read(tmp_path: Any, rng: Any) -> None:
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    X, y = overlapping(rng)
    dump_svmlight_file(X, y, str(tmp_path / "rows"))
    loaded, labels = load_svmlight_file(str(tmp_path / "rows"))
    assert loaded.indices.dtype == np.int64
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(LinearSVC().fit(loaded, labels).coef_, LinearSVC().fit(X, y).coef_, atol=1e-9)

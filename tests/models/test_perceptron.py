"""Perceptrons as estimators: scikit-learn's contract and numbers, laws, messages."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from separatrix.data.frames import FrameSource
from separatrix.errors import InputError
from separatrix.solvers.solution import ConvergenceWarning
from tests.models.test_contract import EXCEPTIONS as CONTRACT

ONLINE: list[Any] = [Perceptron(random_state=0), AveragedPerceptron(random_state=0), VotedPerceptron(random_state=0)]
MODELS: list[Any] = [*ONLINE, BatchPerceptron()]
EVERY = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
EACH_ONLINE = pytest.mark.parametrize("model", ONLINE, ids=lambda model: type(model).__name__)
KS = pytest.mark.parametrize("K", [2, 3])
quiet = pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")


@quiet
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [Perceptron(init="random", trace=True, tol=1e-3)], expected_failed_checks=lambda m: CONTRACT[f"{type(m).__name__}()"]
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def rows(rng: Any, K: int = 2, n: int = 120, p: int = 4) -> tuple[Any, Any]:
    """Whole numbers and overlapping classes."""
    X = rng.integers(-4, 5, (n, p)).astype(float)
    y = (X @ rng.normal(size=(p, K)) + 3 * rng.normal(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return X, np.array(["ham", "junk", "spam"])[y]


def few(model: Any, **more: Any) -> Any:
    """Few epochs, which is enough to tell models apart."""
    return clone(model).set_params(max_iter=3, **more)


@quiet
@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": False}, {"eta0": 0.3}, {"tol": 1e-3, "max_iter": 500}, {"tol": 0.2, "n_iter_no_change": 2}]
)
@pytest.mark.parametrize("weighted", [True, False])
def test_two_classes_are_scikit_learns_to_the_last_digit(options: dict[str, Any], weighted: bool, rng: Any) -> None:
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    weight = rng.integers(1, 4, 300) if weighted else None
    common = {"shuffle": False, "max_iter": 7, "tol": None, **options}
    ours = Perceptron(**common).fit(X, y, sample_weight=weight)
    theirs = Peer(**common).fit(X, y, sample_weight=weight)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12, atol=1e-12)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-12)
    assert ours.n_iter_ == theirs.n_iter_


@quiet
def test_class_weights_are_scikit_learns(rng: Any) -> None:
    X, y = rng.normal(size=(200, 3)), (rng.random(200) < 0.2).astype(int)
    for class_weight in ("balanced", {0: 1.0, 1: 5.0}):
        common = {"shuffle": False, "max_iter": 4, "tol": None, "class_weight": class_weight}
        assert_allclose(Perceptron(**common).fit(X, y).coef_, Peer(**common).fit(X, y).coef_, rtol=1e-12)


@quiet
@KS
def test_the_average_is_the_mean_of_all_weights(K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    weight = rng.integers(0, 3, len(y))
    seen = np.flatnonzero(weight)
    model = AveragedPerceptron(shuffle=False, max_iter=1, trace=True).fit(X, y, sample_weight=weight)
    coefs, intercepts = model.replay(X)
    after = np.searchsorted(model.history_["row"], seen, side="right")  # updates made when the visit is over
    assert_allclose(model.coef_, np.average(coefs[after], axis=0, weights=weight[seen]), atol=1e-12)
    assert_allclose(model.intercept_, np.average(intercepts[after], axis=0, weights=weight[seen]), atol=1e-12)


def vote(model: Any, X: Any, Z: Any) -> Any:
    """Let all weights vote, one after the other."""
    coefs, intercepts = model.replay(X)
    answers = np.einsum("trj,ij->itr", coefs, Z) + intercepts
    counts = model.ballots_.survived
    if coefs.shape[1] == 1:
        return np.where(answers[:, :, 0] > 0, 1.0, -1.0) @ counts / counts.sum()
    return np.eye(coefs.shape[1])[answers.argmax(axis=2)].transpose(0, 2, 1) @ counts / counts.sum()


@quiet
@KS
@pytest.mark.parametrize("learn_as", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("predict_as", [np.asarray, sp.csr_array, lambda Z: Z.astype(np.float32)])
def test_votes_are_those_of_all_weights(K: int, learn_as: Any, predict_as: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    Z = rng.integers(-5, 6, (40, 4)).astype(float)
    model = VotedPerceptron(max_iter=4, random_state=1, trace=True).fit(learn_as(X), y)
    assert_allclose(model.decision_function(predict_as(Z)), vote(model, X, Z), atol=1e-6)
    assert model.ballots_.survived.sum() == 4 * len(y) and len(model.ballots_.survived) == model.status_.n_mistakes + 1
    support = model.ballots_.support
    assert (support.matrix().shape if sp.issparse(learn_as(X)) else support.shape)[0] == len(np.unique(model.history_["row"]))


@quiet
@KS
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_votes_of_rows_together_are_those_of_single_rows(K: int, make: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    weight = rng.integers(1, 4, len(y)) / 2.0
    model = VotedPerceptron(max_iter=4, random_state=1).fit(make(X), y, sample_weight=weight)
    Z = rng.integers(-5, 6, (150, 4)).astype(float)
    single = np.concatenate([model.decision_function(make(Z[i : i + 1])) for i in range(150)])
    assert_array_equal(model.decision_function(make(Z)), single)
    Z[3, 1] = np.nan
    with pytest.raises(InputError, match="contains NaN: first at row 3, column 1"):
        model.predict(Z)


@quiet
@EACH_ONLINE
@KS
def test_parts_are_one_epoch(model: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    whole = clone(model).set_params(shuffle=False, max_iter=1, trace=True).fit(X, y)
    grown = clone(whole)
    for part in (slice(0, 30), slice(30, 31), slice(31, 120)):
        grown.partial_fit(X[part], y[part], classes=np.unique(y))
    assert_array_equal(grown.history_["row"], whole.history_["row"])
    assert_allclose(grown.decision_function(X), whole.decision_function(X), atol=1e-12)
    assert (grown.n_iter_, grown.status_.n_mistakes) == (3, whole.status_.n_mistakes)
    assert grown.status_.message == f"went over 89 rows once, with {grown.status_.last_mistakes} mistakes."
    assert_array_equal(grown.replay(X)[0], whole.replay(X)[0])


@quiet
def test_a_batch_step_of_partial_fit_is_a_step_of_fit(rng: Any) -> None:
    X, y = rows(rng, 3)
    stepped = BatchPerceptron()
    for _ in range(4):
        stepped.partial_fit(X, y, classes=["ham", "junk", "spam"])
    fitted = BatchPerceptron(max_iter=4).fit(X, y)
    assert_array_equal(stepped.coef_, fitted.coef_)
    assert stepped.n_iter_ == fitted.n_iter_ == 4 and stepped.status_.n_mistakes == fitted.status_.n_mistakes


@quiet
@KS
def test_a_batch_knows_no_order_and_weights_are_frequencies(K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    w = rng.integers(0, 4, len(y))
    w[:K] = 1
    again = rng.permutation(np.repeat(np.arange(len(y)), w))
    weighted, repeated = few(BatchPerceptron()).fit(X, y, sample_weight=w), few(BatchPerceptron()).fit(X[again], y[again])
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-12)
    assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-12)


@quiet
@EVERY
@KS
def test_all_roads_agree(model: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    expected = few(model).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for road in (
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(np.int8),
        sp.csr_matrix(X),
        sp.csc_array(X),
        X.tolist(),
        frame,
        pl.from_pandas(frame),
    ):
        found = few(model).fit(road, y)
        assert_allclose(found.decision_function(road), expected.decision_function(X), rtol=1e-6)


@quiet
@EACH_ONLINE
@KS
def test_a_step_or_unit_only_scales_weights_from_zero(model: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    expected = few(model, fit_intercept=False).fit(X, y)
    assert_array_equal(few(model, fit_intercept=False, eta0=0.25).fit(X, y).predict(X), expected.predict(X))
    assert_array_equal(few(model, fit_intercept=False).fit(8 * X, y).predict(X), expected.predict(X))


@quiet
@EVERY
@KS
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_state_and_pickle_give_the_model_back(model: Any, K: int, make: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    if hasattr(model, "trace"):
        model = clone(model).set_params(trace=True)
    model = few(model).fit(make(X), y)
    for copy in (type(model).restore(model.state()), pickle.loads(pickle.dumps(model))):
        assert copy.state() == model.state()
        assert_array_equal(copy.decision_function(X), model.decision_function(X))
        if hasattr(model, "trace"):
            assert_array_equal(copy.history_, model.history_)
        assert copy.partial_fit(X, y).state() == pickle.loads(pickle.dumps(model)).partial_fit(X, y).state()


@quiet
@EVERY
@pytest.mark.parametrize("action", ["fit", "partial_fit"])
def test_a_failure_leaves_the_model_whole(model: Any, action: str, rng: Any) -> None:
    X, y = rows(rng)
    model = few(model).fit(X, y)
    before = model.state()
    bad = X[:30].copy()
    bad[11, 1] = np.nan
    with pytest.raises(InputError, match="NaN: first at row 11, column 1"):
        getattr(model, action)(bad, y[:30])
    for other in (lambda: model.partial_fit(X[:, :3], y), lambda: model.predict(X[:, :3])):
        with pytest.raises(ValueError, match="has 3 features, but .* is expecting 4"):
            other()
    assert model.state() == before


@quiet
@EVERY
@pytest.mark.parametrize("init", ["zeros", "random"])
def test_without_a_seed_fits_repeat_themselves(model: Any, init: str, rng: Any) -> None:
    X, y = rows(rng)
    first, second = (few(model, random_state=None, init=init).fit(X, y) for _ in range(2))
    assert first.state() == second.state()


@quiet
@EVERY
@pytest.mark.parametrize("init", ["zeros", "random"])
def test_a_seed_stands_for_its_generator(model: Any, init: Any, rng: Any) -> None:
    X, y = rows(rng)
    for seed in (None, 0, np.int32(3)):
        given = few(model, random_state=np.random.RandomState(0 if seed is None else seed), init=init).fit(X, y)
        assert_array_equal(few(model, random_state=seed, init=init).fit(X, y).decision_function(X), given.decision_function(X))


@quiet
@EVERY
@KS
def test_sums_that_overflow_are_refused(model: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    model = few(model).fit(X, y)
    before = model.state()
    with pytest.raises(InputError, match="sum of sample_weight is infinite"):
        model.fit(X, y, sample_weight=np.full(len(y), 1.7e308))
    with pytest.raises(InputError, match="sample_weight weights, too large to square"):
        model.fit(1e150 * X, y, sample_weight=np.full(len(y), 1e300))
    assert model.state() == before


@quiet
@EVERY
def test_other_columns_are_refused_by_name(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = few(model).fit(pd.DataFrame(X, columns=list("abcd")), y)
    for action in (model.predict, lambda Z: model.partial_fit(Z, y)):
        with pytest.raises(ValueError, match="feature names should match"):
            action(pd.DataFrame(X, columns=list("bacd")))


@quiet
@EVERY
def test_predicting_needs_finite_rows_and_sets_nothing(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = few(model).fit(X, y)
    before = dict(vars(model))
    model.predict(X), model.decision_function(X)
    assert all(vars(model)[k] is before[k] for k in before) and vars(model).keys() == before.keys()
    for bad in (np.nan, np.inf):
        with pytest.raises(InputError, match="first at row 7, column 2"):
            model.predict(np.where(np.arange(480).reshape(120, 4) == 30, bad, X))


@EVERY
def test_the_default_ends_on_separable_classes_and_warns_on_others(model: Any) -> None:
    X, y = load_iris(return_X_y=True)
    done = clone(model).fit(X, y == 0)
    assert done.status_.converged and done.n_iter_ < 1000 and done.status_.last_mistakes == 0
    with pytest.warns(
        ConvergenceWarning, match=rf"{type(model).__name__} stopped at max_iter=30 with \d+ .*raise max_iter.*If they cannot"
    ):
        stopped = clone(model).set_params(max_iter=30).fit(X, y)
    assert not stopped.status_.converged and stopped.n_iter_ == 30 and stopped.status_.n_mistakes >= 30


@pytest.mark.parametrize(("tol", "remedy"), [(None, "set tol=1e-3"), (1e-9, "raise tol=1e-09")])
def test_the_remedy_of_max_iter_is_one_that_was_not_tried(tol: Any, remedy: str, rng: Any) -> None:
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    with pytest.warns(ConvergenceWarning, match=f"it never ends: {remedy}"):
        Perceptron(max_iter=3, tol=tol, random_state=0).fit(X, y)


@quiet
@EACH_ONLINE
def test_a_trace_says_where_it_is_missing(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    for untraced in (clone(model), few(model).fit(X, y)):
        assert not hasattr(untraced, "history_")
        with pytest.raises(AttributeError, match=r"no history_: fit .*\(trace=True\)"):
            _ = untraced.history_
    traced = few(model, trace=True).fit(X, y)
    assert traced.history_.dtype.names == ("epoch", "row", "score", "mistakes", "label", "rival", "step")
    assert_array_equal(traced.history_["label"], (y == traced.classes_[1])[traced.history_["row"]])
    with pytest.raises(InputError, match="has 3 features"):
        traced.replay(X[:, :3])


@quiet
def test_a_seed_makes_it_repeatable(rng: Any) -> None:
    X, y = rows(rng, 3)
    for init in ("zeros", "random"):
        same = [few(Perceptron(init=init, random_state=5)).fit(X, y).coef_ for _ in range(2)]
        assert_array_equal(*same)
        assert (few(Perceptron(init=init, random_state=6)).fit(X, y).coef_ != same[0]).any()
    assert few(Perceptron(init="random", fit_intercept=False)).fit(X, y).intercept_.tolist() == [0, 0, 0]


X, Y = np.random.default_rng(0).normal(size=(12, 3)), np.array([0, 1] * 6)
THREE = np.arange(12) % 3
BAD: list[tuple[Any, dict[str, Any], str]] = [
    (Perceptron(eta0=-1), {}, r"eta0=-1 must be a number > 0; use eta0=1.0"),
    (Perceptron(eta0=0.0), {}, "eta0=0.0 must be"),
    (Perceptron(eta0=np.nan), {}, "eta0=nan must be"),
    (Perceptron(max_iter=0), {}, r"max_iter=0 must be a whole number ≥ 1; use max_iter=1000"),
    (Perceptron(max_iter=2.5), {}, "max_iter=2.5 must be a whole number"),
    (Perceptron(tol=-1e-3), {}, "tol=-0.001 must be a number ≥ 0; use tol=1e-3, or None"),
    (Perceptron(n_iter_no_change=0), {}, "n_iter_no_change=0 must be"),
    (Perceptron(init="zero"), {}, "Did you mean 'zeros'"),
    (Perceptron(class_weight="balance"), {}, "Did you mean 'balanced'"),
    (Perceptron(threshold=np.inf), {}, "threshold=inf must be a finite number"),
    (Perceptron(threshold=1.0), {"y": THREE}, "threshold=1.0 is for two classes; among 3 classes"),
    (Perceptron(threshold=1.0), {"intercept_init": 2.0}, "leave one of them out"),
    (Perceptron(), {"coef_init": [1.0, 2.0]}, r"coef_init has shape \(2,\); \(3,\) or \(1, 3\) is needed for 2 classes"),
    (Perceptron(), {"coef_init": np.ones((3, 2)), "y": THREE}, r"coef_init has shape \(3, 2\); \(3, 3\) is needed for 3 classes"),
    (Perceptron(), {"coef_init": np.full(3, np.nan)}, "coef_init contains NaN"),
    (Perceptron(), {"coef_init": ["a", "b", "c"]}, "does not hold real numbers"),
    (Perceptron(), {"intercept_init": [1.0, 2.0]}, r"intercept_init has shape \(2,\); a number or \(1,\) is needed"),
    (BatchPerceptron(epsilon=-1), {}, "epsilon=-1 must be a number ≥ 0; use epsilon=0.0"),
    (BatchPerceptron(eta0=0), {}, "eta0=0 must be"),
    (BatchPerceptron(max_iter=0), {}, "max_iter=0 must be"),
    (Perceptron(), {"y": np.zeros(12)}, "greater than one; got 1 class, 0.0"),
]


@pytest.mark.parametrize(("model", "more", "message"), BAD, ids=[message[:30] for *_, message in BAD])
def test_bad_input_is_refused(model: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.fit(X, **{"y": Y, **more})
    assert not hasattr(model, "classes_")


@EVERY
def test_labels_outside_the_classes_announced_are_refused(model: Any) -> None:
    model = clone(model).partial_fit(X, Y, classes=[0, 1])
    before = model.state()
    with pytest.raises(InputError, match="label 2, which is not among the classes announced"):
        model.partial_fit(X[:2], [1, 2])
    with pytest.raises(InputError, match=r"classes=\[0, 1, 2\] is not the same as on the last call"):
        model.partial_fit(X[:2], [1, 1], classes=[0, 1, 2])
    assert model.state() == before
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        clone(model).partial_fit(X, Y)
    with pytest.raises(InputError, match="got 1 class"):
        clone(model).partial_fit(X, np.zeros(12), classes=[0])
    with pytest.raises(InputError, match="'balanced' needs all rows at once"):
        clone(model).set_params(class_weight="balanced").partial_fit(X, Y, classes=[0, 1])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_a_row_of_zeros_without_an_intercept_is_named(make: Any) -> None:
    zero = make([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.0]])
    with pytest.warns(ConvergenceWarning, match="Row 1 is all zeros: without an intercept to learn, no weights put it on its side"):
        Perceptron(fit_intercept=False, max_iter=5).fit(zero, [1, 0, 0])
    assert Perceptron(threshold=0.5, shuffle=False).fit(zero, [1, 0, 0]).status_.converged
    with pytest.warns(ConvergenceWarning, match="Row 1 is all zeros"):
        Perceptron(threshold=-0.5, max_iter=5).fit(zero, [1, 0, 0])


@quiet
def test_a_bound_needs_separable_rows_and_no_fixed_threshold() -> None:
    overlap, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(InputError, match="No hyperplane separates the classes"):
        few(Perceptron()).fit(overlap, labels).mistake_bound(overlap, labels)
    with pytest.raises(InputError, match=r"with threshold=0.5 it does not hold. Use fit_intercept=True"):
        few(Perceptron(threshold=0.5)).fit(overlap, labels).mistake_bound(overlap, labels)


def test_the_average_may_miss_rows_that_the_last_weights_have_right(rng: Any) -> None:
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, -1.0] > 0.5
    model = AveragedPerceptron(random_state=0).fit(X, y)
    last = np.column_stack([X, np.ones(60)]) @ model.progress_.weights[0]
    assert model.status_.converged and ((last > 0) == y).all() and (model.predict(X) != y).any()
    bound = model.mistake_bound(X, y)
    assert bound.mistakes == model.status_.n_mistakes <= bound.bound and bound.margin_found < 0 < bound.margin


def test_importing_and_batches_of_few_rows_need_no_compiled_code() -> None:
    code = (
        "import sys; from separatrix import BatchPerceptron, Perceptron;"
        "m = BatchPerceptron().fit([[0., 1.], [1., 0.]], [0, 1]); m.predict([[0., 1.]]); sys.exit('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_frame_is_converted_once_for_all_passes(monkeypatch: Any) -> None:
    X, y = pd.DataFrame({"age": [0.0, 1.0, 2.0, 3.0]}), [0, 1, 0, 1]
    read: list[int] = []
    convert = FrameSource.rows
    monkeypatch.setattr(FrameSource, "rows", lambda self, a, b: read.append(a) or convert(self, a, b))  # type: ignore[func-returns-value]
    with pytest.warns(ConvergenceWarning):
        BatchPerceptron(max_iter=50).fit(X, y)
    assert len(read) < 10  # one for the rows, a few for checks: 50 if every pass converted them

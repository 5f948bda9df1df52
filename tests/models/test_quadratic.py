"""What is particular to quadratic discriminant analysis: one covariance a class, pooled, shrunk, or without an inverse."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.covariance import oas
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Peer

from separatrix import ClassMoments, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.errors import CapacityError, InputError, SingularWarning
from separatrix.models import quadratic_scores
from separatrix.thresholds import Threshold

SINGULAR = pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")


def rows(rng: Any, n: int = 90, p: int = 5, K: int = 3) -> tuple[Any, Any]:
    y = np.sort(np.arange(n) % (K + 1) % K)
    spreads = rng.normal(size=(K, p, p))
    return np.einsum("ij,ijk->ik", rng.normal(size=(n, p)), spreads[y]) + (y == 1)[:, None], y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"reg_param": 0.3}, {"reg_param": 0.3}),
        ({"priors": [0.7, 0.2, 0.1]}, {"priors": [0.7, 0.2, 0.1]}),
        ({"shrinkage": 0.2}, {"shrinkage": 0.2, "solver": "eigen"}),
        ({"shrinkage": "auto"}, {"shrinkage": "auto", "solver": "eigen"}),
    ],
    ids=str,
)
def test_agrees_with_scikit_learn(ours: Any, theirs: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K=K)
    if "priors" in ours:
        ours = theirs = {"priors": np.array(ours["priors"][:K]) / sum(ours["priors"][:K])}
    model, peer = QuadraticDiscriminantAnalysis(**ours).fit(X, y), Peer(**theirs).fit(X, y)
    assert_allclose(model.decision_function(X), peer.decision_function(X), rtol=1e-9, atol=1e-8)
    assert_allclose(model.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-8, atol=1e-8)
    assert_array_equal(model.predict(X), peer.predict(X))
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32


def test_covariances_are_those_of_the_classes(rng: Any) -> None:
    X, y = rows(rng)
    for covariance, ddof in (("mle", 0), ("unbiased", 1)):
        model = QuadraticDiscriminantAnalysis(covariance=covariance).fit(X, y)
        assert_allclose(model.covariance_, [np.cov(X[y == k].T, ddof=ddof) for k in range(3)])
    joint = np.stack([np.log(np.mean(y == k)) + multivariate_normal(model.means_[k], model.covariance_[k]).logpdf(X) for k in range(3)])
    assert_allclose(model.predict_joint_log_proba(X), joint.T)
    assert_allclose(model.log_density(X, label=2), joint[2] - np.log(np.mean(y == 2)))


@pytest.mark.parametrize("covariance", ["mle", "unbiased"])
@pytest.mark.parametrize("shrinkage", [None, 0.3])
@pytest.mark.parametrize("weight", [None, "balanced"])
def test_pooled_completely_it_is_linear_discriminant_analysis(covariance: Any, shrinkage: Any, weight: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = QuadraticDiscriminantAnalysis(pooling=1.0, shrinkage=shrinkage, covariance=covariance, class_weight=weight).fit(X, y)
    linear = LinearDiscriminantAnalysis(shrinkage=shrinkage, covariance=covariance, class_weight=weight).fit(X, y)
    assert_allclose(model.predict_joint_log_proba(X), linear.predict_joint_log_proba(X))
    assert_array_equal(model.predict(X), linear.predict(X))


@pytest.mark.parametrize("covariance", ["mle", "unbiased"])
def test_pooling_and_shrinkage_are_friedmans(covariance: Any, rng: Any) -> None:
    X, y = rows(rng)
    scatters = np.stack([np.cov(X[y == k].T, ddof=0) * np.sum(y == k) for k in range(3)])
    freedom = np.bincount(y) - (covariance == "unbiased")
    for lam, alpha in ((0.3, 0.0), (0.6, 0.25)):
        model = QuadraticDiscriminantAnalysis(pooling=lam, shrinkage=alpha, covariance=covariance).fit(X, y)
        for k in range(3):
            S = ((1 - lam) * scatters[k] + lam * scatters.sum(axis=0)) / ((1 - lam) * freedom[k] + lam * freedom.sum())
            assert_allclose(model.covariance_[k], (1 - alpha) * S + alpha * np.trace(S) / 5 * np.eye(5))


def test_oas_is_that_of_each_standardised_class(rng: Any) -> None:
    X, y = rows(rng, n=40, p=6)
    model = QuadraticDiscriminantAnalysis(shrinkage="oas").fit(X, y)
    for k in range(3):
        own = X[y == k] - X[y == k].mean(axis=0)
        covariance, alpha = oas(own / own.std(axis=0), assume_centered=True)
        assert_allclose(model.shrinkage_[k], alpha)
        assert_allclose(model.covariance_[k], covariance * own.std(axis=0) * own.std(axis=0)[:, None])


def test_weights_shape_automatic_shrinkage_as_repetition_does(rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), w)
    model = QuadraticDiscriminantAnalysis(shrinkage="auto")
    weighted = model.fit(X, y, sample_weight=w).shrinkage_
    assert_allclose(weighted, model.fit(X[again], y[again]).shrinkage_)
    assert_allclose(weighted, model.fit(sp.csr_array(X), y, sample_weight=w).shrinkage_)
    by_class = QuadraticDiscriminantAnalysis(shrinkage="auto", class_weight={2: 3.0}).fit(X, y)
    assert_allclose(by_class.shrinkage_, model.fit(X, y, sample_weight=np.where(y == 2, 3.0, 1.0)).shrinkage_)


def test_collinear_columns_change_nothing_but_warn(rng: Any) -> None:
    X, y = rows(rng)
    plain = QuadraticDiscriminantAnalysis().fit(X, y)
    more = np.column_stack([X, X[:, 0] * 1e3 - X[:, 1], np.full(len(y), 0.1)])
    with pytest.warns(SingularWarning, match=r"class 0, 1, 2 has no inverse.*column 0, column 1, column 5, column 6.*pooling=0.5"):
        model = QuadraticDiscriminantAnalysis().fit(more, y)
    assert_allclose(model.predict_proba(more), plain.predict_proba(X), atol=1e-6)
    assert model.rank_.tolist() == [5, 5, 5]


def test_a_class_that_does_not_vary_takes_the_rows_on_its_plane(rng: Any) -> None:
    X, y = rng.normal(size=(80, 3)), np.repeat(["flat", "full"], 40)
    X[:40, 1] = 0.5
    with pytest.warns(SingularWarning, match=r"covariance of class 'flat' has no inverse.* involving column 1 the class does not vary"):
        model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert model.rank_.tolist() == [2, 3]
    assert model.predict([[0.0, 0.5, 0.0], [0.0, 0.6, 0.0]]).tolist() == ["flat", "full"]


@SINGULAR
@pytest.mark.parametrize("n", [3, 9, 30])
def test_few_rows_are_never_an_error_and_units_do_not_matter(n: int, rng: Any) -> None:
    X, y = rng.normal(size=(n, 20)), np.arange(n) % 3
    units, new = 10.0 ** rng.uniform(-3, 3, 20), rng.normal(size=(50, 20))
    a, b = (QuadraticDiscriminantAnalysis().fit(Z, y) for Z in (X, X * units))
    assert_array_equal(a.predict(X), y)
    assert_array_equal(a.predict(new), b.predict(new * units))
    assert np.isfinite(a.predict_joint_log_proba(new)).all()


def test_classes_far_apart_keep_their_shapes(rng: Any) -> None:
    """A class 10⁸ standard deviations away must not make the other two look flat."""
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    X[y == 1] *= 3.0
    near = QuadraticDiscriminantAnalysis().fit(X, y)
    X[y == 2, 0] += 1e8
    far = QuadraticDiscriminantAnalysis().fit(X, y)
    two = X[y < 2]
    assert_allclose(np.subtract(*far.decision_function(two).T[:2]), np.subtract(*near.decision_function(two).T[:2]), rtol=1e-6, atol=1e-6)


def test_means_of_1e8_keep_six_digits(rng: Any) -> None:
    X, y = rows(rng)
    far = (X + 1e8).round(6)
    near = far - 1e8
    expected = QuadraticDiscriminantAnalysis().fit(near, y).decision_function(near)
    assert_allclose(QuadraticDiscriminantAnalysis().fit(far, y).decision_function(far), expected, rtol=1e-6, atol=1e-5)


@SINGULAR
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_kernels_score_as_numpy_does(flat: bool, dtype: str, rng: Any, monkeypatch: Any) -> None:
    X, y = rng.normal(size=(200, 37)).astype(dtype), np.arange(200) % 3
    X[y == 0, 4] = X[y == 0, 4] * (not flat)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    expected = np.stack([-0.5 * np.sum(((X - m) @ B) ** 2, axis=1) for m, B in zip(model.means_, model.basis_, strict=True)], axis=1)
    expected = (expected - 0.5 * model.log_det_ + np.log(model.priors_)).astype(dtype)
    for small in (10**9, 0):
        monkeypatch.setattr(Threshold, "everywhere", small)
        monkeypatch.setattr(quadratic_scores, "SCORED", 3000)
        for road in (X, np.asfortranarray(X), sp.csr_array(X)):
            assert_allclose(model.decision_function(road), expected, rtol=1e-6 if dtype == "f4" else 1e-9)


def test_a_class_that_has_not_come_yet_is_never_predicted_however_far_the_row(rng: Any) -> None:
    X, y = rows(rng)
    model = QuadraticDiscriminantAnalysis().partial_fit(X[y > 0], y[y > 0], classes=[0, 1, 2])
    assert model.predict_proba(1e9 * X)[:, 0].max() == 0.0 and 0 not in model.predict(1e9 * X)
    model.partial_fit(X[y == 0], y[y == 0])
    assert_allclose(model.decision_function(X), QuadraticDiscriminantAnalysis().fit(X, y).decision_function(X))


def test_unbiased_waits_for_a_second_row_only_while_rows_come(rng: Any) -> None:
    X, y = rows(rng)
    few = np.concatenate([np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:1]])
    model = QuadraticDiscriminantAnalysis(covariance="unbiased")
    with pytest.raises(InputError, match="divides by n_k - 1, but class 2 has n_k = 1. Use covariance='mle'.*pooling"):
        model.fit(X[few], y[few])
    assert QuadraticDiscriminantAnalysis(covariance="unbiased", pooling=0.5).fit(X[few], y[few]).rank_.tolist() == [5, 5, 5]
    with pytest.warns(SingularWarning, match="class 2 has no inverse"):
        model.partial_fit(X[few], y[few], classes=[0, 1, 2])
    assert model.predict(X[few]).tolist()[-1] == 2


WIDE = [
    {},
    {"covariance": "unbiased"},
    {"shrinkage": 0.3},
    {"shrinkage": 1.0},
    {"shrinkage": "auto"},
    {"shrinkage": "oas", "class_weight": "balanced"},
    {"reg_param": 0.1},
    {"shrinkage": "auto", "reg_param": 0.2},
    {"pooling": 0.5, "class_weight": "balanced"},
    {"pooling": 0.4, "shrinkage": 0.2, "reg_param": 0.1},
]


def few_rows(rng: Any) -> tuple[Any, Any, Any, Any]:
    """Rows, labels, weights and new rows: a column that does not vary, and one that does not within a class."""
    X, y = rng.normal(size=(25, 60)) + 3.0, np.arange(25) % 3
    X[y == 1, :5] += 2.0
    X[:, 7], X[y == 0, 9] = 0.1, 1.0
    return X, y, np.where(np.arange(25) < 6, 1.0, rng.integers(0, 3, 25)), np.vstack([rng.normal(size=(20, 60)) + 3.0, X])


@SINGULAR
@pytest.mark.parametrize("parameters", WIDE, ids=str)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_wide_rows_give_what_the_covariances_give(parameters: Any, convert: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w, new = few_rows(rng)
    tall = QuadraticDiscriminantAnalysis(**parameters).fit(X, y, sample_weight=w)
    monkeypatch.setattr(Threshold, "everywhere", 10)
    wide = QuadraticDiscriminantAnalysis(**parameters).fit(convert(X), y, sample_weight=w)
    assert wide.summary_ is None and wide.spans_ and not tall.spans_
    assert_allclose(wide.shrinkage_, tall.shrinkage_)
    assert_array_equal(wide.rank_, tall.rank_)
    expected = tall.predict_joint_log_proba(new)
    # Distances off the plane of a class are divided by next to nothing: 1e12 is their common scale, and digits are those of it.
    assert_allclose(wide.predict_joint_log_proba(convert(new)), expected, atol=1e-12 * np.abs(expected).max())
    assert_allclose(wide.predict_proba(convert(new)), tall.predict_proba(new), atol=1e-6)
    assert_array_equal(wide.predict(convert(new)), tall.predict(new))


@SINGULAR
@pytest.mark.parametrize("parameters", [{}, {"shrinkage": "auto"}, {"pooling": 0.5, "reg_param": 0.3}], ids=str)
def test_wide_models_draw_rows_and_survive_being_stored(parameters: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, _, new = few_rows(rng)
    covariance = QuadraticDiscriminantAnalysis(**parameters).fit(X, y).covariance_[1]
    monkeypatch.setattr(Threshold, "everywhere", 10)
    model = QuadraticDiscriminantAnalysis(**parameters).fit(X, y)
    drawn, _ = model.sample(20_000, random_state=0, label=1)
    assert_allclose(np.cov(drawn.T), covariance, atol=0.06 * covariance.max())  # 1/√20,000 is .007, and 3,600 entries are looked at
    assert_array_equal(QuadraticDiscriminantAnalysis.restore(model.state()).decision_function(new), model.decision_function(new))


def test_wide_models_say_what_they_cannot_do_and_which_columns_do_not_vary(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", 10)
    X, y = rng.normal(size=(12, 20)), np.arange(12) % 2
    with pytest.warns(SingularWarning, match=r"covariance of class 0, 1 has no inverse.*column 0, .*column 7 and 12 more"):
        model = QuadraticDiscriminantAnalysis().fit(X, y)
    for action in (lambda: model.partial_fit(X, y), lambda: model.forget(X, y), lambda: model.aic(X, y)):
        with pytest.raises(CapacityError, match="fitted in the span of its rows, because 20 columns exceed the rows"):
            action()


def test_no_array_of_wide_models_is_columns_by_columns(rng: Any) -> None:
    X, y = rng.normal(size=(20, 3_000)), np.arange(20) % 2
    QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, y)  # loads what is compiled
    tracemalloc.start()
    QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, y).predict_proba(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * X.nbytes < 8 * 3_000**2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shrinkage": 1.5}, r"shrinkage=1.5 is outside \[0, 1\]"),
        ({"shrinkage": "atuo"}, "Did you mean 'auto'"),
        ({"pooling": -0.1}, r"pooling=-0.1 is outside \[0, 1\]"),
        ({"pooling": "half"}, r"pooling='half' must be a number or None"),
        ({"reg_param": 2}, r"reg_param=2 is outside \[0, 1\]"),
        ({"reg_param": np.nan}, r"reg_param=nan must be a number, not NaN"),
        ({"covariance": "unbaised"}, "Did you mean 'unbiased'"),
        ({"shrinkage": "oas", "pooling": 0.5}, "give a number beside pooling=0.5"),
        ({"priors": [0.5, 0.4, 0.2]}, "sum of the priors should be 1"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        QuadraticDiscriminantAnalysis(**parameters).fit(*rows(rng))


def test_automatic_shrinkage_needs_the_rows(rng: Any) -> None:
    X, y = rows(rng)
    model = QuadraticDiscriminantAnalysis(shrinkage="auto").fit(X, y)
    summary = ClassMoments.from_data(X, y)
    for action in (lambda: model.partial_fit(X, y), lambda: model.forget(X, y), lambda: model.fit_summary(summary)):
        with pytest.raises(InputError, match=r"needs all rows at once.*a number in \[0, 1\] or shrinkage='oas'"):
            action()
    with pytest.raises(InputError, match="kind 'pooled' cannot be turned into 'full'"):
        QuadraticDiscriminantAnalysis().fit_summary(ClassMoments.from_data(X, y, pooled=True))

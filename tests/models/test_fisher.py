"""What is particular to Fisher's discriminant: the criterion, its directions, thresholds, the nearest mean among projections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import FisherDiscriminant, LinearDiscriminantAnalysis
from separatrix.errors import CapacityError, InputError, SingularWarning
from separatrix.thresholds import Threshold


def rows(rng: Any, n: int = 90, p: int = 5, K: int = 3) -> tuple[Any, Any]:
    y = np.arange(n) % (K + 1) % K
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=(K, p))[y], y


def scatters(X: Any, y: Any, w: Any) -> tuple[Any, Any]:
    m = np.average(X, axis=0, weights=w)
    S_W, S_B = np.zeros((2, X.shape[1], X.shape[1]))
    for k in np.unique(y):
        own, v = X[y == k], w[y == k]
        mean = np.average(own, axis=0, weights=v)
        S_W += (own - mean).T * v @ (own - mean)
        S_B += v.sum() * np.outer(mean - m, mean - m)
    return S_W, S_B


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_directions_solve_the_eigenvalue_problem(K: int, balanced: Any, rng: Any) -> None:
    X, y = rows(rng, K=K)
    w = rng.random(len(y)) + 0.5
    model = FisherDiscriminant(class_weight=balanced).fit(X, y, sample_weight=w)
    if balanced:
        w = w * (w.sum() / (K * np.bincount(y, w)))[y]
    S_W, S_B = scatters(X, y, w)
    V, values = model.scalings_, model.eigenvalues_
    assert_allclose(S_B @ V, S_W @ V * values, atol=1e-9 * np.abs(S_B).max())
    assert_allclose(V.T @ S_W @ V, (w.sum() - K) * np.eye(K - 1), atol=1e-8)
    assert_allclose(model.explained_variance_ratio_, values / values.sum())
    assert_allclose(model.transform(X), (X - np.average(X, axis=0, weights=w)) @ V)


@pytest.mark.parametrize("K", [2, 4])
def test_no_direction_has_a_larger_criterion(K: int, rng: Any) -> None:
    X, y = rows(rng, K=K)
    model = FisherDiscriminant().fit(X, y)
    S_W, S_B = scatters(X, y, np.ones(len(y)))
    others = np.vstack([rng.normal(size=(200, 5)), model.scalings_[:, 0] + 1e-3 * rng.normal(size=(200, 5))])
    factor = np.bincount(y).prod() / len(y) if K == 2 else 1.0
    J = np.einsum("ij,jk,ik->i", others, S_B, others) / np.einsum("ij,jk,ik->i", others, S_W, others) / factor
    assert_allclose(model.criterion(others), J)
    assert (model.criterion() >= J).all()
    assert_allclose(model.criterion(), model.eigenvalues_[0] / factor)


def test_two_classes_have_scatters_not_variances(rng: Any) -> None:
    X, y = rows(rng, K=2)
    X[y == 1, 0] *= 5.0
    model = FisherDiscriminant().fit(X, y)
    m1, m2 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    w = np.linalg.solve(scatters(X, y, np.ones(len(y)))[0], m2 - m1)
    assert_allclose(model.coef_, [w])
    assert_allclose(model.threshold_, w @ (m1 + m2) / 2)
    assert_allclose(model.decision_function(X), X @ w - model.threshold_, atol=1e-12)
    assert (model.scalings_[:, 0] @ w) > 0
    unequal = np.linalg.solve(np.cov(X[y == 0].T) + np.cov(X[y == 1].T), m2 - m1)
    assert abs(w @ unequal) < 0.9999 * np.linalg.norm(w) * np.linalg.norm(unequal)


@pytest.mark.parametrize("K", [2, 3])
def test_thresholds(K: int, rng: Any) -> None:
    X, y = rows(rng, K=K)
    weight = {0: 5.0}
    ours = FisherDiscriminant(threshold="priors", class_weight=weight).fit(X, y)
    lda = LinearDiscriminantAnalysis(class_weight=weight).fit(X, y)
    assert_array_equal(ours.predict(X), lda.predict(X))
    if K == 2:
        assert_allclose(ours.decision_function(X) * (np.sum(np.where(y == 0, 5, 1)) - 2), lda.decision_function(X), atol=1e-10)
        assert FisherDiscriminant(threshold=0.25).fit(X, y).intercept_.tolist() == [-0.25]
    else:
        with pytest.raises(InputError, match="threshold=0.25 is a number, which needs two classes; there are 3"):
            FisherDiscriminant(threshold=0.25).fit(X, y)


@pytest.mark.parametrize("components", [1, 2, None])
def test_many_classes_go_to_the_nearest_projected_mean(components: Any, rng: Any) -> None:
    X, y = rows(rng, K=4)
    model = FisherDiscriminant(n_components=components).fit(X, y)
    Z, means = model.transform(X), model.transform(model.means_)
    assert Z.shape[1] == (components or 3)
    assert_array_equal(model.predict(X), np.linalg.norm(Z[:, None] - means, axis=2).argmin(axis=1))
    assert_allclose(np.diff(model.decision_function(X)), np.diff(-0.5 * np.sum((Z[:, None] - means) ** 2, axis=2)), atol=1e-9)


def test_a_direction_without_scatter_comes_first_and_is_named(rng: Any) -> None:
    X, y = rows(rng, K=2)
    X[:, 3] = np.where(y == 1, 2.0, 5.0)
    X = np.column_stack([X, np.full(len(y), 0.1)])
    with pytest.warns(SingularWarning, match=r"S_W has no inverse: along 2 direction\(s\) involving column 3, column 5 no class varies"):
        model = FisherDiscriminant().fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert np.abs(model.coef_[0]).argmax() == 3 and model.coef_[0, 5] == 0.0
    assert model.criterion(np.eye(6)[3]) == np.inf and model.criterion(np.eye(6)[5]) == 0.0


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("first", [0, 1])
def test_a_class_that_has_not_come_yet_is_never_predicted(K: int, first: int, rng: Any) -> None:
    X, y = rows(rng, K=K)
    few = y == first
    with pytest.warns(SingularWarning) if few.sum() < 6 else np.errstate():
        model = FisherDiscriminant().partial_fit(X[few], y[few], classes=range(K))
    assert set(model.predict(1e3 * X)) == {first}
    assert_allclose(model.partial_fit(X[~few], y[~few]).coef_, FisherDiscriminant().fit(X, y).coef_)


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_wide_rows_give_what_the_scatter_gives(K: int, convert: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, n=25, p=60, K=K)
    new = rng.normal(size=(30, 60))
    tall = FisherDiscriminant(class_weight="balanced").fit(X, y)
    monkeypatch.setattr(Threshold, "everywhere", 10)
    model = FisherDiscriminant(class_weight="balanced").fit(convert(X), y)
    scale = np.abs(tall.decision_function(new)).max()
    assert_allclose(model.decision_function(convert(new)) / scale, tall.decision_function(new) / scale, atol=1e-9)
    assert_allclose(np.abs(model.scalings_), np.abs(tall.scalings_), rtol=1e-5, atol=1e-6 * np.abs(tall.scalings_).max())
    for action in (lambda: model.partial_fit(X, y), lambda: model.forget(X, y), model.criterion):
        with pytest.raises(CapacityError, match="fitted in the span of its rows, because 60 columns exceed the rows"):
            action()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": "midpiont"}, "threshold='midpiont' is not known.*Did you mean 'midpoint'"),
        ({"threshold": None}, "threshold=None must be 'midpoint' or 'priors' or a number"),
        ({"threshold": np.nan}, "threshold=nan must be .* or a number, not NaN"),
        ({"n_components": 3}, "n_components=3 cannot be larger than .* = 2; use 2 or None"),
        ({"n_components": 0}, "must be at least 1"),
        ({"class_weight": "balance"}, "Did you mean 'balanced'"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        FisherDiscriminant(**parameters).fit(*rows(rng))


def test_a_weight_for_each_column_is_needed(rng: Any) -> None:
    with pytest.raises(InputError, match=r"w has shape \(3,\); one weight for each of the 5 columns is needed"):
        FisherDiscriminant().fit(*rows(rng)).criterion([1.0, 2.0, 3.0])


def test_output_can_be_a_frame(rng: Any) -> None:
    X, y = rows(rng)
    frame = make_pipeline(StandardScaler(), FisherDiscriminant(n_components=1)).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(frame.columns) == ["fisherdiscriminant0"]


def test_there_is_no_likelihood_and_it_says_why(rng: Any) -> None:
    model = FisherDiscriminant().fit(*rows(rng))
    for method in (model.aic, model.bic):
        with pytest.raises(
            InputError, match="FisherDiscriminant is not a probabilistic model and has no AIC or BIC: it .*cross-validation"
        ):
            method()

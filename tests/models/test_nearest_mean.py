"""What is particular to the nearest mean: metrics, priors, columns that do not vary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestCentroid

from separatrix import ClassMoments, NearestMean
from separatrix.errors import InputError, SingularWarning


def rows(rng: Any, n: int = 90, p: int = 5, K: int = 3) -> tuple[Any, Any]:
    y = np.arange(n) % (K + 1) % K
    return rng.normal(size=(n, p)) * 10.0 ** np.arange(-2, p - 2) + rng.normal(size=(K, p))[y], y


def within(X: Any, y: Any) -> Any:
    residuals = X - np.stack([X[y == k].mean(axis=0) for k in np.unique(y)])[y]
    return np.sqrt(np.sum(residuals**2, axis=0) / (len(y) - len(np.unique(y))))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_agrees_with_scikit_learns_centroids(K: int, convert: Any, rng: Any) -> None:
    X, y = rows(rng, K=K)
    sd = within(X, y)
    assert_array_equal(NearestMean().fit(convert(X), y).predict(X), NearestCentroid().fit(X, y).predict(X))
    model = NearestMean("standardised").fit(convert(X), y)
    assert_allclose(model.scale_, sd)
    assert_array_equal(model.predict(convert(X)), NearestCentroid().fit(X / sd, y).predict(X / sd))


@pytest.mark.parametrize("metric", ["euclidean", "standardised"])
@pytest.mark.parametrize("priors", [None, [0.7, 0.2, 0.1]])
def test_scores_are_squared_distances_up_to_a_shared_term(metric: Any, priors: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = NearestMean(metric, priors=priors).fit(X, y)
    scale = within(X, y) if metric == "standardised" else 1.0
    expected = -0.5 * np.sum(((X[:, None] - model.means_) / scale) ** 2, axis=2)
    expected = expected if priors is None else expected + np.log(priors)
    assert_allclose(np.diff(model.decision_function(X)), np.diff(expected), atol=1e-8)
    assert_array_equal(model.predict(X), expected.argmax(axis=1))
    plane = model.boundary(0, 2)
    assert_allclose(plane.score(X), expected[:, 2] - expected[:, 0], atol=1e-8)


def test_priors_mean_what_they_do_in_scikit_learn(rng: Any) -> None:
    """There they bring in the standardised metric."""
    X, y = rows(rng)
    priors = [0.8, 0.15, 0.05]
    peer = NearestCentroid(priors=priors).fit(X, y)
    model = NearestMean("standardised", priors=priors).fit(X, y)
    assert_allclose(np.diff(2.0 * model.decision_function(X)), np.diff(peer.decision_function(X)), atol=1e-8)


def test_units_do_not_matter_to_the_standardised_metric(rng: Any) -> None:
    X, y = rows(rng)
    units = 10.0 ** rng.uniform(-3, 3, 5)
    a, b = (NearestMean("standardised").fit(Z, y) for Z in (X, X * units))
    assert_allclose(a.decision_function(X), b.decision_function(X * units), atol=1e-9)


def test_columns_that_do_not_vary_within_classes_decide_first_and_are_named(rng: Any) -> None:
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    X[:, 1], X[:, 3] = np.where(y == 1, 0.1, 0.3), 0.1
    with pytest.warns(SingularWarning, match="Within the classes column 1 do not vary.*metric='euclidean'"):
        model = NearestMean("standardised").fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert np.abs(model.coef_[0]).argmax() == 1 and abs(model.coef_[0, 3]) < 1e-15


def test_a_class_that_has_not_come_yet_is_never_predicted(rng: Any) -> None:
    X, y = rows(rng)
    model = NearestMean().partial_fit(X[y > 0], y[y > 0], classes=[0, 1, 2])
    assert 0 not in model.predict(1e6 * X) and np.isfinite(model.decision_function(X.astype(np.float32))).all()
    one = NearestMean().partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    assert set(one.predict(1e6 * X)) == {1}
    assert_allclose(model.partial_fit(X[y == 0], y[y == 0]).coef_, NearestMean().fit(X, y).coef_)


def test_means_of_1e8_keep_six_digits_of_the_coefficients(rng: Any) -> None:
    X, y = rng.normal(size=(3000, 4)), np.arange(3000) % 3
    far = (X + 1e8 + y[:, None]).round(6)
    assert_allclose(NearestMean().fit(far, y).coef_, NearestMean().fit(far - 1e8, y).coef_, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "standardized"}, "metric='standardized' is not known.*Did you mean 'standardised'"),
        ({"priors": [0.5, 0.6, 0.1]}, "sum of the priors should be 1"),
        ({"priors": [0.5, 0.5]}, r"shape \(2,\), but there are 3 classes"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        NearestMean(**parameters).fit(*rows(rng))


def test_diagonal_moments_are_enough(rng: Any) -> None:
    X, y = rows(rng)
    for more in ({"diagonal": True}, {}):
        assert_allclose(NearestMean().fit_summary(ClassMoments.from_data(X, y, **more)).coef_, NearestMean().fit(X, y).coef_)


def test_there_is_no_likelihood_and_it_says_why(rng: Any) -> None:
    model = NearestMean().fit(*rows(rng))
    for method in (model.aic, model.bic):
        with pytest.raises(InputError, match="NearestMean is not a probabilistic model and has no AIC or BIC: it .*cross-validation"):
            method()

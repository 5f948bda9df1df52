"""AIC and BIC of the models on iris: k counted right for each, log L by its closed form; and both from first principles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris

from separatrix import GaussianNB, LinearDiscriminantAnalysis
from separatrix.models.quadratic import QuadraticDiscriminantAnalysis

X, y = load_iris(return_X_y=True)
MEANS = np.stack([X[y == k].mean(axis=0) for k in range(3)])
POOLED = (X - MEANS[y]).T @ (X - MEANS[y]) / 150

IRIS = [
    (LinearDiscriminantAnalysis(), 24, 574.4075),
    (LinearDiscriminantAnalysis(covariance="mle"), 24, 574.4075),
    (LinearDiscriminantAnalysis(class_weight="balanced"), 24, 574.4075),
    (QuadraticDiscriminantAnalysis(), 44, 464.7511),
    (QuadraticDiscriminantAnalysis(covariance="unbiased"), 44, 464.7511),
    (GaussianNB(), 26, 704.1002),
    (GaussianNB(ddof=1, var_smoothing=1e-3), 26, 704.1002),
]


@pytest.mark.parametrize(("model", "k", "aic"), IRIS, ids=[repr(case[0]) for case in IRIS])
def test_criteria_of_iris(model: Any, k: int, aic: float) -> None:
    model.fit(X, y)
    assert model.n_parameters_ == k
    assert_allclose([model.aic(), model.aic(X, y)], aic, atol=5e-5)
    assert_allclose(model.bic(X, y), aic + k * (np.log(150) - 2), atol=5e-5)


def test_likelihoods_are_products_over_the_rows() -> None:
    """log L = Σ log π_k + log p(x | k), every covariance divided by n or n_k."""
    shared = [multivariate_normal(m, POOLED) for m in MEANS]
    own = [multivariate_normal(MEANS[k], np.cov(X[y == k].T, ddof=0)) for k in range(3)]
    naive = [norm(MEANS[k], X[y == k].std(axis=0)) for k in range(3)]
    models = (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB())
    for model, densities in zip(models, (shared, own, naive), strict=True):
        total = 150 * np.log(1 / 3) + sum(densities[k].logpdf(X[y == k]).sum() for k in range(3))
        assert_allclose(model.fit(X, y).log_likelihood(), total)


def test_plug_in_likelihood_of_the_labels() -> None:
    """(K − 1)(p + 1) = 10 parameters; posteriors with the covariance divided by n."""
    log_p = np.stack([multivariate_normal(m, POOLED).logpdf(X) for m in MEANS], axis=1)
    log_l = (log_p[np.arange(150), y] - np.log(np.exp(log_p).sum(axis=1))).sum()
    assert_allclose(LinearDiscriminantAnalysis().fit(X, y).aic(X, y, likelihood="conditional"), 20 - 2 * log_l)

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

from separatrix.errors import InputError
from separatrix.selection import MutualInformationFilter, binning
from separatrix.thresholds import Threshold

IRIS = load_iris(return_X_y=True)


def test_independent_switch_says_nothing_and_a_copy_says_all() -> None:
    y = np.repeat([0, 1, 1, 0], 25)
    X = np.column_stack([np.tile([0, 0, 1, 0, 1], 20), y, 1 - y, np.full(100, 3)])
    found = MutualInformationFilter(k=2).fit(X, y)
    assert found.scores_[0] == 0.0 and found.scores_[3] == 0.0
    assert_allclose(found.scores_[1:3], np.log(2), rtol=1e-15)
    assert found.pvalues_[0] == 1.0 and found.pvalues_[1] < 1e-10


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_counted_value_by_value_as_scikit_learn_counts(small: int, kind: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y = load_digits(return_X_y=True)
    other = X.copy()
    other[:, 5] = X[:, 5] / 8 - 0.3  # fractions are values too
    found = MutualInformationFilter(discrete_features=True).fit(kind(other), y)
    assert_allclose(found.scores_, mutual_info_classif(X, y, discrete_features=True), rtol=1e-9, atol=1e-12)


def test_measurements_are_counted_between_quantiles() -> None:
    X, y = IRIS
    found = MutualInformationFilter(discrete_features=False, bins=5).fit(X, y)
    for x, score in zip(X.T, found.scores_):
        cells = np.searchsorted(np.quantile(x, np.arange(1, 5) / 5, method="inverted_cdf"), x)
        table = np.array([[np.sum((cells == c) & (y == k)) for c in range(5)] for k in range(3)])
        bias = (np.sum(table > 0) + 1 - np.sum(table.any(axis=0)) - 3) / (2 * 150)
        assert_allclose(score, max(mutual_info_score(cells, y) - bias, 0.0), rtol=1e-9)


def test_bias_of_noise_is_taken_out(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((1000, 400)), rng.integers(0, 4, 1000)
    found = MutualInformationFilter().fit(X, y)
    plain = MutualInformationFilter(bins=10).fit((np.argsort(np.argsort(X, axis=0), axis=0) // 100), y)
    assert found.scores_.mean() < plain.scores_.mean() / 5  # what is left is cut off at 0
    assert 0.03 < np.mean(plain.pvalues_ < 0.05) < 0.08


def test_a_relation_that_is_not_monotone_is_seen(rng: np.random.Generator) -> None:
    x = rng.standard_normal(5000)
    y = (np.abs(x) < 0.6745).astype(int)  # half of the rows
    found = MutualInformationFilter(k=1).fit(np.column_stack([rng.standard_normal(5000), x]), y)
    assert found.support_.tolist() == [False, True] and 0.55 < found.scores_[1] <= np.log(2)


def test_neighbours_are_scikit_learns() -> None:
    X, y = IRIS
    X = np.column_stack([X[:, 0].round(), X[:, 1:]])
    found = MutualInformationFilter(estimate="neighbours", discrete_features=[0], random_state=0).fit(X, y)
    assert_allclose(found.scores_, mutual_info_classif(X, y, discrete_features=[0], random_state=0), rtol=1e-12)
    assert found.pvalues_ is None and "p" not in found.table().to_dict()


def test_quantiles_of_many_rows_come_from_a_sample_that_blocks_do_not_change(rng: np.random.Generator, monkeypatch: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    every = MutualInformationFilter(bins=8).fit(X, y).scores_
    monkeypatch.setattr(binning, "SAMPLE_ROWS", 300)
    monkeypatch.setattr(binning, "LEAST_ROWS", 1)
    some = MutualInformationFilter(bins=8).fit(X, y).scores_
    monkeypatch.setattr("separatrix.data.source.CHUNK_BYTES", 8 * 30 * 50)
    assert_allclose(MutualInformationFilter(bins=8).fit(X, y).scores_, some, rtol=1e-12)
    assert np.abs(some - every).max() > 0  # really from fewer rows


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (MutualInformationFilter(estimate="knn"), "estimate='knn' is not known; use one of 'bins', 'neighbours'"),
        (MutualInformationFilter(estimate="neighbours", fdr=0.1), "needs p-values, which the nearest-neighbour estimate has not"),
        (MutualInformationFilter(estimate="neighbours", n_neighbors=80), "the rarest has 50"),
        (MutualInformationFilter(bins=1), "bins=1 must be 'auto' or a whole number of at least 2"),
        (MutualInformationFilter(discrete_features="all"), "must be 'auto', True, False or a list of columns"),
        (MutualInformationFilter(discrete_features=["petal"]), "Column 'petal' is not in the data. Did you mean 'petals'"),
    ],
)
def test_what_cannot_be_asked(selector: MutualInformationFilter, message: str) -> None:
    X, y = IRIS
    with pytest.raises(InputError, match=message):
        selector.fit(pd.DataFrame(X, columns=["length", "width", "petals", "sepals"]), y)


def test_too_many_values_to_count(monkeypatch: Any) -> None:
    monkeypatch.setattr(binning, "MOST_VALUES", 30)
    with pytest.raises(InputError, match="Column 0 is said to be discrete, but has more than 30 distinct values"):
        MutualInformationFilter(discrete_features=True).fit(*IRIS)
    with pytest.raises(InputError, match="takes no sample_weight"):
        MutualInformationFilter(estimate="neighbours").fit(*IRIS, sample_weight=np.ones(150))

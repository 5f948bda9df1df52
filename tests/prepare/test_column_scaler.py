"""Scales on which one penalty suits measurements, switches and words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.prepare.column_scaler import ColumnScaler


def rows(n: int = 200) -> np.ndarray:
    rng = np.random.default_rng(0)
    words = np.where(rng.random(n) < 0.1, rng.uniform(0.2, 0.6, n), 0.0)
    return np.stack([rng.normal(50, 9, n), np.arange(n) == 3, np.arange(n) != 3, np.arange(n) % 2, words, np.full(n, 7.0)], axis=1)


def test_measurements_have_unit_variance_and_levels_stay_ones() -> None:
    X = rows()
    found, words = ColumnScaler().fit(X).scale_, X[:, 4][X[:, 4] != 0]
    np.testing.assert_allclose(found, [X[:, 0].std(), 1.0, 1.0, 1.0, np.sqrt((words**2).mean()), 1.0])


@pytest.mark.parametrize("road", ["sparse", "repeated", "left out"])
def test_roads_agree(road: str) -> None:
    X = rows()
    weight = np.arange(len(X)) % 3 * 1.0 if road == "left out" else np.arange(len(X)) % 3 + 1.0
    expected = ColumnScaler(with_mean=False).fit(np.repeat(X, weight.astype(int), axis=0))
    found = ColumnScaler(with_mean=False).fit(sp.csr_array(X) if road == "sparse" else X, sample_weight=weight)
    np.testing.assert_allclose(found.scale_, expected.scale_)

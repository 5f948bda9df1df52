"""The separation doctor: kinds, columns, rows and classes named, and its verdict against what an unpenalised fit does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from separatrix.errors import InputError
from separatrix.logic.separation import separation
from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.solution import SeparableWarning
from tests.solvers.problems import make_rows


def verified(found: Any, X: Any, y: Any) -> None:
    """Check the direction: no row is behind another class, and just the rows named are strictly ahead of one."""
    scores = np.column_stack([np.zeros(len(y)), X @ found.direction.T + found.intercept])
    ahead = scores[np.arange(len(y)), y][:, None] - scores
    assert ahead.min() > -1e-7 and np.array_equal(np.flatnonzero((ahead > 0.5).any(axis=1)), found.rows)


def test_complete_separation() -> None:
    X, y = np.array([[1.0, 5.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]]), np.array([0, 0, 1, 1])
    found = separation(X, y)
    assert found and found.kind == "complete" and 0 in found.columns and found.alone == (0,)
    assert found.rows.tolist() == [0, 1, 2, 3] and not len(found.boundary_rows) and found.pairs == ((0, 1),)
    verified(found, X, y)
    assert "By itself each of these does: 0." in found.text
    assert "Complete separation of 0 and 1" in found.text and "firth=True" in found.advice and "finite C" in found.advice


def test_quasi_separation_by_a_rare_level_is_named() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.standard_normal(60), "rare": np.repeat([0, 1], [55, 5])})
    y = np.where((rng.random(60) < 0.5) | (frame["rare"] == 1), "yes", "no")
    found = separation(frame, y)
    assert found.kind == "quasi" and found.columns == ("rare",) and found.rows.tolist() == [55, 56, 57, 58, 59]
    assert found.classes == ("no", "yes") and len(found.boundary_rows) == 55
    assert "Quasi-complete separation of 'no' and 'yes': Column 'rare' put 5 of 60 rows" in str(found)
    assert found.alone == () and "By itself" not in str(found)
    with pytest.warns(SeparableWarning, match=r"separatrix.separation\(X, y\) names the columns and rows"):
        LogisticRegression(C=np.inf).fit(frame, y)


def test_overlap_is_falsy_and_needs_no_advice() -> None:
    found = separation(*make_rows(K=3))
    assert not found and found.kind == "overlap" and found.advice == "" and found.direction is None and found.columns == ()
    assert "the maximum-likelihood estimate exists" in found.text and not len(found.rows)


def test_iris_one_species_is_apart() -> None:
    X, y = load_iris(return_X_y=True)
    found = separation(X, y)
    assert found.kind == "quasi" and found.pairs == ((0, 1), (0, 2)) and {2, 3} >= set(found.alone) > set()
    assert "By itself each of these separates two classes completely: " in found.text
    assert np.array_equal(found.direction[0], found.direction[1])  # versicolor and virginica are not told apart
    verified(found, X, y)


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_verdict_is_that_of_an_unpenalised_fit(K: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (14, 2)).astype(float), np.append(np.arange(K), rng.integers(0, K, 14 - K))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LogisticRegression(C=np.inf, max_iter=1000).fit(X, y)
    assert bool(separation(X, y)) == any(issubclass(w.category, SeparableWarning) for w in caught)


def test_pairs_may_be_separable_where_the_model_is_not() -> None:
    """Classes 0 and 1 are apart, but both overlap with class 2 all around: the estimate exists."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(-3, 0.5, (20, 2)), rng.normal(3, 0.5, (20, 2)), rng.normal(0, 4, (80, 2))])
    y = np.repeat([0, 1, 2], [20, 20, 80])
    assert separation(X[:40], y[:40]) and not separation(X, y)
    assert LogisticRegression(C=np.inf).fit(X, y).solution_.is_converged


def test_sparse_weights_and_no_intercept() -> None:
    X, y = np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 1.0], [-2.0, 0.0], [-3.0, 0.5]]), np.array([1, 1, 0, 0, 1])
    assert not separation(X, y) and separation(X, y, [1, 1, 1, 1, 0]).rows.tolist() == [0, 1, 2, 3]
    for K in (2, 3):
        rows, labels = make_rows(n=12, p=8, K=K)
        assert separation(sp.csr_array(rows), labels).kind == separation(rows, labels).kind == "complete"
    assert separation([[1.0], [2.0]], [0, 1]) and not separation([[1.0], [2.0]], [0, 1], fit_intercept=False)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="All rows are of class 0"):
        separation([[1.0], [2.0]], [0, 1], [1, 0])
    with pytest.raises(InputError, match="inconsistent numbers of samples"):
        separation([[1.0], [2.0]], [0])

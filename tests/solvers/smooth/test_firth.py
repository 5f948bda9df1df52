"""Firth's correction: exact on tables, finite where maximum likelihood is not, invariant, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.errors import InputError
from separatrix.models.logistic import LogisticRegression
from tests.solvers.problems import make_rows

TABLES = [[[5, 0], [3, 4]], [[5, 0], [0, 4]], [[7, 2], [3, 4]], [[5, 0, 3], [2, 6, 4]], [[4, 0, 0], [0, 3, 0]]]


def spread(table: Any) -> tuple[Any, Any]:
    """Return one row per count: x is the row of the table, y its column."""
    counts = np.asarray(table)
    x, y = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    return x[:, None].astype(float), y


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_table_is_estimated_as_if_every_cell_had_half_a_row_more(table: Any) -> None:
    """A saturated model: Jeffreys' prior is Dirichlet(½) on every row of the table."""
    X, y = spread(table)
    model = LogisticRegression(firth=True).fit(X, y)
    cells = np.asarray(table, dtype=float)[:, np.unique(y)] + 0.5
    logs = np.log(cells / cells[:, :1])
    W, b = model._per_class()
    assert_allclose((W - W[0])[:, 0], logs[1] - logs[0], atol=1e-7)
    assert_allclose(b - b[0], logs[0], atol=1e-7)
    assert model.solution_.is_converged and model.solution_.solver == "firth"


@pytest.mark.parametrize("K", [2, 3])
def test_separated_classes_have_a_finite_estimate(K: int) -> None:
    X, y = np.repeat(np.eye(K)[:, 1:], 6, axis=0), np.repeat(np.arange(K), 6)
    model = LogisticRegression(firth=True).fit(X, y)
    assert np.abs(model.coef_).max() < 10 and model.score(X, y) == 1.0


@pytest.mark.parametrize("K", [2, 3])
def test_units_origin_and_weights(K: int) -> None:
    X, y = make_rows(n=60, p=2, K=K)
    w = np.random.default_rng(0).integers(1, 3, 60)
    plain = LogisticRegression(firth=True).fit(X, y, sample_weight=w)
    moved = LogisticRegression(firth=True).fit(X * [2.0, 0.1] + 100.0, y, sample_weight=w)
    repeated = LogisticRegression(firth=True).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(moved.coef_ * [2.0, 0.1], plain.coef_, rtol=1e-5)
    assert_allclose(repeated.coef_, plain.coef_, rtol=1e-7)
    assert_allclose(plain.coef_.sum(axis=0) * (K > 2), 0.0, atol=1e-9)


def test_it_shrinks_and_vanishes_with_many_rows() -> None:
    X, y = make_rows(n=50, p=2)
    assert np.abs(LogisticRegression(firth=True).fit(X, y).coef_).sum() < np.abs(LogisticRegression(C=np.inf).fit(X, y).coef_).sum()
    many = LogisticRegression(firth=True).fit(X, y, sample_weight=np.full(50, 1e5)).coef_
    assert_allclose(many, LogisticRegression(C=np.inf).fit(X, y).coef_, rtol=1e-4)


def test_warm_start_and_state() -> None:
    X, y = make_rows(n=60, p=2, K=3)
    model = LogisticRegression(firth=True, warm_start=True).fit(X, y)
    first = model.n_iter_[0]
    assert model.fit(X, y).n_iter_[0] < first
    assert LogisticRegression.restore(model.state()).state() == model.state()


BAD: list[tuple[dict[str, Any], str]] = [
    ({"C": 0.5}, r"firth=True is a penalty of its own and takes no C=0.5; leave C out or set C=np.inf"),
    ({"l1_ratio": 0.5}, r"firth=True has no L1 penalty \(l1_ratio=0.5\); use l1_ratio=0"),
    ({"firth": "yes"}, "firth='yes' must be True or False"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD, ids=str)
def test_parameters_that_do_not_go_together(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LogisticRegression(**{"firth": True, **parameters}).fit(*make_rows(n=30))


def test_columns_that_determine_each_other_are_named() -> None:
    X, y = make_rows(n=30, p=2)
    frame = pd.DataFrame(np.column_stack([X, X.sum(axis=1)]), columns=["a", "b", "sum"])
    with pytest.raises(InputError, match="column 'sum' can be computed from the others"):
        LogisticRegression(firth=True).fit(frame, y)
    with pytest.raises(InputError, match="Drop these columns, or use firth=False with a finite C"):
        LogisticRegression(firth=True).fit(*make_rows(n=5, p=8))
    with pytest.raises(InputError, match="partial_fit has no Firth correction"):
        LogisticRegression(firth=True).partial_fit(X, y, classes=[0, 1])
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="row 3, column 1"):
        LogisticRegression(firth=True).fit(X, y)

"""Folds by a key in a database: the estimate of the rows in memory, and nothing but sums and scores leaves the database."""

from __future__ import annotations

import gc
import os
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from separatrix import (
    Bootstrap,
    FisherDiscriminant,
    GaussianNB,
    HashFold,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    evaluate,
    open_table,
)
from separatrix.errors import InputError, UnknownNameError
from tests.data.databases import asked, connect, store  # noqa: F401 — a fixture

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage=0.2),
    LeastSquaresClassifier(),
    FisherDiscriminant(),
    NearestMean(),
]
PLAN = HashFold(4, seed=3, key="id")


def a_table(n_classes: int, keys: str) -> tuple[pd.DataFrame, Any, dict[str, Any]]:
    rng, n = np.random.default_rng(0), 200
    y = np.array(["ham", "junk", "spam"])[np.arange(n) % n_classes]
    X = pd.DataFrame(rng.normal(size=(n, 3)) + (y == "spam")[:, None], columns=["a", "b", "c"])
    ids = {"text": np.array([f"p{i // 2}" for i in range(n)]), "whole": np.arange(n) // 2 - 40, "fractional": np.arange(n) / 1.0}[keys]
    return X, y, {**X, "y": y, "w": rng.integers(1, 4, n).astype(float), "id": ids}


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("keys", ["text", "whole", "fractional"])
@pytest.mark.parametrize(("n_classes", "weight"), [(2, None), (3, "w")])
def test_estimates_are_those_of_the_rows(engine: str, keys: str, n_classes: int, weight: Any, asked: Any, request: Any) -> None:  # noqa: F811
    X, y, data = a_table(n_classes, keys)
    store(connection := connect(engine, request), "t", data)
    columns = ["a", "b", "c"] if weight is None else ["a", "b", "c", "id"]  # a key is no feature, also where it is listed
    for model in MODELS if columns[-1] == "c" else MODELS[:1]:
        table = open_table(connection, "SELECT * FROM t", target="y", weight=weight, columns=columns)
        found = evaluate(clone(model), table, plan=PLAN)
        folds = PLAN.fold_of_keys(data["id"])
        expected = evaluate(
            clone(model),
            X,
            y,
            plan=[(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(4)],
            sample_weight=None if weight is None else data["w"],
        )
        assert_allclose([found.error, found.training_error], [expected.error, expected.training_error], rtol=1e-12)
        assert_allclose(list(found.scores.values()), list(expected.scores.values()), rtol=1e-9)
        assert_allclose(found.per_fold["error"], expected.per_fold["error"], rtol=1e-9)
    assert not [sql for sql in asked if sql.startswith("stream") and "models" not in sql]


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("model", [GaussianNB(), QuadraticDiscriminantAnalysis()], ids=repr)
def test_models_that_are_not_linear_are_scored_as_they_are_exported(engine: str, model: Any, asked: Any, request: Any) -> None:  # noqa: F811
    X, y, data = a_table(3, "text")
    store(connection := connect(engine, request), "t", data)
    found = evaluate(model, open_table(connection, "SELECT * FROM t", target="y", columns=list(X.columns)), plan=PLAN)
    folds = PLAN.fold_of_keys(data["id"])
    expected = evaluate(model, X, y, plan=[(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(4)])
    assert_allclose([found.error, found.training_error], [expected.error, expected.training_error], rtol=1e-12)
    assert_allclose(found.scores["log_loss"], expected.scores["log_loss"], rtol=1e-9)
    assert len([sql for sql in asked if sql.startswith("stream")]) == 2  # the held-out scores, and those of training


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("idd", r"'idd' \(in the key of the folds\) is not in the table. Did you mean 'id'"),
        ("a", "misses a value, or holds a fraction .* in 200"),
    ],
)
def test_keys_that_cannot_be_used(key: str, said: str, request: Any) -> None:
    store(connection := connect("duckdb", request), "t", a_table(2, "text")[2])
    with pytest.raises((InputError, UnknownNameError), match=said):
        evaluate(
            LinearDiscriminantAnalysis(),
            open_table(connection, "SELECT * FROM t", target="y", columns=["b", "c"]),
            plan=HashFold(4, key=key),
        )


def test_a_fold_that_holds_a_whole_class(request: Any) -> None:
    X, _, data = a_table(2, "text")
    store(connection := connect("duckdb", request), "t", {**data, "y": np.where(data["id"] == "p7", "rare", "common")})
    table = open_table(connection, "SELECT * FROM t", target="y", columns=list(X.columns))
    with pytest.raises(InputError, match="holds all 2 rows of class 'rare', so none is left to train on"):
        evaluate(LinearDiscriminantAnalysis(), table, plan=PLAN)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("plan", [PLAN, Bootstrap(3, key="id", random_state=0)], ids=repr)
@pytest.mark.parametrize(("engine", "keys"), [("duckdb", "text"), ("sqlite", "whole"), ("postgres", "fractional")])
def test_models_that_read_rows_have_the_folds_of_the_array(
    engine: str, keys: str, plan: Any, large: bool, request: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("separatrix.evaluation.table_rows.is_large", lambda table: large)
    X, y, data = a_table(2, keys)
    store(connection := connect(engine, request), "t", data)
    table = open_table(
        connection, "SELECT * FROM t ORDER BY a", target="y", columns=["a", "b", "c", "id"] if keys != "text" else ["a", "b", "c"]
    )
    found, order = evaluate(LogisticRegression(tol=1e-8), table, plan=plan), np.argsort(X["a"])
    expected = evaluate(LogisticRegression(tol=1e-8), X, y, plan=plan, groups=data["id"])
    assert found.error == pytest.approx(expected.error, abs=1e-9)
    assert_allclose(found.posteriors, expected.posteriors[order], atol=1e-6)


def test_the_copy_of_a_query_is_gone_with_its_table_and_labels_stay_what_they_are(request: Any) -> None:
    _, y, data = a_table(2, "text")
    store(connection := connect("duckdb", request), "t", {**data, "y": y == "ham"})
    copy = open_table(connection, "SELECT * FROM t", target="y", columns=["a", "b"]).settled("id")
    path = copy.files[0]
    assert copy.classes.tolist() == [False, True] and copy.feature_names == ("a", "b") and os.path.exists(path)
    assert copy.only([0]).folder is copy.folder
    del copy
    gc.collect()
    assert not os.path.exists(path)

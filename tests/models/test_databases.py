"""A query in a database gives the model of its rows, and closed-form models no row of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix import (
    AnovaFilter,
    AveragedPerceptron,
    BernoulliNB,
    CategoricalNB,
    ClassMoments,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MultinomialNB,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    StepwiseDiscriminant,
    open_table,
)
from separatrix.data.database.connection import Connection
from tests.data.databases import ENGINES, asked, connect, store  # noqa: F401 — a fixture
from tests.models.test_laws import outputs
from tests.tables import MODELS

EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)
SUMMED = [*MODELS, LinearDiscriminantAnalysis(shrinkage="auto"), QuadraticDiscriminantAnalysis(shrinkage="auto")]
ITERATIVE = [
    LogisticRegression(tol=1e-9),
    LogisticRegression(C=np.inf, tol=1e-9),
    LogisticRegression(C=0.1, l1_ratio=1.0, tol=1e-8),
    LinearSVC(tol=1e-12),
    OneVsRest(LogisticRegression(tol=1e-8)),
]
COUNTED = [BernoulliNB(), BernoulliNB(binarize=1.5), MultinomialNB(), CategoricalNB(), CategoricalNB(min_categories=6)]


def rows(rng: Any, counts: bool = False) -> dict[str, Any]:
    y = np.array(["ham", "it's", "spam"])[np.arange(90) % 3]
    X = rng.integers(0, 4, (90, 4)).astype(float) if counts else rng.normal(size=(90, 4)) + (y == "spam")[:, None] + [0.0, 1e6, -3.0, 0.0]
    return {**{f"x{j}": X[:, j] for j in range(4)}, "label": y, "times": rng.integers(0, 4, 90)}


def split(data: dict[str, Any]) -> tuple[Any, Any, Any]:
    return pd.DataFrame({f"x{j}": data[f"x{j}"] for j in range(4)}), data["label"], data["times"]


@EVERY_ENGINE
@pytest.mark.parametrize("weight", [None, "times"])
def test_queries_give_the_models_of_the_arrays_and_no_row_leaves(engine: str, weight: Any, asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    store(connection := connect(engine, request), "t", data := rows(rng))
    (X, y, w), names = split(data), [f"x{j}" for j in range(4)]
    table = open_table(connection, "SELECT * FROM t", target="label", weight=weight, columns=names)
    for model in SUMMED:
        expected, found = clone(model).fit(X, y, sample_weight=w if weight else None), clone(model).fit(table)
        assert_allclose(outputs(found, X), outputs(expected, X), rtol=1e-9, atol=1e-9, err_msg=repr(model))
        assert list(found.feature_names_in_) == names
    assert not [sql for sql in asked if not sql.startswith("WITH") and "typeof" not in sql.lower()]


@EVERY_ENGINE
@pytest.mark.parametrize("weight", [None, "times"])
def test_counts_are_those_of_the_arrays(engine: str, weight: Any, asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    store(connection := connect(engine, request), "t", data := rows(rng, counts=True))
    X, y, w = split(data)
    table = open_table(connection, "SELECT * FROM t", target="label", weight=weight, columns=[f"x{j}" for j in range(4)])
    for model in COUNTED:
        expected, found = clone(model).fit(X, y, sample_weight=w if weight else None), clone(model).fit(table)
        assert_allclose(found.predict_log_proba(X), expected.predict_log_proba(X), rtol=1e-9, atol=1e-9, err_msg=repr(model))
    assert not [sql for sql in asked if sql.startswith("stream")]


@EVERY_ENGINE
@pytest.mark.parametrize("model", ITERATIVE, ids=repr)
def test_minima_are_those_of_the_array(engine: str, model: Any, rng: Any, request: Any) -> None:
    store(connection := connect(engine, request), "t", data := rows(rng))
    (X, y, _), names = split(data), ["x0", "x2", "x3"]
    table = open_table(connection, "SELECT x0, x2, x3, label FROM t", target="label", batch_rows=17)
    expected, found = clone(model).fit(X[names], y), clone(model).fit(table)
    assert_allclose(found.decision_function(X[names]), expected.decision_function(X[names]), rtol=1e-6, atol=1e-6)
    if hasattr(expected, "solution_"):
        assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-6)
        assert found.solution_.objective == pytest.approx(expected.solution_.objective, rel=1e-10)
    scores = np.sort(np.atleast_2d(expected.decision_function(X[names]).T).T, axis=1)
    is_clear = np.abs(np.diff(scores, prepend=0.0)[:, -1]) > 1e-5  # classes whose columns are all left out tie but for rounding
    assert_array_equal(found.predict(table)[is_clear], expected.predict(X[names])[is_clear])


@EVERY_ENGINE
@pytest.mark.parametrize("model", [Perceptron(shuffle=False), AveragedPerceptron(shuffle=False)], ids=repr)
def test_mistakes_are_those_of_the_array_where_rows_come_in_its_order(engine: str, model: Any, rng: Any, request: Any) -> None:
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 2
    X[:, 0] += 12.0 * y - 6.0  # a line separates them
    store(connection := connect(engine, request), "t", {"a": X[:, 0], "b": X[:, 1], "y": y, "id": np.arange(90)})
    table = open_table(connection, "SELECT * FROM t ORDER BY id", target="y", columns=["a", "b"], batch_rows=17)
    assert_allclose(clone(model).fit(table).coef_, clone(model).fit(X, y).coef_, rtol=1e-12)


@EVERY_ENGINE
def test_columns_are_chosen_where_the_rows_are(engine: str, asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    store(connection := connect(engine, request), "t", data := rows(rng))
    X, y, _ = split(data)
    table = open_table(connection, "SELECT * FROM t", target="label", columns=[f"x{j}" for j in range(4)])
    stepwise = StepwiseDiscriminant(p_enter=0.9, p_remove=0.95).fit(table)
    expected = StepwiseDiscriminant(p_enter=0.9, p_remove=0.95).fit(X, y)
    assert_allclose(stepwise.history_["F"], expected.history_["F"], rtol=1e-9)
    assert_array_equal(AnovaFilter(k=2).fit(table).get_support(), AnovaFilter(k=2).fit(X, y).get_support())
    assert not [sql for sql in asked if sql.startswith("stream")]


@EVERY_ENGINE
@pytest.mark.parametrize("kind", ["whole numbers", "booleans", "text"])
def test_labels_of_every_kind(engine: str, kind: str, rng: Any, request: Any) -> None:
    y = {
        "whole numbers": np.arange(60) % 3 - 5 * 10**15,
        "booleans": np.arange(60) % 2 == 0,
        "text": np.array(["a", "ü"])[np.arange(60) % 2],
    }
    X = pd.DataFrame(rng.normal(size=(60, 2)) + (np.arange(60) % 2)[:, None], columns=["a", "b"])
    store(connection := connect(engine, request), "t", {"a": X["a"], "b": X["b"], "y": y[kind]})
    table = open_table(connection, "SELECT * FROM t", target="y")
    expected, found = GaussianNB().fit(X, y[kind]), GaussianNB().fit(table)
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-9, atol=1e-12)
    assert_array_equal(LogisticRegression().fit(table).predict(X), LogisticRegression().fit(X, y[kind]).predict(X))


@EVERY_ENGINE
def test_announced_classes_may_be_more(engine: str, rng: Any, request: Any) -> None:
    store(connection := connect(engine, request), "t", data := rows(rng))
    X, y, _ = split(data)
    classes, names = ["eggs", "ham", "it's", "spam"], [f"x{j}" for j in range(4)]
    found = ClassMoments.from_data(open_table(connection, "SELECT * FROM t", target="label", columns=names, classes=classes))
    expected = ClassMoments.from_data(X, y)
    assert found.counts.tolist() == [0.0, *expected.counts.tolist()]
    assert_allclose(found.scatter[1:], expected.scatter, rtol=1e-9)


@EVERY_ENGINE
def test_wide_tables_take_several_queries(engine: str, asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    X, y = rng.normal(size=(70, 65)), np.arange(70) % 2
    store(connection := connect(engine, request), "t", {**{f"x{j}": X[:, j] for j in range(65)}, "y": y})
    found = ClassMoments.from_data(open_table(connection, "SELECT * FROM t", target="y"), pooled=True)
    assert_allclose(found.scatter, ClassMoments.from_data(X, y, pooled=True).scatter, rtol=1e-9, atol=1e-9)
    assert len([sql for sql in asked if "centred" in sql]) == {"duckdb": 1, "sqlite": 2, "postgres": 2}[engine]


def test_weighted_columns_up_to_the_limit_of_a_select(rng: Any, request: Any) -> None:
    X, y, times = rng.normal(size=(40, 1100)), np.arange(40) % 2, rng.integers(1, 4, 40)
    store(connection := connect("sqlite", request), "t", {**{f"x{j}": X[:, j] for j in range(1100)}, "y": y, "times": times})
    found = GaussianNB().fit(open_table(connection, "SELECT * FROM t", target="y", weight="times"))
    assert_allclose(found.var_, GaussianNB().fit(X, y, sample_weight=times).var_, rtol=1e-9)


@pytest.mark.parametrize(("characters", "queries"), [(1_000_000, 1), (1000, 2), (850, 4), (600, 0)])
def test_statements_that_are_too_long_are_halved_or_not_sent(characters: int, queries: int, asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    store(connection := connect("duckdb", request), "t", data := rows(rng))
    table = open_table(connection, "SELECT * EXCLUDE (times) FROM t", target="label")
    table.connection.dialect = replace(table.connection.dialect, characters=characters)
    assert_allclose(ClassMoments.from_data(table).scatter, ClassMoments.from_data(*split(data)[:2]).scatter, rtol=1e-9)
    assert len([sql for sql in asked if "centred" in sql]) == queries


def test_columns_far_from_the_pilot_alone_have_constants_of_each_class(asked: Any, rng: Any, request: Any) -> None:  # noqa: F811
    store(connection := connect("duckdb", request), "t", data := rows(rng) | {"x2": np.arange(90) % 3 * 1e6 + rng.normal(size=90)})
    found = ClassMoments.from_data(open_table(connection, "SELECT * EXCLUDE (times) FROM t", target="label"))
    assert_allclose(found.scatter, ClassMoments.from_data(*split(data)[:2]).scatter, rtol=1e-9)
    again = [sql for sql in asked if '"pilot"."m2"' in sql]
    assert len(again) == 1 and '"pilot"."m0"' not in again[0]


READING = [LogisticRegression(), LinearSVC(), OneVsRest(LogisticRegression()), AnovaFilter(2)]


@pytest.mark.parametrize("model", READING, ids=repr)
def test_a_fit_sees_the_rows_as_they_were_when_it_began(model: Any, rng: Any, request: Any, monkeypatch: Any) -> None:
    psycopg, query = pytest.importorskip("psycopg"), "SELECT x0, x2, x3, label FROM t ORDER BY x0"
    store(connection := connect("postgres", request), "t", data := rows(rng))
    expected = clone(model).fit(open_table(connection, query, target="label"))
    fetch, stream = Connection.fetch, Connection.stream
    with psycopg.connect(connection.info.dsn, autocommit=True) as other:

        def meanwhile(ask: Any, *arguments: Any) -> Any:
            yield from ask(*arguments)
            other.execute("UPDATE t SET x0 = x0 + x2 + 1")

        monkeypatch.setattr(Connection, "fetch", lambda *given: list(meanwhile(fetch, *given)))
        monkeypatch.setattr(Connection, "stream", lambda *given: meanwhile(stream, *given))
        found = clone(model).fit(open_table(connection, query, target="label"))
        assert other.execute("SELECT max(x0) FROM t").fetchone()[0] > data["x0"].max() + 0.1
    ask = "transform" if hasattr(model, "transform") else "decision_function"
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(9, 3)), columns=["x0", "x2", "x3"])
    assert_allclose(getattr(found, ask)(X), getattr(expected, ask)(X), rtol=1e-9)


CENTRED = [
    LogisticRegression(C=0.3, l1_ratio=1.0, tol=1e-9),
    LogisticRegression(C=np.inf, tol=1e-9),
    LinearSVC(tol=1e-9),
    LinearSVC(loss="hinge"),
]


@pytest.mark.parametrize("model", CENTRED, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_fits_end_where_columns_lie_far_from_zero(model: Any, n_classes: int, rng: Any, request: Any) -> None:
    y = np.arange(120) % n_classes
    X = rng.normal(size=(120, 3)) * [1.0, 3.0, 1.0] + np.array([0.0, 1e5, 1e8]) + (y == 0)[:, None]
    store(connection := connect("duckdb", request), "t", {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    found, expected = clone(model).fit(open_table(connection, "SELECT * FROM t", target="y")), clone(model).fit(X, y)
    assert found.solution_.is_converged
    assert found.solution_.objective == pytest.approx(expected.solution_.objective, rel=1e-8 if "hinge'" not in repr(model) else 1e-4)

"""Results say what to ask before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from separatrix import KFold, LinearDiscriminantAnalysis, LogisticRegression, NearestMean, TimeSplit, compare, evaluate
from separatrix.errors import InputTypeError
from separatrix.facts import alerts_of_board, alerts_of_estimate


def rows(rng: np.random.Generator, n: int = 300, effect: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 3))
    return X, (effect * X[:, 0] + rng.normal(size=n) > 0).astype(int)


def board(X: Any, y: Any, *models: Any) -> Any:
    return compare(X, y, models=list(models), plan=KFold(5), random_state=0)


def codes(alerts: Any) -> list[str]:
    return [alert.code for alert in alerts]


def test_nothing_learned(rng: np.random.Generator) -> None:
    found = board(*rows(rng, effect=0.0), LinearDiscriminantAnalysis())
    assert codes(alerts_of_board(found)) == ["SPX011"]
    assert alerts_of_board(found)[0].subject == "LinearDiscriminantAnalysis" and "There may be nothing to learn" in str(found)
    assert codes(alerts_of_board(board(*rows(rng), LinearDiscriminantAnalysis()))) == []


@pytest.mark.parametrize(("name", "values", "said"), [
    ("C", [1e-5, 1e-4, 1e-3], "'C': [0.01, 0.001"),
    ("C", [1e-2, 1.0, 100.0, 1e4], None),
    ("C", [1e-4, 1e-3], None),
])  # fmt: skip
def test_a_value_at_the_end_of_its_list(name: str, values: list[float], said: str | None, rng: np.random.Generator) -> None:
    X, y = rows(rng, 400, 3.0)
    found = compare(X, y, models=[(LogisticRegression(), {name: values})], plan=KFold(5), metric="log_loss", random_state=0)
    edges = [alert for alert in alerts_of_board(found) if alert.code == "SPX013"]
    assert len(edges) == (said is not None)
    assert said is None or said in edges[0].do


def test_the_end_of_what_is_possible_is_no_edge(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    grid = {"shrinkage": [0.9, 0.5, 0.0]}
    found = compare(X * [1, 50, 0.1], y, models=[(LinearDiscriminantAnalysis(), grid)], plan=KFold(5), metric="log_loss", random_state=0)
    assert {point["shrinkage"] for point in found.best.points} == {0.0}
    assert codes(alerts_of_board(found)) == []


def test_separated_classes_are_told_by_the_solver(rng: np.random.Generator) -> None:
    X, _ = rows(rng)
    y = (X[:, 0] > 0).astype(int)
    assert ("SPX009", "LogisticRegression") in [
        (a.code, a.subject) for a in board(X, y, LogisticRegression(C=np.inf), NearestMean()).alerts
    ]
    assert codes(board(X, y, LogisticRegression(), NearestMean()).alerts) == []


def test_copies_across_the_folds(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    twice, labels, groups = np.vstack([X, X[:30]]), np.append(y, y[:30]), np.append(np.arange(300), np.arange(30))
    assert "SPX006" in codes(alerts_of_board(board(twice, labels, NearestMean())))
    together = compare(twice, labels, models=[NearestMean()], plan=KFold(5, grouped=True), groups=groups)
    assert "SPX006" not in codes(alerts_of_board(together))


def test_overfit(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    assert codes(alerts_of_estimate(evaluate(KNeighborsClassifier(1), X, y, plan=KFold(5)))) == ["SPX012"]
    assert codes(alerts_of_estimate(evaluate(LinearDiscriminantAnalysis(), X, y, plan=KFold(5)))) == []


def test_errors_that_drift_along_a_date(rng: np.random.Generator) -> None:
    X, y = rows(rng, 600)
    order = rng.permutation(600)
    frame = pd.DataFrame(X, columns=list("abc")).assign(day=pd.date_range("2024", periods=600)[order])
    model = make_pipeline(make_column_transformer(("passthrough", ["a", "b", "c"])), LinearDiscriminantAnalysis())
    turned = np.where(order > 400, 1 - y, y)  # after day 400 everything is the other way round
    for labels, plan, expected in ((turned, KFold(5), ["SPX007"]), (y, KFold(5), []), (turned, TimeSplit("day", 3), [])):
        found = alerts_of_estimate(evaluate(model, frame, labels, plan=plan), frame, plan=plan)
        assert codes(found) == expected
        assert all(alert.subject == "day" and "later" in alert.seen and "TimeSplit('day')" in alert.do for alert in found)


@pytest.mark.parametrize("look", [alerts_of_board, alerts_of_estimate])
def test_other_things_have_no_alerts(look: Any) -> None:
    with pytest.raises(InputTypeError, match="is a dict; give what (compare|evaluate)"):
        look({})

"""Explanations of models with a decision around them, of rows with gaps, and of columns of 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression as PeerLogistic

from separatrix import (
    BernoulliNB,
    CategoricalNB,
    DecidedClassifier,
    Decision,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    contributions,
    explain,
)
from separatrix.errors import InputError

FRAME = load_iris(as_frame=True).data
X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
TWO = Y > 0
RULES = [Decision.threshold(0.97), Decision([[0, 1], [5, 0]], priors=[0.1, 0.9]), Decision(priors={"virginica": 0.01, "versicolor": 0.99})]
MODELS = [LinearDiscriminantAnalysis(), LogisticRegression(), GaussianNB(), QuadraticDiscriminantAnalysis()]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_what_is_explained_is_the_decision(model: Any, rule: Any) -> None:
    rows, labels = X[TWO], NAMES[TWO]
    plain = model.fit(rows, labels)
    decided = plain.with_decision(rule)
    changed = np.flatnonzero(decided.predict(rows) != plain.predict(rows))
    for row in (0, int(changed[0])):
        why: Any = explain(decided, rows, row, rows)
        assert why.predicted == decided.predict(rows[row : row + 1])[0] and why.score > 0
        assert why.score == pytest.approx(why.base + why.contributions.sum())
        assert why.unit.startswith("log-odds") and "The decision: 'virginica' where its posterior is above" in str(why)
        if why.flip is not None:
            assert decided.predict(why.flip.point[None])[0] == why.flip.label != why.predicted
    assert_allclose(contributions(decided, rows), contributions(plain, rows))


def test_a_rule_for_one_of_three_classes_and_a_wrapped_model_are_read_too() -> None:
    tuned = Decision.tune(LogisticRegression().fit(X, NAMES).predict_proba(X), NAMES, recall=1.0, positive="virginica").decision
    decided = DecidedClassifier(PeerLogistic(max_iter=1000).fit(X, NAMES), tuned)
    for row in (0, 70, 133):
        why: Any = explain(decided, X, row)
        assert why.predicted == decided.predict(X)[row] and decided.predict(why.flip.point[None])[0] == why.flip.label


def test_rejecting_is_said_beside_the_most_probable_class() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    decided = model.with_decision(Decision(reject_cost=0.05, priors=[0.2, 0.2, 0.6]))
    row = next(i for i, action in enumerate(decided.predict(X)) if action is None)
    why: Any = explain(decided, X, row)
    probable: Any = explain(model.with_priors([0.2, 0.2, 0.6]), X, row)
    assert why.predicted == probable.predicted and why.score == pytest.approx(probable.score)
    assert "It takes rejecting for this row; expected costs: 'setosa'" in str(why) and "rejecting 0.05" in str(why)
    assert "most probable class" in str(explain(decided))


def test_a_threshold_moves_the_boundary_and_nothing_else() -> None:
    model = LogisticRegression().fit(X[TWO], NAMES[TWO])
    plain: Any = explain(model)
    decided: Any = explain(model.with_decision(Decision.threshold(0.9)))
    assert_allclose(decided.coefficients.columns[1].values, plain.coefficients.columns[1].values)
    assert decided.boundaries != plain.boundaries and "posterior is above 0.9" in str(decided)


@pytest.mark.parametrize("model", [BernoulliNB(missing="ignore"), CategoricalNB(missing="ignore")], ids=lambda m: type(m).__name__)
def test_a_missing_value_adds_nothing(model: Any, rng: Any) -> None:
    rows = (rng.random((80, 4)) < 0.3 + 0.4 * (np.arange(80) % 2)[:, None]).astype(float)
    model.fit(rows, np.arange(80) % 2)
    gap = np.where(np.arange(4) == 2, np.nan, rows[:1])
    why: Any = explain(model, gap, 0, rows)
    full: Any = explain(model, rows, 0)
    sign = 1 if why.predicted == full.predicted else -1
    assert why.contributions[2] == 0.0 and why.predicted == model.predict(gap)[0]
    assert_allclose(np.delete(why.contributions, 2), sign * np.delete(full.contributions, 2))


def test_a_missing_value_is_named_where_it_cannot_be_left_out() -> None:
    with pytest.raises(InputError, match="Column 'sepal width .cm.' of this row is missing"):
        explain(LinearDiscriminantAnalysis().fit(FRAME, NAMES), FRAME.assign(**{"sepal width (cm)": np.nan}), 0)


def test_columns_of_0_and_1_are_not_silently_put_between() -> None:
    rows, y = load_breast_cancer(return_X_y=True)
    frame = pd.DataFrame({"size": rows[:, 0], "rough": (rows[:, 1] > 19).astype(int)})
    model = LinearDiscriminantAnalysis().fit(frame, y)
    assert "Only 0 and 1 were seen in rough" in str(explain(model, frame, 0))
    assert "Only 0 and 1" not in str(explain(model, frame, 0, fixed=["rough"]))

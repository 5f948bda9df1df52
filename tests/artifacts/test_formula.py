"""Formulas say what their models say, from the state alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from separatrix import GaussianNB, LogisticRegression, QuadraticDiscriminantAnalysis
from separatrix.artifacts.formula import formula_of
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError, InputTypeError
from tests.artifacts.models import machine_cases, number_cases, numbers, table_cases


def ready(case):
    """Rows as a formula takes them."""
    return case.rows if isinstance(case.rows, np.ndarray) else whole_table(case.rows)


def says_the_same(case):
    formula, rows = formula_of(case.model.state()), ready(case)
    found = formula.predictions(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that cannot be read
        if hasattr(case.model, "predict_proba"):
            np.testing.assert_allclose(found.posteriors, case.model.predict_proba(case.rows), rtol=1e-10, atol=1e-12)
        else:
            assert found.posteriors is None
        if hasattr(case.model, "decision_function") and not hasattr(case.model, "predict_proba"):
            scores = case.model.decision_function(case.rows)
            np.testing.assert_allclose(found.scores.ravel(), np.ravel(scores), rtol=1e-10, atol=1e-10)
        assert found.actions.tolist() == case.model.predict(case.rows).tolist()


@pytest.mark.parametrize("case", number_cases(), ids=str)
def test_numbers(case):
    says_the_same(case)


@pytest.mark.parametrize("case", table_cases(), ids=str)
def test_tables(case):
    says_the_same(case)


@pytest.mark.parametrize("case", machine_cases(), ids=str)
def test_machines(case):
    says_the_same(case)


@pytest.mark.parametrize("case", number_cases()[:8], ids=str)
def test_columns_give_what_rows_give(case):
    formula = formula_of(case.model)
    np.testing.assert_allclose(formula.scores(whole_table(case.rows)), formula.scores(case.rows), rtol=1e-9, atol=1e-9)


def test_what_has_no_formula_is_refused():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(InputTypeError, match="DecisionTreeClassifier is no model of this package"):
        formula_of(DecisionTreeClassifier())
    X, _ = numbers(2)
    formula = formula_of(number_cases()[0].model)
    with pytest.raises(InputError, match="reads 4 columns; got an array of shape"):
        formula.scores(X[:, :2])
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="row 3, column 'x1' are not finite"):
        formula.labels(X)
    svm = next(case for case in number_cases() if case.name == "LinearSVC-2")
    with pytest.raises(InputError, match="CalibratedClassifier"):
        formula_of(svm.model).posteriors(X)


@pytest.mark.parametrize("inner", [LogisticRegression(), GaussianNB(), QuadraticDiscriminantAnalysis(shrinkage=0.1)], ids=str)
def test_scaled_columns_are_taken_into_the_scores(inner):
    X, y = numbers(3)
    model = make_pipeline(StandardScaler(), inner).fit(X, y)
    np.testing.assert_allclose(formula_of(model).posteriors(X), model.predict_proba(X), rtol=1e-9)
    with pytest.raises(InputTypeError, match="PolynomialFeatures before linear scores has no formula"):
        formula_of(make_pipeline(PolynomialFeatures(2), LogisticRegression()).fit(X, y))

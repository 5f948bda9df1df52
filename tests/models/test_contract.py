"""scikit-learn's estimator checks on every estimator; each exception stands here with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from tests.tables import ESTIMATORS

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")

WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
ONE_BY_ONE = "one row is visited after the other: two steps of one are not one step of two, and rows in another order end elsewhere"
FOLDS = "a row repeated is two rows, which may be held out in different folds; one of weight two is held out once"
NOTHING = "the labels of the check are random, and where no column is good enough that is an error, NoFeatureLeftError"
DRAWN = "rows are drawn: one row of weight 2 as a whole, two rows apart"
RARE = "a class of the check has fewer rows than there are folds, which is said before the number of columns is looked at"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "Perceptron()": dict.fromkeys(WEIGHTS, ONE_BY_ONE),
    "AveragedPerceptron()": dict.fromkeys(WEIGHTS, ONE_BY_ONE),
    "VotedPerceptron()": dict.fromkeys(WEIGHTS, ONE_BY_ONE),
    "CalibratedClassifier()": dict.fromkeys(WEIGHTS, FOLDS),
    "ForwardSelection(estimator=LinearDiscriminantAnalysis())": {**dict.fromkeys(WEIGHTS, FOLDS), "check_fit2d_1feature": RARE},
    "BackwardSelection(estimator=LinearDiscriminantAnalysis())": {**dict.fromkeys(WEIGHTS, FOLDS), "check_fit2d_1feature": RARE},
    "StepwiseDiscriminant()": {
        "check_n_features_in_after_fitting": NOTHING,
        "check_estimators_dtypes": NOTHING,
        "check_sample_weights_pandas_series": NOTHING,
        "check_sample_weights_not_an_array": NOTHING,
        "check_dtype_object": NOTHING,
        "check_estimators_nan_inf": NOTHING,
        "check_fit_idempotent": NOTHING,
    },
    "StabilitySelection(random_state=0, selector=CorrelationFilter())": {
        **dict.fromkeys(WEIGHTS, DRAWN),
        "check_n_features_in_after_fitting": NOTHING,
        "check_estimators_dtypes": NOTHING,
        "check_sample_weights_pandas_series": NOTHING,
        "check_sample_weights_not_an_array": NOTHING,
        "check_fit_idempotent": NOTHING,
    },
    "MultinomialNB()": {
        "check_class_weight_classifiers": "the rows of the check are negative, which counts are not",
        "check_decision_proba_consistency": "the rows of the check are negative, which counts are not",
    },
    "CategoricalNB()": {
        "check_class_weight_classifiers": "the rows of the check are negative, which categories are not",
        "check_sample_weight_equivalence_on_dense_data": "the rows of the check are fractions, which are no categories",
        "check_sample_weight_equivalence_on_sparse_data": "the rows of the check are fractions, which are no categories",
        "check_classifiers_one_label_sample_weights": "the rows of the check are fractions, which are no categories",
    },
    "LogisticRegression(firth=True)": {
        "check_fit_score_takes_y": "partial_fit is refused: Jeffreys' prior needs the information of all rows at once",
        "check_n_features_in_after_fitting": "partial_fit is refused: Jeffreys' prior needs the information of all rows at once",
        "check_estimators_partial_fit_n_features": "partial_fit is refused: Jeffreys' prior needs the information of all rows at once",
        "check_sample_weight_equivalence_on_dense_data": "more columns than rows: the information that the prior needs is singular",
        "check_sample_weight_equivalence_on_sparse_data": "more columns than rows: the information that the prior needs is singular",
    },
    "FisherDiscriminant()": {
        "check_class_weight_classifiers": "the nearest projected mean does not depend on how large the classes are; threshold='priors' does"
    },
}


def expected(estimator: Any) -> dict[str, str]:
    return EXCEPTIONS.get(repr(estimator), {})


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_every_public_estimator_is_in_the_table_at_its_defaults() -> None:
    public = [getattr(separatrix, name) for name in separatrix.__all__]
    estimators = {value.__name__ for value in public if isinstance(value, type) and issubclass(value, BaseEstimator)}
    around = {"BackwardSelection", "ForwardSelection", "StabilitySelection"}  # which cannot be made without what they work on
    listed = {type(estimator).__name__ for estimator in ESTIMATORS if repr(estimator).endswith("()") or type(estimator).__name__ in around}
    assert listed == estimators


def test_every_exception_is_one_of_the_table() -> None:
    assert {repr(estimator) for estimator in ESTIMATORS} >= set(EXCEPTIONS)

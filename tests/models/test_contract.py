"""scikit-learn's estimator checks on every estimator; each exception stands here with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.tables import COUNT_MODELS, LOSS_MODELS, MODELS

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")

EXCEPTIONS: dict[str, dict[str, str]] = {
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


@parametrize_with_checks([*MODELS, *COUNT_MODELS, *LOSS_MODELS], expected_failed_checks=expected)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)

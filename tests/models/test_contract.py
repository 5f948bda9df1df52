"""scikit-learn's estimator checks on every estimator; each exception stands here with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.tables import MODELS

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")

EXCEPTIONS: dict[str, dict[str, str]] = {
    "FisherDiscriminant()": {
        "check_class_weight_classifiers": "the nearest projected mean does not depend on how large the classes are; threshold='priors' does"
    },
}


def expected(estimator: Any) -> dict[str, str]:
    return EXCEPTIONS.get(repr(estimator), {})


@parametrize_with_checks(MODELS, expected_failed_checks=expected)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)

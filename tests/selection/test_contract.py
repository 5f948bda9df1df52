"""scikit-learn's estimator checks on every selector; each exception stands here with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.selection.selectors import SELECTORS

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")

EXCEPTIONS: dict[str, dict[str, str]] = {}


def expected(estimator: Any) -> dict[str, str]:
    return EXCEPTIONS.get(repr(estimator), {})


@parametrize_with_checks(SELECTORS, expected_failed_checks=expected)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)

"""scikit-learn's estimator checks on every selector; each exception stands here with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import selection
from separatrix.selection.selector import Selector
from tests.selection.selectors import RANDOM, SEARCHES, SELECTORS

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")

EXCEPTIONS: dict[str, dict[str, str]] = {
    "StabilitySelection": {
        "check_sample_weight_equivalence_on_dense_data": "rows are drawn: one row of weight 2 as a whole, two rows apart",
        "check_sample_weight_equivalence_on_sparse_data": "rows are drawn: one row of weight 2 as a whole, two rows apart",
    },
}


def expected(estimator: Any) -> dict[str, str]:
    return EXCEPTIONS.get(type(estimator).__name__, {})


@parametrize_with_checks([*SELECTORS, *RANDOM], expected_failed_checks=expected)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_tables_hold_every_public_selector() -> None:
    public = {name: getattr(selection, name) for name in selection.__all__}
    selectors = {name for name, value in public.items() if isinstance(value, type) and issubclass(value, Selector)}
    assert {type(selector).__name__ for selector in [*SELECTORS, *RANDOM]} == selectors - SEARCHES

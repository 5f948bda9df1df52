"""The end of a solver's work: every status has its sentence and its advice."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning

from separatrix.errors import SeparatrixWarning
from separatrix.solvers.solution import ConvergenceWarning, SeparableWarning, Solution, Status


@pytest.mark.parametrize("status", Status)
def test_every_status_says_what_happened_and_what_to_change(status: Status) -> None:
    assert status.sentence
    assert bool(status.advice) == (status is not Status.CONVERGED)


def test_a_solution_describes_itself() -> None:
    found = Solution(np.zeros((1, 1)), np.zeros(1), "max_iter", 5, 6, 0.1, 2e-3, 4e-4, "newton")
    assert found.describe().startswith(
        "newton stopped at max_iter before the tolerance was reached, after 6 passes, with gradient norm 0.002, gap ≤"
    )
    assert Solution(np.zeros((1, 1)), np.zeros(1), Status.CONVERGED, 5, 6, 0.1, 1e-9, np.inf, "newton").describe().count("gap") == 0


@pytest.mark.parametrize("kind", [ConvergenceWarning, SeparableWarning])
def test_warnings_are_both_families(kind: type[Warning]) -> None:
    assert issubclass(kind, SklearnConvergenceWarning) and issubclass(kind, SeparatrixWarning)
    with pytest.warns(SklearnConvergenceWarning, match="far"):
        warnings.warn("far", kind, stacklevel=1)

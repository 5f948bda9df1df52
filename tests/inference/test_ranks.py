"""Ranks are those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import rankdata

from separatrix.inference.ranks import average_ranks


@pytest.mark.parametrize("values", [[2.0], [1.0, 1.0, 1.0], [3.0, -np.inf, 3.0, 0.0, -0.0, np.inf], list(range(9, 0, -1))])
def test_equal_values_share_the_mean_of_their_ranks(values: list[float]) -> None:
    assert_array_equal(average_ranks(np.array(values)), rankdata(values))


def test_many_ties(rng: np.random.Generator) -> None:
    values = rng.integers(0, 40, 1_000)
    assert_array_equal(average_ranks(values), rankdata(values))

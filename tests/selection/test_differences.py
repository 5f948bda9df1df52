"""Paired tests against values worked by hand or published."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom
from sklearn.metrics import roc_auc_score

from separatrix.inference.shares import Area, macro_area
from separatrix.selection.differences import delong, mcnemar, paired_rows, resampled_t


def wrong(only_one: int, only_other: int, both: int, none: int) -> tuple[Any, Any]:
    kinds = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [only_one, only_other, both, none], axis=0).astype(bool)
    return kinds[:, 0], kinds[:, 1]


@pytest.mark.parametrize(("b", "c"), [(8, 1), (1, 8), (5, 5), (10, 0), (0, 3)])
def test_mcnemar_is_the_binomial_tail_of_the_discordant_rows(b: int, c: int) -> None:
    found = mcnemar(*wrong(b, c, 3, 30))
    assert found.p == pytest.approx(min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5)))
    assert found.value == pytest.approx((b - c) / (33 + b + c))


def test_mcnemar_of_agresti_and_of_equal_models() -> None:
    """Approval of the prime minister (Agresti 2013, table 11.1): 150 and 86 discordant of 1600; 0.04 ± 0.0187, exact p about 3.7e-5."""
    found = mcnemar(*wrong(150, 86, 794, 570))
    assert found.p == pytest.approx(3.716e-5, rel=1e-3)
    assert_allclose(found.interval, (0.0213, 0.0587), atol=3e-4)
    assert mcnemar(*wrong(0, 0, 4, 9)).p == 1.0


def area(codes: Any, score: Any) -> Area:
    P = np.column_stack([np.zeros(len(codes)), score])
    return macro_area(np.asarray(codes, dtype=np.int32), P, None, np.zeros(len(codes), dtype=np.int64))


def test_delong_worked_by_hand() -> None:
    """Placements (1, 1/3, 1 | 2/3, 2/3, 1) against all ones: variance (4/27 + 1/27)/3, z = .8944."""
    truth = [1, 1, 1, 0, 0, 0]
    found = delong(area(truth, [0.6, 0.3, 0.8, 0.4, 0.5, 0.1]), area(truth, [0.9, 0.8, 0.7, 0.4, 0.3, 0.1]))
    assert found.value == pytest.approx(2 / 9)
    assert (found.interval[1] - found.interval[0]) / 2 == pytest.approx(1.959964 * np.sqrt(5 / 81))
    assert found.p == pytest.approx(0.37109, abs=1e-5)


def test_delong_equals_the_covariances_of_the_placements(rng: Any) -> None:
    y = np.arange(60) % 3 == 0
    one, two = (rng.normal(size=60) + y).round(1), (rng.normal(size=60) + 0.5 * y).round(1)
    V = [np.array([[np.mean(s[y][:, None] > s[~y], axis=1) + 0.5 * np.mean(s[y][:, None] == s[~y], axis=1)] for s in (one, two)])[:, 0]]
    V += [np.array([np.mean(s[y][:, None] > s[~y], axis=0) + 0.5 * np.mean(s[y][:, None] == s[~y], axis=0) for s in (one, two)])]
    S = np.cov(V[0]) / y.sum() + np.cov(V[1]) / (~y).sum()
    found = delong(area(y.astype(int), one), area(y.astype(int), two))
    assert area(y.astype(int), one).value == pytest.approx(roc_auc_score(y, one))
    half = (found.interval[1] - found.interval[0]) / 2
    assert half == pytest.approx(1.959964 * np.sqrt(S[0, 0] + S[1, 1] - 2 * S[0, 1]), rel=1e-6)


def test_areas_of_several_classes_differ_as_in_a_bootstrap(rng: Any) -> None:
    y = (np.arange(240) % 3).astype(np.int32)
    P = [rng.dirichlet([1, 1, 1], 240) + strength * np.eye(3)[y] for strength in (0.2, 0.4)]
    areas = [macro_area(y, p, None, np.zeros(240, dtype=np.int64)) for p in P]
    found = delong(*areas)
    draws = [rng.integers(0, 240, 240) for _ in range(200)]
    one, two = (np.array([roc_auc_score(y[i], p[i] / p[i].sum(1, keepdims=True), multi_class="ovr") for i in draws]) for p in P)
    assert (found.interval[1] - found.interval[0]) / 2 / 1.96 == pytest.approx(np.std(two - one), rel=0.2)


def test_paired_losses_and_folds() -> None:
    a, b = np.array([0.2, 0.4, 0.9, 0.1]), np.array([0.1, 0.4, 0.5, 0.2])
    d = a - b
    assert_allclose(paired_rows(a, b).interval, d.mean() + np.array([-1, 1]) * 1.959964 * d.std(ddof=1) / 2)
    # t = .1/√((1/3 + 1/3) · .01) = 1.2247 with 2 degrees of freedom: p = 1 − t/√(t² + 2)
    assert resampled_t(np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.1, 0.2]), 0.25).p == pytest.approx(1 - 1.5**0.5 / 3.5**0.5)
    assert resampled_t(np.array([0.1]), np.array([0.2]), 0.5) is None
    assert paired_rows(a, a).p == 1.0

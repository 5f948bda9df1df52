"""Every penalty in every law: subgradients, proximal points, Fenchel's inequality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from separatrix.losses import L1, L2, PENALTIES, ElasticNet, Penalty

EVERY = pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)


@EVERY
def test_slope_is_a_subgradient_also_on_the_kink(penalty: Penalty) -> None:
    rng = np.random.default_rng(0)
    w = np.append(rng.standard_normal(4), 0.0)
    for other in rng.standard_normal((50, 5)):
        assert penalty.value(other) >= penalty.value(w) + penalty.slope(w) @ (other - w) - 1e-12


@EVERY
def test_prox_is_the_minimiser(penalty: Penalty) -> None:
    for w in (-2.0, -0.2, 0.0, 0.1, 3.0):
        found = penalty.prox(np.array([w]), 0.7)
        best = minimize_scalar(
            lambda u, w=w: 0.5 * (u - w) ** 2 + 0.7 * penalty.value(np.array([u])), bounds=(-4, 4), options={"xatol": 1e-10}
        )
        assert found[0] == pytest.approx(best.x, abs=1e-5)


@EVERY
def test_fenchel_inequality_with_equality_at_the_slope(penalty: Penalty) -> None:
    rng = np.random.default_rng(1)
    w, other = rng.standard_normal(5), rng.standard_normal(5)
    u = penalty.slope(w)
    assert penalty.value(w) + penalty.conjugate(u) == pytest.approx(u @ w, abs=1e-9)
    assert penalty.value(other) + penalty.conjugate(u) >= u @ other - 1e-9


@EVERY
def test_zero_costs_nothing(penalty: Penalty) -> None:
    assert penalty.value(np.zeros(3)) == 0.0 and penalty.conjugate(np.zeros(3)) == 0.0


def test_elastic_net_collapses_to_its_ends() -> None:
    w = np.array([1.0, -2.0])
    assert ElasticNet(0.0).value(w) == L2().value(w) == 2.5
    assert ElasticNet(1.0).value(w) == L1().value(w) == 3.0
    assert np.isinf(L1().conjugate(np.array([1.1])))

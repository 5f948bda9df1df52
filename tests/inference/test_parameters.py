from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.inference.likelihood import shrunk
from separatrix.inference.parameters import CONDITIONAL, JOINT, count_parameters, effective_parameters

COUNTS = [
    ("shared covariance", 3, 4, 24, 10),
    ("own covariances", 3, 4, 44, 30),
    ("own variances", 3, 4, 26, 18),
    ("switches", 2, 5, 11, 6),
    ("words", 2, 5, 9, 6),
    ("words", 4, 2, 7, 7),
]


@pytest.mark.parametrize(("family", "K", "p", "joint", "conditional"), COUNTS)
def test_counts_are_those_of_the_table(family: Any, K: int, p: int, joint: int, conditional: int) -> None:
    assert count_parameters(family, K, p) == joint
    assert count_parameters(family, K, p, priors_given=True) == joint - (K - 1)
    assert count_parameters(family, K, p, "conditional") == count_parameters(family, K, p, "conditional", priors_given=True) == conditional


def test_every_family_is_counted_twice() -> None:
    assert JOINT.keys() == CONDITIONAL.keys() == {case[0] for case in COUNTS}


def optimism(S: Any, K: int, shrink: Any, n: float = 1.0) -> float:
    """Average excess of the log-likelihood of the rows fitted: −½ n Σ ∂(S_α⁻¹)_ab/∂S_cd Cov(S_cd, S_ab), by central differences."""
    p, h = len(S), 1e-6
    total = K * np.trace(np.linalg.solve(shrink(S), S))
    for c in range(p):
        for d in range(p):
            step = np.zeros((p, p))
            step[c, d] = step[d, c] = h if c == d else h / 2
            slope = (np.linalg.inv(shrink(S + step)) - np.linalg.inv(shrink(S - step))) / (2 * h)
            covariance = np.outer(S[c], S[d]) + np.outer(S[d], S[c])
            total -= 0.5 * np.sum(slope * covariance)
    return float(total)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("own_scale", [False, True])
def test_effective_parameters_are_the_optimism(alpha: float, own_scale: bool, ridge: float, rng: Any) -> None:
    A = rng.normal(size=(3, 3))
    S = A @ A.T + 0.2 * np.eye(3)

    def shrink(C: Any) -> Any:
        return shrunk(C, alpha, np.sqrt(np.diag(C)) if own_scale else None, ridge)

    assert_allclose(effective_parameters(S, shrink(S), 4, alpha, own_scale, ridge), optimism(S, 4, shrink), rtol=1e-5)


def test_effective_parameters_by_their_eigenvalues(rng: Any) -> None:
    """K Σb + ½(1 − α)[Σb² + (Σb)²] + (α/p)Σb² with b = l/((1 − α)l + α l̄)."""
    A, alpha, K = rng.normal(size=(4, 4)), 0.3, 3
    S = A @ A.T
    values = np.linalg.eigvalsh(S)
    b = values / ((1 - alpha) * values + alpha * values.mean())
    expected = K * b.sum() + 0.5 * (1 - alpha) * (np.sum(b**2) + b.sum() ** 2) + alpha / 4 * np.sum(b**2)
    assert_allclose(effective_parameters(S, shrunk(S, alpha, None), K, alpha), expected)


def test_no_shrinkage_and_full_shrinkage_are_known_models(rng: Any) -> None:
    A = rng.normal(size=(4, 4))
    S = A @ A.T
    assert_allclose(effective_parameters(S, S, 3, 0.0), 3 * 4 + 10)
    diagonal = np.diag(np.diag(S))
    assert_allclose(effective_parameters(S, diagonal, 3, 1.0, own_scale=True), 3 * 4 + 4)
    assert_allclose(effective_parameters(np.eye(4), np.eye(4), 3, 1.0), 3 * 4 + 1)
    assert effective_parameters(np.zeros((2, 2)), np.zeros((2, 2)), 3, 0.5) == 0.0

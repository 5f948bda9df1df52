"""Distances without a row, and losses, by kernels and by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix import LinearDiscriminantAnalysis
from separatrix.evaluation import LeaveOneOut, evaluate, shrinkage_path
from separatrix.kernels.left_out import losses
from separatrix.solvers.held_out import leave_one_out
from separatrix.thresholds import Threshold


def labelled(rng: Any) -> tuple[Any, Any, Any]:
    y = np.repeat([0, 1, 2, 3], [20, 1, 30, 29])
    return rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5)) + 0.5 * y[:, None], y, rng.uniform(0.5, 1.5, 80)


@pytest.mark.parametrize("shrinkage", [0.0, 0.01, 0.4, 1.0])
@pytest.mark.parametrize("covariance", ["unbiased", "mle"])
def test_both_roads_agree(shrinkage: float, covariance: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w = labelled(rng)
    model = LinearDiscriminantAnalysis(shrinkage=shrinkage, covariance=covariance)
    plain = evaluate(model, X, y, plan=LeaveOneOut(), sample_weight=w)
    monkeypatch.setattr(Threshold, "everywhere", 0)
    compiled = evaluate(model, X, y, plan=LeaveOneOut(), sample_weight=w)
    assert_allclose(compiled.posteriors, plain.posteriors, atol=1e-10)


def test_rows_that_carry_a_direction_are_found(rng: Any) -> None:
    u = np.array([[1.0, 0.0], [0.1, 0.2]])
    spectrum = leave_one_out.Spectrum(np.zeros(2), np.zeros((2, 2, 2)), 0.0, 1.0)
    given = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]] * 2)
    found = leave_one_out.by_distances(u, np.zeros(2, dtype=np.int32), given, spectrum, np.zeros((2, 2)))
    assert_array_equal(found.refit, [True, False])


def test_a_path_by_kernels_is_a_path(rng: Any, monkeypatch: Any) -> None:
    X, y, w = labelled(rng)
    plain = shrinkage_path(X, y, shrinkages=[0.0, 0.2, 1.0], sample_weight=w)
    monkeypatch.setattr(Threshold, "everywhere", 0)
    compiled = shrinkage_path(X, y, shrinkages=[0.0, 0.2, 1.0], sample_weight=w)
    assert_allclose(compiled.error, plain.error, atol=1e-12)
    assert_allclose(compiled.log_loss, plain.log_loss, atol=1e-10)
    assert_array_equal(compiled.refitted, plain.refitted)


def test_losses_are_those_of_softmax(rng: Any) -> None:
    scores, codes, weight = rng.normal(size=(50, 3)) * 30, rng.integers(0, 3, 50).astype(np.int32), rng.random(50)
    scores[3] = [0.0, -np.inf, -np.inf]
    P = np.exp(scores - scores.max(axis=1, keepdims=True))
    P = (P / P.sum(axis=1, keepdims=True))[np.arange(50), codes]
    eps = np.finfo(float).eps
    wrong, total = losses(scores, codes, weight)
    assert wrong == pytest.approx(weight @ (scores.argmax(axis=1) != codes))
    assert total == pytest.approx(-weight @ np.log(np.clip(P, eps, 1 - eps)))

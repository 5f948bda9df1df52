"""Every loss in every law: differences, kinks, convexity; the passes of smooth losses against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from separatrix import losses
from separatrix.losses import LOSSES, CrossEntropy, Loss, SmoothLoss
from separatrix.losses.smooth_loss import STRAIGHT
from tests.losses.smoothed_hinge import SmoothedHinge

ALL: list[Loss] = [*LOSSES, SmoothedHinge()]
EVERY = pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
SMOOTH = pytest.mark.parametrize("loss", [x for x in ALL if isinstance(x, SmoothLoss)], ids=lambda loss: loss.name)
K = 4


def points(loss: Loss, n: int = 60, spread: float = 3.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    if loss.is_multiclass:
        return spread * rng.standard_normal((n, K)), rng.integers(0, K, n)
    return spread * rng.standard_normal(n), rng.choice([-1.0, 1.0], n)


def one(loss: Loss, z: Any, y: Any) -> float:
    return float(loss.value(np.atleast_2d(z) if loss.is_multiclass else np.atleast_1d(z), np.atleast_1d(y))[0])


def test_the_table_holds_every_loss() -> None:
    public = {getattr(losses, name) for name in losses.__all__ if isinstance(getattr(losses, name), type)}
    assert {type(loss) for loss in LOSSES} == public - {Loss, SmoothLoss, CrossEntropy}


@EVERY
def test_slope_is_the_difference_quotient(loss: Loss) -> None:
    z, y = points(loss)
    for i in range(len(z)):
        numeric = approx_fprime(np.atleast_1d(z[i]), lambda v, i=i: one(loss, v if loss.is_multiclass else v[0], y[i]), 1e-7)
        np.testing.assert_allclose(np.atleast_1d(loss.slope(z, y)[i]), numeric, atol=1e-5)


@EVERY
def test_slope_is_a_subgradient_also_on_the_kink(loss: Loss) -> None:
    if loss.is_multiclass:
        pytest.skip("the softmax is smooth; its slope is held to differences above")
    y = np.array([1.0, -1.0, 1.0, -1.0])
    kink = np.array([1.0, -1.0, 0.0, 0.0])
    slope, value = loss.slope(kink, y), loss.value(kink, y)
    for other in np.linspace(-3, 3, 61):
        assert (loss.value(np.full(4, other), y) >= value + slope * (other - kink) - 1e-12).all()


@SMOOTH
def test_curvature_is_the_slope_of_the_slope(loss: SmoothLoss) -> None:
    z, y = points(loss)
    h = 1e-6
    if not loss.is_multiclass:
        np.testing.assert_allclose(loss.curvature(z, y), (loss.slope(z + h, y) - loss.slope(z - h, y)) / (2 * h), atol=1e-6)
        return
    for k in range(K):
        e = h * np.eye(K)[k]
        np.testing.assert_allclose(loss.curvature(z, y)[:, k], (loss.slope(z + e, y) - loss.slope(z - e, y)) / (2 * h), atol=1e-6)


@EVERY
def test_value_survives_huge_scores(loss: Loss) -> None:
    z, y = points(loss, 10, 1e5)
    assert np.isfinite(loss.value(z, y)).all() and np.isfinite(loss.slope(z, y)).all() and (loss.value(z, y) >= 0.0).all()


def test_a_loss_is_not_made_from_another() -> None:
    with pytest.raises(TypeError, match="Doubled inherits from Logistic, but kernels and solvers know the formulas of that loss"):
        type("Doubled", (losses.Logistic,), {})


def test_several_scores_count_by_their_differences() -> None:
    z, y = points(losses.Softmax())
    shifted = z + np.linspace(-2.0, 2.0, len(z))[:, None]
    np.testing.assert_allclose(losses.Softmax().value(shifted, y), losses.Softmax().value(z, y), atol=1e-12)


def test_softmax_of_two_classes_is_logistic() -> None:
    z, y = points(losses.Logistic())
    both = np.column_stack([np.zeros_like(z), z])
    np.testing.assert_allclose(losses.Softmax().value(both, (y > 0).astype(int)), losses.Logistic().value(z, y), atol=1e-12)


def scored(loss: Loss, weighted: bool) -> tuple[Any, Any, Any, Any]:
    """Return scores (n, R), class codes, weights (none: an empty array) and the targets of the formulas."""
    z, y = points(loss, spread=6.0)
    codes = (y if loss.is_multiclass else y > 0).astype(np.int32)
    weight = np.random.default_rng(1).integers(0, 3, len(z)).astype(float) if weighted else np.empty(0)
    return z.reshape(len(z), -1), codes, weight, y


def full_curvature(loss: SmoothLoss, S: Any, y: Any, s: Any) -> Any:
    """Return the curvature (n, R, R) of the formulas, and a little of it on straight slopes."""
    if loss.is_multiclass:
        return s[:, None, None] * loss.curvature(S, y)
    h, slope = loss.curvature(S[:, 0], y), loss.slope(S[:, 0], y)
    return (s * np.where(h > 0.0, h, STRAIGHT * np.abs(slope)))[:, None, None]


@SMOOTH
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_residuals_are_the_formulas(loss: SmoothLoss, weighted: bool, compiled: bool) -> None:
    S, codes, weight, y = scored(loss, weighted)
    s, at = weight if weighted else np.ones(len(S)), S if loss.is_multiclass else S[:, 0]
    found, plain, root = S.copy(), S.copy(), np.empty_like(S)
    total = loss.residuals(found, codes, weight, root, compiled)
    assert loss.residuals(plain, codes, weight, None, compiled) == pytest.approx(total, rel=1e-14)
    assert total == pytest.approx(s @ loss.value(at, y), rel=1e-12)
    np.testing.assert_allclose(found, s[:, None] * loss.slope(at, y).reshape(S.shape), atol=1e-12)
    np.testing.assert_allclose(plain, found, rtol=1e-14, atol=0.0)
    curvature = root[:, :, None] * root[:, None]
    if loss.is_multiclass:
        curvature = np.eye(K) * curvature.sum(axis=2)[:, :, None] - curvature
    np.testing.assert_allclose(curvature, full_curvature(loss, S, y, s), atol=1e-12)


@SMOOTH
@pytest.mark.parametrize("weighted", [True, False])
def test_products_with_the_curvature_are_the_formulas(loss: SmoothLoss, weighted: bool) -> None:
    S, codes, weight, y = scored(loss, weighted)
    residuals, V = S.copy(), np.random.default_rng(2).standard_normal(S.shape)
    loss.residuals(residuals, codes, weight)
    B, D = loss.bend(S, residuals, codes, weight), full_curvature(loss, S, y, weight if weighted else np.ones(len(S)))
    np.testing.assert_allclose(loss.curvature_times(B, weight, V.copy()), np.einsum("ikl,il->ik", D, V), atol=1e-12)
    np.testing.assert_allclose(loss.curvature_diagonal(B, weight), np.einsum("ikk->ik", D), atol=1e-12)


@SMOOTH
@pytest.mark.parametrize("counts", [[3.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
def test_constant_scores_have_their_value(loss: SmoothLoss, counts: list[float]) -> None:
    if loss.is_multiclass != (len(counts) > 2):
        return
    shares, scores = np.array(counts) / sum(counts), loss.constant_scores(np.array(counts))
    at = np.tile(scores, (len(counts), 1))
    each = loss.value(at, np.arange(len(counts))) if loss.is_multiclass else loss.value(at[:, 0], np.array([-1.0, 1.0]))
    assert loss.constant_value(np.array(counts)) == pytest.approx(shares @ each, rel=1e-12)

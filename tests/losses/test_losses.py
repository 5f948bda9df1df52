"""Every loss in every law: differences, kinks, bounds, convexity, Fenchel's inequality and its equality."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from separatrix import losses
from separatrix.errors import InputError
from separatrix.losses import LOSSES, Hinge, Loss, require

EVERY = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
CURVED = pytest.mark.parametrize("loss", [x for x in LOSSES if "curvature" in x.offers], ids=lambda loss: loss.name)
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
    assert {type(loss) for loss in LOSSES} == {c for c in public if issubclass(c, Loss) and c is not Loss}


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


@CURVED
def test_curvature_is_the_slope_of_the_slope(loss: Loss) -> None:
    z, y = points(loss)
    h = 1e-6
    if not loss.is_multiclass:
        np.testing.assert_allclose(loss.curvature(z, y), (loss.slope(z + h, y) - loss.slope(z - h, y)) / (2 * h), atol=1e-6)
        return
    for k in range(K):
        e = h * np.eye(K)[k]
        np.testing.assert_allclose(loss.curvature(z, y)[:, k], (loss.slope(z + e, y) - loss.slope(z - e, y)) / (2 * h), atol=1e-6)


@CURVED
def test_curvature_is_bounded_and_the_bound_is_reached(loss: Loss) -> None:
    z, y = points(loss, 500)
    c = loss.curvature(z, y)
    top = np.linalg.eigvalsh(c)[:, -1] if loss.is_multiclass else c
    assert (top <= loss.curvature_bound + 1e-12).all()
    where = np.array([[0.0, 0.0, -50.0, -50.0]]) if loss.is_multiclass else np.array([0.0])
    at = loss.curvature(where, np.array([0]) if loss.is_multiclass else np.array([1.0]))
    assert np.max(np.linalg.eigvalsh(at[0]) if loss.is_multiclass else at) == pytest.approx(loss.curvature_bound)


@EVERY
def test_fenchel_inequality_with_equality_at_the_slope(loss: Loss) -> None:
    z, y = points(loss)
    other = np.roll(z, 1, axis=0)
    a = loss.slope(z, y)
    product = (lambda u, v: (u * v).sum(axis=1)) if loss.is_multiclass else (lambda u, v: u * v)
    np.testing.assert_allclose(loss.value(z, y) + loss.conjugate(a, y), product(a, z), atol=1e-9)
    assert (loss.value(other, y) + loss.conjugate(a, y) >= product(a, other) - 1e-9).all()


@EVERY
def test_conjugate_is_infinite_outside_its_domain(loss: Loss) -> None:
    if loss.name == "squared":
        pytest.skip("the conjugate of the squared loss is finite everywhere")
    y = np.array([0]) if loss.is_multiclass else np.array([1.0])
    outside = np.full((1, K), 0.5) if loss.is_multiclass else np.array([0.5])
    assert np.isinf(loss.conjugate(outside, y)).all()


@EVERY
def test_value_survives_huge_scores(loss: Loss) -> None:
    z, y = points(loss, 10, 1e5)
    assert np.isfinite(loss.value(z, y)).all() and np.isfinite(loss.slope(z, y)).all()


def test_softmax_of_two_classes_is_logistic() -> None:
    z, y = points(losses.Logistic())
    both = np.column_stack([np.zeros_like(z), z])
    np.testing.assert_allclose(losses.Softmax().value(both, (y > 0).astype(int)), losses.Logistic().value(z, y), atol=1e-12)


def test_a_missing_capability_is_named() -> None:
    with pytest.raises(InputError, match="newton needs the curvature of the loss, but the hinge loss offers only"):
        require(Hinge(), ("slope", "curvature"), "newton")
    with pytest.raises(InputError, match="curvature"):
        Hinge().curvature(np.zeros(1), np.ones(1))

"""What is particular to class moments: kinds, forgetting, sizes, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix import ClassMoments, Moments
from separatrix.errors import CapacityError, InputError


def rows(rng: Any, n: int = 40) -> tuple[Any, Any]:
    return rng.normal(size=(n, 3)), np.arange(n) % 2


def test_full_moments_give_the_other_kinds(rng: Any) -> None:
    X, y = rows(rng)
    full = ClassMoments.from_data(X, y)
    assert_allclose(full.to("pooled").scatter, ClassMoments.from_data(X, y, pooled=True).scatter)
    assert_allclose(full.to("diagonal").scatter, ClassMoments.from_data(X, y, diagonal=True).scatter)
    with pytest.raises(InputError, match="cannot be turned into 'full'"):
        full.to("pooled").to("full")


def test_scaling_classes_is_weighting_their_rows(rng: Any) -> None:
    X, y = rows(rng)
    scaled = ClassMoments.from_data(X, y).scaled(np.array([2.0, 0.5]))
    weighted = ClassMoments.from_data(X, y, np.where(y == 0, 2.0, 0.5))
    assert_allclose(scaled.scatter, weighted.scatter)
    assert_allclose(scaled.counts, weighted.counts)


def test_empty_is_neutral(rng: Any) -> None:
    X, y = rows(rng)
    for kind in ("full", "pooled", "diagonal"):
        moments = ClassMoments.from_data(X, y, pooled=kind == "pooled", diagonal=kind == "diagonal")
        merged = ClassMoments.empty(moments.classes, 3, kind).merge(moments)
        assert_array_equal(merged.means, moments.means)
        assert_array_equal(merged.scatter, moments.scatter)
    assert_allclose(Moments.empty(3).merge(Moments.from_data(X)).mean, X.mean(axis=0))


@pytest.mark.parametrize("kind", ["full", "pooled", "diagonal"])
def test_rows_never_learned_cannot_be_taken_out(kind: str, rng: Any) -> None:
    X, y = rows(rng)
    choice = {"pooled": kind == "pooled", "diagonal": kind == "diagonal"}
    moments = ClassMoments.from_data(X, y, **choice)
    with pytest.raises(InputError, match="cannot have been among those learned"):
        moments.subtract(ClassMoments.from_data(X[:4] + 50.0, y[:4], **choice))
    with pytest.raises(InputError, match="holds 20 .in 20 rows., so 40 .in 40 rows. cannot be taken out"):
        moments.subtract(moments.merge(moments))


def test_all_rows_can_be_taken_out(rng: Any) -> None:
    X, y = rows(rng)
    moments = ClassMoments.from_data(X, y)
    left = moments.subtract(moments)
    assert left.counts.tolist() == [0.0, 0.0]
    assert_allclose(left.scatter, 0.0, atol=1e-12)


def test_moments_of_other_columns_do_not_merge(rng: Any) -> None:
    X, y = rows(rng)
    with pytest.raises(InputError, match="do not go together"):
        ClassMoments.from_data(X, y).merge(ClassMoments.from_data(X[:, :2], y))


def test_a_scatter_that_does_not_fit_names_its_size() -> None:
    X = sp.csr_array(([1.0, 1.0], ([0, 1], [0, 5])), shape=(2, 2_000_000))
    with pytest.raises(CapacityError, match="A scatter of 1 × 2,000,000 × 2,000,000 numbers needs about 89,4"):
        ClassMoments.from_data(X, [0, 1], pooled=True)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (1e200, "too large")])
def test_values_that_are_not_numbers_are_named(value: float, word: str, rng: Any) -> None:
    X, y = rows(rng)
    X[7, 2] = value
    with pytest.raises(InputError, match=word if word == "too large" else f"contains {word}: first at row 7, column 2"):
        ClassMoments.from_data(X, y)
    with pytest.raises(InputError, match=word):
        ClassMoments.from_data(sp.csr_array(X), y)

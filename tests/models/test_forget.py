"""Taking rows back out: what would leave no model, or what no rows could have left, is refused, and the model stays as it was."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from separatrix import BernoulliNB, CategoricalNB, GaussianNB, LinearDiscriminantAnalysis, MixedNB, MultinomialNB
from separatrix.errors import InputError
from tests.tables import COUNT_MODELS, MODELS

EVERY = pytest.mark.parametrize("model", [*MODELS, *COUNT_MODELS], ids=str)
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")


def rows(rng: Any, n: int = 90) -> tuple[Any, Any]:
    y = np.arange(n) % 3
    return (rng.integers(0, 4, size=(n, 4)) + (y == 0)[:, None]).astype(float), y


def refused(model: Any, match: str, *given: Any) -> None:
    before = model.state()
    with pytest.raises(InputError, match=match):
        model.forget(*given)
    assert model.state() == before


@EVERY
def test_a_model_of_no_rows_is_refused(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    refused(clone(model).fit(X, y), "all rows that .* has learned", X, y)
    w = 10.0 ** rng.uniform(-12, 12, size=len(y))
    refused(clone(model).fit(X, y, sample_weight=w), "all rows that .* has learned", X, y, w)
    refused(clone(model).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:]), "all rows that .* has learned", X, y)


@EVERY
def test_rows_too_light_to_be_seen_beside_those_forgotten_are_refused(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = np.where(np.arange(len(y)) < 45, 1e12, 1e-12)
    refused(clone(model).fit(X, y, sample_weight=w), "rounding hides the 15 rows that would be left", X[:45], y[:45], w[:45])


@EVERY
def test_rows_of_weight_zero_are_no_rows_left(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = np.where((np.arange(len(y)) < 45) | (y == 1), 1.0, 0.0)
    found = clone(model).fit(X, y, sample_weight=w).forget(X[:45][y[:45] != 1], y[:45][y[:45] != 1])
    assert set(found.predict(X)) == {1}


@EVERY
def test_all_rows_of_a_class_are_those_it_has(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    other = np.where(y[:, None] == 2, np.roll(X[::-1], 1, axis=1), X)[y == 2]
    refused(clone(model).fit(X, y), "cannot have been among those learned", other, y[y == 2])
    found = clone(model).fit(X, y).forget(X[y == 2], y[y == 2])
    assert set(found.predict(X)) == {0, 1}


@EVERY
def test_forgetting_again_and_again_ends_with_an_error(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = clone(model).fit(X, y)
    again = iter(lambda: model.forget(X[:3], y[:3]), None)
    with pytest.raises(InputError, match="cannot have been among those learned|all rows that"):
        list(islice(again, 40))
    assert np.isfinite(getattr(model, "decision_function", model.predict)(X)).all()


@pytest.mark.parametrize("model", [BernoulliNB(), MixedNB(kinds="bernoulli")], ids=str)
def test_switches_that_were_never_off_are_noticed(model: Any) -> None:
    X, y = np.ones((8, 2)), np.arange(8) % 2
    refused(clone(model).fit(X, y), "a switch would be on in more rows than are left", np.zeros((2, 2)), y[:2])


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(class_weight="balanced"), GaussianNB()], ids=str
)
def test_a_variance_lost_in_rounding_is_none(model: Any, rng: Any) -> None:
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:2, 1] = 1e12, -1e12
    left = clone(model).fit(X, y).forget(X[:2], y[:2])
    found, expected = left.summary_.diagonals(), clone(model).fit(X[2:], y[2:]).summary_.diagonals()
    assert (found[..., 1] == 0.0).all() and np.isfinite(left.predict_proba(X[2:])).all()
    assert_allclose(found[..., [0, 2]], expected[..., [0, 2]])


@pytest.mark.parametrize("model", [MultinomialNB(), CategoricalNB()], ids=str)
def test_weights_of_any_scale_are_forgotten(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    for scale in (1e-300, 1e-12, 1e12, 1e290):
        w = scale * (1.0 + rng.random(len(y)))
        found = clone(model).set_params(alpha=0).fit(X, y, sample_weight=w).forget(X[:9], y[:9], w[:9])
        expected = clone(model).set_params(alpha=0).fit(X[9:], y[9:], sample_weight=w[9:])
        assert_allclose(found.predict_joint_log_proba(X), expected.predict_joint_log_proba(X), rtol=1e-9)

"""Laws that every classifier keeps."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix import ClassMoments
from separatrix.data import source as sources
from separatrix.errors import InputError
from separatrix.models.later import Computed
from separatrix.thresholds import moved
from tests.tables import LOSS_MODELS, MISTAKE_MODELS, MODELS

pytestmark = pytest.mark.usefixtures("roads")

EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)
GENERATIVE = pytest.mark.parametrize("model", [model for model in MODELS if hasattr(model, "sample")], ids=repr)
POSTERIOR = pytest.mark.parametrize("model", [model for model in MODELS if hasattr(model, "predict_proba")], ids=repr)


def rows(rng: Any, n: int = 120, p: int = 4) -> tuple[Any, Any]:
    y = np.array(["ham", "junk", "spam"])[np.arange(n) % 3]
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 1.5 * (y == "spam")[:, None] + np.arange(p), y


def outputs(model: Any, X: Any) -> Any:
    """The finest thing a model says about rows."""
    method = "predict_joint_log_proba" if hasattr(model, "predict_joint_log_proba") else "decision_function"
    return getattr(model, method)(X)


def fitted(model: Any, *data: Any, **more: Any) -> Any:
    return clone(model).fit(*data, **more)


def assert_same_model(a: Any, b: Any, X: Any, rtol: float = 1e-7) -> None:
    assert_array_equal(a.classes_, b.classes_)
    assert_allclose(outputs(a, X), outputs(b, X), rtol=rtol, atol=1e-8)
    if hasattr(a, "predict_log_proba"):
        assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X), rtol=rtol, atol=1e-8)


@EVERY
def test_integer_weight_is_repetition_and_zero_is_removal(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), w)
    assert_same_model(fitted(model, X, y, sample_weight=w), fitted(model, X[again], y[again]), X)


@EVERY
def test_order_of_rows_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    order = rng.permutation(len(y))
    assert_same_model(fitted(model, X, y), fitted(model, X[order], y[order]), X)


@EVERY
def test_order_of_columns_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    order = [2, 0, 3, 1]
    assert_allclose(outputs(fitted(model, X[:, order], y), X[:, order]), outputs(fitted(model, X, y), X), atol=1e-8)


@EVERY
def test_translation_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    assert_array_equal(fitted(model, X + 1e4, y).predict(X + 1e4), fitted(model, X, y).predict(X))
    if hasattr(model, "predict_proba"):
        assert_allclose(fitted(model, X + 1e4, y).predict_proba(X + 1e4), fitted(model, X, y).predict_proba(X), atol=1e-6)


@EVERY
def test_a_common_unit_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    if getattr(model, "alpha", 0.0):
        pytest.skip("a ridge penalty has the unit of the columns")
    assert_array_equal(fitted(model, 1e-3 * X, y).predict(1e-3 * X), fitted(model, X, y).predict(X))
    if hasattr(model, "predict_proba"):
        assert_allclose(fitted(model, 1e-3 * X, y).predict_proba(1e-3 * X), fitted(model, X, y).predict_proba(X), atol=1e-9)


@EVERY
def test_adding_rows_in_parts_is_one_fit(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    grown = clone(model)
    for part in (slice(0, 30), slice(30, 31), slice(31, 120)):
        grown.partial_fit(X[part], y[part], classes=["spam", "ham", "junk"])
    assert_same_model(grown, fitted(model, X, y), X)


@POSTERIOR
@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning")
def test_a_class_that_has_not_come_yet_is_never_predicted(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    few = y != "spam"
    grown = clone(model).partial_fit(X[few][:4], y[few][:4], classes=["ham", "junk", "spam"])
    assert grown.predict_proba(np.vstack([X, 1e6 * X]))[:, 2].max() < 1e-300
    grown.partial_fit(np.vstack([X[few][4:], X[~few]]), np.concatenate([y[few][4:], y[~few]]))
    assert_same_model(grown, fitted(model, X, y), X)


@EVERY
def test_forgetting_rows_is_never_having_seen_them(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.random(len(y))
    model = fitted(model, X, y, sample_weight=w).forget(X[:40], y[:40], sample_weight=w[:40])
    assert_same_model(model, fitted(model, X[40:], y[40:], sample_weight=w[40:]), X)


@EVERY
def test_a_summary_is_as_good_as_the_rows(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    assert_same_model(clone(model).fit_summary(ClassMoments.from_data(X, y)), fitted(model, X, y), X)


@EVERY
def test_all_roads_agree(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    X = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    with moved(math.inf):
        expected = fitted(model, X, y)
        scores, labels = outputs(expected, X), expected.predict(X)
    names = [f"x{j}" for j in range(4)]
    frame = pd.DataFrame(X, columns=names)
    roads = [np.asfortranarray(X), sp.csr_matrix(X), sp.csc_array(X), with_long_indices(X), X.tolist(), np.lib.stride_tricks.as_strided(X)]
    roads += [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)]
    for road in roads:
        found = fitted(model, road, y)
        assert_allclose(outputs(found, road), scores, rtol=1e-9, atol=1e-10)
        assert_array_equal(found.predict(road), labels)


def with_long_indices(X: Any) -> Any:
    rows = sp.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


@EVERY
def test_float32_rows_whose_scores_overflow_are_scored_in_float64(model: Any, rng: Any) -> None:
    X, y = rng.normal(size=(60, 3)).astype(np.float32), np.arange(60) % 2
    far = np.sign(X) * np.float32(3e38)
    for classes in (y, np.arange(60) % 3):
        fitted = clone(model).fit(X, classes)
        for method in ("decision_function", "transform"):
            if hasattr(fitted, method):
                wide = getattr(fitted, method)(far.astype(np.float64))
                assert_allclose(getattr(fitted, method)(far), wide, rtol=1e-6)  # of float32, where it can hold them


@EVERY
def test_float32_rows_are_summed_in_float64(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    X = X.astype(np.float32)
    low, high = fitted(model, X, y), fitted(model, X.astype(np.float64), y)
    assert_same_model(low, high, X.astype(np.float64))
    assert all(v.dtype == np.float64 for v in vars(low).values() if isinstance(v, np.ndarray) and v.dtype.kind == "f")


@EVERY
def test_the_number_of_threads_does_not_change_a_bit(model: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, n=900)
    monkeypatch.setattr(sources, "CHUNK_BYTES", 2000)
    states = [fitted(clone(model).set_params(n_jobs=jobs), X, y).set_params(n_jobs=None).state() for jobs in (1, 2, 3)]
    assert states[0] == states[1] == states[2]


@EVERY
def test_state_and_pickle_give_the_model_back(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = fitted(model, frame, y)
    for copy in (type(model).restore(model.state()), pickle.loads(pickle.dumps(model))):
        assert copy.state() == model.state()
        assert_array_equal(outputs(copy, frame), outputs(model, frame))
        copy.partial_fit(frame, y)
    assert fitted(model, X[:, :3], y).state() != model.state()


@EVERY
@pytest.mark.parametrize("action", ["fit", "partial_fit", "forget"])
def test_a_failure_leaves_the_model_whole(model: Any, action: str, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    before = model.state()
    bad = X[:30].copy()
    bad[11, 1] = np.nan
    with pytest.raises(InputError, match="contains NaN: first at row 11, column 1"):
        getattr(model, action)(bad, y[:30])
    assert model.state() == before


@GENERATIVE
def test_posteriors_are_those_of_bayes_rule(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    joint, posterior = model.predict_joint_log_proba(X), model.predict_proba(X)
    assert_allclose(posterior.sum(axis=1), 1.0)
    assert_allclose(np.exp(joint - model.log_density(X)[:, None]), posterior, atol=1e-10)
    assert_array_equal(model.classes_[posterior.argmax(axis=1)], model.predict(X))
    within = np.stack([model.log_density(X, label) for label in model.classes_], axis=1)
    assert_allclose(np.exp(joint - within), np.broadcast_to(np.exp(joint[0] - within[0]), joint.shape))


@GENERATIVE
def test_samples_refit_to_the_same_parameters(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(clone(model).set_params(class_weight=None), X, y)
    if getattr(model, "shrinkage", None) or getattr(model, "pooling", None):
        pytest.skip("a shrunk covariance shrinks again")
    drawn = model.sample(60_000, random_state=3)
    again = fitted(model, *drawn)
    assert_allclose(again.predict_joint_log_proba(X[:20]), model.predict_joint_log_proba(X[:20]), rtol=0.05, atol=0.2)
    assert set(model.sample(5, random_state=0, label="spam")[1]) == {"spam"}


@EVERY
def test_predicting_sets_nothing(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    before = dict(vars(model))
    model.predict(X), outputs(model, X)
    if hasattr(model, "sample"):
        model.predict_proba(X), model.log_density(X), model.sample(3, random_state=0)
    # But for what is computed when first asked for, as a sample does.
    assert vars(model).keys() == before.keys() and all(v is vars(model)[k] or v is Computed.LATER for k, v in before.items())


@pytest.mark.parametrize("model", [*MODELS, *LOSS_MODELS, *MISTAKE_MODELS], ids=repr)
def test_the_order_of_stored_values_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    X[:, 0] += 8.0 * y
    fitted = clone(model).fit(X, y)
    columns, halves = rng.permuted(np.tile([0, 1, 2, 3, 3], (30, 1)), axis=1), np.array([1.0, 1.0, 1.0, 0.5])  # the last one in two parts
    values = np.take_along_axis(X * halves, columns, axis=1)
    rows = sp.csr_array((values.ravel(), columns.ravel(), np.arange(0, 151, 5)), shape=(30, 4))
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "predict_joint_log_proba"):
        if hasattr(fitted, method):
            assert_allclose(getattr(fitted, method)(rows), getattr(fitted, method)(X), rtol=1e-9, atol=1e-12)
    assert not rows.has_sorted_indices  # what is the user's stays as it was

"""Laws that all naive Bayes models by counting keep."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix.data import counts as count_source
from separatrix.data import source as sources
from separatrix.errors import InputError
from separatrix.models import BernoulliNB, CategoricalNB, MixedNB, MultinomialNB
from separatrix.thresholds import Threshold

MODELS = [
    BernoulliNB(),
    BernoulliNB(alpha=0, binarize=1.0, missing="ignore"),
    MultinomialNB(),
    MultinomialNB(alpha=0, class_weight="balanced"),
    CategoricalNB(),
    CategoricalNB(alpha=0, min_categories=7, missing="ignore"),
    MixedNB(["gaussian", "poisson", "categorical", "multinomial", "multinomial", "bernoulli"]),
    MixedNB(["poisson"] * 3 + ["categorical"] * 2 + ["bernoulli"], alpha=0, missing="ignore", class_weight={"spam": 3.0}),
]
for model in MODELS[-2:]:
    model.set_params(kinds=dict(enumerate(model.kinds)))
EVERY = pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__}-{m.alpha}")
ROADS = pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])


def rows(rng: Any, n: int = 120) -> tuple[Any, Any]:
    y = np.array(["ham", "junk", "spam"])[np.arange(n) % 3]
    X = rng.poisson(0.4 + (y == "spam")[:, None] + (y == "junk")[:, None] * [0, 1, 2, 0, 0, 1], size=(n, 6)).astype(float)
    X[:, 5] = X[:, 5] > 0
    return X, y


def fitted(model: Any, *data: Any, **more: Any) -> Any:
    return clone(model).fit(*data, **more)


def assert_same_model(a: Any, b: Any, X: Any) -> None:
    assert_array_equal(a.classes_, b.classes_)
    assert_allclose(a.predict_joint_log_proba(X), b.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9)
    assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=1e-7, atol=1e-12)


@EVERY
@ROADS
def test_integer_weight_is_repetition_and_zero_is_removal(model: Any, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y = rows(rng)
    w = rng.integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), w)
    seen = X[again]
    assert_same_model(fitted(model, X, y, sample_weight=w), fitted(model, seen, y[again]), seen)


@EVERY
def test_the_order_of_rows_does_not_matter(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    order = rng.permutation(len(y))
    assert_same_model(fitted(model, X, y), fitted(model, X[order], y[order]), X)


@EVERY
def test_adding_rows_in_parts_is_one_fit(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    grown = clone(model)
    for part in (slice(0, 30), slice(30, 31), slice(31, 120)):
        grown.partial_fit(X[part], y[part], classes=["spam", "ham", "junk"])
    assert_same_model(grown, fitted(model, X, y), X)


@EVERY
def test_a_class_that_has_not_come_yet_is_never_predicted(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    few = y != "spam"
    grown = clone(model).set_params(class_weight=None).partial_fit(X[few], y[few], classes=["ham", "junk", "spam"])
    seen = X[few]
    assert grown.predict_proba(seen)[:, 2].max() == 0.0
    assert np.isneginf(grown.predict_log_proba(seen)[:, 2]).all()
    assert set(grown.predict(seen)) <= {"ham", "junk"}
    assert np.isfinite(grown.log_density(seen, "spam")).all()


@EVERY
def test_forgetting_rows_is_never_having_seen_them(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.random(len(y))
    model = fitted(model, X, y, sample_weight=w).forget(X[:60], y[:60], sample_weight=w[:60])
    assert_same_model(model, fitted(model, X[60:], y[60:], sample_weight=w[60:]), X[60:])


@EVERY
def test_a_summary_is_as_good_as_the_rows(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    full = fitted(model, X, y)
    halves = [fitted(model, X[s], y[s]).summary_ for s in (slice(60), slice(60, None))]
    assert_same_model(clone(model).fit_summary(halves[0].merge(halves[1])), full, X)
    with pytest.raises(InputError, match="fit_summary takes"):
        clone(model).fit_summary(grouped_like(full.classes_))


def grouped_like(classes: Any) -> Any:
    return type("Other", (), {"classes": classes})()


@EVERY
@ROADS
def test_all_roads_agree(model: Any, small: int, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng)
    expected = fitted(model, X, y)
    monkeypatch.setattr(Threshold, "everywhere", small)
    monkeypatch.setattr(sources, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(count_source, "CHUNK_VALUES", 50)
    monkeypatch.setattr(count_source, "VALUES_PER_TOTAL", 0)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    frame = pd.DataFrame(X)
    roads = [X, np.asfortranarray(X), X.astype(np.uint8), X.astype(np.float32), X.tolist(), sp.csr_array(X), sp.csc_array(X), long]
    for road in [*roads, sp.csr_matrix(X.astype(np.int64)), sp.csr_array(X.astype(np.float32)), frame, frame.astype("Int64")]:
        found = fitted(model, road, y)
        assert_allclose(found.predict_joint_log_proba(road), expected.predict_joint_log_proba(X), rtol=1e-6)
        assert_array_equal(found.predict(road), expected.predict(X))


@EVERY
def test_frames_of_any_library_agree(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = clone(model)
    if isinstance(model, MixedNB):
        model.set_params(kinds=dict(zip("abcdef", model.kinds.values())))
    expected = fitted(model, frame, y).predict_joint_log_proba(frame)
    for road in (pl.from_pandas(frame), frame.convert_dtypes()):
        assert_allclose(fitted(model, road, y).predict_joint_log_proba(road), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted(model, frame, y).partial_fit(frame[list("bacdef")], y)


@EVERY
@pytest.mark.parametrize("sparse", [False, True])
def test_the_number_of_threads_does_not_change_a_bit(model: Any, sparse: bool, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, n=900)
    w = rng.random(900)
    monkeypatch.setattr(Threshold, "everywhere", 0)
    monkeypatch.setattr(sources, "CHUNK_BYTES", 2000)
    monkeypatch.setattr(count_source, "CHUNK_VALUES", 200)
    monkeypatch.setattr(count_source, "VALUES_PER_TOTAL", 0)
    X = sp.csr_array(X) if sparse else X
    states = [fitted(clone(model).set_params(n_jobs=jobs), X, y, w).set_params(n_jobs=None).state() for jobs in (1, 2, 3)]
    assert states[0] == states[1] == states[2]


@EVERY
def test_state_and_pickle_give_the_model_back(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    for copy in (type(model).restore(model.state()), pickle.loads(pickle.dumps(model))):
        assert copy.state() == model.state()
        assert_array_equal(copy.predict_joint_log_proba(X), model.predict_joint_log_proba(X))
        copy.partial_fit(X, y)
    assert fitted(model, X[:90], y[:90]).state() != model.state()


@EVERY
@pytest.mark.parametrize("action", ["fit", "partial_fit", "forget"])
def test_a_failure_leaves_the_model_whole(model: Any, action: str, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    before = model.state()
    bad = X[:30].copy()
    bad[11, 1] = np.inf
    with pytest.raises(InputError, match="contains infinity: .*row 11, column 1"):
        getattr(model, action)(bad, y[:30])
    assert model.state() == before


@EVERY
def test_posteriors_are_those_of_bayes_rule(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    joint, posterior, density = model.predict_joint_log_proba(X), model.predict_proba(X), model.log_density(X)
    assert_allclose(posterior.sum(axis=1), 1.0)
    assert_allclose(np.exp(joint - density[:, None]), posterior, atol=1e-10)
    with np.errstate(divide="ignore"):
        assert_allclose(model.predict_log_proba(X), np.log(posterior), rtol=1e-6, atol=1e-9)
    assert_array_equal(model.classes_[posterior.argmax(axis=1)], model.predict(X))
    within = np.stack([model.log_density(X, label) for label in model.classes_], axis=1)
    assert_allclose(within + model.class_log_prior_, joint)


@EVERY
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_alpha_zero_is_the_limit_of_small_alpha(model: Any, holes: float, rng: Any) -> None:
    X, y = rows(rng, n=60)
    X[y == "ham", 1:3] = X[y == "spam", 2:4] = 0.0
    X[y == "junk", 5] = 1.0
    strange = np.vstack([X, rng.integers(0, 3, size=(60, 6))])
    strange[:, 5] = strange[:, 5] > 0
    exact, near = (fitted(clone(model).set_params(alpha=alpha, missing="ignore"), X, y) for alpha in (0.0, 1e-11))
    if isinstance(model, CategoricalNB):
        strange = np.minimum(strange, exact.n_categories_ - 1)
    if isinstance(model, MixedNB):
        known = np.stack([np.isin(strange[:, j], X[:, j]) for j in range(6)], axis=1)
        strange = strange[known.all(axis=1)]
    strange = np.where(rng.random(strange.shape) < holes, np.nan, strange)
    assert np.isneginf(exact.predict_joint_log_proba(strange)).any()
    assert_allclose(exact.predict_proba(strange), near.predict_proba(strange), atol=1e-6)
    assert_array_equal(exact.predict(strange), near.predict(strange))


@EVERY
def test_samples_refit_to_the_same_parameters(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(clone(model).set_params(class_weight=None, alpha=1.0, binarize=0.0) if hasattr(model, "binarize") else model, X, y)
    drawn = model.sample(60_000, random_state=3)
    again = fitted(clone(model).set_params(class_weight=None), *drawn)
    common = X[:20][np.isfinite(model.predict_joint_log_proba(X[:20])).all(axis=1)]
    assert_allclose(again.predict_joint_log_proba(common), model.predict_joint_log_proba(common), rtol=0.05, atol=0.3)
    assert set(model.sample(5, random_state=0, label="spam")[1]) == {"spam"}


@EVERY
def test_predicting_sets_nothing(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(model, X, y)
    before = dict(vars(model))
    model.predict(X), model.predict_proba(X), model.log_density(X), model.sample(3, random_state=0)
    assert vars(model).keys() == before.keys() and all(vars(model)[k] is before[k] for k in before)


@EVERY
@ROADS
def test_a_missing_value_is_as_if_its_column_were_not_there(model: Any, small: int, rng: Any, monkeypatch: Any) -> None:
    """Columns are independent given the class, so leaving one out of the product is the model of the others."""
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y = rows(rng)
    model = clone(model).set_params(missing="ignore", alpha=1.0)
    hole = X.copy()
    hole[:, 2] = np.nan
    kinds = {} if not isinstance(model, MixedNB) else {"kinds": {j - (j > 2): kind for j, kind in model.kinds.items() if j != 2}}
    others = fitted(clone(model).set_params(**kinds), np.delete(X, 2, axis=1), y).predict_proba(np.delete(X, 2, axis=1))
    if isinstance(model, MultinomialNB):
        others = fitted(model, X, y).predict_proba(np.where(np.isnan(hole), 0.0, hole))  # shares add up over all words
    for road in (hole, sp.csr_array(hole)):
        assert_allclose(fitted(model, X, y).predict_proba(road), others)
    hole = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    assert_allclose(fitted(model, hole, y).predict_proba(hole), fitted(model, sp.csr_array(hole), y).predict_proba(sp.csr_array(hole)))


@EVERY
def test_missing_values_are_refused_with_advice(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = fitted(clone(model).set_params(missing="error"), X, y)
    X[7, 3] = np.nan
    frame = pd.DataFrame(X).astype({3: "Int64"})
    for road in (X, sp.csr_array(X), frame):
        with pytest.raises(InputError, match="contains NaN: .*row 7, column '?3'?.*missing='ignore'"):
            model.predict(road)
        with pytest.raises(InputError, match="contains NaN: .*row 7, column '?3'?.*missing='ignore'"):
            clone(model).fit(road, y)

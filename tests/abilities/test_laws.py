"""Every model × every ability: what is declared equals brute force, what is not says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix import (
    CalibratedClassifier,
    DecidedClassifier,
    Decision,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    abilities_of,
)
from separatrix.abilities import Abilities, Refused
from separatrix.abilities.page import ROWS
from separatrix.data import Block, as_source
from separatrix.decisions.priors import reweight
from separatrix.solvers.scores import largest, per_class, posteriors_of
from separatrix.summaries import ClassMoments
from separatrix.summaries.resampled import resampled_moments
from tests.tables import COUNT_MODELS, LOSS_MODELS, MISTAKE_MODELS, MODELS

FIELDS = [field.name for field in fields(Abilities) if field.name != "model"]
CONFIGURATIONS = [
    *MODELS,
    *COUNT_MODELS,
    *LOSS_MODELS,
    *MISTAKE_MODELS,
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LinearDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]),
    QuadraticDiscriminantAnalysis(class_weight="balanced"),
    LogisticRegression(C=np.inf),
    LogisticRegression(class_weight={0: 2.0}),
    LinearSVC(loss="hinge"),
    OneVsRest(LinearDiscriminantAnalysis()),
    OneVsRest(LogisticRegression()),
    OneVsOne(LinearDiscriminantAnalysis()),
    CalibratedClassifier(LinearDiscriminantAnalysis()),
    DecidedClassifier(LinearDiscriminantAnalysis(), Decision(priors=[0.2, 0.3, 0.5])),
]
"""Every model of the tables, parameters that take an ability away, and models around models."""


def rows() -> tuple[Any, Any]:
    rng, y = np.random.default_rng(3), np.arange(36) % 3
    return rng.integers(0, 3, (36, 3)) + (y == 1)[:, None] * np.array([1.0, 0.0, 2.0]), y


X, Y = rows()
ALL = np.ones(len(Y))
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.ConvergenceWarning")


def without(model: Any, held: Any) -> Any:
    return clone(model).fit(X[~held], Y[~held])


def summary(model: Any, part: Any) -> None:
    if not part.suffices(*X.shape):
        return
    found = part.summarise(part.source(X, Y, None, np.arange(3)))
    assert_array_equal(clone(model).fit_summary(found).predict(X), clone(model).fit(X, Y).predict(X))


def leave_one_out(model: Any, part: Any) -> None:
    fitted = clone(model).fit(X, Y)
    source = fitted.abilities().summary.source(X, Y, None, np.arange(3))
    found = next(iter(source.map(fitted.abilities().leave_one_out.scores())))
    for i in range(0, len(Y), 5):
        own = without(model, np.arange(len(Y)) == i)
        assert found.refit[i] or largest(found.scores[i : i + 1])[0] == own.predict(X[i : i + 1])[0]


def folds(model: Any, part: Any) -> None:
    tight = clone(model).set_params(tol=1e-9)
    fitted, held = tight.fit(X, Y), np.arange(len(Y)) % 4
    found = fitted.abilities().folds.scores(as_source(X, Y, classes=np.arange(3)), held.astype(np.int64), False)
    if found is None:  # separated classes, which have no finite fit to begin at
        return
    own, sure = without(tight, held == 1).decision_function(X[held == 1]), ~found[0].refit[held == 1]
    differences = (found[0].scores[held == 1] - own)[sure]
    if hasattr(fitted, "predict_proba"):
        differences -= differences.mean(axis=1, keepdims=True)  # equal shifts of all classes change no posterior
    assert_allclose(differences, 0.0, atol=1e-3)


def shrinkages(model: Any, part: Any) -> None:
    fitted = clone(model).set_params(shrinkage=0.3, class_weight=None).fit(X, Y)
    along, alone = fitted.abilities().shrinkages.scores([0.3]), fitted.abilities().leave_one_out
    if alone and fitted.summary_.kind == "pooled":
        block = next(iter(as_source(X, Y, classes=np.arange(3)).blocks()))
        assert_allclose(next(iter(along(block))).scores, alone.scores()(block).scores, atol=1e-9)


def resamples(model: Any, part: Any) -> None:
    draws = np.stack([ALL, np.arange(len(Y)) % 2 + 1.0])
    coef, intercept, sure = part.solve(resampled_moments(X, Y.astype(np.int32), draws, 3), np.arange(3))
    for b, weight in enumerate(draws):
        said = clone(model).fit(X, Y, sample_weight=weight).predict(X)
        assert not sure[b] or (largest(X @ coef[b].T + intercept[b]) == said).all()


def permutations(model: Any, part: Any) -> None:
    held, codes = (np.arange(len(Y)) % 4).astype(np.int64), np.stack([Y, np.roll(Y, 3)], axis=1).astype(np.int32)
    found = part.answers(X, held, codes, np.arange(3))
    for b in range(2):
        own = clone(model).fit(X[held != 0], codes[held != 0, b]).predict(X[held == 0])
        assert found is None or (found[held == 0, b] == own).all()


def subsets(model: Any, part: Any) -> None:
    engine = part.scores([ClassMoments.from_data(X, Y).to(part.kind)], [X])
    engine.begin([0, 2])
    scores = next(iter(engine.now()))[2][:, :, 0].T
    assert_array_equal(largest(np.ascontiguousarray(scores)), clone(model).fit(X[:, [0, 2]], Y).predict(X[:, [0, 2]]))


def subset_fits(model: Any, part: Any) -> None:
    two, everything = Y < 2, np.arange(24)
    engine = part.fits(X[two], Y[two].astype(np.int32), None, np.arange(2), [(everything, everything)])
    engine.begin([0, 2])
    found = next(iter(engine.now()))[2][-1, :, 0]
    own = clone(model).set_params(tol=1e-9).fit(X[two][:, [0, 2]], Y[two]).decision_function(X[two][:, [0, 2]])
    assert_allclose(found, own, rtol=1e-3, atol=1e-3)
    assert part.fits(X, Y.astype(np.int32), None, np.arange(3), []) is None


def ranking(model: Any, part: Any) -> None:
    found = part.ranks(X, Y.astype(np.int32), None, np.arange(3), [1], True)
    assert found.shape == (3,) and np.isfinite(found).all() and found[[0, 2]].min() >= 0


def criterion(model: Any, part: Any) -> None:
    found = part.criterion(ClassMoments.from_data(X, Y).to(part.kind))
    if model.priors is None:  # given priors are the same for all sets and left out
        assert_allclose(found.deviance([0, 1, 2]), -2.0 * clone(model).fit(X, Y).log_likelihood(), rtol=1e-9)


def likelihood(model: Any, part: Any) -> None:
    fitted = clone(model).fit(X, Y)
    log_l, n, k = fitted.abilities().likelihood.judge(as_source(X, Y), part.default)
    assert n == len(Y) and k > 0
    assert_allclose(fitted.aic(X, Y), 2.0 * k - 2.0 * log_l)
    if part.of_labels_alone:
        assert_allclose(log_l, fitted.predict_log_proba(X)[np.arange(len(Y)), Y].sum(), rtol=1e-9)


def warm_start(model: Any, part: Any) -> None:
    tight = clone(model).set_params(tol=1e-8)
    fitted, fresh = clone(tight).fit(X, Y), clone(tight)
    fresh.abilities().warm_start.begin_at(fitted)
    assert_allclose(fresh.fit(X, Y).coef_, fitted.coef_, rtol=1e-3, atol=1e-3)
    assert (part.path is None) == (part.parameter is None)
    values = [0.1, 1.0]
    for value, walked in zip(values, tight.abilities().warm_start.path(as_source(X, Y), np.array(values)) if part.path else ()):
        alone = clone(tight).set_params(**{part.parameter: value}).fit(X, Y)
        assert_allclose(walked.coef_, alone.coef_, rtol=1e-3, atol=1e-3)


def against_rest(model: Any, part: Any) -> None:
    for k, machine in enumerate(part.against_rest(as_source(X, Y), [0, 1, 2]) or []):
        assert_allclose(machine.coef_, clone(model).fit(X, (k == Y).astype(int)).coef_, rtol=1e-3, atol=1e-3)


def scores(model: Any, part: Any) -> None:
    fitted = clone(model).fit(X, Y)
    found = fitted.abilities().scores.scores(next(iter(fitted._rows(X).blocks())))
    if hasattr(fitted, "predict_proba"):
        assert_allclose(posteriors_of(per_class(found)), fitted.predict_proba(X), atol=1e-12)
    assert_array_equal(largest(found), fitted.predict(X))


def reading(model: Any, part: Any) -> None:
    fitted = clone(model).fit(X, Y)
    found = fitted.abilities().reading.reading()
    U = X if found.coded is None else found.coded(X)
    parts, of, against = np.empty(U.shape), np.full(len(Y), 1), np.full(len(Y), 0)
    found.parts(Block(U), of, against, U.mean(axis=0), parts)
    total = parts.sum(axis=1) + found.base(1, 0, U.mean(axis=0))
    assert_allclose(total, np.subtract(*found.scores(Block(U)).T[[1, 0]]), atol=1e-9)
    assert_array_equal(largest(found.scores(Block(U))), fitted.predict(X))


def similarity(model: Any, part: Any) -> None:
    found = clone(model).fit(X, Y).abilities().similarity.metric(1)
    assert found.shape[0] == X.shape[1] and np.isfinite(found).all()


def intervals(model: Any, part: Any) -> None:
    found = clone(model).fit(X, Y).abilities().intervals.intervals(0.95)
    assert found is None or (found[0] <= found[1]).all()


def priors(model: Any, part: Any) -> None:
    fitted, new = clone(model).fit(X, Y), np.array([0.2, 0.3, 0.5])
    old = getattr(fitted, "priors_", None) if hasattr(fitted, "priors_") else getattr(fitted, "class_prior_", None)
    old = np.exp(fitted.class_log_prior_) if old is None else old
    found = fitted.abilities().priors.with_priors(new).predict_proba(X)
    assert_allclose(found, reweight(fitted.predict_proba(X), new, old), atol=1e-9)


def decision(model: Any, part: Any) -> None:
    fitted = clone(model).fit(X, Y)
    found = fitted.abilities().decision
    said = (found.inside().predict_log_proba(X) + found.log_factors()).argmax(axis=1)
    assert_array_equal(said, fitted.predict(X))


BRUTE_FORCE: dict[str, Callable[[Any, Any], None]] = {name: globals()[name] for name in FIELDS}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("model", CONFIGURATIONS, ids=str)
def test_an_ability_equals_brute_force_or_says_why_not(model: Any, field: str) -> None:
    part = getattr(abilities_of(model), field)
    if isinstance(part, Refused):
        assert len(part.why) > 15 and not part.why.endswith(".") and not part
    else:
        assert part.how and part
        BRUTE_FORCE[field](model, part)


def test_every_ability_has_a_row_and_some_model_that_has_it() -> None:
    assert list(ROWS) == FIELDS
    offered = {field for field in FIELDS for model in CONFIGURATIONS if getattr(abilities_of(model), field)}
    assert offered == set(FIELDS)

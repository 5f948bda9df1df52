"""AIC and BIC: closed forms equal sums over rows, for every probabilistic model that is solved from a summary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.stats import poisson
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from separatrix import GaussianNB, LinearDiscriminantAnalysis, open_table
from separatrix.errors import CapacityError, InputError
from separatrix.models import BernoulliNB, CategoricalNB, MixedNB, MultinomialNB
from separatrix.models.batch_perceptron import BatchPerceptron
from separatrix.models.fisher import FisherDiscriminant
from separatrix.models.least_squares import LeastSquaresClassifier
from separatrix.models.nearest_mean import NearestMean
from separatrix.models.perceptron import AveragedPerceptron, Perceptron, VotedPerceptron
from separatrix.models.quadratic import QuadraticDiscriminantAnalysis
from separatrix.models.svm import LinearSVC

WITHOUT = [
    LeastSquaresClassifier(),
    NearestMean(),
    FisherDiscriminant(),
    LinearSVC(),
    Perceptron(max_iter=5),
    AveragedPerceptron(max_iter=5),
    VotedPerceptron(max_iter=5),
    BatchPerceptron(max_iter=5),
]
LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
GAUSSIAN = [
    LDA(),
    LDA(priors=[0.2, 0.3, 0.5]),
    QDA(),
    QDA(priors=[0.2, 0.3, 0.5]),
    GaussianNB(),
    GaussianNB(ddof=1, class_weight="balanced"),
]
COUNTING = [
    BernoulliNB(),
    BernoulliNB(fit_prior=False),
    MultinomialNB(alpha=0.1),
    CategoricalNB(),
    CategoricalNB(class_prior=[0.2, 0.3, 0.5]),
]
MODELS = GAUSSIAN + COUNTING
SHRUNK = [LDA(shrinkage=0.3), LDA(shrinkage="oas"), LDA(shrinkage="auto"), QDA(shrinkage=0.3), QDA(shrinkage="oas"), QDA(reg_param=0.2)]
EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)


def rows(model: Any, rng: Any, n: int = 90) -> tuple[Any, Any]:
    y = np.array(["ham", "junk", "spam"])[np.where(np.arange(n) % 7 == 6, 0, np.arange(n) % 3)]
    if any(type(model) is type(other) for other in COUNTING):
        return rng.poisson(1.0 + (y == "spam")[:, None] * [1.0, 0.0, 2.0], size=(n, 3)).clip(0, 3).astype(float), y
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + 2.0 * (y == "spam")[:, None] + 5.0, y


def at_maximum(model: Any, X: Any, y: Any, w: Any = None) -> Any:
    return clone(model).set_params(**model.abilities().likelihood.maximum).fit(X, y, sample_weight=w)


@EVERY
def test_joint_likelihood_is_the_sum_over_rows(model: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    model = clone(model).fit(X, y)
    joint = at_maximum(model, X, y).predict_joint_log_proba(X)
    expected = joint[np.arange(90), np.searchsorted(model.classes_, y)].sum()
    assert_allclose([model.log_likelihood(), model.log_likelihood(X, y)], expected)
    assert_allclose([model.aic(), model.bic()], [2 * model.n_parameters_ - 2 * expected, np.log(90) * model.n_parameters_ - 2 * expected])


@EVERY
def test_conditional_likelihood_is_the_sum_over_rows(model: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    model = clone(model).fit(X, y)
    log = at_maximum(model, X, y).predict_log_proba(X)[np.arange(90), np.searchsorted(model.classes_, y)]
    k = model.abilities().likelihood.free_parameters("conditional")
    assert_allclose(model.log_likelihood(X, y, likelihood="conditional"), log.sum())
    assert_allclose(model.aic(X, y, likelihood="conditional"), 2 * k - 2 * log.sum())
    assert_allclose(model.bic(X, y, likelihood="conditional"), np.log(90) * k - 2 * log.sum())


@EVERY
def test_new_rows_are_judged_by_what_was_learned(model: Any, rng: Any) -> None:
    X, y = rows(model, rng, 400)
    model = clone(model).fit(X[:300], y[:300])
    joint = at_maximum(model, X[:300], y[:300]).predict_joint_log_proba(X[300:])
    assert_allclose(model.log_likelihood(X[300:], y[300:]), joint[np.arange(100), np.searchsorted(model.classes_, y[300:])].sum())


@EVERY
@pytest.mark.parametrize("likelihood", ["joint", "conditional"])
def test_weights_are_repeated_rows(model: Any, likelihood: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    w = rng.integers(0, 4, 90)
    again = np.repeat(np.arange(90), w)
    a, b = clone(model).fit(X, y, sample_weight=w), clone(model).fit(X[again], y[again])
    assert_allclose(a.bic(X, y, sample_weight=w, likelihood=likelihood), b.bic(X[again], y[again], likelihood=likelihood))
    assert_allclose(a.aic(), a.aic(X, y, sample_weight=w))


@EVERY
def test_the_estimate_is_the_maximum(model: Any, rng: Any) -> None:
    """Learned from other rows, the likelihood of these is lower."""
    X, y = rows(model, rng)
    best = clone(model).fit(X, y).log_likelihood()
    assert all(clone(model).fit(X[own], y[own]).log_likelihood(X, y) < best for own in (slice(45), slice(45, None)))


@EVERY
def test_all_roads_agree(model: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    model = clone(model).fit(X, y)
    for road in (pd.DataFrame(X), sp.csr_array(X), np.asfortranarray(X), X.tolist()):
        assert_allclose([model.aic(road, y, likelihood=which) for which in ("joint", "conditional")],
                        [model.aic(X, y, likelihood=which) for which in ("joint", "conditional")])  # fmt: skip


@EVERY
def test_files_are_read_as_well(model: Any, rng: Any, tmp_path: Any) -> None:
    X, y = rows(model, rng)
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    table = open_table(tmp_path / "rows.parquet", target="y")
    model = clone(model).fit(table)
    assert_allclose([model.aic(table), model.aic()], clone(model).fit(X, y).aic(X, y))
    assert_allclose(model.bic(table, likelihood="conditional"), clone(model).fit(X, y).bic(X, y, likelihood="conditional"))


@pytest.mark.parametrize("model", SHRUNK, ids=repr)
def test_shrunk_covariances_have_effective_parameters(model: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    model, plain = clone(model).fit(X, y), type(model)().fit(X, y)
    best = clone(model).set_params(covariance="mle").fit(X, y).predict_joint_log_proba(X)
    joint = best[np.arange(90), np.searchsorted(model.classes_, y)]
    assert_allclose(model.log_likelihood(X, y), joint.sum())
    assert 0.5 * plain.n_parameters_ < model.n_parameters_ < plain.n_parameters_ and model.aic() > -2 * joint.sum()
    assert model.log_likelihood() < plain.log_likelihood()
    with pytest.raises(InputError, match="cannot be counted for this likelihood.*use likelihood='joint'"):
        model.aic(X, y, likelihood="conditional")


def test_optimism_of_shrunk_covariances(rng: Any) -> None:
    """The log-likelihood of rows fitted exceeds that of new ones by about twice half of k: AIC's reason to be."""
    gaps, ks = [], []
    for _ in range(150):
        X, y = rng.normal(size=(160, 6)) * [3, 2, 1, 1, 1, 1], np.arange(160) % 2
        model = LDA(shrinkage=0.4, priors=[0.5, 0.5]).fit(X, y)
        gaps.append(model.log_likelihood() - model.log_likelihood(rng.normal(size=(160, 6)) * [3, 2, 1, 1, 1, 1], y))
        ks.append(model.n_parameters_)
    assert_allclose(np.mean(gaps), np.mean(ks), rtol=0.2)


def test_redundant_columns_do_not_count(rng: Any) -> None:
    X, y = rows(LDA(), rng)
    more = np.column_stack([X, X[:, 0], np.full(90, 0.1)])
    for model in (LDA(), QDA()):
        with pytest.warns(UserWarning, match="no inverse"):
            wide = clone(model).fit(more, y)
        plain = clone(model).fit(X, y)
        # The plane x₄ = x₀ is longer than its shadow by √2 along x₀.
        assert wide.n_parameters_ == plain.n_parameters_
        assert_allclose(wide.log_likelihood(), plain.log_likelihood() - 90 * np.log(np.sqrt(2)))
    assert GaussianNB().fit(more[:, [0, 1, 2, 4]], y).n_parameters_ == GaussianNB().fit(X, y).n_parameters_


def test_classes_that_have_not_come_do_not_count(rng: Any) -> None:
    X, y = rows(LDA(), rng)
    for model in (LDA(), QDA(), GaussianNB()):
        grown = clone(model).partial_fit(X, y, classes=["ham", "junk", "late", "spam"])
        assert_allclose([grown.n_parameters_, grown.aic()], [clone(model).fit(X, y).n_parameters_, clone(model).fit(X, y).aic()])
        assert grown.aic(X[:1], ["late"]) == np.inf


def test_what_was_impossible_has_an_infinite_criterion(rng: Any) -> None:
    X, y = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [2.0, 1.0]]), [0, 0, 1, 1]
    for model in (BernoulliNB(), MultinomialNB(), CategoricalNB()):
        assert np.isfinite(model.fit(X, y).aic()) and model.aic([[3.0, 1.0]], [0]) == np.inf


def test_levels_are_counted_as_seen() -> None:
    """Column 0 has levels 0 and 4 (two seen), column 1 three: K Σ (L_j − 1) + K − 1 = 2·3 + 1."""
    model = CategoricalNB(min_categories=9).fit([[0, 0], [4, 1], [0, 2], [4, 0]], ["a", "a", "b", "b"])
    assert model.n_parameters_ == 7


def test_a_mixed_table_adds_up_its_columns(rng: Any) -> None:
    """log L and k of the parts, the priors counted once; a Poisson column has one rate in each class."""
    X, y = rows(LDA(), rng)
    C, _ = rows(BernoulliNB(), rng)
    C[:, 0] = C[:, 0] > 1
    mixed = MixedNB(kinds={0: "gaussian", 1: "gaussian", 2: "gaussian", 3: "bernoulli", 4: "categorical", 5: "poisson"})
    mixed.fit(np.hstack([X, C]), y)
    parts = [GaussianNB().fit(X, y), BernoulliNB().fit(C[:, :1], y), CategoricalNB().fit(C[:, 1:2], y)]
    share = np.unique(y, return_counts=True)[1] / 90
    rates = np.stack([C[y == label, 2].mean() for label in mixed.classes_])[np.searchsorted(mixed.classes_, y)]
    total = sum(part.log_likelihood() for part in parts) - 2 * 90 * share @ np.log(share) + poisson(rates).logpmf(C[:, 2]).sum()
    assert_allclose(mixed.log_likelihood(np.hstack([X, C]), y), total)
    assert mixed.n_parameters_ == sum(part.n_parameters_ for part in parts) - 2 * 2 + 3
    assert mixed.abilities().likelihood.free_parameters("conditional") == 2 * (1 + 6 + 1 + 3 + 1)
    with pytest.raises(InputError, match=r"needs the rows, not only their counts: aic\(X, y\)"):
        mixed.aic()


@pytest.mark.parametrize("flat", ["everywhere", "junk"])
def test_a_mixed_table_with_a_flat_measurement_is_refused(flat: str, rng: Any) -> None:
    X, y = rows(LDA(), rng)
    X[(y == flat) | (flat == "everywhere"), 1] = 0.5
    mixed = MixedNB(kinds="gaussian").fit(pd.DataFrame(X, columns=["age", "size", "pay"]), y)
    with pytest.raises(InputError, match="'size' does not vary.*Leave (the|such) column"):
        mixed.aic(pd.DataFrame(X, columns=["age", "size", "pay"]), y)


BAD_CALLS = [
    (lambda m, X, y: m.aic(X, y, likelihood="join"), "likelihood='join' is not known; .*'conditional'. Did you mean 'joint'"),
    (lambda m, X, y: m.bic(X, np.where(y == "ham", "hamm", y)), "'hamm', which is not a class of this model. Did you mean 'ham'"),
    (lambda m, X, y: m.aic(likelihood="conditional"), r"needs rows and labels here: aic\(X, y, likelihood='conditional'\)"),
    (lambda m, X, y: m.aic(y=y), r"needs rows and labels here: aic\(X, y, likelihood='joint'\)"),
    (lambda m, X, y: m.aic(X), "requires y to be passed"),
    (lambda m, X, y: m.aic(X[:, :2], y), "has 2 features, but .* is expecting 3"),
    (lambda m, X, y: m.aic(X, y[:5]), "X has 90 rows, y has 5 labels"),
    (lambda m, X, y: m.aic(np.where(X > 0, np.nan, X), y), "NaN"),
]


@EVERY
def test_bad_input_says_what_to_type(model: Any, rng: Any) -> None:
    X, y = rows(model, rng)
    with pytest.raises(NotFittedError):
        clone(model).aic(X, y)
    assert not hasattr(clone(model), "n_parameters_")
    model = clone(model).fit(X, y)
    before = model.state()
    for call, message in BAD_CALLS:
        with pytest.raises(ValueError, match=message):
            call(model, X, y)
    assert model.state() == before


def test_a_likelihood_without_maximum_is_refused(rng: Any) -> None:
    X, y = rows(LDA(), rng)
    X[y == "junk", 1] = 3.0
    frame = pd.DataFrame(X, columns=["age", "size", "pay"])
    naive = GaussianNB().fit(frame, y)
    with pytest.warns(UserWarning, match="no inverse"):
        own = QDA().fit(frame, y)
    for model, message in ((naive, "'size' does not vary within class 'junk'"), (own, "class 'junk' .* not along 'size'")):
        with pytest.raises(InputError, match=f"likelihood has no maximum: {message}"):
            model.aic(frame, y, likelihood="conditional")
        assert not hasattr(model, "n_parameters_")
    assert np.isfinite(LDA().fit(frame, y).aic())


def test_criteria_that_cannot_be_had_say_why(rng: Any) -> None:
    X, y = rows(LDA(), rng)
    with pytest.raises(InputError, match="parameters that pooling leaves free cannot be counted"):
        QDA(pooling=0.5).fit(X, y).aic()
    weighted = LDA(weights="reliability").fit(X, y, sample_weight=rng.random(90))
    with pytest.raises(InputError, match="fit with weights='frequency', or without weights"):
        weighted.aic()
    assert np.isfinite(LDA(weights="reliability").fit(X, y).aic())
    wide = LDA(shrinkage=0.5).fit(rng.normal(size=(6, 2001)), [0, 1] * 3)
    with pytest.raises(CapacityError, match="2,001 columns exceed the rows, and keeps no moments"):
        wide.aic()
    assert not hasattr(wide, "n_parameters_") and "LinearDiscriminantAnalysis" in wide._repr_html_()


@pytest.mark.parametrize("model", WITHOUT, ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
def test_models_without_likelihood_refuse(model: Any, rng: Any) -> None:
    X, y = rows(LDA(), rng)
    model = clone(model).fit(X, y)
    for criterion in (model.aic, model.bic):
        with pytest.raises(InputError, match=f"{type(model).__name__} is not a probabilistic model .* it .*use LinearDiscriminantAnalysis"):
            criterion(X, y)
    assert not model.abilities().likelihood and not hasattr(model, "n_parameters_")


def test_every_model_here_has_criteria() -> None:
    assert all(model.abilities().likelihood for model in [*MODELS, *SHRUNK, MixedNB()])


def test_shrinkage_that_turns_out_as_none_is_none(rng: Any) -> None:
    """Where Ledoit and Wolf's α is 0, all criteria are those of the plain model."""
    X, y = rows(LDA(), rng)
    auto = LDA(shrinkage="auto").fit(X, y)
    auto.shrinkage_ = 0.0
    plain = LDA().fit(X, y)
    assert auto.n_parameters_ == plain.n_parameters_
    assert_allclose([auto.aic(), auto.aic(X, y, likelihood="conditional")], [plain.aic(), plain.aic(X, y, likelihood="conditional")])

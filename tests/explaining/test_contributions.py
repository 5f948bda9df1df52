"""Contributions add up to the score, whatever the model; and mean what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from separatrix import (
    AveragedPerceptron,
    BernoulliNB,
    CategoricalNB,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MultinomialNB,
    NearestMean,
    OneVsOne,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    contributions,
)
from separatrix.errors import InputError, InputTypeError, UnknownNameError

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]

SCORED = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    FisherDiscriminant(),
    NearestMean(metric="standardised"),
    LeastSquaresClassifier(),
    LinearSVC(),
    LogisticRegression(),
    AveragedPerceptron(random_state=0, tol=1e-3),
    OneVsRest(LinearDiscriminantAnalysis()),
    OneVsRest(LinearDiscriminantAnalysis(), machines="all_but_last", scores="distance"),
    PeerLDA(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    make_pipeline(StandardScaler(), PeerLogistic()),
    make_pipeline(MinMaxScaler(), RobustScaler(), MaxAbsScaler(), LinearDiscriminantAnalysis()),
    make_pipeline(SelectKBest(k=2), StandardScaler(with_mean=False), PeerLogistic()),
]


@pytest.mark.parametrize("model", SCORED, ids=lambda m: type(m[-1] if hasattr(m, "steps") else m).__name__)
@pytest.mark.parametrize("two", [False, True])
def test_they_add_up_to_the_difference_of_scores(model: Any, two: bool) -> None:
    rows, labels = (X[50:], NAMES[50:]) if two else (X, NAMES)
    model.fit(rows, labels)
    scores = model.decision_function(rows)
    mean = rows[:7]
    base = model.decision_function(mean.mean(axis=0, keepdims=True))
    found = contributions(model, rows, of="virginica", against="versicolor", reference=mean).sum(axis=1)
    assert_allclose(found, scores - base if two else (scores - base) @ [0.0, -1.0, 1.0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), np.asfortranarray(X), sp.csr_array(X)], ids=["c", "f4", "f", "sparse"])
def test_roads_agree(rows: Any) -> None:
    model = LinearDiscriminantAnalysis().fit(X, Y)
    assert_allclose(contributions(model, rows), contributions(model, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("model", [GaussianNB(), BernoulliNB(binarize=3.0), CategoricalNB()], ids=lambda m: type(m).__name__)
def test_naive_bayes_adds_log_likelihood_ratios_to_the_prior_odds(model: Any, rng: Any) -> None:
    counts = rng.poisson(X)
    model.fit(counts, Y, sample_weight=rng.integers(1, 4, 150))
    logs = model.predict_log_proba(counts)
    prior = np.log(model._class_priors())
    found = contributions(model, counts, of=2, against=0)
    assert_allclose(found.sum(axis=1) + prior[2] - prior[0], logs[:, 2] - logs[:, 0], rtol=1e-9, atol=1e-9)
    alone = contributions(model, counts[:1], of=2, against=0)
    assert_allclose(alone, found[:1])


def test_a_multinomial_is_linear_in_its_counts(rng: Any) -> None:
    counts = rng.poisson(X)
    model = MultinomialNB().fit(counts, Y)
    expected = (counts - counts.mean(axis=0)) * (model.feature_log_prob_[1] - model.feature_log_prob_[0])
    assert_allclose(contributions(model, counts, of=1, against=0), expected)


def test_a_column_alone_moves_a_linear_score_by_its_contribution() -> None:
    model = LogisticRegression().fit(X, Y)
    row, mean = X[70], X.mean(axis=0)
    found = contributions(model, X, of=1, against=2)[70]
    for j in range(4):
        at_mean = row.copy()
        at_mean[j] = mean[j]
        scores = model.decision_function(np.stack([row, at_mean]))
        assert found[j] == pytest.approx(np.diff(scores[::-1] @ [0, 1, -1])[0])


def test_the_pair_is_chosen_row_by_row() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    order = np.argsort(-model.decision_function(X), axis=1)
    found = contributions(model, X)
    for i in (0, 60, 70, 149):
        a, b = model.classes_[order[i, :2]]
        assert_allclose(found[i], contributions(model, X[i : i + 1], of=a, against=b)[0])
    best = contributions(model, X, against="setosa")[0]  # the best of the others, though setosa is predicted
    assert_allclose(best, contributions(model, X, of="versicolor", against="setosa")[0])
    assert_allclose(contributions(model, X, of="setosa")[0], found[0])


def test_the_mean_row_is_the_training_rows_where_the_model_remembers_them() -> None:
    model = LinearDiscriminantAnalysis().fit(X, Y)
    assert_allclose(contributions(model, X[:1]), contributions(model, X[:1], reference=X))
    scaled = make_pipeline(StandardScaler(), PeerLogistic()).fit(X, Y)
    assert_allclose(contributions(scaled, X[:1]), contributions(scaled, X[:1], reference=X), rtol=1e-9)
    with pytest.raises(InputError, match="relative to a mean row, and LogisticRegression does not remember .* reference=X_train"):
        contributions(PeerLogistic(max_iter=1000).fit(X, Y), X[:1])


def test_a_frame_gives_what_its_numbers_give() -> None:
    frame = load_iris(as_frame=True).data
    for model in (LinearDiscriminantAnalysis(), PeerLogistic(max_iter=1000), GaussianNB(), OneVsRest(LinearSVC())):
        model.fit(frame, Y)
        assert_allclose(contributions(model, frame), contributions(model, X))


def test_what_cannot_be_taken_apart_is_refused() -> None:
    for model in (DecisionTreeClassifier(), OneVsOne(LinearDiscriminantAnalysis())):
        with pytest.raises(InputTypeError, match="has no scores that add up over columns; explain supports linear models"):
            contributions(model.fit(X, Y), X)
    with pytest.raises(InputTypeError, match=r"SVC does not take the class of the largest linear score"):
        contributions(SVC(kernel="linear").fit(X, Y), X[::-1])
    with pytest.raises(InputTypeError, match="Step 'polynomialfeatures' of the pipeline .* one by one"):
        contributions(make_pipeline(PolynomialFeatures(), PeerLogistic(max_iter=10_000)).fit(X, Y), X)
    with pytest.raises(InputTypeError, match="The last step 'gaussiannb' of the pipeline is not linear"):
        contributions(make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y), X)
    with pytest.raises(InputTypeError, match="machines of type GaussianNB have no weights"):
        contributions(OneVsRest(GaussianNB()).fit(X, Y), X)
    with pytest.raises(InputError, match="With alpha=0 some weights of this model are infinite"):
        contributions(MultinomialNB(alpha=0).fit(np.eye(3), [0, 1, 2]), np.eye(3))


def test_bad_rows_and_labels_are_named() -> None:
    model = LinearDiscriminantAnalysis().fit(X, NAMES)
    with pytest.raises(UnknownNameError, match="of='virginca' is not a class of this model. Did you mean 'virginica'"):
        contributions(model, X, of="virginca")
    with pytest.raises(InputError, match="X has 3 columns; the model was fitted on 4"):
        contributions(model, X[:, :3])
    holes = X.copy()
    holes[120, 2] = np.nan
    with pytest.raises(InputError, match="NaN: first at row 120, column 2"):
        contributions(model, holes)
    with pytest.raises(InputError, match=r"X has one dimension; rows are needed: type np.reshape\(X, \(1, -1\)\)"):
        contributions(model, X[0])
    frame = load_iris(as_frame=True).data
    with pytest.raises(InputError, match="X has the columns .* the model was fitted on"):
        contributions(LinearDiscriminantAnalysis().fit(frame, Y), frame[frame.columns[::-1]])

"""Every member of every kind. Laws run over these tables; a test holds them equal to the public registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from separatrix import (
    AnovaFilter,
    BackwardSelection,
    CalibratedClassifier,
    ClassMoments,
    CorrelationFilter,
    ForwardSelection,
    GaussianNB,
    LinearDiscriminantAnalysis,
    Moments,
    MutualInformationFilter,
    RareBinaryFilter,
    StabilitySelection,
    StepwiseDiscriminant,
    TableClassifier,
    TablePrep,
)
from separatrix.models import (
    AveragedPerceptron,
    BatchPerceptron,
    BernoulliNB,
    CategoricalNB,
    DecidedClassifier,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    NearestMean,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    VotedPerceptron,
)
from separatrix.summaries import Counts

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(covariance="mle", shrinkage=0.2),
    LinearDiscriminantAnalysis(shrinkage="oas"),
    LinearDiscriminantAnalysis(class_weight="balanced"),
    GaussianNB(),
    GaussianNB(ddof=1, class_weight="balanced"),
    NearestMean(),
    NearestMean(metric="standardised"),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=0.5, class_weight="balanced"),
    LeastSquaresClassifier(coding="numbers"),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="priors", class_weight="balanced"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(pooling=0.5, shrinkage=0.1, covariance="unbiased"),
]
"""One configuration of each public classifier of numbers at least."""

COUNT_MODELS = [BernoulliNB(), MultinomialNB(), CategoricalNB(), MixedNB()]
"""Classifiers of counts and categories: their laws, on such data, are in tests/models/test_counted.py."""

LOSS_MODELS = [LogisticRegression(), LogisticRegression(firth=True), LinearSVC()]
"""Classifiers that minimise a loss by passes: tests/models/test_logistic.py and test_svm.py."""

MISTAKE_MODELS = [Perceptron(), BatchPerceptron(), AveragedPerceptron(), VotedPerceptron()]
"""Classifiers that learn by mistakes, for which the order of the rows matters: tests/models/test_perceptron.py."""

META_MODELS = [OneVsRest(), OneVsOne(), CalibratedClassifier(), DecidedClassifier()]
"""Classifiers around others."""

SELECTORS = [
    AnovaFilter(),
    CorrelationFilter(),
    MutualInformationFilter(),
    RareBinaryFilter(),
    StepwiseDiscriminant(),
    StabilitySelection(CorrelationFilter(), random_state=0),  # rows are drawn: with a seed the checks see the same ones each time
    ForwardSelection(LinearDiscriminantAnalysis()),
    BackwardSelection(LinearDiscriminantAnalysis()),
]
"""Selectors of columns; further ones, and their laws, are in tests/selection."""

TABLE_MODELS = [TableClassifier(), TablePrep()]
"""What takes tables as they are."""
ESTIMATORS = [*MODELS, *COUNT_MODELS, *LOSS_MODELS, *MISTAKE_MODELS, *META_MODELS, *SELECTORS, *TABLE_MODELS]
"""Every public estimator, at its defaults and some also otherwise."""


@dataclass(frozen=True)
class Summary:
    """How to summarise rows, and the arrays in which two summaries must agree."""

    name: str
    of: Callable[..., Any]
    arrays: Callable[[Any], list[Any]]

    def __str__(self) -> str:
        return self.name


def _moments(kind: str) -> Summary:
    def of(X: Any, y: Any, weight: Any = None) -> Any:
        return ClassMoments.from_data(X, y, weight, pooled=kind == "pooled", diagonal=kind == "diagonal")

    name = "ClassMoments" if kind == "full" else f"ClassMoments[{kind}]"
    return Summary(name, of, lambda m: [m.counts, m.means, m.scatter])


SUMMARIES = [
    _moments("full"),
    _moments("pooled"),
    _moments("diagonal"),
    Summary("Moments", lambda X, y, weight=None: Moments.from_data(X, weight), lambda m: [m.count, m.mean, m.scatter]),
    Summary("Counts", Counts.from_data, lambda c: [c.counts, c.totals]),
]
"""Every summary of rows (fold summaries hold several of them: tests/summaries/test_folds.py)."""

"""The estimators: validate, summarise, solve, store. Each is loaded when it is first used."""

from __future__ import annotations

from ..loading import on_first_use

_HOMES = {
    "AveragedPerceptron": "perceptron",
    "BatchPerceptron": "batch_perceptron",
    "BernoulliNB": "naive_bayes.switches_and_words",
    "CategoricalNB": "naive_bayes.categorical",
    "DecidedClassifier": "decided",
    "FisherDiscriminant": "fisher",
    "GaussianNB": "naive_bayes.gaussian",
    "LeastSquaresClassifier": "least_squares",
    "LinearDiscriminantAnalysis": "discriminant",
    "LinearSVC": "svm",
    "LogisticRegression": "logistic",
    "MixedNB": "naive_bayes.mixed",
    "MultinomialNB": "naive_bayes.switches_and_words",
    "NearestMean": "nearest_mean",
    "OneVsOne": "one_vs_one",
    "OneVsRest": "one_vs_rest",
    "Perceptron": "perceptron",
    "QuadraticDiscriminantAnalysis": "quadratic",
    "TableClassifier": "table_classifier",
    "VotedPerceptron": "perceptron",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

"""The estimators: validate, summarise, solve, store. Each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "AveragedPerceptron": "perceptron",
    "BatchPerceptron": "batch_perceptron",
    "BernoulliNB": "count_naive_bayes",
    "CategoricalNB": "categorical_naive_bayes",
    "DecidedClassifier": "decided",
    "FisherDiscriminant": "fisher",
    "GaussianNB": "naive_bayes",
    "LeastSquaresClassifier": "least_squares",
    "LinearDiscriminantAnalysis": "discriminant",
    "LinearSVC": "svm",
    "LogisticRegression": "logistic",
    "MixedNB": "mixed_naive_bayes",
    "MultinomialNB": "count_naive_bayes",
    "NearestMean": "nearest_mean",
    "OneVsOne": "one_vs_one",
    "OneVsRest": "one_vs_rest",
    "Perceptron": "perceptron",
    "QuadraticDiscriminantAnalysis": "quadratic",
    "VotedPerceptron": "voted_perceptron",
    "choose_covariance": "choose_covariance",
    "regularisation_path": "logistic_path",
    "separation": "separation_doctor",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.models' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"separatrix.models.{_HOMES[name]}"), name)
    globals()[name] = value
    return value

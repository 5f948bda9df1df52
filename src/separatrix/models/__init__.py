"""The estimators: validate, summarise, solve, store. Each is loaded when it is first used."""

from __future__ import annotations

from ..loading import on_first_use

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

__getattr__ = on_first_use(__name__, _HOMES)

"""The estimators: validate, summarise, solve, store."""

from .batch_perceptron import BatchPerceptron
from .categorical_naive_bayes import CategoricalNB
from .choose_covariance import choose_covariance
from .count_naive_bayes import BernoulliNB, MultinomialNB
from .discriminant import LinearDiscriminantAnalysis
from .fisher import FisherDiscriminant
from .least_squares import LeastSquaresClassifier
from .logistic import LogisticRegression
from .logistic_path import regularisation_path
from .mixed_naive_bayes import MixedNB
from .naive_bayes import GaussianNB
from .nearest_mean import NearestMean
from .one_vs_one import OneVsOne
from .one_vs_rest import OneVsRest
from .perceptron import AveragedPerceptron, Perceptron
from .quadratic import QuadraticDiscriminantAnalysis
from .separation_doctor import separation
from .svm import LinearSVC
from .voted_perceptron import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "BatchPerceptron",
    "BernoulliNB",
    "CategoricalNB",
    "FisherDiscriminant",
    "GaussianNB",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "LinearSVC",
    "LogisticRegression",
    "MixedNB",
    "MultinomialNB",
    "NearestMean",
    "OneVsOne",
    "OneVsRest",
    "Perceptron",
    "QuadraticDiscriminantAnalysis",
    "VotedPerceptron",
    "choose_covariance",
    "regularisation_path",
    "separation",
]

"""The estimators: validate, summarise, solve, store."""

from .choose_covariance import choose_covariance
from .discriminant import LinearDiscriminantAnalysis
from .fisher import FisherDiscriminant
from .least_squares import LeastSquaresClassifier
from .naive_bayes import GaussianNB
from .nearest_mean import NearestMean
from .one_vs_one import OneVsOne
from .one_vs_rest import OneVsRest
from .quadratic import QuadraticDiscriminantAnalysis

__all__ = [
    "FisherDiscriminant",
    "GaussianNB",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "NearestMean",
    "OneVsOne",
    "OneVsRest",
    "QuadraticDiscriminantAnalysis",
    "choose_covariance",
]

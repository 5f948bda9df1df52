"""The estimators: validate, summarise, solve, store."""

from .discriminant import LinearDiscriminantAnalysis
from .naive_bayes import GaussianNB
from .one_vs_one import OneVsOne
from .one_vs_rest import OneVsRest

__all__ = ["GaussianNB", "LinearDiscriminantAnalysis", "OneVsOne", "OneVsRest"]

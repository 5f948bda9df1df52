"""The estimators: validate, summarise, solve, store."""

from .discriminant import LinearDiscriminantAnalysis
from .naive_bayes import GaussianNB

__all__ = ["GaussianNB", "LinearDiscriminantAnalysis"]

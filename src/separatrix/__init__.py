"""Separatrix: linear classification, complete.

Public names are loaded when they are first used, so that `import separatrix` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

_ROOMS = {
    "data.files": ("open_table",),
    "decisions": ("Decision", "prior_shift", "reliability"),
    "evaluation": (
        "Bootstrap",
        "CalibratedClassifier",
        "Estimate",
        "HashFold",
        "Holdout",
        "KFold",
        "LeaveOneOut",
        "RandomSubsampling",
        "ShrinkagePath",
        "evaluate",
        "learning_curve",
        "permutation_test",
        "shrinkage_path",
    ),
    "explaining": ("contributions", "explain"),
    "geometry": ("Hyperplane",),
    "hand": ("worked",),
    "logic": ("is_separable",),
    "models": (
        "AveragedPerceptron",
        "BatchPerceptron",
        "BernoulliNB",
        "CategoricalNB",
        "DecidedClassifier",
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
    ),
    "selection": (
        "AnovaFilter",
        "BackwardSelection",
        "Board",
        "CorrelationFilter",
        "ForwardSelection",
        "MutualInformationFilter",
        "RareBinaryFilter",
        "StabilitySelection",
        "StepwiseDiscriminant",
        "compare",
    ),
    "summaries": ("ClassMoments", "Moments"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted([*_HOMES, "logic"])


def __getattr__(name: str) -> Any:
    if name == "logic":
        return import_module("separatrix.logic")
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"separatrix.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

"""Separatrix: linear classification, complete.

Public names are loaded when they are first used, so that `import separatrix` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .loading import on_first_use

__version__ = "0.1.0.dev0"

_ROOMS = {
    "abilities": ("abilities_of",),
    "artifacts": ("load", "save", "to_onnx", "to_python", "to_sql"),
    "data.table_opening": ("open_table",),
    "data.streamed": ("streamed",),
    "decisions": (
        "Decision",
        "cost_curve",
        "net_benefit",
        "precision_recall",
        "predictive_values",
        "prior_shift",
        "reliability",
        "risk_coverage",
        "roc",
        "saving",
    ),
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
        "TimeSplit",
        "evaluate",
        "learning_curve",
        "permutation_test",
        "shrinkage_path",
    ),
    "explaining": ("column_effects", "contributions", "explain"),
    "geometry": ("Hyperplane",),
    "hand": ("worked",),
    "logic": ("is_separable",),
    "logic.separation": ("separation",),
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
        "TableClassifier",
        "VotedPerceptron",
    ),
    "prepare": ("Recipe", "TablePrep"),
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
        "choose_covariance",
        "compare",
        "probe",
        "regularisation_path",
    ),
    "summaries": ("ClassMoments", "Moments"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

_load = on_first_use(__name__, _HOMES)

_MODULES = ("charts", "facts", "logic")
"""Rooms that are used by their own name."""

__all__ = sorted([*_HOMES, *_MODULES])


def __getattr__(name: str) -> Any:
    return import_module(f"separatrix.{name}") if name in _MODULES else _load(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

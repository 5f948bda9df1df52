"""How good a model is, and how sure we are: resampling plans, shortcuts in place of refits, estimates with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import on_first_use

if TYPE_CHECKING:
    from .calibrated import CalibratedClassifier as CalibratedClassifier
    from .estimate import Estimate as Estimate
    from .evaluate import evaluate as evaluate
    from .learning_curve import LearningCurve as LearningCurve
    from .learning_curve import learning_curve as learning_curve
    from .permutation import PermutationTest as PermutationTest
    from .permutation import permutation_test as permutation_test
    from .plans import KFold as KFold
    from .plans import LeaveOneOut as LeaveOneOut
    from .random_plans import Bootstrap as Bootstrap
    from .random_plans import HashFold as HashFold
    from .random_plans import Holdout as Holdout
    from .random_plans import RandomSubsampling as RandomSubsampling
    from .shrinkage_path import ShrinkagePath as ShrinkagePath
    from .shrinkage_path import shrinkage_path as shrinkage_path
    from .time_split import TimeSplit as TimeSplit

_HOMES = {
    "Bootstrap": "random_plans",
    "CalibratedClassifier": "calibrated",
    "Estimate": "estimate",
    "HashFold": "random_plans",
    "Holdout": "random_plans",
    "KFold": "plans",
    "LearningCurve": "learning_curve",
    "LeaveOneOut": "plans",
    "PermutationTest": "permutation",
    "RandomSubsampling": "random_plans",
    "ShrinkagePath": "shrinkage_path",
    "TimeSplit": "time_split",
    "evaluate": "evaluate",
    "learning_curve": "learning_curve",
    "permutation_test": "permutation",
    "shrinkage_path": "shrinkage_path",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

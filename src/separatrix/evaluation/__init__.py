"""How good a model is, and how sure we are: resampling plans, shortcuts in place of refits, estimates with intervals."""

from .calibrated import CalibratedClassifier
from .estimate import Estimate
from .evaluate import evaluate
from .learning_curve import LearningCurve, learning_curve
from .permutation import PermutationTest, permutation_test
from .plans import KFold, LeaveOneOut
from .random_plans import Bootstrap, HashFold, Holdout, RandomSubsampling
from .shrinkage_path import ShrinkagePath, shrinkage_path
from .time_split import TimeSplit

__all__ = [
    "Bootstrap",
    "CalibratedClassifier",
    "Estimate",
    "HashFold",
    "Holdout",
    "KFold",
    "LearningCurve",
    "LeaveOneOut",
    "PermutationTest",
    "RandomSubsampling",
    "ShrinkagePath",
    "TimeSplit",
    "evaluate",
    "learning_curve",
    "permutation_test",
    "shrinkage_path",
]

"""How good a model is, and how sure we are: resampling plans, shortcuts in place of refits, estimates with intervals."""

from .calibrated import CalibratedClassifier
from .estimate import Estimate
from .evaluate import evaluate
from .plans import HashFold, KFold, LeaveOneOut
from .random_plans import Bootstrap, Holdout, RandomSubsampling

__all__ = ["Bootstrap", "CalibratedClassifier", "Estimate", "HashFold", "Holdout", "KFold", "LeaveOneOut", "RandomSubsampling", "evaluate"]

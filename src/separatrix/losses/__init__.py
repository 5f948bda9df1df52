"""What is minimised: losses of scores, a file each, with the passes over rows that the solvers make."""

from .base import Loss
from .cross_entropy import CrossEntropy
from .hinge import Hinge, SquaredHinge
from .logistic import Logistic
from .smooth_loss import SmoothLoss
from .softmax import Softmax

LOSSES: tuple[Loss, ...] = (Logistic(), Softmax(), Hinge(), SquaredHinge())

__all__ = [
    "LOSSES",
    "CrossEntropy",
    "Hinge",
    "Logistic",
    "Loss",
    "SmoothLoss",
    "Softmax",
    "SquaredHinge",
]

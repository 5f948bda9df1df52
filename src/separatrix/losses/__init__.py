"""What is minimised: losses of scores, penalties of coefficients. Formulas here, fused passes in the kernels."""

from .base import Loss, require
from .hinge import Hinge, SquaredHinge
from .logistic import Logistic
from .penalties import L1, L2, ElasticNet, NoPenalty, Penalty
from .softmax import Softmax
from .squared import Squared

LOSSES: tuple[Loss, ...] = (Logistic(), Softmax(), Hinge(), SquaredHinge(), Squared())
PENALTIES: tuple[Penalty, ...] = (L2(), L1(), ElasticNet(0.3), NoPenalty())

__all__ = [
    "L1",
    "L2",
    "LOSSES",
    "PENALTIES",
    "ElasticNet",
    "Hinge",
    "Logistic",
    "Loss",
    "NoPenalty",
    "Penalty",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "require",
]

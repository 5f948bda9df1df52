"""What a perceptron can represent: gates, learnable Boolean functions, networks for the others, separable classes."""

from separatrix.logic.gates import AND, NAND, NOR, NOT, OR, Gate, majority, threshold
from separatrix.logic.networks import Network, network
from separatrix.logic.representable import Representation, learnable
from separatrix.logic.separable import Separability, is_separable

__all__ = [
    "AND",
    "NAND",
    "NOR",
    "NOT",
    "OR",
    "Gate",
    "Network",
    "Representation",
    "Separability",
    "is_separable",
    "learnable",
    "majority",
    "network",
    "threshold",
]

"""How a fitted model computes, as one typed value: what it reads, its scores, posteriors and decision. Needs no scikit-learn."""

from .parts import Formula, Predictions
from .reading import formula_of

__all__ = ["Formula", "Predictions", "formula_of"]

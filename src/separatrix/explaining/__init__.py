"""Why a model decides as it does: one row, or the model as a whole."""

from .column_effects import ColumnEffects, column_effects
from .contributions import contributions
from .ellipses import ClassEllipses, class_ellipses
from .explain import explain
from .model_explanation import ModelExplanation
from .projection import Projection, project
from .regions import Regions, decision_regions
from .row_explanation import RowExplanation

__all__ = [
    "ClassEllipses",
    "ColumnEffects",
    "ModelExplanation",
    "Projection",
    "Regions",
    "RowExplanation",
    "class_ellipses",
    "column_effects",
    "contributions",
    "decision_regions",
    "explain",
    "project",
]

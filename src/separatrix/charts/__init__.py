"""Charts: data in, an Altair chart out, no statistics inside.

Results have `.chart()`: `estimate.chart("roc")`, `board.chart()`, `explain(model, X, 3).chart()`. What needs a model and its rows is drawn
by the functions here.
"""

from ..loading import on_first_use

_HOMES = {
    "boundaries": "decision_regions",
    "ellipses": "class_ellipses",
    "perceptron_path": "perceptron",
    "projection": "projections",
    "regions": "decision_regions",
}
__all__ = sorted(_HOMES)
__getattr__ = on_first_use(__name__, _HOMES)

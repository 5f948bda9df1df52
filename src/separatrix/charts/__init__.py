"""Charts: data in, an Altair chart out, no statistics inside. Results have `.chart()`; what needs a model and rows is drawn from here."""

from ..loading import on_first_use

_HOMES = {
    "calibration": "calibration",
    "coefficients": "coefficients",
    "column_effects": "columns",
    "confusion": "confusion",
    "curve": "curves",
    "leaderboard": "leaderboard",
    "predictive_curve": "curves",
    "waterfall": "waterfall",
}
__all__ = sorted(_HOMES)
__getattr__ = on_first_use(__name__, _HOMES)

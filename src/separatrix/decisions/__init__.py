"""From posteriors to actions: costs, rejection, priors, thresholds, calibration. Arrays in, arrays out; loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "CalibrationMap": "calibration",
    "Curve": "curves",
    "Decision": "decision",
    "PredictiveValues": "predictive",
    "PriorShift": "shift",
    "Reliability": "calibration_table",
    "Saving": "realised",
    "Tuned": "tuning",
    "cost_curve": "curves",
    "fit_map": "calibration",
    "net_benefit": "curves",
    "precision_recall": "curves",
    "predictive_values": "predictive",
    "prior_shift": "shift",
    "reliability": "calibration_table",
    "reweight": "priors",
    "risk_coverage": "coverage",
    "roc": "curves",
    "saving": "realised",
    "tune": "tuning",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.decisions' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"separatrix.decisions.{_HOMES[name]}"), name)
    globals()[name] = value
    return value

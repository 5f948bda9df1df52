"""From posteriors to actions: costs, rejection, priors, thresholds, calibration. Arrays in, arrays out; loaded when first used."""

from __future__ import annotations

from ..loading import on_first_use

_HOMES = {
    "CalibrationMap": "calibration",
    "Curve": "curves",
    "Decision": "decision",
    "PredictiveValues": "predictive",
    "PriorShift": "shift",
    "Reliability": "calibration_table",
    "Saving": "cost_savings",
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
    "saving": "cost_savings",
    "tune": "tuning",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

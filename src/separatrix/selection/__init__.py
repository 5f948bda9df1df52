"""Models compared, features chosen: filters that score columns, searches that judge them together. Each is loaded when first used."""

from __future__ import annotations

from ..loading import on_first_use

_HOMES = {
    "BackwardSelection": "sequential",
    "ForwardSelection": "sequential",
    "AnovaFilter": "correlation",
    "Board": "board",
    "CorrelationFilter": "correlation",
    "MutualInformationFilter": "mutual_information",
    "RareBinaryFilter": "rare_binary",
    "SavedBoard": "saved_board",
    "StabilitySelection": "stability",
    "StepwiseDiscriminant": "stepwise_discriminant",
    "choose_covariance": "covariance_choice",
    "compare": "comparison",
    "probe": "linear_probe",
    "regularisation_path": "penalty_path",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

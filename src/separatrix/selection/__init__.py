"""Models compared, features chosen: filters that score columns, searches that judge them together. Each is loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "BackwardSelection": "sequential",
    "ForwardSelection": "sequential",
    "AnovaFilter": "correlation",
    "Board": "board",
    "CorrelationFilter": "correlation",
    "MutualInformationFilter": "mutual_information",
    "RareBinaryFilter": "rare",
    "StabilitySelection": "stability",
    "StepwiseDiscriminant": "stepwise_discriminant",
    "compare": "comparison",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.selection' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"separatrix.selection.{_HOMES[name]}"), name)
    globals()[name] = value
    return value

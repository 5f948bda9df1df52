"""Separatrix: linear classification, complete.

Public names are loaded when they are first used, so that `import separatrix` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "ClassMoments": "summaries",
    "GaussianNB": "models",
    "Hyperplane": "geometry",
    "LinearDiscriminantAnalysis": "models",
    "Moments": "summaries",
    "OneVsOne": "models",
    "OneVsRest": "models",
    "open_table": "data.files",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"separatrix.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

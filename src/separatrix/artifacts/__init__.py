"""Models that leave the process: the model file, the formula of a fitted model, and what is written from it.

Names are loaded when first used; reading a file's contents and computing by a formula need no scikit-learn.
"""

from __future__ import annotations

from ..loading import on_first_use

_HOMES = {
    "Contents": "contents",
    "load": "model_file",
    "read": "contents",
    "save": "model_file",
    "to_onnx": "exports",
    "to_python": "exports",
    "to_sql": "exports",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

"""The charts of a report: results in, specifications out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart of the report: its Vega-Lite specification, and a sentence that says what is to be seen."""

    spec: dict[str, Any]
    caption: str

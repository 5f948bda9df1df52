"""Facts and alerts that need several rooms, and the registry of all codes. Loaded when first used: a rule is a page of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..alerts import Alert as Alert
from ..alerts import Fact as Fact
from ..loading import on_first_use

if TYPE_CHECKING:
    from .codes import RULES as RULES
    from .codes import Rule as Rule
    from .codes import rule as rule
    from .result_alerts import alerts_of_board as alerts_of_board
    from .result_alerts import alerts_of_estimate as alerts_of_estimate
    from .table_alerts import alerts_of_columns as alerts_of_columns
    from .table_alerts import alerts_of_rows as alerts_of_rows
    from .table_drift import drift as drift

_HOMES = {
    "RULES": "codes",
    "Rule": "codes",
    "alerts_of_board": "result_alerts",
    "alerts_of_columns": "table_alerts",
    "alerts_of_estimate": "result_alerts",
    "alerts_of_rows": "table_alerts",
    "drift": "table_drift",
    "rule": "codes",
}

__all__ = sorted(["Alert", "Fact", *_HOMES])

__getattr__ = on_first_use(__name__, _HOMES)

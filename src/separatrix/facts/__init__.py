"""Facts and alerts that need several rooms, and the registry of all codes."""

from ..alerts import Alert, Fact
from .codes import RULES, Rule, rule
from .result_alerts import alerts_of_board, alerts_of_estimate
from .table_alerts import alerts_of_columns, alerts_of_rows
from .table_drift import drift

__all__ = [
    "RULES",
    "Alert",
    "Fact",
    "Rule",
    "alerts_of_board",
    "alerts_of_columns",
    "alerts_of_estimate",
    "alerts_of_rows",
    "drift",
    "rule",
]

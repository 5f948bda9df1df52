"""What was found on held-out rows, as it stands in a model file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..notebook import Sentences
from ..storage import tagged_number, untagged_number
from .state_document import damaged


@dataclass(frozen=True)
class StoredEstimate(Sentences):
    """The held-out estimate of a model, or of the whole procedure that chose it.

    Attributes
    ----------
    metric : what was measured, such as "error"
    value, interval, standard_error : of the metric; NaN where it is not known
    rows : number of rows it was found from
    plan : which rows were held out, as it would be typed
    procedure : what was held to account: one model, or the choice among several
    text : the sentence or table to print
    scores, intervals : further metrics by name
    """

    metric: str
    value: float
    interval: tuple[float, float]
    standard_error: float
    rows: float
    plan: str
    procedure: str
    text: str
    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]

    def to_plain(self) -> dict[str, Any]:
        """Return the estimate as JSON can hold it."""
        return {
            "metric": self.metric,
            "value": tagged_number(self.value),
            "interval": [tagged_number(end) for end in self.interval],
            "standard_error": tagged_number(self.standard_error),
            "rows": tagged_number(self.rows),
            "plan": self.plan,
            "procedure": self.procedure,
            "text": self.text,
            "scores": {name: tagged_number(score) for name, score in self.scores.items()},
            "intervals": {name: [tagged_number(end) for end in ends] for name, ends in self.intervals.items()},
        }

    @classmethod
    def of_plain(cls, given: Any) -> StoredEstimate:
        """Return the estimate that JSON describes."""
        names = ("metric", "value", "interval", "standard_error", "rows", "plan", "procedure", "text", "scores", "intervals")
        if not isinstance(given, dict) or given.keys() != set(names):
            raise damaged("the estimate", "lacks a part, or has one that is not known")
        texts = [given[name] for name in ("metric", "plan", "procedure", "text")]
        if (
            not all(isinstance(text, str) for text in texts)
            or not isinstance(given["scores"], dict)
            or not isinstance(given["intervals"], dict)
        ):
            raise damaged("the estimate", "has a part of another kind")
        value, error, rows = (untagged_number(given[name], name) for name in ("value", "standard_error", "rows"))
        return cls(
            given["metric"],
            value,
            _interval(given["interval"]),
            error,
            rows,
            given["plan"],
            given["procedure"],
            given["text"],
            {name: untagged_number(score, name) for name, score in given["scores"].items()},
            {name: _interval(ends) for name, ends in given["intervals"].items()},
        )

    def __str__(self) -> str:
        low, high = self.interval
        span = f" (95 % interval {low:.4f} to {high:.4f})" if math.isfinite(low) and math.isfinite(high) else ""
        return f"held-out {self.metric} {self.value:.4f}{span} of {self.rows:.6g} rows by {self.plan}, of {self.procedure}"


def _interval(given: Any) -> tuple[float, float]:
    if not isinstance(given, list) or len(given) != 2:
        raise damaged("the estimate", "has an interval without two ends")
    return untagged_number(given[0], "low"), untagged_number(given[1], "high")

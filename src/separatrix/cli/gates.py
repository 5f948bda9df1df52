"""Quality gates: `--fail-under auc=.8` ends a command with exit code 4 where the metric is worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ..errors import did_you_mean
from .exits import GateError

LESS_IS_BETTER = ("error", "log_loss", "brier")
METRICS = (*LESS_IS_BETTER, "auc", "balanced_accuracy", "accuracy")


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric and the value it has to reach; of losses, not to exceed.

    Examples
    --------
    >>> Gate("auc", 0.8).require({"auc": 0.9})
    >>> Gate("error", 0.2).require({"error": 0.25})
    Traceback (most recent call last):
    ...
    separatrix.cli.exits.GateError: quality gate not reached: error is 0.2500, at most 0.2 was asked for.
    """

    metric: str
    value: float

    def require(self, values: Mapping[str, float]) -> None:
        """Raise an error unless the metric is as good as asked for; one that is not known is not."""
        found = 1.0 - values["error"] if self.metric == "accuracy" else values.get(self.metric)
        if found is None or found != found:
            raise GateError(f"quality gate not reached: {self.metric} is not known of this model.")
        less = self.metric in LESS_IS_BETTER
        if found > self.value if less else found < self.value:
            raise GateError(
                f"quality gate not reached: {self.metric} is {found:.4f}, at {'most' if less else 'least'} {self.value:g} was asked for."
            )


def require_gates(gates: Sequence[Gate], values: Mapping[str, float]) -> None:
    """End with exit code 4 where a metric does not reach its gate."""
    for gate in gates:
        gate.require(values)


def gate_option(function: Any) -> Any:
    """Add the option --fail-under."""
    told = "End with exit code 4 if a metric is worse: auc=.8, error=.2; may be repeated."
    return click.option("--fail-under", "gates", metavar="METRIC=VALUE", multiple=True, callback=_gates, help=told)(function)


def _gates(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[Gate, ...]:
    found = []
    for text in given:
        metric, _, value = text.partition("=")
        if metric not in METRICS:
            raise click.BadParameter(
                f"{metric!r} is no metric.{did_you_mean(metric, METRICS)} Metrics: {', '.join(METRICS)}.", context, parameter
            )
        try:
            found.append(Gate(metric, float(value)))
        except ValueError:
            raise click.BadParameter(f"{text!r} is not METRIC=VALUE, such as auc=.8.", context, parameter) from None
    return tuple(found)

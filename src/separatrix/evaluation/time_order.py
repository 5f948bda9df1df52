"""Rows that come in time, judged as if they did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from ..alerts import Alert
from ..array_types import Bools, Floats
from ..data.columns import Column
from ..inference.dates import times_in
from ..inference.multiplicity import holm
from ..inference.ranks import average_ranks
from .time_split import TimeSplit

DIFFERENT = 10
"""Different times that an order needs to be one."""
LEVEL = 0.001
"""Probability of a false alarm where errors do not depend on time."""
DRIFT = 0.05
"""Difference of the area under the curve from ½, errors against hits by time, from which errors drift."""


def time_order_alerts(
    columns: Sequence[Column], plan: Any = None, wrong: Bools | None = None, held: Bools | None = None
) -> tuple[Alert, ...]:
    """Return an alert (SPX007) where rows stand in the order of a date, or errors drift along one, and the plan mixes past and future.

    Parameters
    ----------
    columns : the table
    plan : how rows are held out
    wrong : (n,) which held-out rows were judged wrongly, if that is known
    held : (n,) which rows were held out; default: all

    Examples
    --------
    >>> days = np.arange("2024-01-01", "2024-02-01", dtype="datetime64[D]").astype("datetime64[us]")
    >>> [alert.subject for alert in time_order_alerts([Column("day", days)])]
    ['day']
    """
    if isinstance(plan, TimeSplit):
        return ()
    dated = [(column.name, times) for column in columns if (times := times_in(column)) is not None]
    dated = [(name, times) for name, times in dated if len(np.unique(times[~np.isnan(times)])) >= DIFFERENT]
    drifts = [_drift(times if held is None else np.where(held, times, np.nan), wrong) for _, times in dated]
    adjusted = holm(np.array([p for _, p in drifts]))
    found = []
    for (name, times), (area, _), p in zip(dated, drifts, adjusted, strict=True):
        if p < LEVEL and abs(area - 0.5) >= DRIFT:
            way = "later" if area > 0.5 else "earlier"
            found.append(_alert(name, f"Errors are more frequent among {way} rows by column {name!r} (p = {p:.2g})."))
        elif _is_sorted(times):
            found.append(_alert(name, f"The rows stand in the order of column {name!r}, which holds dates."))
    return tuple(found)


def _alert(name: str, seen: str) -> Alert:
    return Alert(
        "SPX007",
        name,
        seen,
        "Held out at random, rows are judged by a model that has seen their future; used on rows to come, it may do worse.",
        f"Hold the future out: plan=TimeSplit({name!r}).",
    )


def _is_sorted(times: Floats) -> bool:
    steps = np.diff(times[~np.isnan(times)])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _drift(times: Floats, wrong: Bools | None) -> tuple[float, float]:
    """Return the share of pairs of an error and a hit with the error later, and the p-value of one half (Mann and Whitney)."""
    if wrong is None:
        return 0.5, 1.0
    there = ~np.isnan(times)
    bad = wrong[there]
    a, b = int(bad.sum()), int((~bad).sum())
    if min(a, b) == 0:
        return 0.5, 1.0
    area = (float(average_ranks(times[there])[bad].sum()) - a * (a + 1) / 2) / (a * b)
    return area, float(2.0 * ndtr(-abs(area - 0.5) / np.sqrt((a + b + 1) / (12.0 * a * b))))

"""What a comparison should make its reader ask: is anything learned at all, and did the best value stand at the end of its list?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..alerts import Alert
from ..array_types import Floats
from ..evaluation.estimate import corrected_resampled_t
from ..solvers.solution import Status
from .board_entry import Entry

MOSTLY = 0.5
"""Share of the folds that have to choose the end of the list."""
FEWEST_VALUES = 3
"""Values that a list needs to have an inside."""
GAIN = 0.01
"""Share by which the loss has to fall with the last step; less, and the end is as good as anything beyond."""


def baseline_alert(best: Entry, base: Entry | None) -> tuple[Alert, ...]:
    """Return an alert (SPX011) where the majority class does as well as the best model, as far as chance can tell."""
    if base is None or base is best or base.is_worse or (base.difference is None and base.scored.loss > best.scored.loss):
        return ()
    test = "" if base.difference is None else f" ({base.difference.test}, p = {base.difference.p:.2g})"
    metric = best.scored.criterion.name
    return (
        Alert(
            "SPX011",
            best.name,
            f"The best model, {best.name}, has a held-out {metric} of {best.value:.4f}, the {base.name} {base.value:.4f}, and chance "
            f"explains the difference{test}.",
            "There may be nothing to learn from these columns, or too few rows to see it.",
            "Try metric='log_loss' or metric='auc', which see more where one class is rare; permutation_test(model, X, y) tests it; add "
            "columns or rows.",
        ),
    )


def separation_alerts(entries: tuple[Entry, ...]) -> tuple[Alert, ...]:
    """Return an alert (SPX009) for each model whose solver said that its coefficients grow without bound."""
    sentence, advice = Status.SEPARABLE.sentence, Status.SEPARABLE.advice
    do, why = (f"{part.rstrip('.')}." for part in advice.split(". "))
    return tuple(
        Alert("SPX009", entry.name, f"{entry.name} {sentence}.", why, do)
        for entry in entries
        if any(sentence in note for note in entry.notes)
    )


def edge_alerts(entries: tuple[Entry, ...]) -> tuple[Alert, ...]:
    """Return an alert (SPX013) for each hyperparameter at an end of its list, of models not significantly worse than the best."""
    return tuple(alert for entry in entries if not entry.is_worse for alert in _edges(entry))


def _edges(entry: Entry) -> Iterator[Alert]:
    grid = entry.candidate.grid
    for name in dict.fromkeys(name for point in grid for name in point):
        values: list[Any] = [point.get(name) for point in grid]
        chosen = [point[name] for point in entry.points if name in point]
        if not chosen or not all(_is_number(value) for value in values):
            continue
        ordered = sorted({float(value) for value in values})
        if len(ordered) < FEWEST_VALUES:
            continue
        for end, beside in ((ordered[0], ordered[1]), (ordered[-1], ordered[-2])):
            times = sum(float(value) == end for value in chosen)
            if times <= MOSTLY * len(chosen) or _is_limit(end, ordered):
                continue
            gain = _gain(entry.losses, np.array(values, dtype=np.float64), end, beside)
            if gain >= GAIN:
                yield _edge(entry.name, name.split("__")[-1], end, beside, f"{times} of {len(chosen)} folds", gain)


def _gain(losses: tuple[Floats, ...], values: Floats, end: float, beside: float) -> float:
    """Return by what share the loss still falls from the value beside the end to the end; 0 where folds do not agree that it does.

    Other hyperparameters are at their best for each of the two values.
    """
    if len(losses) < 2:
        return 0.0
    table = np.stack(losses)
    last, before = (np.nanmin(table[:, values == value], axis=1) for value in (end, beside))
    falls = before - last
    low, _ = corrected_resampled_t(falls, 1.0 / len(falls))
    return float(falls.mean() / max(abs(before.mean()), 1e-300)) if low > 0 else 0.0


def _edge(model: str, name: str, end: float, beside: float, times: str, gain: float) -> Alert:
    return Alert(
        "SPX013",
        model,
        f"{model} chose {name}={end:g}, the last value on its side of the list, in {times}; from {name}={beside:g} to it the loss still "
        f"falls by {100 * gain:.2g} %.",
        "A better value may lie beyond it.",
        f"Give the model a longer list: models=[(model, {{{name!r}: [{_beyond(beside, end):.3g}, {end:g}, …]}})].",
        "note",
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and not np.isnan(value)


def _beyond(inner: float, end: float) -> float:
    """Return the value one step beyond an end: the same ratio again, or the same distance where there is no ratio."""
    return end * end / inner if inner * end > 0 and np.isfinite(end) else 2 * end - inner


def _is_limit(end: float, ordered: list[float]) -> bool:
    """Whether nothing can lie beyond: 0 of values that are not negative, 1 of shares, infinity, and what is as good as 0."""
    low, high = ordered[0], ordered[-1]
    share = low >= 0.0 and high <= 1.0
    return (end == 0.0 and low >= 0.0) or (end == 1.0 and share) or not np.isfinite(end) or (0.0 <= end <= 1e-6)

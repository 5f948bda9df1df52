"""From the summary of a table to what is done with each of its columns."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np

from ..alerts import Alert
from ..array_types import Bools, Floats
from ..data.columns import Column
from ..data.value_hash import column_hashes
from ..errors import InputError
from ..summaries.column_summary import ColumnSummary
from ..summaries.table_summary import TableSummary
from . import alerts as told
from .header import names_that_are_values
from .kinds import Guess, Levels, common_levels, guess_kind, least_count, skewness
from .points import misread_thousands
from .shapes import HARRELL, weighted_quantiles
from .shared_levels import told_by_others
from .steps import Category, Dates, Dropped, Hashed, HashedWords, Numbers, Ordered, Step, TargetStatistics, Words
from .steps.base import level_text, numbers_of
from .steps.dates import CYCLES, DatePart, dates_of, part_of
from .steps.numbers import Transform
from .steps.words import learn_words
from .wishes import Wishes
from .written_dates import WrittenDates
from .written_numbers import WrittenNumbers

SKEW = 4.0
"""Skewness from which numbers are transformed, if that halves it."""
SPIKE = 0.05
"""Share of rows from which one value of a curved column has a column of its own."""
MOSTLY = 0.5
"""Share of rows from which a column is mostly one value, such as zero, and the others are cut into bins."""
FEW_VALUES = 8
"""Different values up to which a curved column has a bin for each."""
MOST_COUNTED = 10_000
"""Levels whose shares of the classes are kept."""


def learn_steps(table: TableSummary, wishes: Wishes, has_labels: bool) -> tuple[tuple[Step, ...], tuple[Alert, ...]]:
    """Return a step for every column of a table, and what was noticed."""
    wishes.check(table.names)
    steps: list[Step] = []
    said: list[Alert] = []
    seen: dict[tuple[Any, ...], list[int]] = {}
    digests: dict[int, bytes] = {}
    for j, summary in enumerate(table.columns):
        sampled = table.sample.column(j)
        step, alerts = _learn_column(table, j, summary, sampled, wishes, has_labels)
        if not isinstance(step, Dropped) and summary.name not in (*wishes.keep, *wishes.kinds):
            # What merely might be the same is compared value by value; most columns differ in what was counted already.
            alike = seen.setdefault((summary.type, summary.count, summary.low, summary.high, summary.distinct.smallest.tobytes()), [])
            alike.append(j)
            same = _first_like(table, alike, digests)
            if same is not None:
                alerts = (told.duplicate(summary.name, table.columns[same].name, table.sample),)
                step = Dropped(summary.name, f"the same as {table.columns[same].name!r}")
        steps.append(step)
        said += alerts
    known = {
        name: Levels.of(table.columns[table.names.index(name)], table.sample.column(table.names.index(name)), table.sample.weight).counts
        for name in wishes.orders
    }
    wishes.check_steps({step.column: step.kind for step in steps}, known)
    return tuple(told_by_others(steps, table)), (*names_that_are_values(table.columns), *said, *misread_thousands(steps, table))


def _first_like(table: TableSummary, alike: list[int], digests: dict[int, bytes]) -> int | None:
    """Return the first of some columns that holds the same as the last of them in all sampled rows."""
    if len(alike) > 1:
        for i in alike:
            if i not in digests:
                digests[i] = blake2b(column_hashes(table.sample.column(i)).tobytes(), digest_size=16).digest()
    return next((i for i in alike[:-1] if digests[i] == digests[alike[-1]]), None)


def _learn_column(
    table: TableSummary, j: int, summary: ColumnSummary, sampled: Column, wishes: Wishes, has_labels: bool
) -> tuple[Step, tuple[Alert, ...]]:
    name, guess = summary.name, _wished(table, summary, sampled, wishes)
    if guess.kind == "drop":
        return Dropped(name, _why(guess.why)), told.dropped(summary, guess.why)
    said = told.infinite(summary)
    if guess.kind == "number":
        step: Step = _number(table, summary, sampled, guess.numbers, wishes)
        if guess.numbers is not None:
            said += told.written(summary, sampled, guess.numbers, Levels.of(summary, sampled, table.sample.weight).counts)
        return step, said
    if guess.kind == "date":
        return _date(table, summary, sampled, guess.dates), said
    if guess.kind == "text hash":
        return HashedWords(name), said
    if guess.kind == "text":
        return _text(table, name, sampled, wishes), said
    levels = Levels.of(summary, sampled, table.sample.weight)
    if summary.type == "text" and name not in wishes.kinds:
        said += told.mixed(name, levels.counts) or told.unread_dates(name, levels.counts)
    if guess.kind == "ordered":
        return _ordered(summary, levels, wishes), said
    if guess.kind == "hash" or (guess.kind == "levels" and (wishes.many_levels == "hash" or not has_labels)):
        return Hashed(name), said
    if guess.kind == "levels":
        return TargetStatistics(name, tuple(sorted(list(levels.counts)[:MOST_COUNTED]))), said
    return _category(summary, levels, wishes), said


def _why(why: str) -> str:
    return {"identifier": "looks like an identifier"}.get(why, why or "asked for")


def _wished(table: TableSummary, summary: ColumnSummary, sampled: Column, wishes: Wishes) -> Guess:
    """Return the kind asked for, or the one that the column looks like."""
    name = summary.name
    if name in wishes.drop:
        return Guess("drop")
    kind = "ordered" if name in wishes.orders else wishes.kinds.get(name)
    guess = guess_kind(summary, sampled, wishes.most_levels, table.sample.weight)
    if kind is None and guess.kind == "drop" and name in wishes.keep:
        kind = "number" if summary.type == "number" else "levels"
    if kind is None or kind == guess.kind:
        return guess
    if kind == "drop":
        return Guess("drop")
    if summary.type is None or not summary.count:
        raise InputError(f"Column {name!r} has no value, so it cannot be of kind {kind!r}; leave it out: drop=[{name!r}].")
    counts = Levels.of(summary, sampled, table.sample.weight).counts
    if kind == "number":
        how = WrittenNumbers.of(counts) or WrittenNumbers()
        if summary.type == "text" and not any(np.isfinite(how.value(level)) for level in counts):
            raise InputError(
                f"Column {name!r} cannot be read as numbers: it holds texts such as {next(iter(counts), '')!r}; use another kind."
            )
        return Guess(kind, numbers=how if summary.type == "text" else None)
    if kind == "date" and summary.type == "number":
        raise InputError(f"Column {name!r} holds numbers, which say no day; use dates, or text such as 2024-12-31.")
    if kind not in ("number", "date") and not counts and summary.type != "date":
        raise InputError(f"Column {name!r} holds blanks only, so it cannot be of kind {kind!r}; use drop=[{name!r}].")
    if kind == "date" and summary.type != "date":
        dates = WrittenDates.of(counts)
        if dates is None:
            first = next(iter(counts), "")
            raise InputError(
                f"Column {name!r} cannot be read as dates: {first!r} leaves open what is day and what month; write 2024-12-31."
            )
        return Guess(kind, dates=dates)
    return Guess(kind)


def _number(table: TableSummary, summary: ColumnSummary, sampled: Column, written: WrittenNumbers | None, wishes: Wishes) -> Numbers:
    name = summary.name
    if written is None and summary.levels.is_exact and summary.levels.counts and sampled.levels is None:
        # Few different numbers, each counted: the same quantiles without the rows.
        x, weight = np.array(list(summary.levels.counts)), np.array(list(summary.levels.counts.values()))
        gaps = bool(summary.absent > 0)
    else:
        given = numbers_of(sampled, written)
        known = ~np.isnan(given)
        if not known.any():
            return Numbers(name, 0.0, True, True, written)
        x, weight = given[known], table.sample.weight[known]
        gaps = bool(summary.absent > 0 or not known.all())
    fill = float(weighted_quantiles(x, weight, (0.5,))[0])
    flat = bool((x == x[0]).all())
    asked = wishes.shape_of(name)
    step = Numbers(name, fill, gaps, flat, written, **_transform(x, weight, asked, summary, written), **_unit(wishes, name))
    return step if flat or asked in (None, "line", "log", "root", "squash") else _shaped(step, x, weight, asked)


def _unit(wishes: Wishes, name: str) -> dict[str, Any]:
    if name not in wishes.units:
        return {}
    unit, per = wishes.units[name]
    return {"unit": str(unit), "per": float(per)}


def _transform(x: Floats, weight: Floats, asked: str | None, summary: ColumnSummary, written: WrittenNumbers | None) -> dict[str, Any]:
    if asked == "squash":
        low, centre, high = weighted_quantiles(x, weight, (0.25, 0.5, 0.75)).tolist()
        spread = (high - low) / 2.0 or float(np.abs(x - centre).max()) or 1.0
        return {"transform": "squash", "centre": centre, "scale": spread}
    if asked in ("log", "root"):
        return {"transform": asked}
    if asked not in (None, "auto") or abs(summary.skewness if written is None else skewness(x, weight)) < SKEW:
        return {}
    beside = _beside_spike(x, weight)
    x, weight = x[beside], weight[beside]
    skew = abs(skewness(x, weight)) if len(x) else 0.0
    if skew < SKEW:
        return {}
    found: Transform = "log" if x.min() >= 0 and x.max() > 10 else "root"
    after = Numbers("", transform=found).transformed(x)
    return {"transform": found} if abs(skewness(after, weight)) < skew / 2 else {}


def _beside_spike(x: Floats, weight: Floats) -> Bools:
    """Return which values are not the one that most rows have, such as zero: a spike is skew however the others lie, and no logarithm
    mends that.
    """
    places = np.unique(x, return_inverse=True)[1]
    share = np.bincount(places, weight) / weight.sum()
    return np.asarray(places != share.argmax()) if share.max() >= MOSTLY else np.ones(len(x), dtype=bool)


def _shaped(step: Numbers, x: Floats, weight: Floats, asked: str | None) -> Numbers:
    """Return the step with a spline or bins."""
    z = step.transformed(x)
    values, places = np.unique(z, return_inverse=True)
    if len(values) <= 2:
        return step
    share = np.bincount(places, weight) / weight.sum()
    if asked == "bins":
        cuts = np.unique(weighted_quantiles(z, weight, np.arange(1, 10) / 10))
        cuts = cuts[cuts < values[-1]]
        return replace(step, shape="bins", knots=tuple(cuts.tolist())) if len(cuts) else step
    if len(values) <= FEW_VALUES:
        others = np.delete(np.arange(len(values)), share.argmax())
        return replace(step, shape="values", spikes=tuple(float(x[places == i][0]) for i in others))
    if asked == "auto" and share.max() >= MOSTLY:
        return replace(step, shape="bins", knots=_around(values, int(share.argmax()), z, weight))
    spikes = tuple(float(x[places == i][0]) for i in np.flatnonzero(share >= SPIKE)) if asked == "auto" else ()
    rest = share[places] < SPIKE if asked == "auto" else np.ones(len(z), dtype=bool)
    for m in (5, 4, 3):
        if not rest.any():
            break
        knots = np.unique(weighted_quantiles(z[rest], weight[rest], HARRELL[m]))
        if len(knots) >= 3:
            return replace(step, shape="spline", knots=tuple(knots.tolist()), spikes=spikes)
    return replace(step, spikes=spikes)


def _around(values: Floats, spike: int, z: Floats, weight: Floats) -> tuple[float, ...]:
    """Return edges of bins for a column that is mostly one value: a bin for it, and quantiles of the other values."""
    others = z != values[spike]
    bins = int(np.clip(weight[others].sum() / 100.0, 2, 20))
    edges = set(weighted_quantiles(z[others], weight[others], np.arange(1, bins) / bins).tolist())
    neighbours = values[max(spike - 1, 0) : spike + 2]
    edges |= set(((neighbours[:-1] + neighbours[1:]) / 2.0).tolist())
    return tuple(sorted(edge for edge in edges if edge < values[-1]))


def _date(table: TableSummary, summary: ColumnSummary, sampled: Column, written: WrittenDates | None) -> Dates:
    stamps = dates_of(sampled, written)
    known = ~np.isnat(stamps)
    days = part_of(stamps[known], "days")
    parts: list[DatePart] = []
    for part in ("days", "year", "month", "weekday", "hour"):
        values = np.unique(part_of(stamps[known], part))
        varies = len(values) > (2 if part in CYCLES else 1)
        if varies and (part != "year" or np.ptp(days) > 730):
            parts.append(part)
    middle = float(weighted_quantiles(days, table.sample.weight[known], (0.5,))[0]) if known.any() else 0.0
    gaps = bool(summary.absent > 0 or not known.all())
    return Dates(summary.name, tuple(parts), float(np.floor(days.min())) if known.any() else 0.0, middle, gaps, written)


def _text(table: TableSummary, name: str, sampled: Column, wishes: Wishes) -> Words:
    codes, levels = sampled.categories()
    known = codes >= 0
    weight = np.bincount(codes[known], table.sample.weight[known], minlength=len(levels))
    rows = float(table.sample.weight.sum())
    return learn_words(name, [str(level) for level in levels], weight, wishes.most_words, least=min(5.0, max(2.0, 0.01 * rows)))


def _ordered(summary: ColumnSummary, levels: Levels, wishes: Wishes) -> Ordered:
    name = summary.name
    given = wishes.orders.get(name) or summary.levels.ordered or tuple(sorted(levels.counts, key=_order_key))
    order = tuple(level_text(level) for level in given)
    places = np.array([float(order.index(level)) for level in levels.counts if level in order])
    weight = np.array([levels.counts[level] for level in levels.counts if level in order])
    fill = float(weighted_quantiles(places, weight, (0.5,))[0]) if len(places) else 0.0
    return Ordered(name, order, fill, levels.missing > 0)


def _order_key(level: str) -> tuple[float, str]:
    number = WrittenNumbers().value(level)
    return (number if np.isfinite(number) else np.inf, level)


def _category(summary: ColumnSummary, levels: Levels, wishes: Wishes) -> Category:
    name = summary.name
    kept = common_levels(levels, summary.total, max(wishes.most_levels, len(levels.counts) if name in wishes.kinds else 0))
    if not kept:
        kept = [level for level, weight in levels.counts.items() if weight >= least_count(summary.total)] or list(levels.counts)[:1]
    reference = wishes.references.get(name, kept[0])
    if reference not in levels.counts:
        listed = ", ".join(repr(level) for level in list(levels.counts)[:8])
        raise InputError(f"references[{name!r}]={reference!r} is not a level of the column, which has {listed}.")
    own = tuple(sorted(level for level in kept if level != reference))
    grouped = tuple(sorted(level for level in list(levels.counts)[:MOST_COUNTED] if level not in set(kept) and level != reference))
    if len(grouped) == 1 and len(kept) < wishes.most_levels:
        own, grouped = tuple(sorted((*own, *grouped))), ()
    total = levels.present + levels.missing
    return Category(name, reference, own, grouped, levels.missing > 0, share=1.0 - levels.counts[reference] / max(total, 1e-300))

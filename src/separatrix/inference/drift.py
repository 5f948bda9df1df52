"""Columns whose values have changed between two tables, such as the rows a model was made from and those it is used on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from ..alerts import Alert
from ..array_types import Floats
from ..data.columns import Column
from .column_values import is_text, known, listed, measurements
from .dates import times_in
from .gaps_by_class import gap_test
from .multiplicity import holm

LEVEL = 0.01
"""Probability of any false alarm between two tables from one source (Holm, over all tests of all columns)."""
MODERATE, LARGE = 0.1, 0.25
"""Population stability index from which a change is worth a word, and from which it asks for a decision: the usual rule."""
CELLS = 10
"""Cells of about equal counts in the reference, for numbers."""
EXPECTED = 5.0
"""Expected count of a level from which it stands for itself; rarer ones are joined."""
FEWEST = 5
"""Numbers in each table without which nothing can be proved of them."""
MOSTLY_DISTINCT = 0.5
"""Share of distinct values from which a column of text is no category: its values are new in every table."""


@dataclass(frozen=True, slots=True)
class Change:
    """How far one column has moved: the test, its p-value, the population stability index and a sentence."""

    name: str
    p: float
    index: float
    seen: str


def stability_index(reference: Floats, current: Floats) -> float:
    """Return the population stability index Σ (q_i − p_i) log(q_i/p_i) of counts in the same cells, half a row added to each.

    Examples
    --------
    >>> round(stability_index(np.array([50.0, 50.0]), np.array([80.0, 20.0])), 3)
    0.406

    References
    ----------
    Siddiqi (2006), Credit Risk Scorecards, Wiley.
    """
    p, q = ((counts + 0.5) / (counts + 0.5).sum() for counts in (reference, current))
    return float(((q - p) * np.log(q / p)).sum())


def drift_alerts(reference: Sequence[Column], current: Sequence[Column]) -> tuple[Alert, ...]:
    """Return an alert (SPX016) for each column whose distribution or share of gaps has changed; dates, which always do, aside.

    Numbers are compared by the test of Kolmogorov and Smirnov, categories by χ², gaps by χ² or Fisher's test, all together at one level.

    Parameters
    ----------
    reference, current : columns of the two tables; those of one name are compared

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> before, after = [Column("age", rng.normal(40, 9, 500))], [Column("age", rng.normal(50, 9, 500))]
    >>> [alert.subject for alert in drift_alerts(before, after)]
    ['age']
    """
    there = {column.name: column for column in current}
    shared = [(column, there[column.name]) for column in reference if column.name in there]
    changes = [change for old, new in shared for change in _changes(old, new)]
    lost = [column.name for column in reference if column.name not in there]
    return (*_lost(lost), *alerts_of_changes(changes))


def alerts_of_changes(changes: Sequence[Change]) -> tuple[Alert, ...]:
    """Return an alert (SPX016) for each column with a change that is large enough and that chance does not explain, all tests together."""
    adjusted = holm(np.array([change.p for change in changes]))
    found: dict[str, Alert] = {}
    for change, p in sorted(zip(changes, adjusted, strict=True), key=lambda pair: -pair[0].index):
        if p < LEVEL and change.index >= MODERATE:
            found.setdefault(change.name, _alert(change, float(p)))
    return tuple(found[name] for name in dict.fromkeys(change.name for change in changes) if name in found)


def _alert(change: Change, p: float) -> Alert:
    return Alert(
        "SPX016",
        change.name,
        f"{change.seen} (stability index {change.index:.2f}, p = {p:.2g}).",
        "A model made from the first table meets rows unlike its own in the second; its error and probabilities may no longer hold.",
        "Look at the column in both tables; fit anew with newer rows, or frame.drop(columns=[…]) if its meaning has changed.",
        "warning" if change.index >= LARGE else "note",
    )


def _lost(names: list[str]) -> tuple[Alert, ...]:
    if not names:
        return ()
    seen = f"Columns {listed(names)} are not in the second table."
    return (Alert("SPX016", names[0], seen, "A model that was made with them cannot be used.", "Add them, or fit anew without them."),)


def _changes(old: Column, new: Column) -> list[Change]:
    if times_in(old) is not None or times_in(new) is not None:
        return []
    name, before, after = old.name, known(old), known(new)
    if not len(before) or not len(after):
        return []
    gaps, rows = np.array([(~before).sum(), (~after).sum()], dtype=np.float64), np.array([len(before), len(after)], dtype=np.float64)
    found = gaps_moved(name, gaps, rows)
    if before.any() and after.any():
        if is_text(old) != is_text(new):
            kinds = ["text" if is_text(column) else "numbers" for column in (old, new)]
            found.append(Change(name, 0.0, np.inf, f"Column {name!r} holds {kinds[0]} in the first table and {kinds[1]} in the second"))
        else:
            found += _levels_moved(old, new) if is_text(old) else _numbers_moved(old, new)
    return found


def gaps_moved(name: str, gaps: Floats, rows: Floats) -> list[Change]:
    """Return how the share of gaps has changed between two tables, gaps (2,) of rows (2,); nothing where neither has any."""
    if not gaps.any():
        return []
    (a, b), (m, n) = gaps, rows
    was, now = f"{100 * a / m:.3g} %", f"{100 * b / n:.3g} %"
    seen = f"Column {name!r} is missing in {was} of the first table and in {now} of the second"
    if was == now:
        seen = f"Column {name!r} is missing in {was} of both tables"
    return [Change(name, gap_test(gaps, rows), stability_index(np.array([a, m - a]), np.array([b, n - b])), seen)]


def counts_moved(name: str, counts: Floats, said: Sequence[str]) -> Change:
    """Return how far counts (2, L) of a column's levels, or of its values between cuts, have moved: by χ², rare ones joined.

    Parameters
    ----------
    name : of the column
    counts : (2, L) of both tables
    said : (L,) how a sentence names the levels, such as "Level 'Rome'"

    Examples
    --------
    >>> change = counts_moved("city", np.array([[50.0, 50.0], [80.0, 20.0]]), ["Level 'Oslo'", "Level 'Rome'"])
    >>> print(change.seen, round(change.index, 3))
    Level 'Oslo' of column 'city' has gone from 50 % to 80 % of rows 0.406
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.abs(shares[1] - shares[0]).argmax())
    joined = _joined(counts)
    expected = joined.sum(axis=1, keepdims=True) * joined.sum(axis=0) / joined.sum()
    p = float(chdtrc(joined.shape[1] - 1, ((joined - expected) ** 2 / expected).sum())) if joined.shape[1] > 1 else 1.0
    was, now = (f"{100 * share:.3g} %" for share in shares[:, most])
    seen = f"{said[most]} of column {name!r} has gone from {was} to {now} of rows" if was != now else f"Column {name!r} is as it was"
    return Change(name, p, stability_index(joined[0], joined[1]), seen)


def _numbers_moved(old: Column, new: Column) -> list[Change]:
    x, y = (values[~np.isnan(values)] for values in (measurements(old), measurements(new)) if values is not None)
    if min(len(x), len(y)) < FEWEST:
        return []
    cuts = np.unique(np.quantile(x, np.arange(1, CELLS) / CELLS))
    index = stability_index(
        *(np.bincount(np.searchsorted(cuts, v, side="left"), minlength=len(cuts) + 1).astype(np.float64) for v in (x, y))
    )
    from scipy.stats import ks_2samp  # half a second to load, for tables to compare alone

    # The exact test gives up, with a warning, on some pairs of sizes; this one is within a few per cent of it from ten rows on.
    p = float(ks_2samp(x, y, method="asymp").pvalue)
    seen = f"Column {old.name!r} has moved from a median of {np.median(x):.4g} to {np.median(y):.4g}"
    if abs(np.median(y) - np.median(x)) <= 1e-9 * np.abs(x).max():
        seen = f"Column {old.name!r} has another spread: its mean went from {x.mean():.4g} to {y.mean():.4g}"
    return [Change(old.name, p, index, seen)]


def _levels_moved(old: Column, new: Column) -> list[Change]:
    (a, first), (b, second) = old.categories(), new.categories()
    if len(first) > MOSTLY_DISTINCT * (a >= 0).sum():
        return []
    places = {level: place for place, level in enumerate(dict.fromkeys([*first, *second]))}
    counts = np.zeros((2, len(places)))
    for row, (codes, names) in enumerate(((a, first), (b, second))):
        own = np.bincount(codes[codes >= 0], minlength=len(names))
        np.add.at(counts[row], [places[name] for name in names], own)
    return [counts_moved(old.name, counts, [f"Level {level!r}" for level in places])]


def _joined(counts: Floats) -> Floats:
    """Return the counts (2, L) with rare levels in one, so that χ² holds."""
    smaller = counts.sum(axis=1).min() / counts.sum()
    rare = counts.sum(axis=0) * smaller < EXPECTED
    kept = counts[:, ~rare]
    rest = counts[:, rare].sum(axis=1, keepdims=True)
    if rest.sum() * smaller >= EXPECTED or kept.shape[1] == 0:
        return np.hstack([kept, rest])
    if rest.sum() > 0:
        kept[:, kept.sum(axis=0).argmin()] += rest[:, 0]
    return kept

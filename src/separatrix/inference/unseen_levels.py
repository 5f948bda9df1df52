"""Categories that come up for the first time when a model is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..alerts import Alert
from ..data.columns import Column
from .column_values import is_text, listed
from .dates import times_in
from .drift import MOSTLY_DISTINCT


def unseen_level_alerts(reference: Sequence[Column], current: Sequence[Column]) -> tuple[Alert, ...]:
    """Return an alert (SPX015) for each column of categories with levels in the second table that the first one does not have.

    A column that is text of its own in most rows, or a date, is no category, and new text in it no news.

    Examples
    --------
    >>> cities = np.array(["Oslo", "Rome"], dtype=object)
    >>> before = [Column("city", np.zeros(9, dtype=np.int32), cities[:1])]
    >>> print(unseen_level_alerts(before, [Column("city", np.array([0, 1, 1]), cities)])[0].seen)
    Column 'city' has 1 level that the first table does not have, 'Rome', in 2 of 3 rows.
    """
    there = {column.name: column for column in current}
    pairs = [(column, there[column.name]) for column in reference if column.name in there]
    found = [_alert(old, new) for old, new in pairs if is_text(old) and is_text(new) and times_in(new) is None]
    return tuple(alert for alert in found if alert is not None)


def _alert(old: Column, new: Column) -> Alert | None:
    (own, levels), (codes, given) = old.categories(), new.categories()
    used = set(np.asarray(levels, dtype=object)[np.unique(own[own >= 0])].tolist())
    fresh = [place for place in np.unique(codes[codes >= 0]).tolist() if given[place] not in used]
    if not fresh or len(used) > MOSTLY_DISTINCT * (own >= 0).sum():
        return None
    rows, names = int(np.isin(codes, fresh).sum()), [str(given[place]) for place in fresh]
    count = "1 level" if len(names) == 1 else f"{len(names)} levels"
    return Alert(
        "SPX015",
        old.name,
        f"Column {old.name!r} has {count} that the first table does not have, {listed(names)}, in {rows} of {len(codes)} rows.",
        "The model has learned nothing about them: such a row is judged by its other columns alone.",
        "Correct what is misspelt; fit anew once there are enough rows of them.",
        "note",
    )

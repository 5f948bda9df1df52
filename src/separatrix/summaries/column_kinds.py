"""Which likelihood a column is given: by the user, or by what the column holds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Source
from ..errors import DataWarning, InputError, InputTypeError, UnknownNameError, did_you_mean, one_of
from .column_ranges import ColumnRanges
from .columns import KINDS, ColumnCounts, Layout
from .folds import all_but_one

DISPERSION = 4.0
"""How many times its mean the variance of a column of counts may be: Poisson counts have 1, and classes that differ add to it."""


def check_kinds(kinds: Any) -> None:
    """Raise an error for kinds that do not exist."""
    if kinds is None:
        return
    if not isinstance(kinds, (str, Mapping)):
        raise InputTypeError(f"kinds={kinds!r} must be a dict such as {{'age': 'gaussian'}}, one kind for all columns, or None.")
    for kind in [kinds] if isinstance(kinds, str) else kinds.values():
        if kind not in KINDS:
            raise one_of("kinds" if isinstance(kinds, str) else "kind", kind, KINDS)


def given_kinds(kinds: Any, source: Source) -> list[str | None]:
    """Return the kind given to each column, None where none is."""
    p, names = source.n_features, source.feature_names
    if kinds is None or isinstance(kinds, str):
        return [kinds] * p
    found: list[str | None] = [None] * p
    for key, kind in kinds.items():
        if names is not None and key in names:
            found[names.index(key)] = kind
        elif isinstance(key, (int, np.integer)) and 0 <= key < p and names is None:
            found[int(key)] = kind
        else:
            known = list(names) if names is not None else [f"0 … {p - 1}"]
            listed = ", ".join(map(str, known[:12])) + (", …" if len(known) > 12 else "")
            raise UnknownNameError(f"kinds names the column {key!r}, which is not in X.{did_you_mean(key, known)} Columns: {listed}.")
    return found


def choose_kind(ranges: ColumnRanges, j: int) -> str:
    """Return the kind of a column by what it holds.

    Text is "categorical". Numbers are "bernoulli" if they are 0 and 1 only; "poisson" if they are whole, begin at 0 and vary as counts
    do (a variance of at most four times the mean); else "gaussian".

    Examples
    --------
    >>> from separatrix.data import Block
    >>> ranges = ColumnRanges.of(Block(np.array([[0.0, 0.0, 1.5], [1.0, 3.0, 2.0], [1.0, 1.0, 9.0]])))
    >>> [choose_kind(ranges, j) for j in range(3)]
    ['bernoulli', 'poisson', 'gaussian']
    """
    if ranges.text[j]:
        return "categorical"
    if not ranges.whole[j] or ranges.low[j] != 0 or not ranges.high[j] > 0:
        return "gaussian"
    if ranges.high[j] == 1:
        return "bernoulli"
    mean = ranges.total[j] / ranges.count[j]
    variance = ranges.squares[j] / ranges.count[j] - mean**2
    return "poisson" if variance <= DISPERSION * mean else "gaussian"


def choose_layout(kinds: Any, source: Source, has_text: bool) -> Layout:
    """Return the kinds of all columns of a source: those given, and for the rest what the columns hold.

    Parameters
    ----------
    kinds : as given by the user
    source : rows
    has_text : bool
        Whether columns may hold text.
    """
    given = given_kinds(kinds, source)
    if not has_text and None not in given:
        return Layout(as_kinds(given), np.zeros(source.n_features, dtype=bool))
    ranges = source.reduce(ColumnRanges.of)
    for j in np.flatnonzero(ranges.text):
        if given[j] not in (None, "categorical"):
            raise InputError(
                f"C{source.column(int(j))[1:]} holds text, which has no numbers for kind {given[j]!r}; use 'categorical'"
                + (" (for two categories that is the same model)." if given[j] == "bernoulli" else ", or turn it into numbers first.")
            )
    return Layout(as_kinds([kind or choose_kind(ranges, j) for j, kind in enumerate(given)]), ranges.text)


def kinds_stand(kinds: Any, layout: Layout, parts: list[Source]) -> list[bool]:
    """Return, for each of several parts of the rows, whether the columns would be of the same kinds without it.

    Parameters
    ----------
    kinds : as given by the user
    layout : kinds of the columns of all rows
    parts : sources of the parts
    """
    given = given_kinds(kinds, parts[0])
    if None not in given:
        return [True] * len(parts)
    rest = all_but_one([part.reduce(ColumnRanges.of) for part in parts])
    return [[kind or choose_kind(ranges, j) for j, kind in enumerate(given)] == layout.kinds.tolist() for ranges in rest]


def as_kinds(kinds: list[Any]) -> NDArray[Any]:
    """Return kinds as an array of strings."""
    return np.array(kinds, dtype=object)


def warn_of_identifiers(summary: ColumnCounts, source: Source) -> None:
    """Warn of columns of text whose values are nearly all different: they tell rows apart, not classes. To be called two below `fit`."""
    rows = summary.categories.present.sum(axis=0)
    many = (summary.categories.n_categories > 0.5 * rows) & (rows >= 20)
    own = [j for j, bad in zip(summary.layout.of("categorical"), many) if bad]
    if own:
        names = ", ".join(source.column(j).removeprefix("column ") for j in own)
        warnings.warn(
            f"More than half of the values of column{'s' * (len(own) > 1)} {names} are different from each other, so "
            "they identify rows and say nothing about new ones; leave them out: X.drop(columns=[…]).",
            DataWarning,
            stacklevel=4,
        )

"""Columns asked for by name or number, alone or in groups, and how many of them: the user's words become positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..argument_types import is_listed
from ..array_types import Indices
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean


def find_column(column: Any, n_features: int, names: Sequence[str] | None = None) -> int:
    """Return the position of a column given by its name or number; −1 is the last.

    Examples
    --------
    >>> find_column("pages", 2, ["age", "pages"]), find_column(-1, 2)
    (1, 1)
    """
    if isinstance(column, str):
        if names is None:
            raise UnknownNameError(f"Column {column!r} is asked for by name, but X has no names; pass a frame, or the column's number.")
        if column not in names:
            shown = ", ".join(repr(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
            raise UnknownNameError(f"Column {column!r} is not in the data.{did_you_mean(column, names)} It holds {shown}.")
        return list(names).index(column)
    if not isinstance(column, int | np.integer) or isinstance(column, bool | np.bool_):
        raise InputTypeError(f"A column is given by its name or its number, not by {column!r} ({type(column).__name__}).")
    if not -n_features <= column < n_features:
        raise UnknownNameError(f"Column {column} does not exist: X has {n_features} columns, 0 to {n_features - 1}; use one of them.")
    return int(column) % n_features


def find_columns(columns: Any, n_features: int, names: Sequence[str] | None = None) -> Indices:
    """Return the positions of columns given by name or number, or by a mask of booleans; None: none of them.

    Examples
    --------
    >>> find_columns(["pages", 0], 2, ["age", "pages"]).tolist()
    [1, 0]
    """
    if columns is None:
        return np.empty(0, dtype=np.intp)
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    if not is_listed(columns):
        raise InputTypeError(f"columns={columns!r} are no columns; list names or numbers of columns, or give a mask.")
    mask = np.asarray(columns)
    if mask.dtype == bool:
        if mask.shape != (n_features,):
            raise InputError(f"A mask of columns needs one value per column, {n_features}; got {mask.size}.")
        return np.flatnonzero(mask)
    places = np.array([find_column(column, n_features, names) for column in columns], dtype=np.intp)
    if len(np.unique(places)) < len(places):
        twice = next(column for column, place in zip(columns, places) if (places == place).sum() > 1)
        raise InputError(f"Column {twice!r} is listed twice; list every column once.")
    return places


def find_groups(groups: Any, n_features: int, names: Sequence[str] | None = None) -> dict[str, Indices]:
    """Return the columns of each group that is taken or left as a whole, in the order of their first columns.

    Parameters
    ----------
    groups : dict {name: columns}, list of lists of columns, or None
        Columns that stand in no group are groups of their own.

    Examples
    --------
    >>> {name: places.tolist() for name, places in find_groups({"city": ["Oslo", "Rome"]}, 3, ["age", "Oslo", "Rome"]).items()}
    {'age': [0], 'city': [1, 2]}
    """
    if groups is not None and not isinstance(groups, Iterable):
        raise InputTypeError(f"column_groups={groups!r} must be a dict {{name: columns}} or a list of lists of columns.")
    if groups is None:
        groups = {}
    elif not isinstance(groups, Mapping):
        _require_list(groups)
        groups = {f"group {number}": columns for number, columns in enumerate(groups)}
    found, taken = {}, np.zeros(n_features, dtype=bool)
    for name, columns in groups.items():
        places = np.sort(find_columns(columns, n_features, names))
        if len(places) == 0:
            raise InputError(f"Group {name!r} has no column; leave it out.")
        if taken[places].any():
            column = column_name(int(places[taken[places]][0]), names)
            raise InputError(f"Column {column!r} stands in two groups, one of them {name!r}; put every column into one group at most.")
        taken[places] = True
        found[str(name)] = places
    for j in np.flatnonzero(~taken):
        found[column_name(int(j), names)] = np.array([j])
    return dict(sorted(found.items(), key=lambda item: int(item[1][0])))


def _require_list(columns: Any) -> None:
    if not hasattr(columns, "__iter__") or np.ndim(columns) == 0:
        raise InputTypeError(f"Columns are given as a list of names or numbers, not as {columns!r:.60} ({type(columns).__name__}).")


def column_name(j: int, names: Sequence[str] | None) -> str:
    """Return the name of column j, x0, x1, … where there are none, as scikit-learn has it."""
    return f"x{j}" if names is None else str(names[j])


def find_amount(parameter: str, amount: Any, total: int, unit: str = "features") -> int:
    """Return how many an amount is: an int counts, a float is a share of the total (one at least).

    Examples
    --------
    >>> find_amount("k", 3, 10), find_amount("k", 0.25, 10)
    (3, 2)
    """
    if isinstance(amount, bool | np.bool_) or not isinstance(amount, int | float | np.integer | np.floating):
        raise InputTypeError(f"{parameter}={amount!r} must be a whole number ({unit}) or a share between 0 and 1.")
    if isinstance(amount, float | np.floating):
        if not 0 < amount <= 1:
            raise InputError(f"{parameter}={amount!r} is a share of the {unit}, above 0 and up to 1.0; for a count write an int.")
        return max(1, round(float(amount) * total))
    if amount < 1:
        raise InputError(f"{parameter}={amount} asks for no {unit} at all; at least 1 is needed.")
    if amount > total:
        raise InputError(f"{parameter}={amount} asks for more {unit} than there are: {total}. Use at most {total}, or a share such as 0.5.")
    return int(amount)

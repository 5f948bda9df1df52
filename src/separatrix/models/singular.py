"""Warnings of covariances without an inverse: which columns they are about."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from ..array_types import Floats
from ..data import Source
from ..errors import SingularWarning
from ..prepare import TablePrep

SHOWN = 8
"""Columns named in a message."""
T = TypeVar("T")
Names = Sequence[str] | Callable[[], Sequence[str]]
_names: ContextVar[Names | None] = ContextVar("names", default=None)


@contextmanager
def columns_named(names: Names | None) -> Iterator[None]:
    """Let fits to rows without names say them: those of the frame that was summarised, or, asked when needed, those that a recipe gives.

    None leaves what is known already.
    """
    token = _names.set(_names.get() if names is None else names)
    try:
        yield
    finally:
        _names.reset(token)


def recipe_names(model: Any) -> Callable[[], Sequence[str]] | None:
    """Return how to ask a pipeline that is being fitted for the names of its last step's columns; None where no recipe gives them."""
    prep, *between = [step for _, step in model.steps[:-1]] or [None] if isinstance(model, Pipeline) else [None]
    if not isinstance(prep, TablePrep) or not all(isinstance(step, StandardScaler) for step in between):
        return None
    return lambda: prep.recipe_.names


def named_fits(fits: Iterable[T], names: Names | None) -> Iterator[T]:
    """Yield fits that are made one after the other, each while its columns have names."""
    still = iter(fits)
    while True:
        with columns_named(names):  # not around the yield, which would give the names to whoever asks for the fits
            found = next(still, None)
        if found is None:
            return
        yield found


def columns_in(null: Floats, source: Source | None) -> str:
    """Return the names of the columns that directions (p, r) involve.

    Examples
    --------
    >>> columns_in(np.array([[0.6], [0.0], [-0.8]]), None)
    'column 0, column 2'
    """
    return listed(np.flatnonzero(np.abs(null).max(axis=1, initial=0.0) > 1e-6), source)


def listed(columns: NDArray[np.integer], source: Source | None) -> str:
    """Return the names of some columns, the first few if there are many."""
    given = _names.get()
    if source is not None and (given is None or source.feature_names):
        names = [source.column(int(j)) for j in columns[:SHOWN]]
    else:
        known = given() if callable(given) else given
        names = [f"column {j}" if known is None else f"column {known[j]!r}" for j in columns[:SHOWN].tolist()]
    return ", ".join(names) + (f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else "")


def warn_singular(message: str) -> None:
    """Issue a SingularWarning at the line that called fit. To be called from `_solve` or `_fit_wide`."""
    warnings.warn(message, SingularWarning, stacklevel=5)

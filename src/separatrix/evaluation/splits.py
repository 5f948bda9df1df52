"""Pairs of training and held-out rows, from scikit-learn's splitters or lists of pairs, turned into fold numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from ..array_types import Folds, Indices
from ..errors import DataWarning, InputError, InputTypeError, short_text
from .plans import NEVER, Plan, require_count, seeded
from .row_groups import as_groups
from .time_split import TimeSplit


@dataclass(frozen=True, slots=True)
class Pair:
    """Numbers of the rows trained on and of those held out."""

    train: Indices
    held: Indices

    def covers(self, n: int) -> bool:
        """Whether every row that is not held out is trained on, and no other."""
        return len(self.train) + len(self.held) == n == len(np.union1d(self.train, self.held))


@dataclass(frozen=True, slots=True)
class Repeat:
    """Pairs that hold no row out twice: fold numbers (n,), −1 for never, and the rows each fold is judged by training on."""

    folds: Folds
    pairs: tuple[Pair, ...]


def pairs_of(plan: Any, n: int, y: Any, groups: Any = None) -> list[Pair]:
    """Return the pairs of a scikit-learn splitter, of an iterable of pairs (row numbers or masks), or of a number of folds.

    Examples
    --------
    >>> [pair.held.tolist() for pair in pairs_of([([0, 1], [2]), ([True, False, False], [False, True, True])], 3, [0, 1, 0])]
    [[2], [1, 2]]
    """
    if isinstance(plan, type):
        raise InputTypeError(f"plan={plan.__name__} is a class, not a plan; write {plan.__name__}().")
    if isinstance(plan, str):
        raise InputTypeError(f"plan={plan!r} is not a plan; give KFold(10), LeaveOneOut(), a scikit-learn splitter or a number of folds.")
    if isinstance(plan, int | float | np.number):
        require_count("plan", plan, 2, n, "the number of rows, ")
        if groups is not None:
            raise InputError(f"plan={plan} cuts groups apart; use plan=KFold({plan}, grouped=True), or leave groups out.")
    try:
        splitter = check_cv(plan, y, classifier=True)
        with _warnings_of(plan):
            found = [Pair(_numbers(train, n), _numbers(held, n)) for train, held in splitter.split(np.zeros((n, 1)), y, groups)]
    except (TypeError, ValueError, OverflowError) as problem:
        reason = str(problem).rstrip(".")
        raise InputError(f"plan={short_text(plan)} cannot be followed: {reason}. Give another plan, such as KFold(5).") from problem
    if not any(len(pair.held) for pair in found):
        raise InputError(f"The plan {short_text(plan)} holds no row out; give at least one pair of training and held-out rows.")
    return found


@contextmanager
def _warnings_of(plan: Any) -> Iterator[None]:
    """Say what scikit-learn's splitters warn of in a warning of ours, which names the plan and a remedy."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if warning.category is UserWarning:
            said = str(warning.message).rstrip(".")
            warnings.warn(f"plan={short_text(plan)}: {said}. Use fewer folds, or LeaveOneOut().", DataWarning, stacklevel=5)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def repeats_of(pairs: Sequence[Pair], n: int) -> list[Repeat]:
    """Return the pairs in repeats: where a row comes up again, the next repeat begins.

    Examples
    --------
    >>> [repeat.folds.tolist() for repeat in repeats_of(pairs_of([([0, 1], [2]), ([1, 2], [0]), ([0], [1, 2])], 3, [0, 1, 0]), 3)]
    [[1, -1, 0], [-1, 0, 0]]
    """
    found: list[Repeat] = []
    own: list[Pair] = []
    folds = np.full(n, NEVER, dtype=np.int64)
    for pair in pairs:
        if (folds[pair.held] != NEVER).any():
            found.append(Repeat(folds, tuple(own)))
            folds, own = np.full(n, NEVER, dtype=np.int64), []
        folds[pair.held] = len(own)
        own.append(pair)
    return [*found, Repeat(folds, tuple(own))]


def require_cover(plan: Any, pairs: Sequence[Pair], n: int) -> None:
    """Refuse pairs that leave rows aside, where only numbers of folds are followed."""
    for number, pair in enumerate(pairs):
        if not pair.covers(n):
            raise InputError(
                f"Split {number} of {short_text(plan)} trains on {len(pair.train)} and holds out {len(pair.held)} of {n} rows; here every "
                "row not held out is trained on. Use evaluate, which follows such splits, or a plan such as KFold(5)."
            )


def _numbers(given: Any, n: int) -> Indices:
    given = np.asarray(given)
    if given.dtype == bool:
        return np.flatnonzero(given)
    rows: Indices = given.astype(np.intp)
    if len(rows) and not -n <= rows.min() <= rows.max() < n:
        raise InputError(f"it asks for row {rows.max() if rows.max() >= n else rows.min()}, but there are {n} rows.")
    return rows % n if n else rows


def folds_of(plan: Any, n: int, y: Any, groups: Any = None, random_state: Any = None, X: Any = None) -> list[Folds]:
    """Return fold numbers (n,) for each repeat of a plan, a scikit-learn splitter, an iterable of splits, or a number of folds.

    Parameters
    ----------
    plan : what to follow
    n : number of rows
    y, groups : (n,) labels and groups
    random_state : for plans of this package that have none of their own
    X : the rows, given by those who can follow a `TimeSplit`

    Examples
    --------
    >>> [folds.tolist() for folds in folds_of([([0, 1], [2]), ([1, 2], [0]), ([0], [1, 2])], 3, [0, 1, 0])]
    [[1, -1, 0], [-1, 0, 0]]
    """
    groups = as_groups(groups, n)
    if isinstance(plan, TimeSplit) and X is not None:
        return [plan.folds_in(X)]
    if isinstance(plan, Plan):
        return seeded(plan, random_state).folds(n, y, groups)
    pairs = pairs_of(plan, n, y, groups)
    require_cover(plan, pairs, n)
    return [repeat.folds for repeat in repeats_of(pairs, n)]

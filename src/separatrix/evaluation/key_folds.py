"""`HashFold(key=…)` and `Bootstrap(key=…)` with the keys of the rows at hand: a column taken apart from those that a model sees."""

from __future__ import annotations

from typing import Any

from ..array_types import Folds, Indices, Ints
from ..data import Source
from ..data.key_hash import key_numbers
from ..data.opening import is_frame
from ..errors import InputError
from .random_plans import Bootstrap, HashFold


class KeyedFolds(HashFold):
    """The folds of rows whose keys are known, as numbers."""

    def __init__(self, plan: HashFold, numbers: Ints) -> None:
        super().__init__(plan.n_splits, seed=plan.seed, key=plan.key)
        self.numbers = numbers

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return the fold of each row."""
        if len(self.numbers) != n:
            raise InputError(f"There are {len(self.numbers)} keys and {n} rows; give one key for each row.")
        folds: Folds = self.numbers % self.n_splits
        return [folds]

    def of_kept(self, kept: Indices | None) -> KeyedFolds:
        """Return the same plan for those rows that have a label."""
        return self if kept is None else KeyedFolds(self, self.numbers[kept])

    def __repr__(self) -> str:
        return f"HashFold(n_splits={self.n_splits}, seed={self.seed}, key={self.key!r})"


class KeyedBootstrap(Bootstrap):
    """The resamples of rows whose keys are known, as numbers."""

    def __init__(self, plan: Bootstrap, numbers: Ints) -> None:
        super().__init__(plan.n_resamples, draw=plan.draw, key=plan.key, random_state=plan.random_state)
        self.numbers = numbers

    def _keys(self, n: int) -> Ints:
        if len(self.numbers) != n:
            raise InputError(f"There are {len(self.numbers)} keys and {n} rows; give one key for each row.")
        return self.numbers

    def of_kept(self, kept: Indices | None) -> KeyedBootstrap:
        """Return the same plan for those rows that have a label."""
        return self if kept is None else KeyedBootstrap(self, self.numbers[kept])

    def __repr__(self) -> str:
        return f"Bootstrap(n_resamples={self.n_resamples}, key={self.key!r}, random_state={self.random_state!r})"


KEYED = (KeyedFolds, KeyedBootstrap)


def key_apart(plan: Any, X: Any, groups: Any = None) -> tuple[Any, Any]:
    """Return a plan that knows the keys of its rows, and X without their column; plans without keys, and X, as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> plan, X = key_apart(HashFold(2, key="id"), pd.DataFrame({"id": ["a", "b"], "age": [31, 47]}))
    >>> list(X.columns), plan.folds(2)[0].tolist()
    (['age'], [0, 1])
    """
    if not isinstance(plan, HashFold | Bootstrap) or plan.key is None or isinstance(plan, KEYED):
        return plan, X
    if isinstance(X, Source):
        X = X.settled(plan.key)
        others = [j for j, name in enumerate(X.feature_names or ()) if name != plan.key]
        rest = X if X.feature_names is None or len(others) == X.n_features else X.only(others)
        return _keyed(plan, X.key_numbers(plan.key, _seed(plan))), rest
    if groups is None and is_frame(X):
        from ..data.frames import take_column

        X, groups = take_column(X, plan.key)
    if groups is None:
        raise InputError(f"{plan!r} needs the key of each row: pass a frame or a table with a column {plan.key!r}, or groups=keys.")
    return _keyed(plan, key_numbers(groups, _seed(plan), plan.key)), X


def _seed(plan: HashFold | Bootstrap) -> int:
    """Return the seed of the keys' hash: that of a bootstrap comes in with the resamples."""
    return plan.seed if isinstance(plan, HashFold) else 0


def _keyed(plan: HashFold | Bootstrap, numbers: Ints) -> KeyedFolds | KeyedBootstrap:
    return KeyedFolds(plan, numbers) if isinstance(plan, HashFold) else KeyedBootstrap(plan, numbers)


def with_kept(plan: Any, kept: Indices | None) -> Any:
    """Return a plan for the rows of a table that have a label."""
    return plan.of_kept(kept) if isinstance(plan, KEYED) else plan

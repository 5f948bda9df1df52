"""`HashFold(key=…)` with the keys of the rows at hand: a column taken apart from those that a model sees."""

from __future__ import annotations

from typing import Any

from ..array_types import Folds, Indices, Ints
from ..data import Source
from ..data.key_hash import key_numbers
from ..data.opening import is_frame
from ..errors import InputError
from .random_plans import HashFold


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


def key_apart(plan: Any, X: Any, groups: Any = None) -> tuple[Any, Any]:
    """Return a plan that knows the keys of its rows, and X without their column; plans without keys, and X, as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> plan, X = key_apart(HashFold(2, key="id"), pd.DataFrame({"id": ["a", "b"], "age": [31, 47]}))
    >>> list(X.columns), plan.folds(2)[0].tolist()
    (['age'], [0, 1])
    """
    if not isinstance(plan, HashFold) or plan.key is None or isinstance(plan, KeyedFolds):
        return plan, X
    if isinstance(X, Source):
        others = [j for j, name in enumerate(X.feature_names or ()) if name != plan.key]
        rest = X if X.feature_names is None or len(others) == X.n_features else X.only(others)
        return KeyedFolds(plan, X.key_numbers(plan.key, plan.seed)), rest
    if groups is None and is_frame(X):
        from ..data.frames import take_column

        X, groups = take_column(X, plan.key)
    if groups is None:
        raise InputError(f"{plan!r} needs the key of each row: pass a frame or a table with a column {plan.key!r}, or groups=keys.")
    return KeyedFolds(plan, key_numbers(groups, plan.seed, plan.key)), X


def with_kept(plan: Any, kept: Indices | None) -> Any:
    """Return a plan for the rows of a table that have a label."""
    return plan.of_kept(kept) if isinstance(plan, KeyedFolds) else plan

"""Resampling plans: which rows are held out, and when; with the checks of the counts and seeds that plans are given.

A plan that holds each row out at most once per repeat says so by fold numbers, one array per repeat: row i is held out in
fold folds[i], or never if it is −1. A bootstrap says how often each row was drawn. Both follow scikit-learn's `split` as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arguments import answers_to
from ..array_types import Codes, Folds, Indices
from ..errors import InputError, is_huge, short_text
from .row_groups import as_groups

NEVER = -1
"""Fold number of a row that is not held out."""
MOST = 2**31 - 1
"""The largest number of anything that can be asked for."""


REPLACED = {
    "shuffle": "rows are always dealt at random; random_state=0 deals them the same way again",
    "n_repeats": "use repeats=5",
    "test_size": "use fraction=0.2, the share held out",
    "train_size": "use fraction=0.2, the share held out",
    "k": "use n_splits=5",
    "cv": "use n_splits=5",
}
"""What to write in place of arguments that splitters of scikit-learn have."""


MOST_REPEATS = 100_000
"""Repeats of a plan; each keeps a fold number per row."""


class Plan:
    """Base of all plans. A subclass gives `folds(n, y, groups)`: one array of fold numbers per repeat."""

    replaced: ClassVar[dict[str, str]] = REPLACED

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            cls.__init__ = answers_to(**cls.replaced)(cls.__init__)  # type: ignore[method-assign]

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return fold numbers (n,) for each repeat."""
        raise TypeError(f"{type(self).__name__} must define folds")

    def coded_folds(self, codes: Codes, classes: NDArray[Any], groups: Any = None) -> list[Folds]:
        """Return the folds of rows whose labels are classes[codes]; a subclass may save itself the labels."""
        return self.folds(len(codes), classes[codes], groups)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Yield training and held-out row numbers, as scikit-learn's splitters do.

        Parameters
        ----------
        X : n rows, of which only the number matters
        y : (n,) labels, for stratified plans
        groups : (n,) groups, for grouped plans
        """
        for numbers in self.folds(count_rows(X), y, groups):
            for fold in range(int(numbers.max()) + 1):
                yield np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many pairs `split` yields."""
        raise TypeError(f"{type(self).__name__} must define get_n_splits")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"


def count_rows(X: Any) -> int:
    """Return the number of rows of anything that holds rows."""
    if getattr(X, "shape", None):
        return int(X.shape[0])
    if isinstance(X, type) or not hasattr(X, "__len__") or hasattr(X, "shape"):
        raise InputError(f"X of type {type(X).__name__} holds no rows; give an array, a frame or a list of rows.")
    return len(X)


class KFold(Plan):
    """Cut the rows into folds and hold each out once.

    Parameters
    ----------
    n_splits : int
    stratified : bool
        Keep the shares of the classes in each fold.
    grouped : bool
        Keep the rows of a group together; `groups` is then needed.
    repeats : int
        Do it again with other folds.
    random_state : int, RandomState or None

    Examples
    --------
    >>> plan = KFold(3, random_state=0)
    >>> sorted(int(i) for _, held_out in plan.split(np.zeros((6, 1)), [0, 0, 0, 1, 1, 1]) for i in held_out)
    [0, 1, 2, 3, 4, 5]

    References
    ----------
    Stone (1974), Cross-validatory choice and assessment of statistical predictions, J. Royal Statistical Society B 36.
    """

    def __init__(
        self, n_splits: int = 10, *, stratified: bool = True, grouped: bool = False, repeats: int = 1, random_state: Any = None
    ) -> None:
        self.n_splits = n_splits
        self.stratified = stratified
        self.grouped = grouped
        self.repeats = repeats
        self.random_state = random_state

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return the fold of each row, for each repeat."""
        if y is None:
            return self._repeated(n, None, groups)
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        return self.coded_folds(codes.astype(np.int32), classes, groups)

    def coded_folds(self, codes: Codes, classes: NDArray[Any], groups: Any = None) -> list[Folds]:
        """Return the fold of each row, for each repeat."""
        groups = as_groups(groups, len(codes))
        self._check(len(codes), groups)
        if self.stratified and not self.grouped:
            self._check_classes(codes, classes)
        return self._repeated(len(codes), codes if self.stratified else None, groups)

    def _repeated(self, n: int, codes: Codes | None, groups: Any) -> list[Folds]:
        groups = as_groups(groups, n)
        self._check(n, groups)
        rng = fresh_generator(self.random_state)  # None draws anew: a plan is seeded by those who ask it
        seeds = [int(rng.randint(2**31 - 1)) for _ in range(self.repeats)]
        once = self._grouped if self.grouped else self._dealt
        return [once(n, codes, groups, seed) for seed in seeds]

    def _dealt(self, n: int, codes: Codes | None, groups: Any, seed: int) -> Folds:
        """Shuffle the rows, sort them by class, and deal them to the folds in turn.

        Each fold then has its share of every class to within a row, and folds differ by one row at most. scikit-learn's
        StratifiedKFold takes as long as a whole fit here.
        """
        order = np.random.default_rng(seed).permutation(n)
        if codes is not None:
            kinds = codes[order].astype(np.int16 if codes.max(initial=0) < 2**15 else np.int64)
            order = order[np.argsort(kinds, kind="stable")]
        numbers = np.empty(n, dtype=np.int64)
        numbers[order] = np.arange(n) % self.n_splits
        return numbers

    def _grouped(self, n: int, codes: Codes | None, groups: Any, seed: int) -> Folds:
        from sklearn.model_selection import GroupKFold, StratifiedGroupKFold  # here: a plan is light without scikit-learn

        splitter: Any = GroupKFold if codes is None else StratifiedGroupKFold
        numbers = np.full(n, NEVER, dtype=np.int64)
        parts = splitter(self.n_splits, shuffle=True, random_state=seed).split(np.zeros((n, 1)), codes, groups)
        for fold, (_, held_out) in enumerate(parts):
            numbers[held_out] = fold
        return numbers

    def _check(self, n: int, groups: Any) -> None:
        require_count("n_splits", self.n_splits, 2, n, "the number of rows, ")
        require_count("repeats", self.repeats, 1, MOST_REPEATS)
        if self.grouped and groups is None:
            raise InputError("grouped=True keeps the rows of a group together: pass groups=, one group per row.")
        if self.grouped and len(np.unique(groups)) < self.n_splits:
            raise InputError(
                f"{len(np.unique(groups))} groups cannot be cut into {self.n_splits} folds; use n_splits={len(np.unique(groups))} or fewer."
            )

    def _check_classes(self, codes: Codes, classes: NDArray[Any]) -> None:
        sizes = np.bincount(codes, minlength=len(classes))
        if sizes.min() < self.n_splits <= len(codes):
            few, least = classes.tolist()[int(sizes.argmin())], int(sizes.min())
            said = "1 row" if least == 1 else f"{least} rows"
            fewer = f"KFold({least}), " if least > 1 else ""
            raise InputError(
                f"Class {few!r} has {said}, fewer than the {self.n_splits} folds: some fold would hold none of it. Use {fewer}"
                f"LeaveOneOut(), or KFold({self.n_splits}, stratified=False); or join it with another class."
            )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return folds times repeats."""
        require_count("n_splits", self.n_splits, 2)
        require_count("repeats", self.repeats, 1, MOST_REPEATS)
        return self.n_splits * self.repeats


class LeaveOneOut(Plan):
    """Hold out every row once, alone.

    Examples
    --------
    >>> LeaveOneOut().get_n_splits(np.zeros((7, 2)))
    7
    """

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return 0 … n − 1."""
        if n < 2:
            raise InputError(f"Leaving one of {n} rows out leaves nothing to train on.")
        return [np.arange(n)]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of rows."""
        if X is None:
            raise InputError("The number of splits is the number of rows: pass X.")
        return count_rows(X)


def require_count(name: str, given: Any, least: int, most: int = MOST, what: str = "") -> None:
    """Refuse what is no whole number within limits.

    Examples
    --------
    >>> require_count("repeats", 0, 1)
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: repeats=0 must be a whole number, at least 1.
    """
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and least <= given <= most:
        return
    limit = "" if most == MOST and not is_huge(given) else f" and at most {what}{most}"
    raise InputError(f"{name}={short_text(given)} must be a whole number, at least {least}{limit}.")


def seeded(plan: Plan, random_state: Any) -> Plan:
    """Return a plan with the seed given, or 0, where it has none of its own: the same question has the same answer."""
    if getattr(plan, "random_state", 0) is not None:
        return plan
    return type(plan)(**{**vars(plan), "random_state": generator(random_state)})


def generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed. None is 0: what is asked for twice in the same words has the same answer.

    Examples
    --------
    >>> generator(None).randint(100) == generator(0).randint(100)
    True
    """
    return fresh_generator(0 if random_state is None else random_state)


def fresh_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed; None is the one of the whole process, which draws anew each time.

    Examples
    --------
    >>> fresh_generator("often")
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: random_state='often' is no seed; give a whole number from 0 to 2**32 - 1, a RandomState, or None.
    """
    try:
        from sklearn.utils import check_random_state

        found: np.random.RandomState = check_random_state(random_state)
        return found
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"random_state={short_text(random_state)} is no seed; give a whole number from 0 to 2**32 - 1, a RandomState, or None."
        ) from None

"""Plans that draw rows at random or by a hash: one part held out, several parts in turn, a bootstrap, folds by row number."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..array_types import Folds, Indices, Ints
from ..data.key_hash import key_numbers
from ..data.poisson import resample_hashes
from ..data.row_hash import row_hash
from ..errors import InputError, InputTypeError, one_of, short_text
from .draws import Draws, HashedDraws, HeldDraws
from .plans import MOST_REPEATS, NEVER, Plan, count_rows, fresh_generator, require_count

DRAWS = ("multinomial", "poisson")
POISSON_ROWS = 100_000
"""Rows from which a bootstrap draws by hashes: 200 resamples of fewer are 160 megabytes. No `Threshold`: these change no result."""


class Holdout(Plan):
    """One part of the rows is held out for validation (not the test set, which no plan ever sees).

    Parameters
    ----------
    fraction : float in (0, 1)
        Share of the rows held out.
    stratified : bool
        Keep the shares of the classes.
    random_state : int, RandomState or None

    Examples
    --------
    >>> train, held_out = next(Holdout(0.25, random_state=0).split(np.zeros((8, 1)), [0, 1] * 4))
    >>> len(train), len(held_out)
    (6, 2)
    """

    def __init__(self, fraction: float = 0.2, *, stratified: bool = True, random_state: Any = None) -> None:
        self.fraction = fraction
        self.stratified = stratified
        self.random_state = random_state

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return one array: 0 for the rows held out, −1 for the others."""
        return _held_out_parts(n, y, self.fraction, 1, self.stratified, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 1."""
        return 1


class RandomSubsampling(Plan):
    """Hold out a random part of the rows, several times.

    Parameters
    ----------
    fraction : float in (0, 1)
    repeats : int
    stratified : bool
    random_state : int, RandomState or None

    Examples
    --------
    >>> RandomSubsampling(0.1, repeats=10).get_n_splits()
    10
    """

    def __init__(self, fraction: float = 0.1, repeats: int = 10, *, stratified: bool = True, random_state: Any = None) -> None:
        self.fraction = fraction
        self.repeats = repeats
        self.stratified = stratified
        self.random_state = random_state

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return one array per repeat: 0 for the rows held out, −1 for the others."""
        return _held_out_parts(n, y, self.fraction, self.repeats, self.stratified, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of repeats."""
        require_count("repeats", self.repeats, 1, MOST_REPEATS)
        return self.repeats


def _held_out_parts(n: int, y: Any, fraction: float, repeats: int, stratified: bool, random_state: Any) -> list[Folds]:
    if not (isinstance(fraction, float | int | np.number) and 0.0 < fraction < 1.0):
        raise InputError(f"fraction={short_text(fraction)} must lie between 0 and 1: the share of the rows that is held out, such as 0.2.")
    require_count("repeats", repeats, 1, MOST_REPEATS)
    size = max(1, round(fraction * n))
    if size >= n:
        raise InputError(f"fraction={fraction!r} of {n} rows leaves nothing to train on; hold out fewer.")
    rng = fresh_generator(random_state)
    parts = []
    by_class = stratified and y is not None and size >= len(np.unique(y)) and n - size >= len(np.unique(y))
    for _ in range(repeats):
        numbers = np.full(n, NEVER, dtype=np.int64)
        if by_class and np.unique(y, return_counts=True)[1].min() >= 2:
            from sklearn.model_selection import StratifiedShuffleSplit

            splitter = StratifiedShuffleSplit(1, test_size=size, random_state=rng)
            numbers[next(splitter.split(np.zeros((n, 1)), y))[1]] = 0
        else:
            numbers[rng.permutation(n)[:size]] = 0
        parts.append(numbers)
    return parts


class Bootstrap(Plan):
    """Draw rows with replacement; the rows never drawn, about 37 %, are held out.

    Up to 100,000 rows a resample draws n of n rows. From there on, and with a key, the times a row is drawn are Poisson(1), by a hash of
    its number or its key and of the resample: nobody has to hold all rows, and an array, a file and a cluster have the same resamples.

    Parameters
    ----------
    n_resamples : int
    draw : "multinomial", "poisson" or None
        None decides by the number of rows, as said above.
    key : str, optional
        Column of whole numbers, text, booleans or days: its rows are drawn together. The model does not see it. Arrays have no column
        names: pass their keys as `groups`, and any name here.
    random_state : int, RandomState or None

    Examples
    --------
    >>> times = Bootstrap(3, random_state=0).resamples(10_000)
    >>> times.shape, bool(abs((times > 0).mean() - 0.632) < 0.01)
    ((3, 10000), True)

    References
    ----------
    Efron and Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method, JASA 92.
    Chamandy, Muralidharan, Najmi and Naidu (2012), Estimating uncertainty for massive data streams, Google (Poisson counts).
    """

    def __init__(self, n_resamples: int = 200, *, draw: str | None = None, key: str | None = None, random_state: Any = None) -> None:
        require_count("n_resamples", n_resamples, 1, MOST_REPEATS)
        if draw not in (None, *DRAWS):
            raise one_of("draw", draw, DRAWS)
        require_key(key)
        if key is not None and draw == "multinomial":
            raise InputError("draw='multinomial' draws single rows, and key= keeps rows together; leave one of them out.")
        self.n_resamples = n_resamples
        self.draw = draw
        self.key = key
        self.random_state = random_state

    def draws(self, n: int) -> Draws:
        """Return the resamples of n rows: in memory, or part by part as they are asked for."""
        require_count("n", n, 1)
        if self.draw == "multinomial" or (self.draw is None and n < POISSON_ROWS and self.key is None):
            return HeldDraws(self._multinomial(n))
        seed = int(fresh_generator(self.random_state).randint(2**31 - 1))
        return HashedDraws(resample_hashes(self.n_resamples, seed), self._keys(n))

    def seeded(self, random_state: Any) -> Self:
        """Return the same plan with a seed, where it has none of its own."""
        if self.random_state is not None:
            return self
        plan = copy.copy(self)
        plan.random_state = random_state
        return plan

    def _keys(self, n: int) -> Ints | None:
        """Return the number of each row's key; None where rows are drawn by their own numbers."""
        if self.key is not None:
            raise InputError(f"{self!r} needs the key of each row: pass a frame or a table with a column {self.key!r}, or groups=keys.")
        return None

    def resamples(self, n: int) -> Ints:
        """Return how often each row is drawn (n_resamples, n)."""
        found: Ints = self.draws(n).part(0, n).astype(np.int64)
        return found

    def _multinomial(self, n: int) -> Ints:
        """Return how often each row is drawn; each line sums to n."""
        rng = fresh_generator(self.random_state)
        found = np.empty((self.n_resamples, n), dtype=np.int64)
        size = max(1, 2_000_000 // n)
        for begin in range(0, self.n_resamples, size):
            part = found[begin : begin + size]
            drawn = rng.randint(0, n, size=part.shape, dtype=np.int32 if n < 2**31 else np.int64) + n * np.arange(len(part))[:, None]
            part[:] = np.bincount(drawn.ravel(), minlength=part.size).reshape(part.shape)
        return found

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Refuse: rows drawn again are in no fold."""
        raise InputError("A bootstrap draws rows with replacement and has no folds; use plan=KFold(10) or LeaveOneOut() here.")

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Yield drawn rows, as often as they were drawn, and the rows never drawn."""
        n = count_rows(X)
        for times in self.resamples(n):
            yield np.repeat(np.arange(n), times), np.flatnonzero(times == 0)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of resamples."""
        return self.n_resamples


def require_key(key: Any) -> None:
    """Refuse what cannot be the name of a column."""
    if not (key is None or isinstance(key, str)):
        raise InputTypeError(f"key={short_text(key)} must be the name of a column, or None for the numbers of the rows.")


class HashFold(Plan):
    """Folds from a hash of the row number, or of a key: the same in memory, in a file, on a cluster and in a database.

    With `key`, the fold of a row is the number of the first 15 hexadecimal digits of md5("seed:key"), modulo `n_splits`, of the key as
    text: whole numbers by their digits, booleans as true and false, days as 2024-01-31. Rows of one key stay together, wherever the rows
    are and in whatever order; :mod:`separatrix.data.key_hash` has the definition and its SQL.

    Parameters
    ----------
    n_splits : int
    seed : int
    key : str, optional
        Column of whole numbers, text, booleans or days; the model does not see it. Arrays have no column names: pass their keys as
        `groups`, and any name here.

    Examples
    --------
    >>> HashFold(4).fold_of(0, 8).tolist() == HashFold(4).folds(100)[0][:8].tolist()
    True
    >>> HashFold(4, key="patient").fold_of_keys(["a17", "b3", "a17"]).tolist()
    [0, 2, 0]

    References
    ----------
    Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA (the mixing function of row numbers).
    """

    def __init__(self, n_splits: int = 10, *, seed: int = 0, key: str | None = None) -> None:
        require_count("n_splits", n_splits, 2)
        require_count("seed", seed, 0)
        require_key(key)
        self.n_splits = n_splits
        self.seed = seed
        self.key = key

    def fold_of(self, begin: int, end: int) -> Folds:
        """Return the folds of rows begin to end, by their numbers."""
        return (row_hash(begin, end, self.seed) % np.uint64(self.n_splits)).astype(np.int64)

    def fold_of_keys(self, keys: Any) -> Folds:
        """Return the folds of rows by their keys (n,)."""
        folds: Folds = key_numbers(keys, self.seed, self.key or "key") % self.n_splits
        return folds

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Return the fold of each row: of its key in `groups` where the plan has one, else of its number."""
        if self.key is None:
            return [self.fold_of(0, n)]
        if groups is None:
            raise InputError(f"{self!r} needs the key of each row: pass a frame or a table with a column {self.key!r}, or groups=keys.")
        return [self.fold_of_keys(groups)]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        require_count("n_splits", self.n_splits, 2)
        return self.n_splits

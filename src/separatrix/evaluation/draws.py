"""How often each resample of a bootstrap draws each row: held in memory, or read off hashes part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats, Ints
from ..data.poisson import poisson_counts
from ..data.row_hash import row_hash, scattered


class Draws(Protocol):
    """Resamples of n rows."""

    @property
    def n_resamples(self) -> int:
        """Number of resamples B."""
        ...

    def part(self, begin: int, end: int) -> Any:
        """Return how often rows begin to end are drawn, (B, end − begin)."""
        ...

    def only(self, resamples: Any) -> Self:
        """Return some of the resamples, by number or mask."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class HeldDraws:
    """Resamples (B, n) in memory."""

    times: Ints

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return len(self.times)

    def part(self, begin: int, end: int) -> Ints:
        """Return how often some rows are drawn."""
        return self.times[:, begin:end]

    def only(self, resamples: Any) -> HeldDraws:
        """Return some of the resamples."""
        return HeldDraws(self.times[resamples])


@dataclass(frozen=True, slots=True, eq=False)
class HashedDraws:
    """Resamples by hashed Poisson counts of the numbers of rows, or of their keys (n,) where there are some; see `data/poisson.py`.

    Examples
    --------
    >>> from separatrix.data.poisson import resample_hashes
    >>> draws = HashedDraws(resample_hashes(4, seed=1))
    >>> draws.part(0, 9)[:, 5:].tolist() == draws.part(5, 9).tolist(), draws.only([2]).n_resamples
    (True, 1)
    """

    resamples: NDArray[np.uint64]
    keys: Ints | None = None

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return len(self.resamples)

    def part(self, begin: int, end: int) -> Floats:
        """Return how often some rows are drawn."""
        rows = row_hash(begin, end) if self.keys is None else scattered(self.keys[begin:end].astype(np.uint64))
        return poisson_counts(rows, self.resamples)

    def only(self, resamples: Any) -> HashedDraws:
        """Return some of the resamples."""
        return replace(self, resamples=self.resamples[resamples])

"""Where another road begins: the work from which compiled code, threads or another form of the rows pay for themselves.

Every threshold stands here once, and is asked when the work has come (`SCORES.reached(n * p)`), so that no module keeps a number of its
own. All of them move together: with `moved(0)` the smallest table takes the roads of large ones, with `moved(math.inf)` every table those
of small ones, and the laws of the tests hold on both.

Examples
--------
>>> SCORES.reached(1_000)
False
>>> with moved(0):
...     SCORES.reached(1_000)
True
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Threshold:
    """An amount of work from which another road is taken."""

    at: float
    everywhere: ClassVar[float | None] = None
    """What stands in place of all thresholds; None: each has its own."""

    def reached(self, work: float) -> bool:
        """Return whether there is work enough for the other road."""
        return work >= (self.at if Threshold.everywhere is None else Threshold.everywhere)

    def portion(self, size: int) -> int:
        """Return how many pieces of a size stay below it together; one at least.

        Examples
        --------
        >>> Threshold(10).portion(4), Threshold(10).portion(40)
        (2, 1)
        """
        most = self.at if Threshold.everywhere is None else Threshold.everywhere
        return int(max(1, min(most, 2**62) // max(size, 1)))


@contextmanager
def moved(to: float) -> Iterator[None]:
    """Put every threshold at one amount of work."""
    before, Threshold.everywhere = Threshold.everywhere, to
    try:
        yield
    finally:
        Threshold.everywhere = before


def physical_memory() -> int:
    """Return the bytes of memory that this process may use, those of the machine or of its container; a very large number where neither
    says it.
    """
    machine = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) if hasattr(os, "sysconf") else 2**62
    return min([machine, *group_limits("/proc/self/cgroup", "/sys/fs/cgroup")])


def group_limits(groups: str, root: str) -> list[int]:
    """Return the limits of memory of the control groups that a process is in, of either version; beyond them it is killed.

    Parameters
    ----------
    groups : file of the groups, a line each: number:controllers:path
    root : folder of the groups
    """
    try:
        with open(groups) as lines:
            named = [line.rstrip("\n").split(":", 2) for line in lines]
    except OSError:
        return []
    found = []
    for controllers, path in (own[1:] for own in named if len(own) == 3):
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (os.path.join(root, "memory"), "memory.limit_in_bytes") if controllers else (root, "memory.max")
        parts = [part for part in path.split("/") if part not in ("", "..")]
        # A group has the limits of all above it; in a container the path may be that of the host, and the root is the group.
        for depth in range(len(parts) + 1):
            found += _limit(os.path.join(base, *parts[:depth], name))
    return found


def _limit(file: str) -> list[int]:
    try:
        with open(file) as text:
            said = text.read().strip()
    except OSError:
        return []
    return [int(said)] if said.isdecimal() else []  # "max" is none


SUMS = Threshold(50_000)
"""Values from which sums over rows (moments, counts) are compiled: up to eighteen times as fast at 400,000, no faster at 10,000."""
LOSSES = Threshold(1_000_000)
"""Values from which sums of losses are compiled: below, they gain a tenth, and loading all of a solver's code takes longer."""
L1_STEPS = Threshold(1.5e8)
"""Multiplications of a step from which an L1 part is minimised step by step, with BLAS: below, all steps are one compiled call."""
SCORES = Threshold(250_000)
"""Values from which scores of rows, and sparse products, are compiled."""
LABELS = Threshold(20_000)
"""Scores from which the largest of each row is found by compiled code."""
LEFT_OUT = Threshold(50_000)
"""Values of a tile from which leave-one-out distances are compiled."""
LEFT_OUT_LOSSES = Threshold(2_000)
"""Scores from which the losses along a path of shrinkages are compiled: the path has loaded the code already."""
COSTS = Threshold(50_001)
"""Posteriors from which the cheapest actions are found by compiled code, on threads."""
SORTED = Threshold(20_000)
"""Rows from which they are sorted by compiled code, and classes on several threads."""
THREADS = Threshold(300_000)
"""Values from which a pass of a solver runs on several threads: below, it takes a millisecond or two."""
BLAS_THREADS = Threshold(2e8)
"""Multiplications from which BLAS may use several threads: below, they gain milliseconds, and lose tenths of a second on busy cores."""
MARGIN_ROWS = Threshold(20_000)
"""Rows from which the line search of a margin is compiled."""
MARGIN_MACHINES = Threshold(120_000)
"""Values of [X, 1] from which a machine of dense rows reads its curved rows alone; below, all of them at every step, in NumPy."""
MARGINS_AT_ONCE = Threshold(20_000)
"""Values of [X, 1] times machines, of these, that are solved at once: calls cost more than numbers, until the cache is full."""
SPAN = Threshold(1_000_000)
"""Cube of the columns from which rows, where they are fewer, are embedded in their own span: below, both roads take a millisecond."""
WIDE = Threshold(2_001)
"""Columns from which their scatter is not there even when asked for: below, 32 MB of it buy partial_fit and samples."""
ROW_PRODUCTS = Threshold(20_000_001)
"""Products x_ij x_il, 160 MB, from which a resample at a time reads the rows again: below, the moments of all are one matrix product."""
KEPT = Threshold(physical_memory() // 4)
"""Bytes of rows from which files are read anew in every pass: below, they stay in memory after the first."""
HELD_SCORES = Threshold(4_000_000)
"""Scores of permutations or resamples held at a time."""
HELD_SUMS = Threshold(16_000_000)
"""Sums of resamples or permutations held at a time by a pass over rows that are not in memory: 128 MB."""
NEWTON_VALUES = Threshold(2_000_000)
"""Scores of all rows under left-out fits, found by Newton steps, held at a time."""


def in_span(n_rows: int, n_features: int, span: float = 0.0, columns: float = 1.0) -> bool:
    """Return whether a model is solved in the span of its rows: there are no more of them than columns, and that is less work.

    Parameters
    ----------
    n_rows, n_features : int
    span, columns : float
        Multiplications of solving there and on the columns, in units of n³ and p³; products of the rows, n²p and np², are added.

    Examples
    --------
    >>> in_span(100, 500), in_span(1_000, 500), in_span(10, 20), in_span(400, 500, span=18.0, columns=0.7)
    (True, False, False, False)
    """
    n, p = float(n_rows), float(n_features)
    less = n * n * p + span * n**3 < n * p * p + columns * p**3
    return n <= p and SPAN.reached(p**3) and (less or WIDE.reached(n_features))


EIGENVECTORS, FACTOR = 9.0, 0.7
"""Multiplications behind the eigenvectors of a matrix, and behind its Cholesky factor and inverse, in units of its rows³."""


def is_wide(n_rows: int, n_features: int) -> bool:
    """Return whether rows are so few beside so many columns that a model never forms a scatter of the columns, not even when asked.

    Examples
    --------
    >>> is_wide(100, 5_000), is_wide(100, 500)
    (True, False)
    """
    return WIDE.reached(n_features) and in_span(n_rows, n_features)

"""Numbers that a user asks for: counts, processes and seeds, checked before any work is done with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..argument_types import MOST_JOBS
from ..errors import InputError

MOST = 2**31 - 1
"""The largest number of anything that can be asked for."""


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
    limit = "" if most == MOST and not _is_large(given) else f" and at most {what}{most}"
    raise InputError(f"{name}={shown(given)} must be a whole number, at least {least}{limit}.")


def require_jobs(n_jobs: Any) -> None:
    """Refuse a number of processes that is none.

    Examples
    --------
    >>> require_jobs("a")
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: n_jobs='a' must be a number of processes: 1, 2, …, -1 for all CPUs, or None.
    """
    if n_jobs is None or (isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool) and 0 < abs(int(n_jobs)) <= MOST_JOBS):
        return
    raise InputError(f"n_jobs={shown(n_jobs)} must be a number of processes: 1, 2, …, -1 for all CPUs, or None.")


def generator(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed. None is 0: what is asked for twice in the same words has the same answer.

    Examples
    --------
    >>> generator(None).randint(100) == generator(0).randint(100)
    True
    """
    return drawing(0 if random_state is None else random_state)


def drawing(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed; None is the one of the whole process, which draws anew each time.

    Examples
    --------
    >>> drawing("often")
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: random_state='often' is no seed; give a whole number from 0 to 2**32 - 1, a RandomState, or None.
    """
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"random_state={shown(random_state)} is no seed; give a whole number from 0 to 2**32 - 1, a RandomState, or None."
        ) from None


def shown(given: Any, most: int = 60) -> str:
    """Return a value as text of one short line.

    Examples
    --------
    >>> shown(10**400), shown("a" * 90, 12)
    ('an integer of about 401 digits', "'aaaaaaaaaa…")
    """
    if _is_large(given):
        return f"an integer of about {int(given.bit_length() * 0.30103) + 1} digits"
    text = " ".join(repr(given).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _is_large(given: Any) -> bool:
    return isinstance(given, int) and given.bit_length() > 128

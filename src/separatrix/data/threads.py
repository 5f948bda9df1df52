"""How many threads a pass may use, and how a pass runs on them.

Chunks go through a pool of Python threads (kernels and BLAS release the GIL) and come back in their own order, so
the number of threads never changes a result. BLAS is held to one thread meanwhile (`blas.py`): the chunks are the parallelism.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import lru_cache
from typing import Any, TypeVar

from ..errors import InputError
from .blas import single_threaded_blas as single_threaded_blas

T = TypeVar("T")
R = TypeVar("R")

ENVIRONMENT = "SEPARATRIX_NUM_THREADS"


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads: `n_jobs`, else SEPARATRIX_NUM_THREADS, else the CPUs this process may use.

    Negative values count back from all CPUs, as in joblib (-1: all). Inside a joblib or Dask worker the answer is 1:
    the workers are the parallelism there.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    if _inside_worker():
        return 1
    given: int | str | None = n_jobs if n_jobs is not None else os.environ.get(ENVIRONMENT)
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if given is None:
        return cpus
    try:
        count = int(given)
    except ValueError:
        raise InputError(f"{ENVIRONMENT}={given!r} is not a whole number; set it to 1, 2, … or unset it.") from None
    if count == 0:
        raise InputError("n_jobs=0 asks for no thread at all; use 1, 2, …, -1 for all CPUs, or None.")
    return count if count > 0 else max(1, cpus + 1 + count)


def _inside_worker() -> bool:
    joblib = sys.modules.get("joblib.parallel")
    if joblib is not None and (joblib.get_active_backend()[0].nesting_level or 0) > 0:
        return True
    worker = sys.modules.get("distributed.worker")
    return worker is not None and getattr(worker.thread_state, "execution_state", None) is not None


def ordered_map(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield function(item) in the order of the items, with at most `threads` + 1 of them under way or waiting.

    Examples
    --------
    >>> list(ordered_map(abs, [-2, 1, -3], threads=2))
    [2, 1, 3]
    """
    if threads == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="separatrix")
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            # In the caller's context: what it wants of numpy's warnings holds on every thread.
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Reached with work left only after an error or Ctrl-C: drop what has not started.
        pool.shutdown(wait=True, cancel_futures=True)


def spread(function: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return function(item) of all items, in their order; for short work on items that are all there.

    Each thread, this one among them, takes the next item when it is free: they meet once at the end, where `ordered_map` wakes its
    caller for every item. All results are kept, so they should be small.

    Examples
    --------
    >>> spread(abs, [-2, 1, -3], threads=2)
    [2, 1, 3]
    """
    threads = min(threads, len(items))
    if threads <= 1:
        return [function(item) for item in items]
    found: list[Any] = [None] * len(items)
    left = iter(range(len(items)))

    def work() -> None:
        try:
            for i in left:
                found[i] = function(items[i])
        except BaseException:
            deque(left, maxlen=0)  # what nobody has begun is not begun any more
            raise

    others = [_helpers(os.getpid(), threads - 1).submit(copy_context().run, work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        # One that has not begun has nothing left to do, and might wait for ever behind a caller like this one.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    return found


@lru_cache(maxsize=4)
def _helpers(process: int, count: int) -> ThreadPoolExecutor:
    """Return threads that stay: to start and end one takes a millisecond, a third of a short pass. A fork has none of its parent's."""
    return ThreadPoolExecutor(count, thread_name_prefix="helper of separatrix")

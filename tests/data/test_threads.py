"""The number of threads is respected, and a pass on threads keeps its order."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest
from joblib import Parallel, delayed

from separatrix.data.threads import ENVIRONMENT, ordered_map, spread, thread_count
from separatrix.errors import InputError


def test_threads_are_given_by_argument_environment_or_affinity(monkeypatch: Any) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    cpus = len(os.sched_getaffinity(0))
    assert (thread_count(), thread_count(3), thread_count(-1), thread_count(-1000)) == (cpus, 3, cpus, 1)
    monkeypatch.setenv(ENVIRONMENT, "5")
    assert (thread_count(), thread_count(3)) == (5, 3)
    monkeypatch.setenv(ENVIRONMENT, "many")
    with pytest.raises(InputError, match="SEPARATRIX_NUM_THREADS='many' is not a whole number"):
        thread_count()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_joblib_use_one_thread(backend: str) -> None:
    assert Parallel(n_jobs=2, backend=backend)(delayed(thread_count)(4) for _ in range(2)) == [1, 1]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    def slow_first(i: int) -> int:
        time.sleep(0.01 / (i + 1))
        return i

    assert list(ordered_map(slow_first, range(20), threads)) == list(range(20))


def test_few_items_are_taken_ahead() -> None:
    taken: list[int] = []
    results = ordered_map(lambda i: i, (taken.append(i) or i for i in range(100)), 2)  # type: ignore[func-returns-value]
    next(results)
    assert len(taken) <= 4
    results.close()  # type: ignore[attr-defined]


def test_an_error_on_a_thread_is_raised_and_ends_the_pool() -> None:
    with pytest.raises(ZeroDivisionError):
        list(ordered_map(lambda i: 1 // i, [3, 2, 0, 1], 2))
    time.sleep(0.01)
    assert not [t for t in threading.enumerate() if t.name.startswith("separatrix")]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_spread_keeps_the_order_and_raises(threads: int) -> None:
    seen: list[int] = []
    assert spread(lambda i: seen.append(i) or -i, range(20), threads) == [-i for i in range(20)]  # type: ignore[func-returns-value]
    assert sorted(seen) == list(range(20))
    with pytest.raises(ZeroDivisionError):
        spread(lambda i: 1 // i, [3, 2, 0, 1], threads)


def test_spread_within_spread_waits_for_nobody() -> None:
    def inner(i: int) -> int:
        time.sleep(0.001)
        return sum(spread(lambda j: i * j, range(4), 3))

    assert spread(inner, range(12), 3) == [6 * i for i in range(12)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_spread_after_a_fork() -> None:
    assert spread(abs, [-1, -2], 2) == [1, 2]
    child = os.fork()
    if child == 0:
        os._exit(0 if spread(abs, [-1, -2, -3], 2) == [1, 2, 3] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

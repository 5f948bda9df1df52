"""Runs one contestant in a child process with limits of time and memory, and says what became of it."""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REPEATS, SPENT = 7, 0.4
"""Calls timed at most, and seconds after which no further call is."""
PREPARED = 60.0
"""Seconds that preparing may take, and reporting after the end."""


@dataclass(frozen=True)
class Run:
    """How a contestant ended ("done", "time", "memory", "crash" or its error), its best seconds, those of the processor, bytes above the
    start, and its report.
    """

    end: str
    seconds: float = float("inf")
    processor: float = float("inf")
    extra: int = 0
    report: Any = None


def in_child(prepare: Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]], limit: float, memory: float = 12e9) -> Run:
    """Call prepare() and then what it returns, timed, in a child; a child beyond the limits is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            resource.setrlimit(resource.RLIMIT_AS, (int(memory) + _mapped(), resource.RLIM_INFINITY))
            os.write(writing, pickle.dumps(_timed(prepare, limit)))
        finally:
            os._exit(0)
    os.close(writing)
    data, deadline = b"", time.monotonic() + limit + PREPARED
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        chunk = os.read(reading, 1 << 20)
        if not chunk:
            break
        data += chunk
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    if data:
        found: Run = pickle.loads(data)
        return found
    return Run("time" if time.monotonic() >= deadline or os.WTERMSIG(status) == signal.SIGALRM else "crash")


def _timed(prepare: Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]], limit: float) -> Run:
    try:
        run, read = prepare()
        signal.setitimer(signal.ITIMER_REAL, limit)  # ends the child, in compiled code too
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = processor = float("inf")
        began, result = time.perf_counter(), None
        for turn in range(REPEATS):
            at, used = time.perf_counter(), time.process_time()
            result = run()
            now = time.perf_counter()
            seconds, processor = min(seconds, now - at), min(processor, time.process_time() - used)
            if now - began > limit / 2 or (turn > 0 and now - began > SPENT):
                break
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        extra = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start)
        return Run("done", seconds, processor, extra, read(result))
    except MemoryError:
        return Run("memory")
    except Exception as error:  # whatever a contestant raises is its result, and is printed
        return Run(f"{type(error).__name__}: {error}"[:300])


def _mapped() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

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
SHARED = 8.0
"""Times as long that a child may take by the wall clock where processor time is counted, because the machine does other work."""


def processor_seconds() -> float:
    """Return the seconds of all threads of this process; its clock (`time.process_time`) counts ticks of 4 ms once a timer limits them."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


TIMERS = {"seconds": (signal.ITIMER_REAL, time.perf_counter), "processor": (signal.ITIMER_PROF, processor_seconds)}


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


def in_child(
    prepare: Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]], limit: float, clock: str = "seconds", memory: float = 12e9
) -> Run:
    """Call prepare() and then what it returns, timed, in a child; a child beyond the limits, in seconds of the clock, is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            resource.setrlimit(resource.RLIMIT_AS, (int(memory) + _mapped(), resource.RLIM_INFINITY))
            os.write(writing, pickle.dumps(_timed(prepare, limit, clock)))
        finally:
            os._exit(0)
    os.close(writing)
    data, deadline = b"", time.monotonic() + (limit + PREPARED) * (SHARED if clock == "processor" else 1.0)
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
    return Run("time" if time.monotonic() >= deadline or os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF) else "crash")


def _timed(prepare: Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]], limit: float, clock: str) -> Run:
    try:
        run, read = prepare()
        timer, clock_now = TIMERS[clock]
        signal.setitimer(timer, limit)  # ends the child, in compiled code too
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = processor = float("inf")
        began, result = clock_now(), None
        for turn in range(REPEATS):
            at, used = time.perf_counter(), processor_seconds()
            result = run()
            seconds, processor = min(seconds, time.perf_counter() - at), min(processor, processor_seconds() - used)
            spent = clock_now() - began
            if spent > limit / 2 or (turn > 0 and spent > SPENT):
                break
        signal.setitimer(timer, 0.0)
        extra = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start)
        return Run("done", seconds, processor, extra, read(result))
    except MemoryError:
        return Run("memory")
    except Exception as error:  # whatever a contestant raises is its result, and is printed
        return Run(f"{type(error).__name__}: {error}"[:300])


def _mapped() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

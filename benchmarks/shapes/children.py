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
WATCHED = 0.1
"""Seconds between two looks at the processor time of a child."""
BEGUN = b"!"
"""What a child writes when it is prepared; no pickle begins with it."""
CLOCKS = {"seconds": time.perf_counter, "processor": time.process_time}


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
            os.write(writing, pickle.dumps(_timed(prepare, limit, clock, lambda: os.write(writing, BEGUN))))
        finally:
            os._exit(0)
    os.close(writing)
    data, in_time = _read(reading, child, limit, clock)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    if in_time and data.removeprefix(BEGUN):
        found: Run = pickle.loads(data.removeprefix(BEGUN))
        return found
    return Run("time" if not in_time or os.WTERMSIG(status) == signal.SIGALRM else "crash")


def _read(reading: int, child: int, limit: float, clock: str) -> tuple[bytes, bool]:
    """Return what a child has written, and whether it ended in time: by the wall clock, and by its processor time where that counts.

    Not by a timer of the child's own processor time: while one runs, Linux counts that time in ticks of 4 ms.
    """
    data, deadline = b"", time.monotonic() + (limit + PREPARED) * (SHARED if clock == "processor" else 1.0)
    begun = float("inf")
    while time.monotonic() < deadline:
        if select.select([reading], [], [], WATCHED)[0]:
            chunk = os.read(reading, 1 << 20)
            if not chunk:
                return data, True
            data += chunk
            begun = min(begun, _used(child))
        elif clock == "processor" and _used(child) - begun > limit:
            return data, False
    return data, False


def _used(child: int) -> float:
    """Return the processor seconds that a child has used."""
    with open(f"/proc/{child}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _timed(
    prepare: Callable[[], tuple[Callable[[], Any], Callable[[Any], Any]]], limit: float, clock: str, begin: Callable[[], Any]
) -> Run:
    try:
        run, read = prepare()
        clock_now = CLOCKS[clock]
        begin()
        if clock == "seconds":
            signal.setitimer(signal.ITIMER_REAL, limit)  # ends the child, in compiled code too
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = processor = float("inf")
        began, result = clock_now(), None
        for turn in range(REPEATS):
            at, used = time.perf_counter(), time.process_time()
            result = run()
            seconds, processor = min(seconds, time.perf_counter() - at), min(processor, time.process_time() - used)
            spent = clock_now() - began
            if spent > limit / 2 or (turn > 0 and spent > SPENT):
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

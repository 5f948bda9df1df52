"""Cases in child processes, so that a crash, a hang or too much memory is a finding as well, with the case that did it."""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any

from .judge import Finding, Judge

CHILD = ["-m", "tests.fuzz"]
"""What a child runs."""
BATCH = 200
"""Cases of one child."""
CPU_SECONDS = 120
"""Processor time that a case may take, played twice. Nearly all take less than a second; one against one of 150 classes fits 11,175
machines, which is a minute on a busy processor."""
SECONDS = 300.0
"""Time after which a case hangs: on a busy machine it may wait long for its turn."""
GIBIBYTES = 4
"""Memory that a child may add to what it has after its imports."""


@dataclass(frozen=True)
class Found:
    """A finding and the case that shows it."""

    seed: int
    case: int
    finding: Finding

    @property
    def command(self) -> str:
        """What to type to see this case alone."""
        return f"python -m tests.fuzz --seed {self.seed} --case {self.case}"

    def __str__(self) -> str:
        return f"{self.finding.wrong}\n    {self.finding.call}\n    {self.finding.seen}\n    {self.command}"


def judge_case(seed: int, case: int) -> list[Finding]:
    """Play a case twice; what differs is a finding of its own."""
    from .cases import play

    first, second = Judge(), Judge()
    for judge in (first, second):
        try:
            play(seed, case, judge)
        except Exception:
            judge.findings.append(Finding("the fuzzer itself failed", "", traceback.format_exc()[-1500:]))
    differing = [(a, b) for a, b in zip(first.trail, second.trail) if a != b]
    if differing and not first.findings:
        first.findings.append(
            Finding("not the same when repeated: " + differing[0][0].split("(")[0], differing[0][0], differing[0][1][-200:])
        )
    return first.findings


def child(seed: int, first: int, cases: int) -> None:
    """Judge cases; say on standard output which one begins and what was found."""
    from . import cases as _  # noqa: F401  what is imported does not count as memory of a case

    _limit_memory()
    for case in range(first, first + cases):
        _limit_time()
        print(json.dumps({"case": case}), flush=True)  # noqa: T201
        for finding in judge_case(seed, case):
            print(json.dumps({"case": case, "finding": asdict(finding)}), flush=True)  # noqa: T201


def _limit_memory() -> None:
    try:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + GIBIBYTES * 2**30, resource.RLIM_INFINITY))
    except (ImportError, OSError, ValueError):
        pass  # not Linux: no limit


def _limit_time() -> None:
    try:
        import resource

        faulthandler.register(signal.SIGXCPU, chain=True)
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + CPU_SECONDS, resource.RLIM_INFINITY))
    except (ImportError, AttributeError, ValueError):
        pass  # Windows: only the time of the clock


def batch(seed: int, first: int, cases: int) -> Iterator[Found]:
    """Run cases in a child; where it dies or hangs, go on after that case in another one."""
    end = first + cases
    while first < end:
        died_at = None
        for line in _lines(seed, first, end - first):
            if "finding" in line:
                yield Found(seed, line["case"], Finding(**line["finding"]))
            elif "died" in line:
                died_at = line["case"]
                yield Found(seed, died_at, Finding(line["died"], "", line["seen"]))
        if died_at is None:
            return
        first = died_at + 1


def _lines(seed: int, first: int, cases: int) -> Iterator[dict[str, Any]]:
    """What a child says, line by line; a last line with "died" where it did not come to its end."""
    command = [sys.executable, "-X", "faulthandler", *CHILD, "--seed", str(seed), "--first", str(first)]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*command, "--cases", str(cases), "--child"], stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        )  # fmt: skip
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout or ()], daemon=True)
        reader.start()
        case, begun, hangs = first, monotonic(), False
        while not hangs:
            try:
                line = lines.get(timeout=1.0)
            except queue.Empty:
                # The pipe may stay open after the child's end: processes that it started hold it too.
                if process.poll() is not None and lines.empty():
                    break
                hangs = monotonic() - begun > SECONDS
                continue
            if line.startswith('{"case"'):
                message = json.loads(line)
                case, begun = message["case"], monotonic()
                yield message
        if hangs:
            process.send_signal(signal.SIGABRT)  # faulthandler then says where it stands
        if process.wait() != 0:
            errors.seek(0)
            yield {"case": case, "died": "takes too long" if hangs else _death(process.returncode), "seen": _told(list(errors))}
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # workers that the child left behind
        reader.join()
        if process.stdout is not None:
            process.stdout.close()


def _told(said: list[str]) -> str:
    """What a child said when it died, without faulthandler's list of modules."""
    return "".join(line for line in said if not line.startswith("Extension modules"))[:1500]


def _death(status: int) -> str:
    if status == -signal.SIGXCPU:
        return "takes too long"
    return f"the process died: {signal.Signals(-status).name if status < 0 else f'exit status {status}'}"


def run(seed: int, cases: int, first: int = 0, workers: int = 2) -> Iterator[Found]:
    """Yield all findings of cases first to first + cases."""
    starts = range(first, first + cases, BATCH)
    with ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(lambda s=start: list(batch(seed, s, min(BATCH, first + cases - s)))) for start in starts]
        for job in jobs:
            yield from job.result()

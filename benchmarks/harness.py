"""Times ours and the peers in turn and prints the ratio against each peer's faster thread setting.

A measurement is the best of several rounds; in every round each contestant runs once, so that a busy moment of the machine
hits all alike. A peer runs with 1 and with 2 BLAS/OpenMP threads; the ratio is against the faster of the two.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

RESULTS = Path(__file__).parent / "RESULTS.md"


@dataclass(frozen=True)
class Row:
    """One line of a table of results."""

    case: str
    ours: str
    peer: str
    measured: str
    asked: str = ""
    reached: bool | None = None

    def cells(self) -> list[str]:
        mark = {True: "yes", False: "NO", None: ""}[self.reached]
        return [self.case, self.ours, self.peer, self.measured, self.asked, mark]


@dataclass
class Peer:
    """A contestant: what to run, how it is called in the table, and what its run says about its convergence."""

    name: str
    run: Callable[[], Any]
    note: Callable[[Any], str] = lambda result: ""
    times: dict[int, float] = field(default_factory=dict)
    said: str = ""

    def best(self) -> tuple[float, int]:
        """Return the best time and the number of threads it was reached with."""
        threads = min(self.times, key=lambda t: self.times[t])
        return self.times[threads], threads


def once(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds one call takes, and what it returns."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def race(case: str, ours: Callable[[], Any], peers: list[Peer], asked: dict[str, float] | None = None, rounds: int = 5) -> list[Row]:
    """Run ours and the peers in turn; `asked` is the ratio wanted against each peer by name."""
    ours()  # never time a first call
    best = float("inf")
    for _ in range(rounds):
        best = min(best, once(ours)[0])
        for peer in peers:
            for threads in (1, 2):
                with threadpool_limits(threads):
                    seconds, result = once(peer.run)
                peer.times[threads] = min(peer.times.get(threads, float("inf")), seconds)
                peer.said = peer.note(result)
        best = min(best, once(ours)[0])
    return [_row(case, best, peer, (asked or {}).get(peer.name)) for peer in peers]


def _row(case: str, ours: float, peer: Peer, asked: float | None) -> Row:
    seconds, threads = peer.best()
    ratio = seconds / ours
    said = f"; {peer.said}" if peer.said else ""
    theirs = f"{peer.name}: {show(seconds)} ({threads} thread{'s' * (threads > 1)}{said})"
    reached = None if asked is None else ratio >= asked
    return Row(case, show(ours), theirs, f"{ratio:.2f}×", "" if asked is None else f"≥ {asked:g}×", reached)


def show(seconds: float) -> str:
    """Return a time in the unit people read it in.

    >>> show(0.0123)
    '12.3 ms'
    """
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def table(rows: list[Row]) -> str:
    """Return rows as a Markdown table."""
    head = ["case", "ours", "peer at its better thread setting", "measured", "asked", "reached"]
    lines = [head, ["---"] * len(head), *[row.cells() for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def publish(topic: str, rows: list[Row]) -> None:
    """Print a table and put it into RESULTS.md in place of the topic's last one."""
    text = table(rows)
    print(f"\n## {topic}\n\n{text}\n", flush=True)
    sections = {}
    if RESULTS.exists():
        for part in RESULTS.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, body = part.partition("\n")
            sections[title.strip()] = body.strip()
    sections[topic] = f"{time.strftime('%Y-%m-%d')}, {machine()}\n\n{text}"
    body = "".join(f"\n## {title}\n\n{sections[title]}\n" for title in sorted(sections))
    RESULTS.write_text(f"# Last results\n\nWritten by `make bench`; see harness.py for how times are taken.\n{body}", encoding="utf-8")


def machine() -> str:
    """Return what the numbers were measured on."""
    import numpy
    import scipy
    import sklearn

    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.machine())
    cores = len(os.sched_getaffinity(0))
    return (
        f"{model}, {cores} cores, Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )

"""Time our side of every benchmark in two revisions in turn: `python -m benchmarks.revisions OLD [topic …]`.

OLD is any git revision; the other contestant is the working tree. Each runs its own benchmarks in its own process, and only one of the two
runs at any moment: after every timed call it passes the turn, so that a busy moment of the machine hits both alike. Peers are left out. The
table gives the best times of each and their ratio, the slowest first; a row counts as slower beyond 5 %, or 10 % below 5 ms.
"""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parents[1]
ROUNDS = 9
SHORT = 5e-3
"""Seconds below which a call is repeated within a turn, and may be 10 % slower instead of 5 %."""


# ----- the contestant: runs the benchmarks of one tree, waiting for its turn before every timed call -----


class Contestant:
    """Runs in a child: reports `key<tab>seconds` for every timed call, one turn at a time."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out

    def turn(self) -> None:
        """Pass the turn and wait until it comes back."""
        print("turn", file=self.out, flush=True)
        sys.stdin.readline()

    def time(self, key: str, run: Callable[[], Any]) -> tuple[float, Any]:
        """Return the best seconds of one turn, repeated while the calls are short, and what the call returned."""
        self.turn()
        best, spent, result = float("inf"), 0.0, None
        while spent == 0.0 or (best < SHORT and spent < 4 * SHORT):
            start = time.perf_counter()
            result = run()
            seconds = time.perf_counter() - start
            best, spent = min(best, seconds), spent + seconds
        print(f"{key}\t{best!r}", file=self.out, flush=True)
        return best, result

    def race(self, case: str, ours: Callable[[], Any], peers: Any = (), asked: Any = None, rounds: int = 0) -> list[Any]:
        ours()
        for _ in range(ROUNDS):
            self.time(case, ours)
        return []

    def once(self, run: Callable[[], Any]) -> tuple[float, Any]:
        frame = sys._getframe(1)
        while frame.f_code.co_name.startswith("<") and frame.f_back is not None:
            frame = frame.f_back
        names = ", ".join(str(v) for v in frame.f_locals.values() if isinstance(v, str) and len(v) < 60)
        return self.time(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}({names})", run)


def contest(tree: str, topics: list[str]) -> None:
    """Run the benchmarks of a tree with timing in turns (in a child process)."""
    sys.path[:0] = [tree, f"{tree}/src"]
    import importlib

    import benchmarks
    from benchmarks import harness

    contestant = Contestant(os.fdopen(os.dup(1), "w"))
    os.dup2(2, 1)  # what benchmarks print goes to the error stream
    harness.race, harness.once, harness.publish = contestant.race, contestant.once, lambda *_: None  # type: ignore[assignment]
    contestant.turn()
    for module in pkgutil.iter_modules(benchmarks.__path__):
        topic = module.name.removeprefix("bench_")
        if module.name.startswith("bench_") and (topic in topics if topics else not topic.startswith("soundness")):
            try:
                importlib.import_module(f"benchmarks.{module.name}").main()
            except Exception as error:  # a benchmark that fails in one revision must not end the run of the others
                print(f"{module.name} ended with {error!r}", file=sys.stderr, flush=True)


# ----- the referee -----


@dataclass
class Side:
    """One revision: its process and the best time of every call."""

    name: str
    process: subprocess.Popen[str]
    best: dict[str, float] = field(default_factory=dict)

    def play(self) -> bool:
        """Give the turn and read until it is passed back; False when the process has ended."""
        if self.process.stdin is None or self.process.stdout is None:
            return False
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        for line in self.process.stdout:
            if line == "turn\n":
                return True
            key, _, seconds = line.rstrip("\n").rpartition("\t")
            self.best[key] = min(self.best.get(key, float("inf")), float(seconds))
        return False


def start(name: str, tree: Path, topics: list[str]) -> Side:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tree}/src",
        "SEPARATRIX_DATA": os.environ.get("SEPARATRIX_DATA", str(HERE.parent / "shared" / "data")),
    }
    command = [sys.executable, str(Path(__file__).resolve()), "--contestant", str(tree), *topics]
    process = subprocess.Popen(command, cwd=tree, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return Side(name, process)


def table(old: Side, new: Side) -> str:
    """Return all rows that both sides timed, the slowest beside its past first."""
    both = sorted(old.best.keys() & new.best.keys(), key=lambda key: -new.best[key] / old.best[key])
    lines = [f"{'new/old':>8}  {'old':>10}  {'new':>10}  case"]
    for key in both:
        ratio, bound = new.best[key] / old.best[key], 1.10 if old.best[key] < SHORT else 1.05
        lines.append(
            f"{ratio:8.3f}  {old.best[key] * 1e3:8.3f}ms  {new.best[key] * 1e3:8.3f}ms  {key}{'   SLOWER' if ratio > bound else ''}"
        )
    alone = sorted(old.best.keys() ^ new.best.keys())
    return "\n".join([*lines, *[f"one side only: {key}" for key in alone]])


def main(revision: str, topics: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision, "src", "benchmarks"], cwd=HERE, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        sides = [start("old", Path(folder), topics), start("new", HERE, topics)]
        playing = list(sides)
        while playing:
            playing = [side for side in playing if side.play()]
        print(table(*sides), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--contestant":
        contest(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1], sys.argv[2:])

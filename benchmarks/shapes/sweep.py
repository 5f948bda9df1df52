"""Draws problems until the time is up, races ours against the peers on each, keeps every result, and prints the worst ratios first.

A ratio is the time of the fastest peer over ours, among peers whose objective, recomputed here in float64, is at most ours plus SAME of it;
1 means equally fast. A peer that takes more than SLOWER times ours, or LONGER seconds more, or twice the time of a peer that is as good, is
stopped; where none ends, they count as that much slower. Where the race is close, both run twice more in turn and the best counts.
`--clock processor` counts processor time, all contestants having one thread. Results go to .shapes/, one JSON line a race: `--against FILE`
compares two runs.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.harness import machine, show
from benchmarks.shapes.children import Run, in_child
from benchmarks.shapes.families import FAMILIES, Contestant
from benchmarks.shapes.problems import VALUES, Shape, draw
from benchmarks.shapes.tasks import TASKS, prepare

SAME = 1e-6
"""Share of an objective within which two are the same."""
SLOWER, LONGER, LEAST = 4.0, 10.0, 0.5
"""Times ours that a peer may take, seconds longer than ours, and the seconds that it always may."""
LIMIT = 60.0
"""Seconds that ours may take."""
OWN_THREADS = {"seconds": None, "processor": 1}
"""Threads of ours; None: as many as it takes by itself."""
KEPT = Path(__file__).resolve().parents[2] / ".shapes"


def race(shape: Shape, task: str, family: str, clock: str) -> dict[str, Any]:
    """Return the record of one race by a clock: "seconds", or "processor" where other work makes these unfair."""
    ours = in_child(prepare(task, family, shape, None, OWN_THREADS[clock]), LIMIT, clock)
    record = {"seed": shape.seed, "number": shape.number, "problem": shape.name, "task": task, "family": family, "end": ours.end}
    record |= {
        "clock": clock,
        "seconds": getattr(ours, clock),
        "processor": ours.processor,
        "memory": ours.extra / max(shape.nbytes, 1),
        **(ours.report or {}),
    }
    spent, level = getattr(ours, clock), ours.report.get("objective") if ours.report else None
    allowed = max(LEAST, min(SLOWER * spent, spent + LONGER, LIMIT))
    entries = [(peer, threads) for peer in FAMILIES[family].peers(shape) for threads in peer.threads if clock == "seconds" or threads == 1]
    runs, fastest = {}, np.inf
    for entry in entries:
        run = runs[entry] = in_child(prepare(task, family, shape, *entry), max(LEAST, min(allowed, 2.0 * fastest)), clock)
        if _is_able(run, level):
            fastest = min(fastest, getattr(run, clock))
    record["peers"] = {
        f"{peer.name} ({threads})": getattr(run, clock) if run.end == "done" else run.end for (peer, threads), run in runs.items()
    }
    lowest = min((r.report["objective"] for r in runs.values() if r.end == "done" and "objective" in r.report), default=np.inf)
    if level is not None and task == "fit":
        record["above"] = level / min(level, lowest) - 1.0 if min(level, lowest) > 0 else 0.0
    able = {e: r for e, r in runs.items() if _is_able(r, level)}
    if able:
        entry = min(able, key=lambda e: getattr(able[e], clock))
        best = getattr(able[entry], clock)
        if best < 1.5 * record["seconds"]:
            best, record["seconds"] = _again(shape, task, family, entry, (best, record["seconds"]), clock)
        record |= {"peer": f"{entry[0].name} ({entry[1]} threads)", "peer_seconds": best, "ratio": best / record["seconds"]}
    elif any(run.end == "time" for run in runs.values()) and ours.end == "done":
        record |= {"peer": "none within the time", "ratio": allowed / getattr(ours, clock)}
    return record


def _is_able(run: Run, level: float | None) -> bool:
    """Return whether a peer has arrived, at an objective no worse than ours where there is one: of a fit, from a frame or not."""
    if run.end != "done" or run.report.get("stopped"):
        return False
    return level is None or bool(run.report["objective"] <= level + SAME * abs(level))


def _again(
    shape: Shape, task: str, family: str, entry: tuple[Contestant, int], best: tuple[float, float], clock: str
) -> tuple[float, float]:
    """Run a close race twice more in turn, and return the best times of the peer and of ours."""
    theirs, ours = best
    for _ in range(2):
        if ours < LIMIT:
            ours = min(ours, getattr(in_child(prepare(task, family, shape, None, OWN_THREADS[clock]), LIMIT, clock), clock))
        theirs = min(theirs, getattr(in_child(prepare(task, family, shape, *entry), LIMIT, clock), clock))
    return theirs, ours


def choose(shape: Shape, families: list[str], tasks: list[str]) -> list[tuple[str, str]]:
    """Return a fit and one other task, each with a family that suits the problem."""
    rng = np.random.default_rng([shape.seed, shape.number, 1])
    suited = [name for name, family in FAMILIES.items() if (not families or name in families) and family.suits(shape)]
    others = [name for name, task in TASKS.items() if name != "fit" and (not tasks or name in tasks) and task.suits(shape)]
    chosen = [("fit", str(rng.choice(suited)))] if suited and (not tasks or "fit" in tasks) else []
    return chosen + ([(str(rng.choice(others)), str(rng.choice(suited)))] if suited and others else [])


def fault(record: dict[str, Any]) -> str:
    """Return what is wrong with our side of a race apart from its time."""
    if record["end"] != "done":
        return str(record["end"])
    if record.get("above", 0.0) > SAME and record.get("status") == "converged":
        return f"{record['above']:.1e} above the best, called converged"
    arrived = any(isinstance(seconds, float) for seconds in record["peers"].values())
    if record.get("status", "converged") != "converged" and record.get("above", 1.0) <= SAME and arrived:
        return f"{record['status']}, and yet at the best objective"
    return ""


def line(record: dict[str, Any]) -> str:
    ratio = f"{record['ratio']:8.2f}" if "ratio" in record else "       –"
    solved = f" [{record['solver']}: {record['why']}; {record['passes']} passes]" if "solver" in record else ""
    peer = f" {record['peer']} {show(record['peer_seconds'])}" if "peer_seconds" in record else f" {record.get('peer', '')}"
    wrong = f"  FAULT {fault(record)}" if fault(record) else ""
    case = f"#{record['number']} {record['task']} {record['family']}, {record['problem']}"
    return f"{ratio}  {case}: {show(record['seconds'])}{peer}{solved}{wrong}"


def summary(records: list[dict[str, Any]]) -> str:
    """Return the races, worst first, and per task and family the median ratio and the share not slower."""
    raced = sorted((r for r in records if "ratio" in r), key=lambda r: r["ratio"])
    broken = [r for r in records if fault(r)]
    groups = defaultdict(list)
    for r in raced:
        groups[r["task"], r["family"]].append(r["ratio"])
    table = [f"{median(v):9.2f}  {min(v):8.2f}  {len(v):4d}  {task} {family}" for (task, family), v in sorted(groups.items())]
    share = np.mean([r["ratio"] >= 1.0 for r in raced]) if raced else np.nan
    below = sum(r["ratio"] < 0.5 for r in raced)
    end = f"{len(raced)} races: {share:.1%} at least as fast as the fastest peer, {below} below 0.5; {len(broken)} faults"
    return "\n".join([*map(line, raced[:60]), "", *(line(r) for r in broken), "", "   median     worst  races", *table, "", end])


def compared(now: list[dict[str, Any]], before: list[dict[str, Any]]) -> str:
    """Return the races of both runs whose time changed by more than a fifth, those that became slower first."""
    key = lambda r: (r["seed"], r["number"], r["task"], r["family"])  # noqa: E731
    old = {key(r): r["seconds"] for r in before}
    pairs = [(r["seconds"] / old[key(r)], r) for r in now if key(r) in old and np.isfinite(old[key(r)])]
    changed = sorted((pair for pair in pairs if not 0.8 <= pair[0] <= 1.25), key=lambda pair: -pair[0])
    return "\n".join(f"{change:8.2f} × the time of then  {line(r)}" for change, r in changed)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks shapes", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--problems", type=int, default=10**9, help="stop after so many problems")
    parser.add_argument("--number", type=int, nargs="*", help="only these problems of the seed")
    parser.add_argument("--family", nargs="*", default=[], choices=list(FAMILIES))
    parser.add_argument("--task", nargs="*", default=[], choices=list(TASKS))
    parser.add_argument("--values", type=float, default=VALUES, help="largest number of stored values of a problem")
    parser.add_argument("--clock", default="seconds", choices=["seconds", "processor"], help="processor: on a machine with other work")
    parser.add_argument("--against", type=Path, help="results of another run to compare with")
    given = parser.parse_args(arguments)
    KEPT.mkdir(exist_ok=True)
    file = KEPT / f"seed-{given.seed}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"  # sweeps may run side by side
    end, records = time.monotonic() + 60 * given.minutes, []
    print(f"{machine()}\nresults: {file}", flush=True)
    with file.open("w", encoding="utf-8") as kept:
        for number in given.number or range(given.problems):
            if time.monotonic() > end:
                break
            shape = draw(given.seed, number, given.values)
            for task, family in choose(shape, given.family, given.task):
                records.append(race(shape, task, family, given.clock))
                kept.write(json.dumps(records[-1]) + "\n")
                kept.flush()
                print(line(records[-1]), flush=True)
    print(f"\nworst first\n{summary(records)}")
    if given.against is not None:
        print(compared(records, [json.loads(text) for text in given.against.read_text(encoding="utf-8").splitlines()]))

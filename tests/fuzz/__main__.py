"""`python -m tests.fuzz --seed 0 --cases 1000`: all findings, grouped by what is wrong; `--case 17` one case with its calls."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from time import monotonic

from .runner import Found, child, judge_case, run

SHOWN = 3
"""Findings shown of one group."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Every public name with hostile arguments.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="the first case")
    parser.add_argument("--case", type=int, help="one case alone, in this process, with all its calls")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.seed, given.first, given.cases)
        return 0
    if given.case is not None:
        return one(given.seed, given.case)
    begin = monotonic()
    groups: dict[str, list[Found]] = defaultdict(list)
    for found in run(given.seed, given.cases, given.first, given.workers):
        if found.finding.wrong not in groups:
            say(str(found))  # at once: a long run that is stopped has told what it found
        groups[found.finding.wrong].append(found)
    for group in sorted(groups.values(), key=len, reverse=True):
        say(f"{len(group)} × {group[0].finding.wrong}")
        for more in group[:SHOWN]:
            say(f"    {more.command}")
    say(f"{given.cases} cases of seed {given.seed} in {monotonic() - begin:.0f} s: {len(groups)} kinds of findings")
    return 1 if groups else 0


def one(seed: int, case: int) -> int:
    """Show the calls of a case and what is wrong with them."""
    from .cases import play
    from .judge import Judge

    judge = Judge()
    play(seed, case, judge)
    for call in judge.trail:
        say(call)
    findings = judge_case(seed, case)
    for finding in findings:
        say(f"\n{finding.wrong}\n    {finding.call}\n    {finding.seen}")
    say("" if findings else "no finding")
    return 1 if findings else 0


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


sys.exit(main())

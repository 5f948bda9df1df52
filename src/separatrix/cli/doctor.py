"""`separatrix doctor`: is this installation sound?"""

from __future__ import annotations

import click

from .speaking import Speaker, spoken


@click.command("doctor", short_help="Versions, threads, cache, BLAS, a self-test.")
@spoken
def command(speaker: Speaker) -> None:
    """Print versions, threads, the cache of compiled code and BLAS, and run a self-test in seconds."""
    speaker.say("looking at the installation")
    from ..errors import SeparatrixError
    from ..facts.environment import environment_facts, self_test

    facts = environment_facts()
    for fact in facts:
        speaker.part(str(fact))
    tests = self_test()
    for fact in tests:
        speaker.part(str(fact))
    if speaker.as_json:
        speaker.result("", [fact.to_dict() for fact in (*facts, *tests)])
    failed = [fact.name for fact in tests if not fact.value]
    if failed:
        raise SeparatrixError(f"the installation does not compute rightly: {', '.join(failed)} failed; install it anew.")
    speaker.next("separatrix demo")

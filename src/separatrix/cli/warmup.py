"""`separatrix warmup`: all kernels compiled now, and kept on disk."""

from __future__ import annotations

import time

import click

from .speaking import Speaker, spoken


@click.command("warmup", short_help="Compile all kernels now.")
@spoken
def command(speaker: Speaker) -> None:
    """Compile all kernels and keep them on disk, so that no later command waits for a compiler."""
    speaker.say("compiling kernels; the first time this takes about a minute")
    from ..facts.environment import cache_folder
    from ..kernels.__main__ import warm
    from ..kernels.jit import Kernel
    from ..progress import muted

    start = time.perf_counter()
    with muted():
        warm()
    facts = {"compiled": Kernel.compiled, "seconds": time.perf_counter() - start, "folder": cache_folder()}
    speaker.result(
        f"{facts['compiled']} kernels compiled in {facts['seconds']:.1f} s, the others were there; kept in {facts['folder']}", facts
    )

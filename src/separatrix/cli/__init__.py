"""The command line: thin commands, a file each. They read what was typed, ask the other rooms, and print what these return."""

from __future__ import annotations

import signal
import sys
from typing import Any

from .exits import TERMINATED


def main() -> None:
    """Run `separatrix` with the words of the command line, and end the process with its exit code."""
    from .program import run

    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run(sys.argv[1:]))


def _terminated(number: int, frame: Any) -> None:
    sys.exit(TERMINATED)  # an exception, so that files under way are removed on the way out

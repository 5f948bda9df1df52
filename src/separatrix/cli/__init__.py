"""The command line: thin commands, a file each. They read what was typed, ask the other rooms, and print what these return."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `separatrix` with the words of the command line, and end the process with its exit code."""
    from .program import run

    sys.exit(run(sys.argv[1:]))

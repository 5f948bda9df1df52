"""Exit codes: what a script learns from a command without reading it."""

from __future__ import annotations

OK = 0
BUG = 1
"""Something that should not happen; the traceback is on the error stream."""
USAGE = 2
"""What was typed cannot be done: an unknown command, option, file or column."""
DATA = 3
"""What is in a table or a model file cannot be used."""
GATE = 4
"""A quality gate (`--fail-under auc=.8`) was not reached."""
INTERRUPTED = 130
"""Ctrl-C; what was finished is kept."""
BROKEN_PIPE = 141
"""The reader of the output went away (`separatrix … | head`); as of every Unix tool that SIGPIPE ends."""
TERMINATED = 143
"""SIGTERM; files under way are removed."""


class GateError(Exception):
    """A metric is worse than a gate asks for."""


class ReaderGone(Exception):  # noqa: N818 - no error: nobody wants the rest
    """The reader of the output went away; click would take the operating system's own error for one of its own."""


class InterruptedWork(Exception):  # noqa: N818 - no error: its results are kept
    """Ctrl-C ended the work early, and what was finished has been told and kept."""

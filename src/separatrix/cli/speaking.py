"""What a command says: results on standard output, as text or JSON; messages, progress and what to type next on the error stream."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import click

from ..errors import UnknownNameError
from ..progress import Event, listening, muted
from .advice import as_typed
from .exits import ReaderGone

EVERY = 5.0
"""Seconds between two lines of progress where the error stream is no terminal."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Where the results and messages of one command go.

    Attributes
    ----------
    as_json : whether results are written as JSON
    quiet : whether nothing but results and errors is written
    """

    as_json: bool = False
    quiet: bool = False

    def result(self, text: Any, facts: Any) -> None:
        """Write a result: the facts as JSON where asked for, else its text; what rich can draw in colours where a terminal shows it."""
        if self.as_json:
            click.echo(json.dumps(plain(facts), ensure_ascii=False, indent=1, allow_nan=False))
        elif isinstance(text, str) or not self.in_colours:
            click.echo(str(text))
        else:
            from rich.console import Console

            Console(highlight=False).print(text)
        sys.stdout.flush()

    def part(self, text: Any) -> None:
        """Write a part of a result of several parts, at once; as JSON the whole is written by `result`, at the end."""
        if not self.as_json:
            self.result(text, None)

    @property
    def in_colours(self) -> bool:
        """Whether results are read in a terminal by someone who has not refused colours."""
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ and not self.as_json

    def say(self, message: str) -> None:
        """Write a message on the error stream."""
        if not self.quiet:
            click.echo(f"separatrix: {message}", err=True)

    def warn(self, message: str) -> None:
        """Write what has to be known even where only results are asked for."""
        click.echo(f"separatrix: {message}", err=True)

    def show_warning(self, message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        """Say what is warned of without the line of code it comes from, in place of `warnings.showwarning`."""
        if issubclass(category, UserWarning):
            self.say(f"warning: {as_typed(str(message))}")

    def next(self, command: str, why: str = "") -> None:
        """Say what to type next."""
        if not self.quiet and not self.as_json:
            click.echo(f"next: {command}" + (f"    # {why}" if why else ""), err=True)

    @contextmanager
    def progress(self) -> Iterator[None]:
        """Tell how far the work inside is: a bar in a terminal, a line every few seconds elsewhere, nothing where quiet."""
        with ExitStack() as stack:
            if self.quiet:
                stack.enter_context(muted())
            elif not sys.stderr.isatty():
                stack.enter_context(listening(ProgressLines(self.say)))
            yield


@contextmanager
def typed_names() -> Iterator[None]:
    """Take names that do not exist for a mistake in what was typed: of models, metrics and columns in options."""
    try:
        yield
    except UnknownNameError as error:
        raise click.UsageError(as_typed(str(error))) from None


class ProgressLines:
    """A listener that says every few seconds what is done and how long it may still take."""

    def __init__(self, say: Callable[[str], None], every: float = EVERY) -> None:
        self.say, self.every, self.last = say, every, time.monotonic()

    def __call__(self, event: Event) -> None:
        """Hear an event."""
        now = time.monotonic()
        if now - self.last < self.every or event.finished:
            return
        self.last = now
        of = "" if event.total is None else f" of {event.total}"
        left = "" if event.remaining is None else f", about {event.remaining:.0f} s left"
        detail = f", {event.detail}" if event.detail else ""
        self.say(f"{event.task}: {event.done}{of}{detail}{left}")


def spoken(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --json and --quiet, and a `Speaker` as its first argument."""

    @click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
    @click.option("-q", "--quiet", is_flag=True, help="Write no messages, only results and errors.")
    @functools.wraps(function)
    def call(*args: Any, as_json: bool, quiet: bool, **options: Any) -> None:
        speaker = Speaker(as_json, quiet)
        with warnings.catch_warnings():
            warnings.showwarning = speaker.show_warning
            try:
                function(speaker, *args, **options)
            except BrokenPipeError:
                raise ReaderGone from None

    return call


def plain(value: Any) -> Any:
    """Return a value as JSON has it: arrays as lists, and null for numbers that are not finite.

    Examples
    --------
    >>> plain({"auc": float("nan"), "classes": ("no", "yes")})
    {'auc': None, 'classes': ['no', 'yes']}
    """
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)

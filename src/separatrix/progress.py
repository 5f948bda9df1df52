"""Progress of long work: one kind of event, and who listens.

Long work says what it does; it never draws:

    with task("compare", total=30) as work:
        for model in models:
            ...
            work.advance(f"{model}, fold {fold}")

Listeners hear every event. Where nobody listens and the error stream is a terminal, work that takes longer than a second shows a bar.

Work can be cancelled from another thread, by a token:

    token = Cancellation()
    with cancellable(token):        # in the thread that works
        model.fit(table)
    token.cancel()                  # in any other: the fit ends with CancelledError, and the model is what it was before
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from .errors import CancelledError

PATIENCE = 1.0
"""Seconds before a bar appears: shorter work needs none."""


@dataclass(frozen=True, slots=True)
class Event:
    """How far a task is.

    Attributes
    ----------
    task : name of the work
    done, total : steps finished, steps in all (None where unknown)
    detail : what was just done
    seconds : since the task began
    finished : whether this is the task's last event

    Examples
    --------
    >>> Event("compare", done=2, total=8, detail="LDA, fold 2", seconds=1.0).remaining
    3.0
    """

    task: str
    done: int
    total: int | None
    detail: str = ""
    seconds: float = 0.0
    finished: bool = False

    @property
    def remaining(self) -> float | None:
        """Seconds still needed if the steps to come take as long as those done; None where unknown."""
        if self.total is None or self.done == 0:
            return None
        return self.seconds / self.done * (self.total - self.done)


Listener = Callable[[Event], None]
_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send all events of the work inside to a listener, in the order they happen.

    Parameters
    ----------
    listener : callable that takes an Event

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append), task("count", total=2) as work:
    ...     work.advance("one")
    ...     work.advance("two")
    >>> [(event.done, event.detail) for event in heard]
    [(0, ''), (1, 'one'), (2, 'two'), (2, 'two')]
    """
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


@contextmanager
def muted() -> Iterator[None]:
    """Let the work inside tell nobody how far it is: it is a step of larger work, which does.

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append), muted(), task("count", total=1) as work:
    ...     work.advance("one")
    >>> heard
    []
    """
    token = _listeners.set((_ignore,))
    try:
        yield
    finally:
        _listeners.reset(token)


def _ignore(event: Event) -> None:
    """Hear an event and do nothing."""


class Cancellation:
    """A token by which one thread ends the work of another.

    Examples
    --------
    >>> token = Cancellation()
    >>> token.cancel("the page was closed")
    >>> token.is_cancelled
    True
    """

    def __init__(self) -> None:
        self._asked, self.why = threading.Event(), ""
        self._to_tell: list[Callable[[], None]] = []

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked for the end."""
        return self._asked.is_set()

    def cancel(self, why: str = "") -> None:
        """End the work: it stops at its next block of rows, or at its next step; a database is told to stop its query."""
        self.why = why
        self._asked.set()
        for tell in list(self._to_tell):
            tell()

    @contextmanager
    def telling(self, tell: Callable[[], None]) -> Iterator[None]:
        """Call a function, in the thread that cancels, where that happens while the work inside waits for somebody else."""
        self._to_tell.append(tell)
        try:
            yield
        finally:
            self._to_tell.remove(tell)


_token: ContextVar[Cancellation | None] = ContextVar("token", default=None)


@contextmanager
def cancellable(token: Cancellation) -> Iterator[None]:
    """Let a token end the work inside.

    Parameters
    ----------
    token : Cancellation

    Examples
    --------
    >>> token = Cancellation()
    >>> token.cancel()
    >>> with cancellable(token):
    ...     stop_if_cancelled()
    Traceback (most recent call last):
    ...
    separatrix.errors.CancelledError: The work was cancelled.
    """
    before = _token.set(token)
    try:
        yield
    finally:
        _token.reset(before)


@contextmanager
def when_cancelled(tell: Callable[[], None]) -> Iterator[None]:
    """Call a function where this work is cancelled while it waits for somebody else, who does not ask: a database, say.

    Examples
    --------
    >>> token = Cancellation()
    >>> with cancellable(token), when_cancelled(lambda: print("stop the query")):
    ...     token.cancel()
    stop the query
    """
    token = _token.get()
    if token is None:
        yield
        return
    with token.telling(tell):
        stop_if_cancelled()  # only now: cancelled earlier, nobody would have been told
        yield


def stop_if_cancelled() -> None:
    """Raise CancelledError where the token of this work says so; long work asks at every block or step."""
    token = _token.get()
    if token is not None and token.is_cancelled:
        raise CancelledError(f"The work was cancelled{': ' * bool(token.why)}{token.why}.")


class Task:
    """A piece of long work that tells how far it is."""

    def __init__(self, name: str, total: int | None, listeners: tuple[Listener, ...]) -> None:
        self.name, self.total, self.listeners = name, total, listeners
        self.done, self.detail, self.start = 0, "", time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the task began."""
        return time.perf_counter() - self.start

    def advance(self, detail: str = "", steps: int = 1) -> None:
        """Say that steps are finished; raise CancelledError where the work is to end."""
        stop_if_cancelled()
        self.done += steps
        self.say(detail)

    def say(self, detail: str, finished: bool = False) -> None:
        """Say what is being done, without finishing a step."""
        self.detail = detail
        for listener in self.listeners:
            listener(Event(self.name, self.done, self.total, detail, self.seconds, finished))


@contextmanager
def task(name: str, total: int | None = None) -> Iterator[Task]:
    """Run a piece of long work whose steps are told to the listeners.

    Parameters
    ----------
    name : what the work is called
    total : number of steps, where known
    """
    listeners = _listeners.get()
    if not listeners and sys.stderr is not None and sys.stderr.isatty():
        bar = Bar()
        with listening(bar), bar:
            yield from _run(Task(name, total, _listeners.get()))
    else:
        yield from _run(Task(name, total, listeners))


def notice(event: Event) -> None:
    """Tell the listeners of work that is no task of the caller; where nobody listens, write it on the error stream, in one line.

    Examples
    --------
    >>> with listening(lambda event: print(event.task, event.detail)):
    ...     notice(Event("compiling", 3, None, "kernels"))
    compiling kernels
    """
    listeners = _listeners.get()
    for listener in listeners:
        listener(event)
    if not listeners and sys.stderr is not None:
        sys.stderr.write(f"separatrix: {event.task} {event.detail}\n")
        sys.stderr.flush()


def _run(work: Task) -> Iterator[Task]:
    work.say("")
    try:
        yield work
    finally:
        work.say(work.detail, finished=True)


class Bar:
    """A listener that draws bars on the error stream once work takes longer than `PATIENCE` seconds."""

    def __init__(self) -> None:
        self.drawing: Any = None
        self.lines: dict[str, Any] = {}

    def __call__(self, event: Event) -> None:
        """Draw an event."""
        if self.drawing is None and event.seconds >= PATIENCE and not event.finished:
            self.drawing = self._draw()
        if self.drawing is None:
            return
        if event.finished:
            line = self.lines.pop(event.task, None)
            if line is not None:
                self.drawing.remove_task(line)
            return
        if event.task not in self.lines:
            self.lines[event.task] = self.drawing.add_task(event.task, total=event.total, detail="")
        self.drawing.update(self.lines[event.task], completed=event.done, total=event.total, detail=event.detail)

    def _draw(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[detail]}", markup=False),
        )
        drawing = Progress(*columns, console=Console(stderr=True), transient=True)
        drawing.start()
        return drawing

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.drawing is not None:
            self.drawing.stop()

"""A query that is waited for: it ends before its time where a limit is over, where a token cancels the work, and at Ctrl-C.

A driver waits in C, and most hear nothing meanwhile. So somebody else asks the database to stop, again and again until the driver returns;
where a server answers nothing at all, the connection is cut.
"""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from ...progress import when_cancelled

P = ParamSpec("P")
R = TypeVar("R")

GRACE = 5.0
"""Seconds after which a connection whose query does not end, though it was told to, is cut."""
AGAIN = 0.5
"""Seconds between two requests to stop: the first may come before the query has begun."""
STEPS = 1_000_000
"""Instructions of SQLite's machine, some milliseconds, after which Python may hear of Ctrl-C."""


class QueryWatch:
    """One query of a connection, and what ends it.

    Parameters
    ----------
    raw : the driver's connection
    cursor : on which the query runs; the connection itself, where that is its own cursor
    timeout : seconds that the database may take for the query, whatever is done with its rows meanwhile; None for any
    """

    def __init__(self, raw: Any, cursor: Any, timeout: float | None) -> None:
        self.raw, self.cursor, self.left = raw, cursor, timeout
        self.is_late = self.is_told = False

    def call(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a function of the driver, which waits for the database."""
        returned, begun = threading.Event(), time.monotonic()

        def end() -> None:
            threading.Thread(target=self._end, args=(returned,), daemon=True).start()

        def be_late() -> None:
            self.is_late = True
            end()

        limit = None if self.left is None else threading.Timer(max(self.left, 0.0), be_late)
        with when_cancelled(end):
            try:
                if limit is not None:
                    limit.daemon = True
                    limit.start()
                return self._interruptible(lambda: function(*arguments, **named), end, returned)
            finally:
                returned.set()
                if limit is not None and self.left is not None:
                    limit.cancel()
                    self.left -= time.monotonic() - begun

    def _interruptible(self, call: Callable[[], R], end: Callable[[], None], returned: threading.Event) -> R:
        """Return what a call gives; Ctrl-C ends it."""
        if isinstance(self.raw, sqlite3.Connection):
            return self._in_steps(call)
        if self.raw is not self.cursor:  # the drivers of servers wait in small pieces
            return call()
        # DuckDB does not, and its connections are of no thread: this one waits for another.
        given: list[R] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                given.append(call())
            except BaseException as error:  # of whatever kind: it is raised here
                failed.append(error)
            finally:
                returned.set()

        threading.Thread(target=run, daemon=True).start()
        try:
            while not returned.wait(AGAIN):  # not Thread.join, which takes the thread for ended where a signal comes meanwhile
                pass
        except BaseException:
            end()
            returned.wait(GRACE)
            raise
        if failed:
            raise failed[0]
        return given[0]

    def _in_steps(self, call: Callable[[], R]) -> R:
        """Return what a call of SQLite gives, which lets Python run now and then: Ctrl-C is an error there, which SQLite hides."""
        with suppress(sqlite3.ProgrammingError):  # of a connection that is closed, or of another thread; the call says so
            self.raw.set_progress_handler(lambda: 0, STEPS)
        try:
            return call()
        except sqlite3.OperationalError as error:
            if str(error) == "interrupted" and not self.is_told and threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt from None
            raise
        finally:
            with suppress(sqlite3.ProgrammingError):
                self.raw.set_progress_handler(None, 0)

    def _end(self, returned: threading.Event) -> None:
        """Tell the database to stop until the driver returns, and cut the connection where that takes too long."""
        self.is_told = True
        cut = threading.Timer(GRACE, self._cut)
        cut.daemon = True
        cut.start()
        while not returned.is_set():
            self._stop()
            returned.wait(AGAIN)
        cut.cancel()

    def _stop(self) -> None:
        names = ((self.raw, "interrupt"), (self.raw, "cancel"), (self.cursor, "adbc_cancel"), (self.cursor, "cancel"))
        for owner, name in names:
            if callable(stop := getattr(owner, name, None)):
                with suppress(Exception):  # a server that answers nothing cannot be asked to stop either
                    stop()
                return

    def _cut(self) -> None:
        """Shut the socket, so that whoever waits for the server waits no longer."""
        with suppress(Exception), socket.socket(fileno=self.raw.fileno()) as wire:
            wire.shutdown(socket.SHUT_RDWR)
            wire.detach()

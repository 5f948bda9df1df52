"""How many threads a pass may use, how a pass runs on them, and how BLAS is held to one thread meanwhile.

Chunks go through a pool of Python threads (kernels and BLAS release the GIL) and come back in their own order, so
the number of threads never changes a result. BLAS has one thread meanwhile: the chunks are the parallelism.

An interrupt may fall between any two steps, so nothing is counted: holders of BLAS are weakly referenced, one that is gone holds nothing,
and neither does one whose function has ended but which a traceback keeps, as after an interrupt in a notebook. Every entry reads what BLAS
is set to and sets it anew.

A fork hangs parent and child if another thread is inside a call of BLAS that uses several threads: OpenBLAS ends its threads before a
fork and waits for them. So a fork first holds BLAS to one thread and then waits until each call that our code had under way in other
threads is over. Calls of BLAS that a user's own threads make are not seen here: hold them to one thread, or fork before they start.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from inspect import CO_GENERATOR
from queue import SimpleQueue
from types import FrameType
from typing import Any, Self, TypeVar
from weakref import ref

from ..errors import InputError
from ..progress import stop_if_cancelled

T = TypeVar("T")
R = TypeVar("R")

ENVIRONMENT = "SEPARATRIX_NUM_THREADS"


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads: `n_jobs`, else SEPARATRIX_NUM_THREADS, else the CPUs this process may use.

    Negative values count back from all CPUs, as in joblib (-1: all). Inside a joblib or Dask worker the answer is 1:
    the workers are the parallelism there.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    if _inside_worker():
        return 1
    given: int | str | None = n_jobs if n_jobs is not None else os.environ.get(ENVIRONMENT)
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if given is None:
        return cpus
    try:
        count = int(given)
    except ValueError:
        raise InputError(f"{ENVIRONMENT}={given!r} is not a whole number; set it to 1, 2, … or unset it.") from None
    if count == 0:
        raise InputError("n_jobs=0 asks for no thread at all; use 1, 2, …, -1 for all CPUs, or None.")
    return count if count > 0 else max(1, cpus + 1 + count)


def _inside_worker() -> bool:
    joblib = sys.modules.get("joblib.parallel")
    if joblib is not None and (joblib.get_active_backend()[0].nesting_level or 0) > 0:
        return True
    worker = sys.modules.get("distributed.worker")
    return worker is not None and getattr(worker.thread_state, "execution_state", None) is not None


def ordered_map(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield function(item) in the order of the items, with at most `threads` + 1 of them under way or waiting.

    Examples
    --------
    >>> list(ordered_map(abs, [-2, 1, -3], threads=2))
    [2, 1, 3]
    """
    if threads == 1:
        for item in items:
            stop_if_cancelled()
            yield function(item)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="separatrix")
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            stop_if_cancelled()
            # In the caller's context: what it wants of numpy's warnings holds on every thread.
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Reached with work left only after an error or Ctrl-C: drop what has not started.
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def ended(items: Iterator[T]) -> Iterator[Iterator[T]]:
    """End an iterator when it is left, where it can be ended: an interrupt that falls while a collected one ends is lost.

    Examples
    --------
    >>> with ended(i * i for i in range(9)) as squares:
    ...     next(squares), next(squares)
    (0, 1)
    """
    try:
        yield items
    finally:
        if hasattr(items, "close"):
            items.close()


def spread(function: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return function(item) of all items, in their order; for short work on items that are all there.

    Each thread, this one among them, takes the next item when it is free: they meet once at the end, where `ordered_map` wakes its
    caller for every item. All results are kept, so they should be small.

    Examples
    --------
    >>> spread(abs, [-2, 1, -3], threads=2)
    [2, 1, 3]
    """
    threads = min(threads, len(items))
    if threads <= 1:
        return [function(item) for item in items]
    found: list[Any] = [None] * len(items)
    left = iter(range(len(items)))

    def work() -> None:
        try:
            for i in left:
                found[i] = function(items[i])
        except BaseException:
            deque(left, maxlen=0)  # what nobody has begun is not begun any more
            raise

    others = [_helpers(os.getpid(), threads - 1).submit(copy_context().run, work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        # One that has not begun has nothing left to do, and might wait for ever behind a caller like this one.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    return found


@lru_cache(maxsize=4)
def _helpers(process: int, count: int) -> ThreadPoolExecutor:
    """Return threads that stay: to start and end one takes a millisecond, a third of a short pass. A fork has none of its parent's."""
    return ThreadPoolExecutor(count, thread_name_prefix="helper of separatrix")


NUMERIC = tuple(f"{os.sep}{name}{os.sep}" for name in ("separatrix", "numpy", "scipy", "sklearn"))
"""Where the last Python frame of a thread lies while it is inside a call of BLAS for us."""
OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep


class single_threaded_blas:  # noqa: N801 (a context manager reads as a function)
    """Hold BLAS to one thread inside a `with`; safe to nest, to enter from several threads, and to be interrupted anywhere."""

    __slots__ = ("__weakref__",)

    def __enter__(self) -> Self:
        _limits.hold(self, sys._getframe(1))
        return self

    def __exit__(self, *_: object) -> None:
        _limits.release(self)


class _Limits:
    """Who holds BLAS to one thread, and how many threads each library had before.

    Attributes
    ----------
    holders : {id: (weak reference, number of the thread that entered, id of the frame that has to stand on its stack)}
    before : {file of a library: threads it had}; what is read as other than 1 was set by somebody since, and counts
    forks : numbers of the threads that fork now, during which nothing is lifted
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holders: dict[int, tuple[ref[Any], int, int]] = {}
        self.before: dict[str, int] = {}
        self.forks: set[int] = set()
        self.locked_by: int | None = None

    def hold(self, holder: Any, frame: FrameType) -> None:
        # A generator leaves the stack between two items, the function that asks it for them does not.
        while frame.f_code.co_flags & CO_GENERATOR and frame.f_back is not None:
            frame = frame.f_back
        with self.lock:
            self.holders[id(holder)] = (ref(holder), threading.get_ident(), id(frame))
            self._limit()

    def release(self, holder: Any) -> None:
        with self.lock:
            self.holders.pop(id(holder), None)
            self._lift_if_free()

    def _limit(self) -> None:
        for library in _libraries():
            threads = library.get_num_threads() or 1
            if threads != 1:
                self.before[library.filepath] = threads
                _set_threads(library, 1)

    def _lift_if_free(self) -> None:
        if self.holders:
            stacks = {thread: _stack(frame) for thread, frame in sys._current_frames().items()}
            kept = {key: of for key, of in self.holders.items() if of[0]() is not None and of[2] in stacks.get(of[1], ())}
            self.holders = kept
        if self.holders or self.forks or not self.before:
            return
        for library in _libraries():
            if library.filepath in self.before:
                _set_threads(library, self.before[library.filepath])
        self.before = {}

    def before_fork(self) -> None:
        """Leave no call of BLAS under way that uses several threads, and nobody inside the lock."""
        own = threading.get_ident()
        self.forks.add(own)
        if len(sys._current_frames()) > 1:
            with self.lock:
                self._limit()
        busy = _numeric_frames()
        while busy:
            time.sleep(0.0005)
            now = _numeric_frames()
            # A thread that has moved on calls BLAS on one thread from now on, for the limit was set before.
            busy = {thread: where for thread, where in busy.items() if now.get(thread) == where}
        self.lock.acquire()
        self.locked_by = own

    def after_fork(self) -> None:
        """Go on as before."""
        self.forks.discard(threading.get_ident())
        if self.locked_by == threading.get_ident():
            self.locked_by = None
            self._lift_if_free()
            self.lock.release()

    def after_fork_in_child(self) -> None:
        """Go on with the one thread there is: the others, and what they held, stay behind in the parent."""
        own = threading.get_ident()
        self.lock, self.locked_by, self.forks = threading.Lock(), None, set()
        self.holders = {key: holder for key, holder in self.holders.items() if holder[1] == own}
        self._lift_if_free()


def _numeric_frames() -> dict[int, tuple[int, int]]:
    """Return, for each other thread that may be in a call of BLAS for us, where it stands: its last frame and instruction."""
    own = threading.get_ident()
    frames = {thread: frame for thread, frame in sys._current_frames().items() if thread != own}
    return {thread: (id(frame), frame.f_lasti) for thread, frame in frames.items() if _is_numeric(frame)}


def _is_numeric(frame: FrameType) -> bool:
    if not any(folder in frame.f_code.co_filename for folder in NUMERIC):
        return False  # it waits for a lock, a file or another thread
    caller: FrameType | None = frame
    while caller is not None and not caller.f_code.co_filename.startswith(OURS):
        caller = caller.f_back
    return caller is not None


def _stack(frame: FrameType | None) -> set[int]:
    """Return the ids of a frame and of all that called it."""
    found = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found


def _set_threads(library: Any, threads: int) -> None:
    """Set the threads of BLAS from whichever thread this is.

    Since 3.8 threadpoolctl lets the first thread that sets them do so alone, until it lets go, and is silent to the others. Ours take
    turns, by a lock.
    """
    let_go = getattr(library, "clear_controlling_thread", None)
    if let_go is not None:
        let_go(force=True)
    library.set_num_threads(threads)
    if let_go is not None:
        let_go(force=True)


def _libraries() -> list[Any]:
    return _find_libraries("scipy.linalg" in sys.modules)


@lru_cache(maxsize=2)
def _find_libraries(_with_scipy: bool) -> list[Any]:
    """Search the loaded libraries, which costs milliseconds: once per process, and again when scipy has brought its own BLAS.

    On a thread of its own, where no interrupt arrives: the search calls back from C, where one would be lost, and the list cut short.
    A queue in C to wait at, since `Thread.join` does not outlive every interrupt.
    """
    found: SimpleQueue[list[Any] | Exception] = SimpleQueue()
    start_new_thread(_search, (found,))
    libraries = found.get()
    if isinstance(libraries, Exception):
        raise libraries
    return [library for library in libraries if library.user_api == "blas"]


def _search(found: SimpleQueue[list[Any] | Exception]) -> None:
    from threadpoolctl import ThreadpoolController

    try:
        found.put(ThreadpoolController().lib_controllers)
    except Exception as error:
        found.put(error)


_limits = _Limits()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_limits.before_fork, after_in_parent=_limits.after_fork, after_in_child=_limits.after_fork_in_child)

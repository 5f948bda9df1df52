"""BLAS is held to one thread and given back, through interrupts and forks. Both are tried in processes of their own, with time limits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from separatrix.data.threads import single_threaded_blas

THREADS = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}


def blas_threads() -> set[int]:
    np.dot(np.eye(2), np.eye(2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_the_hold_on_blas_is_lifted_by_the_last_to_leave() -> None:
    with threadpool_limits(2, "blas"):
        first, second = single_threaded_blas(), single_threaded_blas()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == {2}


def test_a_holder_that_is_gone_holds_nothing() -> None:
    with threadpool_limits(2, "blas"):
        single_threaded_blas().__enter__()  # as if an interrupt had fallen before the body
        with single_threaded_blas():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_a_hold_that_only_a_traceback_keeps_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: object, *_: object) -> None:
        raise KeyboardInterrupt  # before the first line, as a signal does

    def held() -> Iterator[int]:
        with single_threaded_blas():
            yield 1

    def work() -> None:
        with single_threaded_blas():
            assert blas_threads() == {1}

    with threadpool_limits(2, "blas"):
        for function in (work, lambda: list(held())):
            with monkeypatch.context() as patch:
                patch.setattr(single_threaded_blas, "__exit__", interrupted)
                with pytest.raises(KeyboardInterrupt) as kept:
                    function()
            work()
            assert kept.tb is not None and blas_threads() == {2}


def test_every_entry_sets_the_limit_anew() -> None:
    with threadpool_limits(2, "blas"), single_threaded_blas(), threadpool_limits(2, "blas"), single_threaded_blas():
        assert blas_threads() == {1}


def test_any_thread_may_hold_and_lift() -> None:
    with threadpool_limits(2, "blas"):
        seen: list[set[int]] = []

        def hold() -> None:
            with single_threaded_blas():
                seen.append(blas_threads())
            seen.append(blas_threads())

        hold()
        thread = threading.Thread(target=hold)
        thread.start()
        thread.join()
        assert seen == [{1}, {2}, {1}, {2}]


def test_a_holder_on_a_thread_that_ended_holds_nothing() -> None:
    with threadpool_limits(2, "blas"):
        thread = threading.Thread(target=lambda: single_threaded_blas().__enter__())
        thread.start()
        thread.join()
        with single_threaded_blas():
            pass
        assert blas_threads() == {2}


INTERRUPTS = """
import random, signal
from separatrix.data.threads import single_threaded_blas
from tests.data.test_blas import blas_threads
def interrupt(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
before, draw, heard = blas_threads(), random.Random(0), 0
while heard < 500:
    try:
        # And again: Python drops an interrupt that falls into a callback of its own, such as that of a weak reference.
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 5e-4), 2.0)
        while True:
            with single_threaded_blas(), single_threaded_blas():
                pass
    except KeyboardInterrupt:
        heard += 1
signal.setitimer(signal.ITIMER_REAL, 0.0)
with single_threaded_blas():
    assert blas_threads() == {1}, blas_threads()
assert blas_threads() == before == {2}, (blas_threads(), before)
"""

SEARCH = """
import signal, time
import threadpoolctl
from separatrix.data.threads import single_threaded_blas
from tests.data.test_blas import blas_threads
class Interrupted:
    def __init__(self):
        signal.raise_signal(signal.SIGINT)  # Python answers it on the main thread,
        time.sleep(0.5)  # which waits for this one
        self.lib_controllers = []
signal.signal(signal.SIGINT, signal.default_int_handler)
whole, heard = threadpoolctl.ThreadpoolController, False
threadpoolctl.ThreadpoolController = Interrupted
try:
    single_threaded_blas().__enter__()
except KeyboardInterrupt:
    heard = True
threadpoolctl.ThreadpoolController = whole
assert heard
with single_threaded_blas():
    assert blas_threads() == {1}, blas_threads()
assert blas_threads() == {2}, blas_threads()
"""

FORKS = """
import os, threading
import numpy as np
from separatrix import LinearDiscriminantAnalysis
from separatrix.data.threads import single_threaded_blas
from tests.data.test_blas import blas_threads
rng = np.random.default_rng(0)
X, y = rng.normal(size=(400, 150)), np.arange(400) % 2
over, fits = threading.Event(), []
def fit():
    while not over.is_set():
        fits.append(LinearDiscriminantAnalysis().fit(X, y))
LinearDiscriminantAnalysis().fit(X, y)
thread = threading.Thread(target=fit)
thread.start()
for i in range(12):
    over.wait(0.01 * (i % 3))
    child = os.fork()
    if child == 0:
        good = np.isfinite(LinearDiscriminantAnalysis().fit(X[:, :20], y).coef_).all() and blas_threads() == {2}
        with single_threaded_blas():
            good = good and blas_threads() == {1}
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
over.set()
thread.join()
assert fits and blas_threads() == {2}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no signals and forks here")
@pytest.mark.parametrize("code", [INTERRUPTS, SEARCH, FORKS], ids=["interrupts", "an interrupted search", "forks"])
def test_blas_is_sound_after(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], env=THREADS, timeout=240, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

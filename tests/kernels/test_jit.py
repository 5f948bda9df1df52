"""How kernels are compiled: one decorator, cached where possible, warmed on request."""

from __future__ import annotations

import os
import pickle
import pkgutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from numba import types
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock

import separatrix.kernels as room
from separatrix.kernels.jit import Kernel, kernel, rf4, rf8, wf8
from separatrix.progress import Event, listening, muted


def doubled(X: Any, out: Any) -> None:
    for i in range(X.size):
        out[i] = 2.0 * X[i]


def test_one_signature_serves_frozen_and_ordinary_arrays() -> None:
    double, out = kernel(types.void(rf8(1), wf8(1)))(doubled), np.empty(2)
    frozen = np.array([1.0, 2.0])
    frozen.flags.writeable = False
    for X in (np.array([1.0, 2.0]), frozen):
        double(X, out)
        assert out.tolist() == [2.0, 4.0]


def test_another_type_is_refused_instead_of_compiled() -> None:
    double = kernel(types.void(rf8(1), wf8(1)))(doubled)
    with pytest.raises(TypeError, match="No matching definition"):
        double(np.array([1, 2]), np.empty(2))


BOTH = types.void(rf8(1), wf8(1)), types.void(rf4(1), wf8(1))


def test_a_call_compiles_only_the_signature_it_needs() -> None:
    double, out = kernel(*BOTH)(doubled), np.empty(2)
    assert double.signatures == []
    for dtype, compiled in ((np.float32, 1), (np.float32, 1), (np.float64, 2)):
        double(np.ones(2, dtype), out)
        assert len(double.signatures) == compiled and out.tolist() == [2.0, 2.0]


inner = kernel(*BOTH)(doubled)


@kernel(*BOTH)
def outer(X: Any, out: Any) -> None:
    inner(X, out)


def test_a_kernel_compiles_what_it_calls_for_the_same_types() -> None:
    out = np.empty(1)
    outer(np.ones(1), out)
    assert out.tolist() == [2.0] and len(inner.signatures) <= 1  # none where the outer one came from the cache


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(outer)) is outer


def test_threads_that_call_at_once_wait_for_one_compilation() -> None:
    double, found = kernel(*BOTH)(doubled), np.zeros((8, 3))
    together = threading.Barrier(8)

    def call(i: int) -> None:
        together.wait()
        double(np.ones(3, np.float32 if i % 2 else np.float64), found[i])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(8)))
    assert (found == 2.0).all() and len(double.signatures) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_waits_for_a_compilation_under_way() -> None:
    held = threading.Event()

    def compile_long() -> None:
        with global_compiler_lock:
            held.set()
            time.sleep(0.2)

    thread = threading.Thread(target=compile_long)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if global_compiler_lock._lock.acquire(blocking=False) else 1)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()


def test_long_compilation_is_told_once_to_listeners_or_in_one_line(monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.setattr(Kernel, "patience", 0.0)
    heard: list[Event] = []
    for scope, events, lines in ((listening(heard.append), 1, 0), (muted(), 1, 0), (nullcontext(), 1, 1)):
        monkeypatch.setattr(Kernel, "spent", -1e-9)
        with scope:
            for made in (kernel(*BOTH)(doubled), kernel(*BOTH)(doubled)):
                made._cache = NullCache()  # type: ignore[attr-defined]
                made(np.ones(1), np.empty(1))
        assert len(heard) == events and capfd.readouterr().err.count("python -m separatrix.kernels") == lines


def test_without_a_cache_folder_kernels_still_compile(monkeypatch: Any) -> None:
    def no_folder(self: Any) -> None:
        raise RuntimeError("cannot cache function 'doubled': no locator available for file 'x.py'")

    monkeypatch.setattr(Kernel, "enable_caching", no_folder)
    out = np.empty(1)
    kernel(types.void(rf8(1), wf8(1)))(doubled)(np.ones(1), out)
    assert out.tolist() == [2.0]


def test_every_kernel_module_is_warmed() -> None:
    done = subprocess.run([sys.executable, "-m", "separatrix.kernels"], capture_output=True, text=True, check=True)
    assert {m.name for m in pkgutil.iter_modules(room.__path__)} - {"__main__"} == {line.split()[0] for line in done.stderr.splitlines()}


def test_code_on_disk_is_as_old_as_the_files_it_is_made_of() -> None:
    from separatrix.kernels import l1_quadratic, l1_walks

    assert l1_quadratic.best_length.stamp in l1_walks.polish.stamp
    assert l1_walks.polish.stamp not in l1_quadratic.best_length.stamp

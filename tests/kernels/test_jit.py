"""How kernels are compiled: one decorator, cached where possible, warmed on request."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

import separatrix.kernels as room
from separatrix.kernels.jit import kernel, rf8, wf8


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


def test_without_a_cache_folder_kernels_still_compile(monkeypatch: Any) -> None:
    njit = numba.njit

    def no_folder(*args: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function 'doubled': no locator available for file 'x.py'")
        return njit(*args, **options)

    monkeypatch.setattr(numba, "njit", no_folder)
    out = np.empty(1)
    kernel(types.void(rf8(1), wf8(1)))(doubled)(np.ones(1), out)
    assert out.tolist() == [2.0]


def test_every_kernel_module_is_warmed() -> None:
    done = subprocess.run([sys.executable, "-m", "separatrix.kernels"], capture_output=True, text=True, check=True)
    assert {m.name for m in pkgutil.iter_modules(room.__path__)} - {"__main__"} == {line.split()[0] for line in done.stderr.splitlines()}

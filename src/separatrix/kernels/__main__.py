"""Compile every kernel into the disk cache: `python -m separatrix.kernels`."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import time

import separatrix.kernels as room

from ..progress import muted
from .jit import Kernel


def warm() -> list[str]:
    """Compile every signature of every kernel module, or read it from the cache; return the names of the modules."""
    names = [m.name for m in pkgutil.iter_modules(room.__path__) if not m.name.startswith("_")]
    for name in names:
        start = time.perf_counter()
        module = importlib.import_module(f"{room.__name__}.{name}")
        for made in vars(module).values():
            if isinstance(made, Kernel):
                made.compile_all()
        logging.getLogger("separatrix").info("%s ready after %.2f s", name, time.perf_counter() - start)
    return names


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with muted():
        warm()

"""Compile every kernel into the disk cache: `python -m separatrix.kernels`."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import time

import separatrix.kernels as room


def warm() -> list[str]:
    """Import every kernel module, which compiles it or reads it from the cache; return their names."""
    names = [m.name for m in pkgutil.iter_modules(room.__path__) if not m.name.startswith("_")]
    for name in names:
        start = time.perf_counter()
        importlib.import_module(f"{room.__name__}.{name}")
        logging.getLogger("separatrix").info("%s ready after %.2f s", name, time.perf_counter() - start)
    return names


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    warm()

"""Run every benchmark: `python -m benchmarks [topic …]`; random shapes: `python -m benchmarks shapes [--seed S] [--minutes M]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(wanted: list[str]) -> None:
    if wanted[:1] == ["shapes"]:
        importlib.import_module("benchmarks.shapes.sweep").main(wanted[1:])
        return
    for module in pkgutil.iter_modules(benchmarks.__path__):
        topic = module.name.removeprefix("bench_")
        if module.name.startswith("bench_") and (not wanted or topic in wanted):
            importlib.import_module(f"benchmarks.{module.name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])

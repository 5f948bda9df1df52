"""The model file: its size, and how long it takes to write and to load, beside a pickle of the same model and of scikit-learn's.

    python -m benchmarks.bench_artifacts

The pickle is what people use instead; it runs whatever code it holds, and writes without fsync. Best of several, in turn, imports apart.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA
from threadpoolctl import threadpool_limits

import separatrix
from separatrix.artifacts import read

ROUNDS = 25
MOST_BYTES, MOST_SECONDS = 100_000, 5e-3


def best(tasks: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the least seconds of each task, one after the other in every round."""
    seconds = dict.fromkeys(tasks, np.inf)
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def measure(classes: int, columns: int, folder: Path) -> dict[str, float]:
    rng = np.random.default_rng(0)
    y = np.arange(4000) % classes
    X = rng.normal(size=(4000, columns)) + rng.normal(size=(classes, columns))[y]
    model, other = separatrix.LinearDiscriminantAnalysis().fit(X, y), ScikitLDA().fit(X, y)
    file, pickled, scikit = folder / "m.sptx", folder / "m.pkl", folder / "s.pkl"

    def dump(which: Any, path: Path) -> None:
        path.write_bytes(pickle.dumps(which))

    found = best(
        {
            "save": lambda: separatrix.save(model, file),
            "pickle": lambda: dump(model, pickled),
            "scikit-learn's pickle": lambda: dump(other, scikit),
        }
    )
    found |= best(
        {
            "load": lambda: separatrix.load(file),
            "contents": lambda: read(file),
            "unpickle": lambda: pickle.loads(pickled.read_bytes()),
            "unpickle scikit-learn's": lambda: pickle.loads(scikit.read_bytes()),
        }
    )
    return found | {"bytes": file.stat().st_size, "bytes of the pickle": pickled.stat().st_size}


def main() -> None:
    for threads in (1, 2):
        with tempfile.TemporaryDirectory() as name, threadpool_limits(threads):
            for classes, columns in ((2, 50), (10, 50), (3, 500)):
                found = measure(classes, columns, Path(name))
                print(f"\nLDA, {classes} classes, {columns} columns, {threads} thread{'s' * (threads > 1)} of BLAS")
                print(f"  file {found['bytes']:,.0f} bytes, pickle {found['bytes of the pickle']:,.0f}")
                for task, peer in (("save", "pickle"), ("load", "unpickle"), ("load", "unpickle scikit-learn's")):
                    ratio = found[task] / found[peer]
                    print(f"  {task} {1e3 * found[task]:.2f} ms, {peer} {1e3 * found[peer]:.2f} ms: ratio {ratio:.1f}")
                print(f"  contents without a model {1e3 * found['contents']:.2f} ms")
                if columns == 50:
                    print(f"  below {MOST_BYTES:,} bytes: {found['bytes'] < MOST_BYTES}; loads below 5 ms: {found['load'] < MOST_SECONDS}")


if __name__ == "__main__":
    main()

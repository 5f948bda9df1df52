"""Linear discriminant analysis from Parquet files: memory and time, against pyarrow's bare read of the same columns.

Run it with `python -m benchmarks.bench_parquet`. The files (2.7 GB) are made once in a temporary folder and deleted at the
end; SEPARATRIX_BENCH_FOLDER=/some/folder keeps them. Each measurement is a fresh process; the two kinds alternate, so that
whatever else the machine does meets both.

The bare read is `dataset.scanner().to_batches()`, run to its end with pyarrow's default options. It holds about 2 GB, and the
first read of a process pays for having that memory mapped. So two ratios are printed: first fit against first read of a
process, as a user meets them, and best against best when both are repeated within the process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, CLASSES = 50, 5
SMALL, LARGE = 500_000, 5_000_000
FILE_ROWS, GROUP_ROWS = 500_000, 125_000
PROCESSES, REPEATS = 4, 3
MEGABYTE = 1024


def make_files(folder: Path, rows: int) -> None:
    """Write the table in files of FILE_ROWS rows, one row group after the other, unless it is there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if folder.exists():
        return
    rng = np.random.default_rng(rows)
    means = rng.normal(size=(CLASSES, COLUMNS))
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(COLUMNS)] + [("y", pa.int64())])
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for first in range(0, rows, FILE_ROWS):
        with pq.ParquetWriter(unfinished / f"part-{first // FILE_ROWS:03d}.parquet", schema) as writer:
            for _ in range(FILE_ROWS // GROUP_ROWS):
                y = rng.integers(0, CLASSES, GROUP_ROWS)
                X = np.asfortranarray(rng.normal(size=(GROUP_ROWS, COLUMNS)) + means[y])
                writer.write_table(pa.table([*X.T, y], schema=schema))
    unfinished.rename(folder)


def read_bare(files: list[str]) -> None:
    """Read everything as pyarrow does by default, and drop it."""
    import pyarrow.dataset as ds

    for _ in ds.dataset(files).scanner().to_batches():
        pass


def fit(files: list[str]) -> None:
    """Open the files, find the classes and fit."""
    from separatrix import LinearDiscriminantAnalysis, open_table

    LinearDiscriminantAnalysis().fit(open_table(files, target="y"))


WORK: dict[str, Callable[[list[str]], None]] = {"bare": read_bare, "fit": fit}


def status(key: str) -> float:
    """Return a line of /proc/self/status in megabytes: VmRSS is the memory held, VmHWM its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(key)).split()[1]) / MEGABYTE


def measure_here(kind: str, folder: str, repeats: int) -> dict[str, Any]:
    """Import everything, then run the work and return its seconds and the peak of memory above that after the imports."""
    import pyarrow.dataset
    import pyarrow.parquet  # noqa: F401

    import separatrix.data.table_opening
    import separatrix.kernels.moments  # noqa: F401
    from separatrix import LinearDiscriminantAnalysis  # noqa: F401  # names load their modules when asked for

    files = sorted(str(file) for file in Path(folder).glob("*.parquet"))
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        WORK[kind](files)
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "megabytes": status("VmHWM") - before}


def measure(kind: str, folder: Path, repeats: int = REPEATS) -> dict[str, Any]:
    """Run `measure_here` in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.bench_parquet", kind, str(folder), str(repeats)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def compare(folder: Path) -> list[tuple[str, str, str]]:
    """Make the files, measure, and return rows of (name, asked, measured)."""
    small, large = folder / str(SMALL), folder / str(LARGE)
    make_files(small, SMALL)
    make_files(large, LARGE)
    runs: dict[str, list[dict[str, Any]]] = {"bare": [], "fit": []}
    measure("bare", large, 1)  # the files into the page cache
    for _ in range(PROCESSES):
        for kind in runs:
            runs[kind].append(measure(kind, large))
    few = measure("fit", small)["megabytes"]
    many = max(run["megabytes"] for run in runs["fit"])
    first = {kind: min(run["seconds"][0] for run in runs[kind]) for kind in runs}
    best = {kind: min(min(run["seconds"]) for run in runs[kind]) for kind in runs}
    n, m = f"{LARGE:,} × {COLUMNS}", f"{SMALL:,} × {COLUMNS}"
    return [
        (f"memory of a fit from {n}", "≤ 400 MB", f"{many:.0f} MB"),
        (f"memory of a fit from {m}", "about the same", f"{few:.0f} MB"),
        ("memory of pyarrow's bare read", "", f"{max(run['megabytes'] for run in runs['bare']):.0f} MB"),
        ("time of the first fit of a process", "", f"{first['fit']:.2f} s"),
        ("time of its first bare read", "", f"{first['bare']:.2f} s"),
        ("ratio of the first times", "< 1.5", f"{first['fit'] / first['bare']:.2f}"),
        ("time of a fit, best of all", "", f"{best['fit']:.2f} s"),
        ("time of a bare read, best of all", "", f"{best['bare']:.2f} s"),
        ("ratio of the best times", "< 1.5", f"{best['fit'] / best['bare']:.2f}"),
    ]


def main() -> list[tuple[str, str, str]]:
    """Print the table of what was asked and measured, and return it."""
    kept = os.environ.get("SEPARATRIX_BENCH_FOLDER")
    folder = Path(kept or tempfile.mkdtemp(prefix="separatrix-bench-"))
    try:
        rows = compare(folder)
    finally:
        if kept is None:
            shutil.rmtree(folder)
    for row in [("Parquet", "asked", "measured"), *rows]:
        print("{:<42}{:>16}{:>12}".format(*row))
    return rows


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure_here(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
    else:
        main()

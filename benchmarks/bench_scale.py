"""Files and clusters: what a fit costs beside reading, beside one process, and beside dask-ml and scikit-learn.

    python -m benchmarks.bench_scale                       # all topics at full size
    python -m benchmarks.bench_scale lda --rows 1000000    # one topic, fewer rows

| topic | ours | peer |
|---|---|---|
| lda | LDA from a Parquet folder, in this process | pyarrow's bare read of it |
| logistic | LogisticRegression, K = 2, from the folder | the same read; 15 of them at most |
| dask-lda | LDA from the folder, 2 single-threaded workers | the fit in this process |
| dask-logistic | K = 2 on 2 workers, rows held there | dask-ml (SEPARATRIX_DASK_ML=python of an environment that has it), equal objective |
| dask-softmax | K = 5 on 2 workers | scikit-learn in memory, read from the same folder |

Files are made once in a temporary folder, or in SEPARATRIX_BENCH_FOLDER, which keeps them. Ours and the peer alternate in one run, and the
best of each counts; wall seconds, because processes share the work, so run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
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

from .bench_parquet import make_files, read_bare, status

REPEATS = 3
COLUMNS = 50
DASK_ML = """
import sys, time, dask.dataframe as dd, dask.array as da, numpy as np
from dask_ml.linear_model import LogisticRegression
from distributed import Client

def main():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        frame = dd.read_parquet(sys.argv[1])
        X = frame[[f"x{j}" for j in range(50)]].to_dask_array(lengths=True).persist()
        y = (frame["y"] < 2).astype(int).to_dask_array(lengths=True).persist()
        start = time.perf_counter()
        model = LogisticRegression(solver="lbfgs", C=1.0, max_iter=int(sys.argv[2]), tol=1e-8).fit(X, y)
        seconds = time.perf_counter() - start
        print(seconds, *np.ravel(model.coef_), *np.ravel(model.intercept_))

if __name__ == "__main__":
    main()
"""


def best(work: dict[str, Callable[[], Any]], repeats: int = REPEATS) -> dict[str, float]:
    """Return the least seconds of each kind of work, run in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for name, run in work.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: min(taken) for name, taken in seconds.items()}


def bench_lda(folder: Path) -> list[tuple[str, str, str]]:
    """LDA from files: memory above the imports, and time beside the bare read."""
    from separatrix import LinearDiscriminantAnalysis, open_table

    files = sorted(str(file) for file in folder.glob("*.parquet"))
    LinearDiscriminantAnalysis().fit(open_table(files[:1], target="y"))  # kernels loaded
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    LinearDiscriminantAnalysis().fit(open_table(files, target="y"))
    held = status("VmHWM") - before
    found = best({"read": lambda: read_bare(files), "fit": lambda: LinearDiscriminantAnalysis().fit(open_table(files, target="y"))})
    ratio = f"{found['fit'] / found['read']:.2f} ({found['fit']:.2f} s, read {found['read']:.2f} s)"
    return [("LDA: memory above imports", "≤ 400 MB", f"{held:.0f} MB"), ("LDA: fit / bare read", "< 1.5", ratio)]


def two_classes(folder: Path) -> Any:
    """Return the table with two classes: a label is whether y < 2."""
    from separatrix import open_table
    from separatrix.data.recoded import Recoded

    table = open_table(folder, target="y")
    return Recoded(table, np.array([1, 1, 0, 0, 0]), np.array([0, 1]))


def bench_logistic(folder: Path) -> list[tuple[str, str, str]]:
    """Two-class logistic regression within so many reads."""
    from separatrix import LogisticRegression

    files = sorted(str(file) for file in folder.glob("*.parquet"))
    model = LogisticRegression()
    found = best({"read": lambda: read_bare(files), "fit": lambda: model.fit(two_classes(folder))}, 2)
    text = f"{found['fit'] / found['read']:.1f} reads ({found['fit']:.1f} s, {model.solution_.passes} passes)"
    return [("logistic K = 2: fit / bare read", "≤ 15", text)]


def bench_dask_lda(folder: Path) -> list[tuple[str, str, str]]:
    """LDA by two workers beside one process that streams."""
    from distributed import Client

    from separatrix import LinearDiscriminantAnalysis, open_table

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        work = {
            "here": lambda: LinearDiscriminantAnalysis().fit(open_table(folder, target="y")),
            "there": lambda: LinearDiscriminantAnalysis().fit(open_table(folder, target="y", cluster=client)),
        }
        work["there"]()  # workers load their kernels
        found = best(work)
    ratio = f"{found['there'] / found['here']:.2f} ({found['there']:.2f} s, here {found['here']:.2f} s)"
    return [("LDA: 2 Dask workers / streaming", "≤ 1.6", ratio)]


def objective(X: Any, y: Any, coef: Any, intercept: float, C: float = 1.0) -> float:
    """Return C Σ log(1 + e^−m) + ½‖w‖²."""
    margins = np.where(y == 1, 1.0, -1.0) * (X @ coef + intercept)
    return float(C * np.logaddexp(0.0, -margins).sum() + 0.5 * coef @ coef)


def bench_dask_logistic(folder: Path) -> list[tuple[str, str, str]]:
    """Two classes on two workers beside dask-ml on two workers, both on rows that the workers hold."""
    from distributed import Client

    from separatrix import LogisticRegression, open_table

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        from separatrix.data.recoded import Recoded

        table = open_table(folder, target="y", cluster=client).persisted()
        rows = Recoded(table, np.array([1, 1, 0, 0, 0]), np.array([0, 1]))
        model = LogisticRegression()
        model.fit(rows)  # the rows are held from now on
        ours = best({"fit": lambda: model.fit(rows)}, 2)["fit"]
    python = os.environ.get("SEPARATRIX_DASK_ML")
    if python is None:
        return [("logistic K = 2: dask-ml / ours", "≥ 5", f"no dask-ml here (SEPARATRIX_DASK_ML is not set); ours {ours:.2f} s")]
    X, y = in_memory(folder, two=True)
    mine, rows_ = objective(X, y, model.coef_[0], float(model.intercept_[0])), []
    for steps in (10, 30, 100):
        done = subprocess.run([python, "-c", DASK_ML, str(folder), str(steps)], capture_output=True, text=True)
        if done.returncode:
            return [("logistic K = 2: dask-ml / ours", "≥ 5", f"dask-ml fails: {done.stderr.strip().splitlines()[-1][:80]}")]
        seconds, *found = map(float, done.stdout.split())
        theirs = objective(X, y, np.array(found[:COLUMNS]), found[COLUMNS])
        rows_.append(
            (f"logistic K = 2: dask-ml, {steps} steps / ours", "≥ 5", f"{seconds / ours:.1f} ({theirs / mine - 1:+.1e} objective)")
        )
        if theirs <= mine * (1 + 1e-6):
            break
    return rows_


def in_memory(folder: Path, two: bool) -> tuple[Any, Any]:
    """Return the rows and labels of the folder as arrays."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder)
    X = np.column_stack([table.column(f"x{j}").to_numpy() for j in range(COLUMNS)])
    y = table.column("y").to_numpy()
    return X, (y < 2).astype(int) if two else y


def bench_dask_softmax(folder: Path) -> list[tuple[str, str, str]]:
    """Five classes on two workers beside scikit-learn in memory."""
    from distributed import Client
    from sklearn.linear_model import LogisticRegression as Theirs

    from separatrix import LogisticRegression, open_table

    X, y = in_memory(folder, two=False)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        table = open_table(folder, target="y", cluster=client).persisted()
        LogisticRegression().fit(table)
        found = best({"ours": lambda: LogisticRegression().fit(table), "sklearn": lambda: Theirs(max_iter=1000).fit(X, y)}, 1)
    return [("logistic K = 5: scikit-learn / ours", "> 1", f"{found['sklearn'] / found['ours']:.1f} ({found['ours']:.1f} s)")]


TOPICS: dict[str, tuple[Callable[[Path], list[tuple[str, str, str]]], int]] = {
    "lda": (bench_lda, 5_000_000),
    "logistic": (bench_logistic, 5_000_000),
    "dask-lda": (bench_dask_lda, 5_000_000),
    "dask-logistic": (bench_dask_logistic, 2_000_000),
    "dask-softmax": (bench_dask_softmax, 2_000_000),
}


def main(arguments: list[str] | None = None) -> list[tuple[str, str, str]]:
    """Run topics and print what was asked and measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", choices=[[], *TOPICS], default=list(TOPICS))
    parser.add_argument("--rows", type=int, help="rows in place of those of the topic, a multiple of 500,000")
    given = parser.parse_args(arguments)
    kept = os.environ.get("SEPARATRIX_BENCH_FOLDER")
    folder, rows = Path(kept or tempfile.mkdtemp(prefix="separatrix-bench-")), []
    try:
        for topic in given.topics or list(TOPICS):
            run, size = TOPICS[topic]
            make_files(folder / str(given.rows or size), given.rows or size)
            rows += run(folder / str(given.rows or size))
            print("{:<46}{:>10}  {}".format(*rows[-1]), flush=True)
    finally:
        if kept is None:
            shutil.rmtree(folder)
    for row in rows:
        print("{:<46}{:>10}  {}".format(*row))
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])

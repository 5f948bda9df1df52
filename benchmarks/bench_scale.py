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
from .harness import Row, publish

REPEATS = 3
COLUMNS = 50
TIMES = 20
"""How many times our seconds a solver of dask-ml may take before it is given up."""
EQUAL = 1e-4
"""Relative difference up to which objectives count as equal."""
DASK_ML = """
import glob, sys, time, dask, dask.array as da, numpy as np, pyarrow.parquet as pq
from dask_ml.linear_model import LogisticRegression
from distributed import Client

def spent(client):
    return time.process_time() + sum(client.run(time.process_time).values())

def rows(table):
    return np.column_stack([table.column(f"x{j}").to_numpy() for j in range(50)])

def labels(table):
    return (table.column("y").to_numpy() < 2).astype(int)

def main():
    folder, solver, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        X, y = [], []  # not by dask.dataframe: lengths of the arrays that it makes of a folder are not those of its partitions
        for file in sorted(glob.glob(folder + "/*.parquet")):
            n, table = pq.read_metadata(file).num_rows, dask.delayed(pq.read_table)(file)
            X.append(da.from_delayed(dask.delayed(rows)(table), (n, 50), float))
            y.append(da.from_delayed(dask.delayed(labels)(table), (n,), int))
        X, y = da.concatenate(X).persist(), da.concatenate(y).persist()
        LogisticRegression(solver=solver, max_iter=1, fit_intercept=False).fit(X, y)
        steps, seconds = 4, 0.0
        while seconds < limit and steps < 5000:
            start, before = time.perf_counter(), spent(client)
            more = {"abstol": 1e-8, "reltol": 1e-6} if solver == "admm" else {}
            model = LogisticRegression(solver=solver, penalty="l2", fit_intercept=False, max_iter=steps, tol=1e-12, solver_kwargs=more)
            model.fit(X, y)
            seconds = time.perf_counter() - start
            print(steps, seconds, spent(client) - before, *np.ravel(model.coef_), flush=True)
            steps *= 2

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


def objective(X: Any, y: Any, coef: Any, C: float) -> float:
    """Return Σ log(1 + e^−m) + ½‖w‖² / C."""
    return float(np.logaddexp(0.0, -np.where(y == 1, 1.0, -1.0) * (X @ coef)).sum() + 0.5 * (coef @ coef) / C)


def spent(client: Any) -> float:
    """Return the processor seconds of this process and of all workers."""
    return time.process_time() + float(sum(client.run(time.process_time).values()))


def bench_dask_logistic(folder: Path) -> list[tuple[str, str, str]]:
    """Two classes on two workers beside each solver of dask-ml on two workers, all on rows that the workers hold."""
    from distributed import Client

    from separatrix import LogisticRegression, open_table
    from separatrix.data.recoded import Recoded

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        table = open_table(folder, target="y", cluster=client).persisted()
        rows = Recoded(table, np.array([1, 1, 0, 0, 0]), np.array([0, 1]))
        LogisticRegression().fit(rows)  # the rows are held from now on
        fits = {C: LogisticRegression(C=C, fit_intercept=False) for C in (1.0, np.inf)}
        ours = best({str(C): lambda C=C: fits[C].fit(rows) for C in fits})
        for C, model in fits.items():
            before = spent(client)
            model.fit(rows)
            processor = spent(client) - before
            print(f"ours, C = {C}: {ours[str(C)]:.2f} s, {processor:.1f} CPU s, {model.solution_.passes} passes", flush=True)
    python = os.environ.get("SEPARATRIX_DASK_ML")
    if python is None:
        return [("logistic K = 2: dask-ml / ours", "≥ 5", f"no dask-ml here (SEPARATRIX_DASK_ML is not set); ours {ours['1.0']:.2f} s")]
    X, y = in_memory(folder, two=True)
    return [dask_ml(python, solver, folder, ours[str(C)], _excess(X, y, fits[C].coef_[0], C)) for solver, C in SOLVERS.items()]


SOLVERS = {"newton": np.inf, "lbfgs": 1.0, "admm": 1.0, "gradient_descent": np.inf}
"""The problem that each of dask-ml's solvers solves: two leave the penalty out. Two penalise the intercept, so that there is none."""


def _excess(X: Any, y: Any, coef: Any, C: float) -> Callable[[Any], float]:
    """Return how far coefficients are above others, relative to the objective of these."""
    return lambda other: objective(X, y, other, C) / objective(X, y, coef, C) - 1


def dask_ml(python: str, solver: str, folder: Path, ours: float, excess: Callable[[Any], float]) -> tuple[str, str, str]:
    """Return how long a solver of dask-ml takes to an objective equal to ours, doubling its steps until it is there or given up."""
    command = [python, "-c", DASK_ML, str(folder), solver, str(TIMES * ours)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        found = "fails before its first result"
        for line in process.stdout or ():
            steps, seconds, processor, *values = map(float, line.split())
            above = excess(np.array(values))
            found = f"{seconds / ours:.1f} ({seconds:.1f} s, {processor:.1f} CPU s, {steps:.0f} steps, objective {above:+.1e})"
            print(f"    {solver}: {found}", flush=True)
            if abs(above) <= EQUAL:
                process.terminate()
                break
        else:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or [""]
            found = f"does not arrive: {found}" + (f" ({lines[-1][:80]})" if process.wait() else "")
    return f"logistic K = 2: dask-ml's {solver} / ours", "≥ 5", found


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
    ours, theirs, seconds = LogisticRegression(), Theirs(max_iter=1000), dict[str, float]()
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        table = open_table(folder, target="y", cluster=client).persisted()
        ours.fit(table)  # the rows are held from now on
        found = best({"ours": lambda: ours.fit(table), "sklearn": lambda: theirs.fit(X, y)}, REPEATS)
        for name, fit in (("ours", lambda: ours.fit(table)), ("sklearn", lambda: theirs.fit(X, y))):
            before = spent(client)
            fit()
            seconds[name] = spent(client) - before
    above = softmax_objective(X, y, theirs) / softmax_objective(X, y, ours) - 1
    text = f"{found['sklearn'] / found['ours']:.1f} ({found['ours']:.1f} s, {found['sklearn']:.1f} s; objective {above:+.1e}; "
    text += f"CPU {seconds['ours']:.1f} s, {seconds['sklearn']:.1f} s)"
    return [("logistic K = 5: scikit-learn / ours", "> 1", text)]


def softmax_objective(X: Any, y: Any, model: Any, C: float = 1.0) -> float:
    """Return C Σ −log p(y) + ½‖W‖²."""
    scores = X @ model.coef_.T + model.intercept_
    scores -= scores.max(axis=1, keepdims=True)
    own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return float(C * (np.log(np.exp(scores).sum(axis=1)) - own).sum() + 0.5 * (model.coef_**2).sum())


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
    if not given.topics and given.rows is None:
        publish("Files and clusters", [Row(case, "", "", measured, asked) for case, asked, measured in rows])
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])

"""What a fit costs: constants measured at small sizes, predictions for large ones, and a check at sizes that run here.

Run it with `python -m benchmarks.bench_cost`; docs/scale.md explains the model and holds its last table.

A fit takes

    d₀ + d₁ p + d₃ p³ + passes · n (c₀ + c₁ p + c₂ p²)

seconds of one core, reading the Parquet files included, and sends so many bytes per worker and pass. The c come from two numbers of rows
at each of three numbers of columns, so that what a fit costs without rows is in the d; the check is at other numbers of both. Times are
CPU seconds of a process with one thread, so that what else the machine does disturbs them little.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.optimize import nnls

import separatrix as own
from benchmarks.harness import Row, publish
from separatrix.data import Block
from separatrix.data.files.file_table import FileTable
from separatrix.data.kept import Kept
from separatrix.solvers.smooth.proven_gap import TRAVELLING
from separatrix.solvers.smooth.whitened import SAMPLE

MEASURED = {10: (160_000, 800_000), 30: (60_000, 400_000), 120: (20_000, 160_000)}
"""Two numbers of rows by columns from which the constants are found. No powers of two: columns that lie so far apart meet in the cache, and
128 of them took a third longer than their neighbours."""
CHECKED = {16: 1_200_000, 50: 500_000, 100: 250_000}
"""Rows by columns at which the predictions are checked."""
LARGE = ((10**9, 100), (10**10, 1_000))
WORKERS, CLASSES, ROUNDS, WIRE = 100, 2, 4, 1e9
"""Workers of one core each, classes, rounds, and bytes a second from one worker to another: assumed, not measured."""


@dataclass(frozen=True)
class Family:
    """A model, and the numbers that its summary or gradient has."""

    name: str
    model: Callable[[], Any]
    sent: Callable[[int, int], int]
    powers: tuple[int, ...]


FAMILIES = [
    Family("nearest mean", own.NearestMean, lambda p, K: 2 * K + 2 * K * p, (0, 1)),
    Family("Gaussian naive Bayes", own.GaussianNB, lambda p, K: 2 * K + 2 * K * p, (0, 1)),
    Family("Bernoulli naive Bayes", own.BernoulliNB, lambda p, K: 2 * K + K * p, (0, 1)),
    Family("LDA, Fisher, least squares, stepwise", own.LinearDiscriminantAnalysis, lambda p, K: 2 * K + K * p + p * p, (0, 1, 2)),
    Family("QDA", own.QuadraticDiscriminantAnalysis, lambda p, K: 2 * K + K * p + K * p * p, (0, 1, 2)),
    Family("logistic, L2", own.LogisticRegression, lambda p, K: 2 * K + K * p + p * p, (0, 1, 2)),
]


@dataclass(frozen=True)
class Constants:
    """Seconds of a row in a pass by powers of p, those of a fit without rows, and passes."""

    c: Any
    d: Any
    passes: int


@dataclass
class Cost:
    """CPU seconds of a fit, passes over the rows, and bytes of what one pass gives for one block."""

    seconds: float
    passes: int
    sent: int


def write(folder: Path, n: int, p: int) -> str:
    """Write rows of two classes that overlap, unless they are there."""
    path = folder / f"{n}_{p}.parquet"
    if not path.exists():
        rng = np.random.default_rng(p)
        y = rng.integers(0, CLASSES, n)
        X = rng.normal(size=(n, p)) + 0.3 * y[:, None] / np.sqrt(p)
        pq.write_table(pa.table({**{f"x{j}": X[:, j] for j in range(p)}, "y": y}), path, row_group_size=100_000)
    return str(path)


def cost(family: Family, path: str) -> Cost:
    """Fit once, with every pass over the rows counted, and the largest value that one gives for a block measured."""
    passes, sent = 0, 0
    saved = {kind: kind.map for kind in (FileTable, Kept)}

    def counted(original: Any, self: Any, function: Callable[[Any], Any]) -> Iterator[Any]:
        nonlocal passes, sent
        passes += 1

        def measured(block: Any) -> Any:
            nonlocal sent
            value = function(block)
            # Rows that are kept come as pairs of a block and a value; tuples of arrays are rows of a sample, bounded for all passes.
            given = value[1] if isinstance(value, tuple) and isinstance(value[0], Block) else value
            if not (isinstance(given, tuple) and isinstance(given[0], np.ndarray)):
                sent = max(sent, len(pickle.dumps(given)))
            return value

        yield from original(self, measured)

    def wrapped(original: Any) -> Any:
        return lambda self, function: counted(original, self, function)

    try:
        FileTable.map, Kept.map = wrapped(saved[FileTable]), wrapped(saved[Kept])  # type: ignore[method-assign]
        start = time.process_time()
        family.model().fit(own.open_table(path, target="y", classes=[0, 1], n_jobs=1))
        return Cost(time.process_time() - start, passes, sent)
    finally:
        for kind, original in saved.items():
            kind.map = original  # type: ignore[method-assign]


def rows_sent(path: str) -> int:
    """Return the bytes of the rows that a logistic fit brings from the workers of a cluster, all passes together."""
    from distributed import Client

    size = 0

    def counted(original: Any, tasks: Any, name: str) -> Iterator[Any]:
        nonlocal size
        for values in original(tasks, name):
            rows = [value for value in values if isinstance(value, tuple) and isinstance(value[0], np.ndarray)]
            size += sum(part.nbytes for value in rows for part in value if part is not None)
            yield values

    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        table = own.open_table(path, target="y", classes=[0, 1], cluster=client)
        table.engine.results = partial(counted, table.engine.results)
        own.LogisticRegression().fit(table)
    return size


def best(family: Family, folder: Path, shapes: list[tuple[int, int]]) -> dict[tuple[int, int], Cost]:
    """Return the least of several rounds for each shape; in every round each of them is fitted once."""
    found: dict[tuple[int, int], Cost] = {}
    for _ in range(ROUNDS):
        for n, p in shapes:
            now = cost(family, write(folder, n, p))
            if (n, p) not in found or now.seconds < found[n, p].seconds:
                found[n, p] = now
    return found


def constants(family: Family, found: dict[tuple[int, int], Cost]) -> Constants:
    """Tell what rows cost from what is there without them, by fits of few and of more rows."""
    slopes, rests, passes = [], [], 0
    for p, (few, many) in MEASURED.items():
        one, two = found[few, p], found[many, p]
        slopes.append(max(two.seconds - one.seconds, 1e-4) / (many - few) / two.passes)
        rests.append(max(one.seconds - slopes[-1] * few * one.passes, 1e-4))
        passes = max(passes, one.passes, two.passes)
    columns = np.array(list(MEASURED), dtype=float)
    c = _positive([columns**k for k in family.powers], slopes)
    return Constants(c, _positive([columns**k for k in (0, 1, 3)], rests), passes)


def _positive(powers: list[Any], seconds: list[float]) -> Any:
    """Return the coefficients that leave the smallest relative errors, none below zero."""
    A = np.column_stack(powers) / np.array(seconds)[:, None]
    found: Any = nnls(A, np.ones(len(seconds)))[0]
    return found


def predicted(family: Family, own_: Constants, n: float, p: int) -> float:
    """Return the CPU seconds of a fit."""
    rows = own_.passes * n * sum(c * float(p) ** k for c, k in zip(own_.c, family.powers))
    return float(rows + sum(d * float(p) ** k for d, k in zip(own_.d, (0, 1, 3))))


def compare(folder: Path) -> tuple[list[Row], list[str]]:
    """Return the rows of the check, and the lines of the prediction."""
    head = "| fit | passes | bytes sent per worker and pass, p = 100 and 1,000 | 1e9 × 100 | 1e10 × 1,000 | ns per row of a pass |"
    rows, lines = [], [head, "|---|---|---|---|---|---|"]
    for family in FAMILIES:
        shapes = [(n, p) for p, both in MEASURED.items() for n in both] + [(n, p) for p, n in CHECKED.items()]
        costs = best(family, folder, shapes)
        known = constants(family, costs)
        for p, n in CHECKED.items():
            found, asked = costs[n, p], predicted(family, known, n, p)
            said = f"{found.seconds:.2f} s in {found.passes} passes"
            rows.append(_row(f"{family.name}, {n:,} × {p}", said, f"predicted {asked:.2f} s", asked / found.seconds))
        asked = 8 * family.sent(p, CLASSES)
        rows.append(_row(f"{family.name}, bytes that a pass sends, p = {p}", f"{found.sent:,}", f"predicted {asked:,}", asked / found.sent))
        told = []
        for n, p in LARGE:
            wire = known.passes * 8 * family.sent(p, CLASSES) * np.ceil(np.log2(WORKERS)) / WIRE
            told.append(span(predicted(family, known, n / WORKERS, p) + wire))
        sizes = " and ".join(f"{8 * family.sent(p, CLASSES):,}" for _, p in LARGE)
        terms = " + ".join(f"{1e9 * c:.3g}{('', ' p', ' p²')[k]}" for c, k in zip(known.c, family.powers))
        lines.append(f"| {family.name} | {known.passes} | {sizes} | {told[0]} | {told[1]} | {terms} |")
    p, n = 100, CHECKED[100]
    asked, found = SAMPLE * (8 * p + 12) + TRAVELLING * 8 * p, rows_sent(write(folder, n, p))
    said = f"predicted {asked:,}: {SAMPLE:,} and {TRAVELLING:,} rows"
    rows.append(_row(f"logistic, L2, on a cluster, bytes of rows that a fit sends, p = {p}", f"{found:,}", said, asked / found))
    return rows, lines


def _row(case: str, ours: str, other: str, ratio: float) -> Row:
    return Row(case, ours, other, f"{ratio:.2f}", "0.7 to 1.3", 0.7 <= ratio <= 1.3)


def span(seconds: float) -> str:
    """Return a time in the unit people read it in."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="separatrix-bench-") as folder:
        rows, lines = compare(Path(folder))
        publish("Cost model", rows)
        print("\n".join(lines))


if __name__ == "__main__":
    main()

"""Linear discriminant analysis in DuckDB: against the sums by hand, against fetching the rows and fitting scikit-learn, and its memory.

Run it with `python -m benchmarks.bench_database [rows]`. The database is made in a temporary folder and deleted at the end.

- *sums*: SELECT of the sums of all columns: as little as any query over them can do.
- *moments by hand*: the one query that has all that the model needs, as one writes it down, raw sums and products by class. It loses digits
  where means are large, which ours does not.
- *fetched*: all rows as a pandas frame, and scikit-learn's fit of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.bench_memory import held
from benchmarks.harness import Row, publish, show
from separatrix import LinearDiscriminantAnalysis, open_table

ROWS, COLUMNS, CLASSES, ROUNDS = 10_000_000, 20, 3, 3
BUFFER = "100MB"
"""Pages that DuckDB keeps, where memory is measured: fewer than a tenth of the rows take, for it keeps whatever it has read, and memory
would grow with the table."""


def make(path: Path, rows: int) -> None:
    """Write rows whose columns lie apart by class."""
    columns = ", ".join(f"random() * {j + 1} + y * {(j * 7) % 5} AS x{j}" for j in range(COLUMNS))
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"SELECT setseed(0.5); CREATE TABLE t AS SELECT {columns}, y FROM (SELECT i % {CLASSES} AS y FROM range({rows}) r(i))"
        )


def by_hand() -> str:
    """Return the query of raw sums and products by class."""
    names = [f"x{j}" for j in range(COLUMNS)]
    products = [f"sum({a} * {b})" for i, a in enumerate(names) for b in names[i:]]
    return f"SELECT y, count(*), {', '.join(f'sum({a})' for a in names)}, {', '.join(products)} FROM t GROUP BY y"


def fetched(connection: Any) -> Any:
    """Fit scikit-learn's model on all rows, as a frame."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

    frame = connection.execute("SELECT * FROM t").df()
    return Theirs().fit(frame.drop(columns="y"), frame["y"])


def ours(connection: Any) -> Any:
    """Fit our model where the rows are."""
    return LinearDiscriminantAnalysis().fit(open_table(connection, "SELECT * FROM t", target="y"))


def memory(path: Path, kind: str = "ours") -> float:
    """Return the peak of a fit, or of the query by hand, in a process of its own, in bytes above what was held before."""
    command = [sys.executable, "-m", "benchmarks.bench_database", kind, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def memory_here(kind: str, path: str) -> float:
    """Fit once, or ask by hand, in this process; imports and the first query of a small table have gone before."""
    small = duckdb.connect()
    small.execute("CREATE TABLE t AS SELECT i % 2 AS y, random() AS x0, random() AS x1 FROM range(100) r(i)")
    ours(small)
    connection = duckdb.connect(path, read_only=True)
    connection.execute(f"SET memory_limit = '{BUFFER}'")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = held("VmRSS")
    if kind == "ours":
        ours(connection)
    else:
        connection.execute(by_hand()).fetchall()
    return held("VmHWM") - before


@dataclass
class Timed:
    """A contestant: its best seconds by the clock, and the CPU's of all threads, which other work on the machine hardly touches."""

    name: str
    run: Callable[[], Any]
    wall: float = float("inf")
    cpu: float = float("inf")

    def once(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.run()
        self.wall, self.cpu = min(self.wall, time.perf_counter() - wall), min(self.cpu, time.process_time() - cpu)

    def __str__(self) -> str:
        return f"{self.name}: {show(self.wall)}, CPU {show(self.cpu)}"


def compare(folder: Path, rows: int) -> list[Row]:
    """Return the rows of the table."""
    large, small = folder / "large.duckdb", folder / "small.duckdb"
    make(large, rows)
    make(small, rows // 10)
    connection = duckdb.connect(str(large), read_only=True)
    query = f"SELECT {', '.join(f'sum(x{j})' for j in range(COLUMNS))} FROM t"
    mine = Timed("ours", lambda: ours(connection))
    sums = Timed("sums of all columns", lambda: connection.execute(query).fetchall())
    hand = Timed("moments by hand", lambda: connection.execute(by_hand()).fetchall())
    theirs = Timed("fetched into pandas, scikit-learn", lambda: fetched(connection))
    for _ in range(ROUNDS):
        for one in (mine, sums, hand, mine):
            one.once()
    theirs.once()
    case, said = f"LDA, {rows:,} × {COLUMNS}, in DuckDB", f"{show(mine.wall)}, CPU {show(mine.cpu)}"
    found = []
    for peer, asked in ((sums, 15.0), (hand, 1.2)):
        wall, cpu = mine.wall / peer.wall, mine.cpu / peer.cpu
        found.append(Row(case, said, str(peer), f"{wall:.2f} times, CPU {cpu:.2f} times", f"≤ {asked:g} times", wall <= asked))
    wall, cpu = theirs.wall / mine.wall, theirs.cpu / mine.cpu
    found.append(Row(case, said, str(theirs), f"{wall:.2f}×, CPU {cpu:.2f}×", "aim 5×", wall >= 5.0))
    peak, tenth, alone = memory(large), memory(small), memory(large, "hand")
    mega = [f"{size / 1e6:.0f} MB" for size in (peak, tenth, alone)]
    said = f"its memory, DuckDB's buffers at most {BUFFER}"
    told = f"a tenth of the rows: {mega[1]}; the query by hand: {mega[2]}"
    return [*found, Row(said, mega[0], told, f"{peak / tenth:.2f} times", "flat", peak <= 1.2 * tenth)]


def main(rows: int = ROWS) -> None:
    with tempfile.TemporaryDirectory(prefix="separatrix-bench-") as folder:
        publish("Database", compare(Path(folder), rows))


if __name__ == "__main__":
    if sys.argv[1:2] in (["ours"], ["hand"]):
        print(json.dumps(memory_here(sys.argv[1], sys.argv[2])))
    else:
        main(*map(int, sys.argv[1:]))

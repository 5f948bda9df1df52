"""The command line: how soon it answers, and `predict` from Parquet to Parquet beside a bare decode and a loop of pandas and scikit-learn.

Run it with `python -m benchmarks cli`. The file (5,000,000 × 20 numbers, 800 MB) is made in a temporary folder and deleted at the end;
SEPARATRIX_BENCH_FOLDER=/some/folder keeps it. All contestants of the race run in one process, in turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Peer, Row, publish, race, show

ROWS, COLUMNS, GROUP = 5_000_000, 20, 500_000
BATCH = 65_536
LATENCIES = {"--help": 0.3, "rules SPX011": 0.5, "look small.csv": 0.5, "predict table.sptx small.csv": 0.5}
"""Seconds until the first line of a command is there."""
SAYS = {"compare small.csv --target y --folds 3 --models LDA": 0.5, "explain table.sptx small.csv --row 0": 0.5}
"""Seconds until others say what they are doing."""
MEMORY = 150e6
CHILD = """
import sys
from pathlib import Path
from separatrix.cli.program import run
import separatrix.artifacts.contents, separatrix.artifacts.scoring, separatrix.data.files.table_writer, separatrix.cli.predict
def held(field):
    return next(1024 * int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
before = held("VmRSS")
assert run(["predict", *sys.argv[1:], "-q"]) == 0
print(held("VmHWM") - before)
"""


def make_files(folder: Path) -> None:
    """Write the rows to be scored, a small table, and two stored models: one of numbers, and one of a table as `fit` stores it."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    from separatrix import LinearDiscriminantAnalysis, TableClassifier, save

    rng, names = np.random.default_rng(0), [f"x{j}" for j in range(COLUMNS)]
    small = pd.DataFrame(rng.normal(size=(2_000, COLUMNS)), columns=names)
    labels = np.where(small["x0"] + small["x1"] + rng.normal(size=2_000) > 0, "yes", "no")
    small.assign(y=labels).to_csv(folder / "small.csv", index=False)
    save(LinearDiscriminantAnalysis().fit(small, labels), folder / "numbers.sptx")
    save(TableClassifier(LinearDiscriminantAnalysis(), target="y").fit(small, labels), folder / "table.sptx")
    if (folder / "rows.parquet").exists():
        return
    with pq.ParquetWriter(folder / "unfinished.parquet", pa.schema([(name, pa.float64()) for name in names])) as writer:
        for _ in range(ROWS // GROUP):
            writer.write_table(pa.table(dict(zip(names, rng.normal(size=(COLUMNS, GROUP)), strict=True))))
    (folder / "unfinished.parquet").rename(folder / "rows.parquet")


def decode(folder: Path) -> Callable[[], None]:
    """Return the bare decode of all columns, batch by batch, as pyarrow does it by default."""
    import pyarrow.parquet as pq

    def run() -> None:
        with pq.ParquetFile(folder / "rows.parquet") as file:
            for _ in file.iter_batches(BATCH):
                pass

    return run


def pandas_loop(folder: Path) -> Callable[[], None]:
    """Return what one would write by hand: batches as frames, predict_proba of scikit-learn, label and posterior written as they come."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    small = pd.read_csv(folder / "small.csv")
    model = LinearDiscriminantAnalysis().fit(small.drop(columns="y"), small["y"])

    def run() -> None:
        writer = None
        with pq.ParquetFile(folder / "rows.parquet") as file:
            for batch in file.iter_batches(BATCH):
                posteriors = model.predict_proba(batch.to_pandas())
                labels = model.classes_[posteriors.argmax(axis=1)]
                table = pa.table({"label": labels, "p_no": posteriors[:, 0], "p_yes": posteriors[:, 1]})
                writer = writer or pq.ParquetWriter(folder / "theirs.parquet", table.schema)
                writer.write_table(table)
        if writer is not None:
            writer.close()

    return run


def ours(folder: Path, model: str) -> Callable[[], None]:
    """Return the command itself, run in this process."""
    from separatrix.cli.program import run

    words = ["predict", str(folder / model), str(folder / "rows.parquet"), "-o", str(folder / "ours.parquet"), "-q"]

    def command() -> None:
        assert run(words) == 0

    return command


def memory(folder: Path, model: str) -> Row:
    """Return the most memory of a command above its process after imports."""
    words = [str(folder / model), str(folder / "rows.parquet"), "-o", str(folder / "ours.parquet")]
    done = subprocess.run([sys.executable, "-c", CHILD, *words], capture_output=True, text=True, check=True)
    peak = float(done.stdout)
    return Row(f"predict {model}, memory above imports", f"{peak / 1e6:.0f} MB", "", "", f"≤ {MEMORY / 1e6:.0f} MB", peak <= MEMORY)


def latency(folder: Path, words: str, asked: float, stream: str, rounds: int = 7) -> Row:
    """Return the seconds until a command, with everything cached, has written its first line."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        command = [sys.executable, "-m", "separatrix", *words.split()]
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE}
        with subprocess.Popen(command, cwd=folder, **pipes) as process:
            getattr(process, stream).readline()
            best = min(best, time.perf_counter() - start)
            process.kill()
    return Row(f"separatrix {words}: first line on {stream}", show(best), "", "", f"≤ {asked:g} s", best <= asked)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(os.environ.get("SEPARATRIX_BENCH_FOLDER", made))
        make_files(folder)
        rows = [latency(folder, words, asked, "stdout") for words, asked in LATENCIES.items()]
        rows += [latency(folder, words, asked, "stderr") for words, asked in SAYS.items()]
        for model in ("numbers.sptx", "table.sptx"):
            peers = [Peer("bare pyarrow decode", decode(folder)), Peer("pandas + scikit-learn", pandas_loop(folder))]
            asked = {"bare pyarrow decode": 0.5, "pandas + scikit-learn": 1.5}
            rows += race(f"predict {model}, Parquet to Parquet, 5,000,000 × 20", ours(folder, model), peers, asked, rounds=3)
            rows.append(memory(folder, model))
        publish("The command line", rows)


if __name__ == "__main__":
    main()

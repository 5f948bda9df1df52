"""A model as SQL beside a bare read of the same columns: `python -m benchmarks export`.

A logistic regression of a table of 100 columns with gaps scores 1,000,000 rows in DuckDB; the peer is SELECT sum(c0), sum(c1), …, which
reads the same columns and does nothing else. Both run in turn, on one thread and on two, from a database file, from Parquet and from
memory, with gaps in a fifth of the columns and in all of them; times are those of the processor, so that other work on the machine does
not count.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from separatrix import LogisticRegression, TableClassifier, to_sql

ROWS, COLUMNS, GAPS, REPEATS = 1_000_000, 100, 0.05, 3


def model() -> TableClassifier:
    rng = np.random.default_rng(0)
    names = [f"c{j}" for j in range(COLUMNS)]
    X = pd.DataFrame(np.where(rng.random((4_000, COLUMNS)) < GAPS, np.nan, 100.0 * rng.random((4_000, COLUMNS))), columns=names)
    score = np.nan_to_num(X.to_numpy() - 50.0) @ rng.normal(size=COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TableClassifier(LogisticRegression(C=0.001)).fit(X, (score + 30.0 * rng.normal(size=4_000) > 0).astype(int))


def best_of(connection: duckdb.DuckDBPyConnection, queries: dict[str, str]) -> dict[str, float]:
    best = dict.fromkeys(queries, np.inf)
    for _ in range(REPEATS):
        for name, query in queries.items():
            start = time.process_time()
            connection.execute(query).fetchall()
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    fitted = model()
    scored = f"SELECT count(label), sum(p_1) FROM ({to_sql(fitted, 'duckdb')})"
    sums = f"SELECT {', '.join(f'sum(c{j})' for j in range(COLUMNS))} FROM rows"
    for gappy in (COLUMNS // 5, COLUMNS):
        with tempfile.TemporaryDirectory() as folder:
            for where in ("file", "parquet", "memory"):
                connection = _rows(where, Path(folder), gappy)
                for threads in (1, 2):
                    connection.execute(f"PRAGMA threads={threads}")
                    best = best_of(connection, {"sums": sums, "scored": scored})
                    times = f"sums {best['sums']:.3f} s, scored {best['scored']:.3f} s, ratio {best['scored'] / best['sums']:.2f}"
                    print(f"gaps in {gappy:3} columns, {where:8} {threads} threads: {times}", flush=True)
                connection.close()


def _rows(where: str, folder: Path, gappy: int) -> duckdb.DuckDBPyConnection:
    """Return a connection to the same rows in a database file, in Parquet or in memory."""
    stored = str(folder / "rows.db")
    connection = duckdb.connect(stored if where == "file" else ":memory:")
    if where == "file":
        gaps = [f"CASE WHEN random() < {GAPS} THEN NULL ELSE 100 * random() END AS c{j}" for j in range(gappy)]
        full = [f"100 * random() AS c{j}" for j in range(gappy, COLUMNS)]
        connection.execute(f"CREATE TABLE rows AS SELECT {', '.join(gaps + full)} FROM range({ROWS})")
        connection.execute("CHECKPOINT")
        return connection
    connection.execute(f"ATTACH '{stored}' AS kept (READ_ONLY)")
    if where == "memory":
        connection.execute("CREATE TABLE rows AS SELECT * FROM kept.rows")
    else:
        connection.execute(f"COPY kept.rows TO '{folder / 'rows.parquet'}'")
        connection.execute(f"CREATE VIEW rows AS SELECT * FROM '{folder / 'rows.parquet'}'")
    return connection


if __name__ == "__main__":
    main()

"""Hostile files: each maker writes one into a folder and returns what is passed as its path."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

FileMaker = Callable[[np.random.Generator, Path, pa.Table], Any]


def csv_text(table: pa.Table) -> str:
    rows = zip(*(column.to_pylist() for column in table.columns))
    return "\n".join([",".join(table.column_names), *(",".join("" if v is None else str(v) for v in row) for row in rows)]) + "\n"


def csv(change: Callable[[str], bytes], name: str = "rows.csv") -> FileMaker:
    """Write the table as text, changed."""

    def make(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
        Path(folder, name).write_bytes(change(csv_text(table)))
        return str(folder / name)

    return make


def parquet(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
    pq.write_table(table, folder / "rows.parquet", row_group_size=int(rng.choice([1, 5, 1000])))
    return str(folder / "rows.parquet")


def arrow(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
    feather.write_feather(table, str(folder / "rows.arrow"), compression="uncompressed")
    return str(folder / "rows.arrow")


def with_columns(make: FileMaker, **columns: Any) -> FileMaker:
    """Replace or add columns, made from the number of rows, before the file is written."""

    def changed(rng: np.random.Generator, folder: Path, table: pa.Table) -> Any:
        for name, values in columns.items():
            table = table.drop_columns([name]) if name in table.column_names else table
            table = table.append_column(name, values(len(table)))
        return make(rng, folder, table)

    return changed


def damaged(make: FileMaker, how: str) -> FileMaker:
    """Damage a file after it was written: cut off, or some bytes overwritten."""

    def changed(rng: np.random.Generator, folder: Path, table: pa.Table) -> Any:
        path = make(rng, folder, table)
        content = bytearray(Path(path).read_bytes())
        if how == "cut":
            content = content[: int(rng.integers(len(content)))]
        for _ in range(3 if how == "bytes" else 0):
            content[rng.integers(len(content))] = rng.integers(256)
        Path(path).write_bytes(content)
        return path

    return changed


def beside(other: FileMaker) -> FileMaker:
    """A folder with a good file and another one."""

    def make(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
        pq.write_table(table, folder / "good.parquet")
        other(rng, folder, table)
        return str(folder)

    return make


def named(name: Any) -> FileMaker:
    return lambda rng, folder, table: name


def linked(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
    os.symlink(folder / "b.csv", folder / "a.csv")
    os.symlink(folder / "a.csv", folder / "b.csv")
    return str(folder / "a.csv")


def fifo(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
    os.mkfifo(folder / "rows.csv")
    return str(folder / "rows.csv")


def locked(rng: np.random.Generator, folder: Path, table: pa.Table) -> str:
    path = parquet(rng, folder, table)
    Path(path).chmod(0)
    return path


FILES: dict[str, FileMaker] = {
    "csv": csv(str.encode),
    "csv, Latin-1": csv(lambda text: text.replace("x0", "größe").encode("latin-1")),
    "csv, UTF-16": csv(lambda text: text.encode("utf-16")),
    "csv, byte-order mark": csv(lambda text: text.encode("utf-8-sig")),
    "csv, header only": csv(lambda text: text.splitlines()[0].encode()),
    "csv, empty": csv(lambda text: b""),
    "csv, blank lines": csv(lambda text: b"\n\n\n"),
    "csv, NUL bytes": csv(lambda text: text.encode().replace(b"\n", b"\0\n")),
    "csv, ragged": csv(lambda text: (text + "1,2\n").encode()),
    "csv, open quote": csv(lambda text: (text + '"1,2\n').encode()),
    "csv, semicolons": csv(lambda text: text.replace(",", ";").encode()),
    "csv, equal names": csv(lambda text: text.replace("x1", "x0", 1).encode()),
    "csv, text among numbers": csv(lambda text: (text + "Ulm" + "," * text.splitlines()[0].count(",") + "\n").encode()),
    "csv, huge numbers": csv(lambda text: text.replace("0.", "9" * 400 + ".").encode()),
    "csv, old Mac lines": csv(lambda text: text.replace("\n", "\r").encode()),
    "csv.gz": csv(lambda text: gzip.compress(text.encode()), "rows.csv.gz"),
    "csv.gz that is none": csv(str.encode, "rows.csv.gz"),
    "csv called parquet": csv(str.encode, "rows.parquet"),
    "csv called arrow": csv(str.encode, "rows.arrow"),
    "csv, unknown ending": csv(str.encode, "rows.xlsx"),
    "parquet": parquet,
    "parquet, no rows": lambda rng, folder, table: parquet(rng, folder, table.slice(0, 0)),
    "parquet, cut": damaged(parquet, "cut"),
    "parquet, wrong bytes": damaged(parquet, "bytes"),
    "parquet, NaN": with_columns(parquet, x0=lambda n: pa.array(np.full(n, np.nan))),
    "parquet, nulls": with_columns(parquet, x0=lambda n: pa.nulls(n)),
    "parquet, missing labels": with_columns(parquet, y=lambda n: pa.array([None] * n, type=pa.int64())),
    "parquet, float labels": with_columns(parquet, y=lambda n: pa.array(np.arange(n) / 2)),
    "parquet, lists": with_columns(parquet, x0=lambda n: pa.array([[1.0]] * n)),
    "parquet, text": with_columns(parquet, x0=lambda n: pa.array(["Ulm"] * n)),
    "parquet, dates": with_columns(parquet, x0=lambda n: pa.array(np.full(n, np.datetime64("2020-01-01")))),
    "parquet, negative weights": with_columns(parquet, w=lambda n: pa.array(-np.ones(n))),
    "parquet, text as weights": with_columns(parquet, w=lambda n: pa.array(["1"] * n)),
    "parquet, 1e300": with_columns(parquet, x0=lambda n: pa.array(np.full(n, 1e300))),
    "arrow": arrow,
    "arrow, no rows": lambda rng, folder, table: arrow(rng, folder, table.slice(0, 0)),
    "arrow, text labels": with_columns(arrow, y=lambda n: pa.array(["a", "b"] * n)[:n]),
    "arrow, wrong bytes, text labels": damaged(with_columns(arrow, y=lambda n: pa.array(["a", "b"] * n)[:n].dictionary_encode()), "bytes"),
    "arrow, cut": damaged(arrow, "cut"),
    "arrow, wrong bytes": damaged(arrow, "bytes"),
    "folder, other kinds": beside(csv(str.encode)),
    "folder, other columns": beside(lambda rng, folder, table: parquet(rng, folder, table.drop_columns(["x0"]))),
    "folder, other types": beside(with_columns(parquet, x0=lambda n: pa.array(["Ulm"] * n))),
    "folder, broken file": beside(damaged(parquet, "bytes")),
    "folder, empty": lambda rng, folder, table: str(folder),
    "links in a circle": linked,
    "a FIFO": fifo,
    "not to be read": locked,
    "a device": named("/dev/null"),
    "no such file": named("nowhere/rows.csv"),
    "too long a name": named("a" * 5000 + ".csv"),
    "NUL in the name": named("a\0.csv"),
    "broken glob": named("[*.csv"),
    "empty name": named(""),
    "an empty list": named([]),
    "a list of None": named([None]),
    "None": named(None),
    "a number": named(3),
    "bytes": named(b"rows.csv"),
    "a dict": named({"a": 1}),
    "an array": named(np.zeros(3)),
}

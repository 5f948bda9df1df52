"""Hostile frames (pandas, polars, Arrow) and sparse forms, made from an array of rows or of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

from .values import Maker


def names(good: Any) -> list[str]:
    return [f"x{j}" for j in range(good.shape[1])]


def frame(good: Any, **columns: Any) -> pd.DataFrame:
    """A frame of the rows, with some columns replaced."""
    made = pd.DataFrame(good, columns=names(good))
    for name, values in columns.items():
        made[name] = values
    return made


def holed(rng: np.random.Generator, good: Any) -> list[float | None]:
    return [None if rng.random() < 0.2 else v for v in good[:, 0].tolist()]


def broken(change: str) -> Maker:
    """A CSR matrix whose arrays do not fit together."""

    def make(rng: np.random.Generator, good: Any) -> Any:
        X = sp.csr_array(good)
        if change == "order":
            X.indices[:] = X.indices[::-1].copy()
            X.has_sorted_indices = False
        elif change == "indptr":
            X.indptr[-1] += 5
        elif change == "falling indptr" and len(X.indptr) > 2:
            X.indptr[1] = X.indptr[2] + 1
        elif change == "short data":
            X.data = X.data[:-1]
        elif X.nnz:
            X.indices[rng.integers(X.nnz)] = {"99": 99, "1e9": 10**9, "-1": -1}.get(change, 0)
        return X

    return make


def damaged(form: str) -> Maker:
    """Another sparse form whose parts do not fit together."""

    def make(rng: np.random.Generator, good: Any) -> Any:
        X = sp.csr_array(good).asformat(form)
        if form == "coo":
            X.coords[int(rng.integers(2))][0] = int(rng.choice([-1, 99, 10**9]))
        elif form in ("csc", "bsr"):
            X.indices[0] = int(rng.choice([-1, 99, 10**9]))
        elif form == "dia":
            X.offsets = X.offsets[:-1]
        elif form == "lil":
            X.rows[0].append(int(rng.choice([-1, 0, 99])))
        elif form == "dok":
            X._dict[(99, 0)] = 1.0
        return X

    return make


def renamed(*new: Any) -> Maker:
    return lambda rng, good: frame(good).set_axis([new[j % len(new)] for j in range(good.shape[1])], axis=1)


def arrow(good: Any) -> pa.Table:
    return pa.table({name: good[:, j] for j, name in enumerate(names(good))})


SPARSE: dict[str, Maker] = {
    **{form: lambda rng, good, form=form: sp.csr_array(good).asformat(form) for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")},
    "csr_matrix": lambda rng, good: sp.csr_matrix(good),
    "csr of float32": lambda rng, good: sp.csr_array(good.astype("float32")),
    "csr of int8": lambda rng, good: sp.csr_array(np.round(good).astype("int8")),
    "csr of bool": lambda rng, good: sp.csr_array(good > 0),
    "csr of complex": lambda rng, good: sp.csr_array(good + 1j),
    "csr of longdouble": lambda rng, good: sp.csr_array(good.astype("longdouble")),
    "csr of nothing": lambda rng, good: sp.csr_array(good.shape),
    "csr without columns": lambda rng, good: sp.csr_array((len(good), 0)),
    "csr with NaN": lambda rng, good: sp.csr_array(np.where(rng.random(good.shape) < 0.2, np.nan, good)),
    "csr with 1e300": lambda rng, good: sp.csr_array(np.where(rng.random(good.shape) < 0.2, 1e300, good)),
    "csr with zeros kept": lambda rng, good: sp.csr_array((np.zeros(good.size), np.indices(good.shape).reshape(2, -1)), shape=good.shape),
    "csr with repeated entries": lambda rng, good: sp.csr_array(
        (np.tile(good[:, 0], 2), np.tile(np.zeros(len(good), int), 2), np.arange(0, 2 * len(good) + 1, 2)), shape=good.shape
    ),
    "csr with indices of 64 bits": lambda rng, good: _wide(sp.csr_array(good)),
    "sparse of one dimension": lambda rng, good: sp.coo_array(good[:, 0]),
    **{f"csr with index {change}": broken(change) for change in ("99", "1e9", "-1")},
    **{f"{form}, damaged": damaged(form) for form in ("coo", "csc", "bsr", "dia", "lil", "dok")},
    **{f"csr with wrong {change}": broken(change) for change in ("order", "indptr", "falling indptr", "short data")},
}


def _wide(X: Any) -> Any:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


FRAMES: dict[str, Maker] = {
    "pandas": lambda rng, good: frame(good),
    "pandas, other names": lambda rng, good: frame(good).add_prefix("other_"),
    "pandas, names in another order": lambda rng, good: frame(good).iloc[:, ::-1],
    "pandas, numbers as names": lambda rng, good: pd.DataFrame(good),
    "pandas, mixed names": renamed("a", 1),
    "pandas, equal names": renamed("a"),
    "pandas, None as name": renamed(None),
    "pandas, tuples as names": renamed(("a", 1), ("a", 2), ("b", 1)),
    "pandas, odd names": renamed("", " ", "ü 🙂", "a\nb", "y", "{x}", "%s"),
    "pandas, NaN as name": renamed(float("nan"), "a"),
    "pandas, levels of names": lambda rng, good: pd.DataFrame(good, columns=pd.MultiIndex.from_product([["a"], range(good.shape[1])])),
    "pandas, levels of rows": lambda rng, good: frame(good).set_axis(pd.MultiIndex.from_product([["a"], range(len(good))])),
    "pandas, differences of time": lambda rng, good: frame(good, x0=pd.Timedelta(days=1)),
    "pandas, text": lambda rng, good: frame(good, x0="Ulm"),
    "pandas, text of numbers": lambda rng, good: frame(good, x0="1.5"),
    "pandas, categories": lambda rng, good: frame(good, x0=pd.Categorical(["a", "b"] * len(good))[: len(good)]),
    "pandas, dates": lambda rng, good: frame(good, x0=pd.Timestamp("2020-01-01")),
    "pandas, objects of numbers": lambda rng, good: frame(good).astype(object),
    "pandas, objects with None": lambda rng, good: frame(good, x0=pd.Series(holed(rng, good), dtype=object)),
    "pandas, a dict": lambda rng, good: frame(good, x0=[{}] * len(good)),
    "pandas, too large an integer": lambda rng, good: frame(good, x0=pd.Series([10**400] * len(good), dtype=object)),
    "pandas, nullable with holes": lambda rng, good: frame(good, x0=pd.array(holed(rng, good), dtype="Float64")),
    "pandas, nullable": lambda rng, good: frame(np.round(good)).astype("Int64"),
    "pandas, Arrow types": lambda rng, good: frame(good).astype("float64[pyarrow]"),
    "pandas, sparse": lambda rng, good: frame(good).astype(pd.SparseDtype("float64", 0.0)),
    "pandas, bool": lambda rng, good: frame(good > 0),
    "pandas, complex": lambda rng, good: frame(good, x0=1j),
    "pandas, NaN": lambda rng, good: frame(np.where(rng.random(good.shape) < 0.2, np.nan, good)),
    "pandas, 1e300": lambda rng, good: frame(good, x0=1e300),
    "pandas, no rows": lambda rng, good: frame(good).iloc[:0],
    "pandas, no columns": lambda rng, good: frame(good).iloc[:, :0],
    "pandas, equal index": lambda rng, good: frame(good).set_axis([0] * len(good)),
    "pandas, Series": lambda rng, good: pd.Series(good[:, 0]),
    "polars": lambda rng, good: pl.DataFrame(good, schema=names(good)),
    "polars, holes": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(
        x0=pl.Series(holed(rng, good), dtype=pl.Float64)
    ),
    "polars, text": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.lit("Ulm")),
    "polars, nulls only": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=None),
    "polars, lists": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.Series([[1.0]] * len(good))),
    "polars, decimals": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.lit("1.25").cast(pl.Decimal(10, 2))),
    "polars, categories": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.lit("a").cast(pl.Categorical)),
    "polars, dates": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.date(2020, 1, 1)),
    "polars, UInt64": lambda rng, good: pl.DataFrame(good, schema=names(good)).with_columns(x0=pl.lit(2**64 - 1, dtype=pl.UInt64)),
    "polars, lazy": lambda rng, good: pl.DataFrame(good, schema=names(good)).lazy(),
    "polars, no rows": lambda rng, good: pl.DataFrame(good, schema=names(good)).head(0),
    "polars, odd names": lambda rng, good: pl.DataFrame(good, schema=["", " ", "a\nb", *names(good)][: good.shape[1]]),
    "polars, NaN": lambda rng, good: pl.DataFrame(np.where(rng.random(good.shape) < 0.2, np.nan, good), schema=names(good)),
    "polars, Series": lambda rng, good: pl.Series(good[:, 0]),
    "Arrow": lambda rng, good: arrow(good),
    "Arrow, chunks": lambda rng, good: pa.concat_tables([arrow(good[:1]), arrow(good[1:])]),
    "Arrow, holes": lambda rng, good: arrow(good).set_column(0, "x0", pa.array(holed(rng, good), type=pa.float64())),
    "Arrow, text": lambda rng, good: arrow(good).set_column(0, "x0", pa.array(["Ulm"] * len(good))),
    "Arrow, dictionary": lambda rng, good: arrow(good).set_column(0, "x0", pa.array(["Ulm"] * len(good)).dictionary_encode()),
    "Arrow, nulls only": lambda rng, good: arrow(good).set_column(0, "x0", pa.nulls(len(good))),
    "Arrow, equal names": lambda rng, good: arrow(good).rename_columns(["a"] * good.shape[1]),
    "Arrow, half floats": lambda rng, good: arrow(good).set_column(0, "x0", pa.array(good[:, 0].astype("float16"))),
    "Arrow, a record batch": lambda rng, good: pa.record_batch(list(good.T), names=names(good)),
    "Arrow, odd names": lambda rng, good: arrow(good).rename_columns(["", " ", "a\nb", *names(good)][: good.shape[1]]),
    "Arrow, no rows": lambda rng, good: arrow(good).slice(0, 0),
    "Arrow, no columns": lambda rng, good: arrow(good).select([]),
    "Arrow, bool": lambda rng, good: arrow(good).set_column(0, "x0", pa.array(good[:, 0] > 0)),
    "Arrow, uint64": lambda rng, good: arrow(good).set_column(0, "x0", pa.array([2**64 - 1] * len(good), type=pa.uint64())),
    "Arrow, an array": lambda rng, good: pa.array(good[:, 0]),
}

COLUMNS: dict[str, Maker] = {
    "pandas": lambda rng, good: pd.Series(good),
    "pandas, text": lambda rng, good: pd.Series(np.asarray(good).astype(str)),
    "pandas, categories": lambda rng, good: pd.Series(good, dtype="category"),
    "pandas, unused category": lambda rng, good: pd.Series(pd.Categorical(good, categories=[*np.unique(good).tolist(), "never"])),
    "pandas, hole": lambda rng, good: pd.Series([None, *np.asarray(good).tolist()[1:]]),
    "pandas, nullable": lambda rng, good: pd.Series(good).convert_dtypes(),
    "pandas, a frame": lambda rng, good: pd.DataFrame({"y": good}),
    "pandas, dates": lambda rng, good: pd.Series(
        pd.Timestamp("2020-01-01") + pd.to_timedelta(np.unique(good, return_inverse=True)[1], "D")
    ),
    "pandas, index of its own": lambda rng, good: pd.Series(good, index=np.arange(len(good))[::-1]),
    "pandas, nullable with holes": lambda rng, good: pd.Series([pd.NA, *np.asarray(good).tolist()[1:]]).convert_dtypes(),
    "polars, lazy": lambda rng, good: pl.DataFrame({"y": np.asarray(good).tolist()}).lazy(),
    "pandas, an index": lambda rng, good: pd.Index(good),
    "polars": lambda rng, good: pl.Series(np.asarray(good).tolist()),
    "polars, categories": lambda rng, good: pl.Series(np.asarray(good).astype(str).tolist()).cast(pl.Categorical),
    "polars, hole": lambda rng, good: pl.Series([None, *np.asarray(good).tolist()[1:]]),
    "Arrow": lambda rng, good: pa.array(np.asarray(good).tolist()),
    "Arrow, chunks": lambda rng, good: pa.chunked_array([np.asarray(good).tolist()[:1], np.asarray(good).tolist()[1:]]),
    "Arrow, dictionary": lambda rng, good: pa.array(np.asarray(good).astype(str).tolist()).dictionary_encode(),
    "Arrow, hole": lambda rng, good: pa.array([None, *np.asarray(good).tolist()[1:]]),
    "sparse": lambda rng, good: sp.csr_array(np.ones((len(good), 1))),
}
"""Labels, weights and groups as columns of a frame."""

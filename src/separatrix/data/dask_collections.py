"""Dask frames and arrays as tables: which columns they have, and the tasks that give their partitions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError, short_text
from .cluster_table import ClusterTable, Engine
from .features import choose_features, require_column, require_name
from .partitions import ArrayLoader, FrameLoader


def table_of(engine: Engine, data: Any, target: Any, columns: Sequence[str] | None, weight: Any) -> ClusterTable:
    """Return a Dask frame or array as a table, see `open_cluster`."""
    shape = getattr(data, "shape", None)
    dimensions = len(shape) if isinstance(shape, tuple) else 0
    if dimensions == 2 and hasattr(data, "chunks"):
        if columns is not None:
            raise InputError(f"columns={short_text(columns)} names columns, and an array has no names; take columns of it: X[:, [0, 2]].")
        return _of_array(engine, data, target, weight)
    if dimensions == 2 and hasattr(data, "columns"):
        return _of_frame(engine, data, target, columns, weight)
    raise InputTypeError(
        f"A Dask frame or an array of two dimensions is needed, not {short_text(data)}; such as bag.to_dataframe(), series.to_frame() or "
        "dask.dataframe.from_delayed([rows])."
    )


def _of_frame(engine: Engine, frame: Any, target: Any, columns: Sequence[str] | None, weight: Any) -> ClusterTable:
    require_name("target", target)
    require_name("weight", weight)
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"The Dask frame has several columns named {twice!r}; give each a name of its own: frame.columns = […].")
    if names != list(frame.columns):
        frame = frame.rename(columns=dict(zip(frame.columns, names, strict=True)))
    kinds = {name: _kind(frame.dtypes[name]) for name in names}
    features = choose_features(kinds, columns, target, weight)
    used = [*features, *(name for name in (target, weight) if name is not None)]
    table = ClusterTable(engine, frame[used].to_delayed(), FrameLoader(features, target, weight))
    table.label_parts = table.parts if target is None else frame[[target]].to_delayed()
    table.kinds = kinds
    table.column_parts = partial(_column_parts, frame)
    table.n_features, table.feature_names, table.is_labelled = len(features), features, target is not None
    table.origin = ("dask", str(frame.__dask_tokenize__() if hasattr(frame, "__dask_tokenize__") else id(frame)), target, weight)
    return table


def _column_parts(frame: Any, name: str) -> list[Any]:
    require_column("key", name, frame.columns)
    parts: list[Any] = frame[[name]].to_delayed()
    return parts


def _kind(dtype: Any) -> str:
    """Return what a column holds, by its type; types of pandas' own have that of numpy beside them."""
    plain = getattr(dtype, "numpy_dtype", dtype)
    if isinstance(plain, np.dtype) and plain.kind in "biuf":
        return "number"
    return "date" if str(dtype).startswith("datetime64") else "text"


def _of_array(engine: Engine, X: Any, target: Any, weight: Any) -> ClusterTable:
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    rows = X.to_delayed().ravel()
    columns = [_aligned(name, given, X) for name, given in (("target", target), ("weight", weight))]
    parts = [engine.later(tuple, [*each]) for each in zip(rows, *columns, strict=True)]
    table = ClusterTable(engine, parts, ArrayLoader())
    table.n_features, table.is_labelled = int(X.shape[1]), target is not None
    table.origin = ("dask", X.name)
    return table


def _aligned(name: str, given: Any, X: Any) -> list[Any]:
    """Return the labels or weights of each partition of an array."""
    if given is None:
        return [None] * int(X.numblocks[0])
    if isinstance(given, str):
        raise InputTypeError(f"{name}={given!r} names a column, but an array has no names; pass a Dask array with one value per row.")
    if not (hasattr(given, "__dask_graph__") and hasattr(given, "numblocks")):
        raise InputTypeError(
            f"{name} must be a Dask array with one value per row of X; make one: dask.array.from_array(y, X.chunks[0]), or "
            "series.to_dask_array(lengths=True)."
        )
    if given.ndim != 1:
        raise InputError(f"{name} is an array of {given.ndim} dimensions; give one value per row: {name}=y.ravel().")
    if not np.isnan(X.shape[0]) and not np.isnan(given.shape[0]) and given.shape[0] != X.shape[0]:
        raise InputError(f"{name} has {given.shape[0]} values and X {X.shape[0]} rows; give one value per row.")
    if not np.isnan(X.shape[0]) and not np.isnan(given.shape[0]) and given.chunks[0] != X.chunks[0]:
        given = given.rechunk({0: X.chunks[0]})
    if given.numblocks[0] != X.numblocks[0]:
        raise InputError(
            f"{name} has {given.numblocks[0]} partitions and X {X.numblocks[0]}; give both the same, by compute_chunk_sizes()."
        )
    return list(given.to_delayed().ravel())

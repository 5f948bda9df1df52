"""Which rows of files are read: `where` as tuples, the row groups that can hold such rows, and the columns that folders name.

    where=[("year", ">=", 2023), ("town", "in", ["Ulm", "Rom"])]            both must hold
    where=[[("year", "=", 2024)], [("town", "=", "Ulm")]]                   one of these lists must hold

as pyarrow and pandas have it. The smallest and largest values that Parquet keeps of each row group, and the names of folders such as
`year=2024/`, say which need not be read at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError, InputTypeError, one_of, short_text
from ..batches import Piece
from ..features import require_column
from .arrow_types import as_indices

OPERATORS = ("=", "==", "!=", "<", ">", "<=", ">=", "in", "not in")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What a folder is called for rows without a value in its column."""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Conditions on rows, and the columns they need.

    Examples
    --------
    >>> RowFilter.of([("age", ">", 30)], pa.schema([("age", pa.int64())])).names
    ('age',)
    """

    names: tuple[str, ...]
    conditions: tuple[tuple[tuple[str, str, Any], ...], ...]

    @classmethod
    def of(cls, where: Any, schema: Any) -> RowFilter:
        """Return the filter that a user's tuples name, checked against the columns."""
        lists = _lists(where)
        found = [tuple(_condition(given, schema) for given in one) for one in lists]
        names = tuple(dict.fromkeys(name for one in found for name, _, _ in one))
        return cls(names, tuple(found))

    def nothing(self) -> InputError:
        """Return the error that no row is left."""
        return InputError(f"There are no rows in the data that meet where={[list(one) for one in self.conditions]}; loosen the conditions.")

    @property
    def expression(self) -> Any:
        """The conditions as Arrow computes them."""
        return pq.filters_to_expression([list(one) for one in self.conditions])

    def row_groups(self, file: str, schema: Any, constants: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the row groups of a Parquet file that may hold such rows."""
        import pyarrow.dataset as ds  # here: it imports pandas, wherever that is installed
        from pyarrow import fs

        source: Any = ds.ParquetFileFormat().make_fragment(file, fs.LocalFileSystem(), _equal(constants, schema))
        return tuple(group.id for group in source.subset(filter=self.expression, schema=schema).row_groups)

    def admits(self, constants: Mapping[str, Any], schema: Any) -> bool:
        """Return whether a file can hold such rows, by what its folders say."""
        known = {name: constants[name] for name in self.names if name in constants}
        if not known:
            return True
        row = pa.table({name: pa.array([known.get(name)], schema.field(name).type) for name in self.names})
        sure = [[given for given in one if given[0] in known] for one in self.conditions]
        return any(not one or row.filter(pq.filters_to_expression([one])).num_rows for one in sure)

    def kept(self, piece: Piece) -> Piece:
        """Return the rows of a piece for which the conditions hold; a missing value meets none."""
        rows = pa.Table.from_batches([piece.rows.select(list(self.names))])
        places = rows.append_column("", as_indices(np.arange(len(piece)))).filter(self.expression).column("").to_numpy()
        if len(places) == len(piece):
            return piece
        chosen = np.zeros(len(piece), dtype=bool)
        chosen[places] = True
        return piece.only(pa.array(chosen))


def _equal(constants: Mapping[str, Any], schema: Any) -> Any:
    import pyarrow.dataset as ds

    known = [(name, "==", value) for name, value in constants.items() if value is not None]
    return pq.filters_to_expression([known]) if known else ds.scalar(True)


def _lists(where: Any) -> list[list[Any]]:
    if isinstance(where, tuple) and len(where) == 3 and isinstance(where[0], str):
        raise InputTypeError(f"where={short_text(where)} is one condition; write it in a list: where=[{short_text(where)}].")
    if not isinstance(where, list | tuple) or not where:
        raise InputTypeError(f"where={short_text(where)} must be a list of tuples, such as [('year', '>=', 2023)].")
    return [list(where)] if isinstance(where[0], tuple) else [list(one) for one in where]


def _condition(given: Any, schema: Any) -> tuple[str, str, Any]:
    if not (isinstance(given, tuple | list) and len(given) == 3):
        raise InputTypeError(
            f"{short_text(given)} in where is no condition; write (column, operator, value), such as ('year', '>=', 2023)."
        )
    name, operator, value = given
    require_column("where", name, schema.names)
    if operator not in OPERATORS:
        raise one_of(f"where=[{short_text(given)}]: the operator", operator, OPERATORS)
    values = list(value) if operator in ("in", "not in") and isinstance(value, list | tuple | set) else [value]
    if operator in ("in", "not in") and not isinstance(value, list | tuple | set):
        raise InputTypeError(f"{short_text(given)} in where needs a list of values: ({name!r}, {operator!r}, [{short_text(value)}]).")
    if any(each is None or each != each for each in values):
        raise InputError(f"{short_text(given)} in where: a missing value meets no condition; compare column {name!r} with a value.")
    try:
        for each in values:
            pa.scalar(each, schema.field(name).type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError):
        raise InputError(
            f"{short_text(given)} in where compares {short_text(value)} with column {name!r}, which is {schema.field(name).type}; give a "
            "value of that type."
        ) from None
    return name, operator, values if operator in ("in", "not in") else value


def folder_columns(files: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return, for each file, the columns that its folders name as key=value; whole numbers where all files have them.

    Examples
    --------
    >>> folder_columns(["sales/year=2023/a.parquet", "sales/year=2024/a.parquet"])
    {'sales/year=2023/a.parquet': {'year': 2023}, 'sales/year=2024/a.parquet': {'year': 2024}}
    """
    found = {file: dict(part.split("=", 1) for part in os.path.dirname(file).split(os.sep) if _names_column(part)) for file in files}
    names = list(found[files[0]])
    for file in files:
        if list(found[file]) != names:
            raise InputError(
                f"The folders of {file!r} name the columns {list(found[file])}, those of {files[0]!r} {names}; give all files the same "
                "folders, or open one of them."
            )
    values = {name: [None if each[name] == NO_VALUE else unquote(each[name]) for each in found.values()] for name in names}
    typed = {name: _numbers(own) for name, own in values.items()}
    return {file: {name: typed[name][i] for name in names} for i, file in enumerate(files)}


def _names_column(folder: str) -> bool:
    return folder.count("=") == 1 and not folder.startswith("=")


def _numbers(values: list[str | None]) -> list[Any]:
    known = [value for value in values if value is not None]
    if known and all(value.removeprefix("-").isdecimal() and len(value) < 19 for value in known):
        return [None if value is None else int(value) for value in values]
    return list(values)


def constant_field(name: str, values: Sequence[Any]) -> Any:
    """Return the Arrow field of a column that folders name."""
    return pa.field(name, pa.int64() if all(isinstance(value, int) or value is None for value in values) else pa.string())


def with_constants(batch: Any, constants: Mapping[str, Any], schema: Any) -> Any:
    """Return rows of a file with the columns that its folders name."""
    for name, value in constants.items():
        batch = batch.append_column(schema.field(name), pa.repeat(pa.scalar(value, schema.field(name).type), len(batch)))
    return batch

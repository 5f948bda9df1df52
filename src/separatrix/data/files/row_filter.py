"""Which rows of files are read: `where` as tuples, and the row groups that can hold such rows.

    where=[("year", ">=", 2023), ("town", "in", ["Ulm", "Rom"])]            both must hold
    where=[[("year", "=", 2024)], [("town", "=", "Ulm")]]                   one of these lists must hold

as pyarrow and pandas have it. The smallest and largest values that Parquet keeps of each row group, and the names of folders such as
`year=2024/`, say which need not be read at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError, InputTypeError, short_text
from ..batches import Piece
from .arrow_types import as_indices
from .conditions import OPERATORS, Condition, is_condition


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Lists of conditions on rows, of which one has to hold, and the columns they need.

    Examples
    --------
    >>> RowFilter.of([("age", ">", 30)], pa.schema([("age", pa.int64())])).names
    ('age',)
    """

    conditions: tuple[tuple[Condition, ...], ...]

    @classmethod
    def of(cls, where: Any, schema: Any) -> RowFilter:
        """Return the filter that a user's tuples name, checked against the columns."""
        return cls(tuple(tuple(Condition.of(given, schema) for given in one) for one in _lists(where)))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the conditions are about."""
        return tuple(dict.fromkeys(each.name for one in self.conditions for each in one))

    def nothing(self) -> InputError:
        """Return the error that no row is left."""
        return InputError(f"There are no rows in the data that meet where={self}; loosen the conditions.")

    def __str__(self) -> str:
        return f"[{', '.join('[' + ', '.join(map(str, one)) + ']' for one in self.conditions)}]"

    @property
    def expression(self) -> Any:
        """The conditions as Arrow computes them."""
        return reduce(or_, (_all_of(one) for one in self.conditions))

    def row_groups(self, file: str, schema: Any, constants: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the row groups of a Parquet file that may hold such rows."""
        import pyarrow.dataset as ds  # here: it imports pandas, wherever that is installed
        from pyarrow import fs

        source: Any = ds.ParquetFileFormat().make_fragment(file, fs.LocalFileSystem(), _equal(constants, schema))
        try:
            return tuple(group.id for group in source.subset(filter=self.expression, schema=schema).row_groups)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # types that Arrow does not compare: any may
            return tuple(range(source.num_row_groups))

    def admits(self, constants: Mapping[str, Any], schema: Any) -> bool:
        """Return whether a file can hold such rows, by what its folders say."""
        known = {name: constants[name] for name in self.names if name in constants}
        if not known:
            return True
        row = pa.table({name: pa.array([value], schema.field(name).type) for name, value in known.items()})
        sure = [[each for each in one if each.name in known] for one in self.conditions]
        return any(not one or row.filter(_all_of(one)).num_rows for one in sure)

    def kept(self, piece: Piece) -> Piece:
        """Return the rows of a piece for which the conditions hold."""
        types = {each.name: each.type for one in self.conditions for each in one}
        rows = pa.table({name: _as_compared(piece.rows.column(name), type_) for name, type_ in types.items()})
        places = rows.append_column("", as_indices(np.arange(len(piece)))).filter(self.expression).column("").to_numpy()
        if len(places) == len(piece):
            return piece
        chosen = np.zeros(len(piece), dtype=bool)
        chosen[places] = True
        return piece.only(pa.array(chosen))


def _all_of(conditions: Sequence[Condition]) -> Any:
    return reduce(and_, (each.expression for each in conditions))


def _as_compared(values: Any, type_: Any) -> Any:
    """Return a column of a file in the type in which it is compared, which other files may have it in."""
    return values if values.type == type_ else values.cast(type_, safe=False)


def _equal(constants: Mapping[str, Any], schema: Any) -> Any:
    import pyarrow.dataset as ds

    known = [(name, "==", value) for name, value in constants.items() if value is not None]
    return pq.filters_to_expression([known]) if known else ds.scalar(True)


def _lists(where: Any) -> list[list[Any]]:
    if is_condition(where) and where[1] in OPERATORS:
        raise InputTypeError(f"where={short_text(where)} is one condition; write it in a list: where=[{short_text(where)}].")
    if not isinstance(where, list | tuple) or not where:
        raise InputTypeError(f"where={short_text(where)} must be a list of tuples, such as [('year', '>=', 2023)].")
    if isinstance(where[0], tuple) or is_condition(where[0]):
        return [list(where)]
    for one in where:
        if not isinstance(one, list | tuple) or not one:
            raise InputTypeError(
                f"{short_text(one)} in where={short_text(where)} is neither a condition, such as ('year', '>=', 2023), nor a list of them."
            )
    return [list(one) for one in where]

"""Tables in batches of named columns, each of its own type, with holes where values are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats
from ..errors import InputError
from .source import Block, Rows

ColumnType = Literal["number", "text", "date"]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Some consecutive values of one column: numbers, dates, or codes of the categories listed in `levels`.

    Parameters
    ----------
    name : str
    values : (n,) numbers or booleans, or datetime64[us]; with `levels`, their positions there
    levels : (L,) distinct categories, or None for numbers and dates
    missing : (n,) booleans, or None where no value is missing
        Whatever stands in `values` there means nothing. A NaN among numbers is missing too, and NaT among dates.
    ordered : whether the order of the levels means something

    Examples
    --------
    >>> city = Column("city", np.array([0, 1, 0]), np.array(["Rome", "Oslo"], dtype=object), np.array([False, False, True]))
    >>> city.type, city.categories()
    ('text', (array([ 0,  1, -1], dtype=int32), ['Rome', 'Oslo']))
    >>> Column("age", np.array([31, 47]), missing=np.array([False, True])).numbers()
    array([31., nan])
    """

    name: str
    values: NDArray[Any]
    levels: NDArray[Any] | None = None
    missing: Bools | None = None
    ordered: bool = False

    @property
    def type(self) -> ColumnType:
        """Whether it holds numbers (booleans and numbered categories too), dates or text."""
        if self.values.dtype.kind == "M":
            return "date"
        return "text" if self.levels is not None and any(isinstance(level, str) for level in self.levels) else "number"

    @property
    def is_empty(self) -> bool:
        """Whether every value is missing, so that its type says nothing."""
        if self.missing is not None:
            return bool(self.missing.all())
        if self.levels is not None or self.values.dtype.kind not in "fM":
            return False
        return bool((np.isnan(self.values) if self.values.dtype.kind == "f" else np.isnat(self.values)).all())

    def numbers(self) -> Floats:
        """Return the values as float64, NaN where missing."""
        if self.type == "text":
            raise InputError(f"Column {self.name!r} holds text such as {self.levels[0]!r}, where numbers are needed.")  # type: ignore[index]
        if self.type == "date":
            raise InputError(f"Column {self.name!r} holds dates, where numbers are needed.")
        values = self.values if self.levels is None else np.append(self.levels.astype(np.float64), np.nan)[self.values]
        if self.missing is None:
            return values.astype(np.float64)
        found = np.full(len(values), np.nan)
        found[~self.missing] = values[~self.missing]
        return found

    def categories(self) -> tuple[Codes, list[Any]]:
        """Return the position of each value in a list of categories, -1 where missing, and the list. Numbers are categories too."""
        if self.levels is None:
            numbers = self.numbers()
            known = ~np.isnan(numbers)
            levels, places = np.unique(numbers[known], return_inverse=True)
            codes = np.full(len(numbers), -1, dtype=np.int32)
            codes[known] = places
            return codes, levels.tolist()
        codes = self.values.astype(np.int32)
        if self.missing is not None:
            codes = np.where(self.missing, np.int32(-1), codes)
        # Booleans and numbers of any type are the same category where they are equal: 1, 1.0 and True.
        return codes, [level if isinstance(level, str) else float(level) for level in self.levels.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnBatch:
    """Some consecutive rows of a table: columns of any types, or numbers that came as one matrix; class codes, weights, where it begins.

    Parameters
    ----------
    columns : Column for each column, or None where `rows` holds them all
    rows : (n, p) array or CSR array of numbers, or None
    codes, weight, start : as in :class:`separatrix.data.Block`
    feature_names : names of the columns of `rows`, if they have any

    Examples
    --------
    >>> batch = ColumnBatch((Column("age", np.array([31.0, 47.0])), Column("city", np.array([0, 0]), np.array(["Oslo"], dtype=object))))
    >>> [batch.column(j).type for j in range(2)], batch.numbers([0]).tolist()
    (['number', 'text'], [[31.0], [47.0]])
    """

    columns: tuple[Column, ...] | None = None
    rows: Rows | None = None
    codes: Codes | None = None
    weight: Floats | None = None
    start: int = 0
    feature_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, block: Block | ColumnBatch, feature_names: tuple[str, ...] | None = None) -> ColumnBatch:
        """Return a block of numbers as a batch; a batch is one already."""
        if isinstance(block, ColumnBatch):
            return block
        return cls(None, block.X, block.codes, block.weight, block.start, feature_names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[0]) if self.columns is None else len(self.columns[0].values)  # type: ignore[union-attr]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1]) if self.columns is None else len(self.columns)  # type: ignore[union-attr]

    def name(self, j: int) -> str:
        """Return how messages name column j."""
        if self.columns is not None:
            return f"column {self.columns[j].name!r}"
        return f"column {j}" if self.feature_names is None else f"column {self.feature_names[j]!r}"

    def types(self) -> list[ColumnType]:
        """Return the type of each column."""
        return ["number"] * self.n_features if self.columns is None else [column.type for column in self.columns]

    def column(self, j: int) -> Column:
        """Return one column."""
        if self.columns is not None:
            return self.columns[j]
        values = self.rows[:, [j]].toarray()[:, 0] if sp.issparse(self.rows) else self.rows[:, j]  # type: ignore[index]
        return Column(str(j) if self.feature_names is None else self.feature_names[j], values)

    def numbers(self, indices: Sequence[int]) -> Any:
        """Return some columns as a matrix of floats, sparse where the rows are, NaN where missing."""
        if self.columns is None:
            assert self.rows is not None
            return self.rows if len(indices) == self.n_features else self.rows[:, list(indices)]
        X = np.empty((self.n_rows, len(indices)), order="F")
        for place, j in enumerate(indices):
            X[:, place] = self.columns[j].numbers()
        return X

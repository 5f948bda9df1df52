"""Tables in batches of named columns, each of its own type, with holes where values are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

    @classmethod
    def joined(cls, parts: Sequence[Column]) -> Column:
        """Return several parts of one column as one; levels stand in the order in which they come.

        Examples
        --------
        >>> parts = [Column("city", np.array([0, 1]), np.array(["Rome", "Oslo"])), Column("city", np.array([0]), np.array(["Oslo"]))]
        >>> Column.joined(parts).categories()
        (array([0, 1, 1], dtype=int32), ['Rome', 'Oslo'])
        """
        first = parts[0]
        if len(parts) == 1:
            return first
        missing = None
        if any(part.missing is not None for part in parts):
            each = [np.zeros(len(part.values), dtype=bool) if part.missing is None else part.missing for part in parts]
            missing = np.concatenate(each)
        if all(part.levels is None for part in parts):
            return cls(first.name, np.concatenate([part.values for part in parts]), None, missing)
        known: dict[Any, int] = {}
        codes = []
        for part in parts:
            own = [] if part.levels is None else part.levels.tolist()
            place = np.array([*(known.setdefault(level, len(known)) for level in own), 0], dtype=np.int32)
            codes.append(place[part.values])
        levels = np.empty(len(known), dtype=object)
        levels[:] = list(known)
        return cls(first.name, np.concatenate(codes), levels, missing, first.ordered)

    def take(self, rows: Any) -> Column:
        """Return some of the values."""
        return replace(self, values=self.values[rows], missing=None if self.missing is None else self.missing[rows])

    def only_present_levels(self) -> Column:
        """Return the same values with the levels that occur; those of an order keep it."""
        if self.levels is None:
            return self
        codes = self.categories()[0]
        there = np.bincount(codes + 1, minlength=len(self.levels) + 1)[1:] > 0
        if there.all():
            return self
        place = np.cumsum(there) - 1
        return replace(self, values=np.where(codes >= 0, place[codes], 0).astype(np.int32), levels=self.levels[there])

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

    @property
    def absent(self) -> Bools:
        """Which values are missing (n,)."""
        if self.values.dtype.kind == "M":
            found: Bools = np.isnat(self.values)
        elif self.values.dtype.kind == "f":
            found = np.isnan(self.values)
        else:
            found = np.zeros(len(self.values), dtype=bool)
        return found if self.missing is None else found | self.missing

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
    copies : (n,) numbers that copies of one row share, as in a resample; None: every row is itself

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
    copies: NDArray[Any] | None = None

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

    def take(self, rows: Any) -> ColumnBatch:
        """Return some of the rows, by number; where they began no longer counts."""
        columns = None if self.columns is None else tuple(column.take(rows) for column in self.columns)
        codes = None if self.codes is None else self.codes[rows]
        weight = None if self.weight is None else self.weight[rows]
        copies = None if self.copies is None else self.copies[rows]
        return ColumnBatch(columns, None if self.rows is None else self.rows[rows], codes, weight, 0, self.feature_names, copies)

    @classmethod
    def joined(cls, parts: Sequence[ColumnBatch]) -> ColumnBatch:
        """Return batches of columns, one after the other, as one."""
        if len(parts) == 1:
            return parts[0]
        several = [part.columns for part in parts if part.columns is not None]
        columns = tuple(Column.joined(own) for own in zip(*several, strict=True))
        codes = None if parts[0].codes is None else np.concatenate([part.codes for part in parts])
        weight = None if parts[0].weight is None else np.concatenate([part.weight for part in parts])
        return cls(columns, None, codes, weight, parts[0].start)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, self.n_features

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

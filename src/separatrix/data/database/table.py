"""Rows of a query in a database: summed there where sums are all a model needs, and streamed where it reads rows."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes
from ...errors import InputError, InputTypeError, short_text
from ..batches import Batch, Piece, cut
from ..features import choose_features, refuse_text
from ..files.arrow_columns import numbers, text_codes
from ..labels import check_classes, code_table, encode
from ..merging import M
from ..source import Block, Source, chunk_rows
from ..sum_engine import AskedPass, NotSummed
from . import sql
from .column_kinds import as_read
from .columns import QueryClasses, QueryColumns, changed, number_of_rows, take_classes
from .connection import Connection, dialect_of_connection
from .given_query import named_twice, subquery, without_rows
from .groups import GroupedQuery
from .sums import DatabaseSums

R = TypeVar("R")

MOST_CLASSES = 300
"""Classes whose means are written into a query; rows of more are streamed."""


def open_query(
    connection: Any,
    query: str,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    classes: Any = None,
    dialect: str | None = None,
    timeout: float | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
) -> DatabaseTable:
    """Open the rows of a query as a table: see :func:`separatrix.open_table`.

    Parameters
    ----------
    connection : of a DB-API 2.0 driver, of DuckDB or of ADBC
        It stays the caller's: it is neither closed nor committed.
    query : str
        One SELECT.
    target, columns, weight, classes, batch_rows, n_jobs : as in `open_table`
    dialect : str, optional
        What the database speaks, where the driver does not tell.
    timeout : float, optional
        Seconds that each query may take.

    Examples
    --------
    >>> import sqlite3
    >>> rows = sqlite3.connect(":memory:")
    >>> _ = rows.executescript("create table visits (age, pages, buys); insert into visits values (31, 4, 'no'), (47, 9, 'yes')")
    >>> table = open_query(rows, "select * from visits", "buys")
    >>> table.feature_names, table.classes.tolist(), [block.X.tolist() for block in table.blocks()]
    (('age', 'pages'), ['no', 'yes'], [[[31.0, 4.0], [47.0, 9.0]]])
    """
    if not isinstance(query, str):
        raise InputTypeError(f"query={short_text(query)} must be one SELECT, as text: open_table(connection, 'SELECT * FROM t', target=…).")
    if timeout is not None and not timeout > 0:
        raise InputError(f"timeout={timeout!r}: give the seconds that a query may take, or leave it out.")
    if batch_rows is not None and batch_rows < 1:
        raise InputError(f"batch_rows={batch_rows}: a block needs at least one row; leave it out for about 12 megabytes.")
    spoken = dialect_of_connection(connection, dialect)
    given = subquery(query, spoken, "given", is_repeated=True)
    own = Connection(connection, spoken, timeout, " ".join(query.split()))
    kinds = column_kinds(own, given)
    features = choose_features(as_read(kinds), columns, target, weight)
    table = DatabaseTable(own, QueryColumns(given, spoken, features, kinds, target, weight))
    table.batch_rows, table.n_jobs = batch_rows or table.batch_rows, n_jobs
    return table if classes is None else table.with_classes(classes)


def column_kinds(connection: Connection, given: Any) -> dict[str, str]:
    """Return the kind of each column of a query, by name."""
    found = connection.kinds(sql.written(without_rows(given, connection.dialect), connection.dialect))
    names = [name for name, _ in found]
    twice = named_twice(names, connection.dialect)
    if twice is not None:
        raise InputError(f"The query has several columns named {twice!r}; give each a name of its own: SELECT a.x AS x, b.x AS other.")
    if connection.dialect.name != "sqlite":
        return dict(found)
    return dict(zip(names, _stored_kinds(connection, given, names), strict=True))


def _stored_kinds(connection: Connection, given: Any, names: list[str]) -> list[str]:
    """Return the kinds of columns in SQLite, where every value has a type of its own."""
    kinds = []
    for begin in range(0, len(names), 500):
        terms = {}
        for j, name in enumerate(names[begin : begin + 500]):
            own = sql.call("typeof", sql.column(name))
            for what, types in (("n", ["integer", "real"]), ("t", ["text"]), ("b", ["blob"])):
                is_such = sql.among(own.copy(), [sql.text(type_, connection.dialect) for type_ in types])
                terms[f"{what}{j}"] = sql.call("max", sql.case([(is_such, sql.integer(1))], sql.integer(0)))
        [row] = connection.fetch(sql.written(sql.select(terms, given.copy()), connection.dialect))
        for number, text, blob in zip(row[::3], row[1::3], row[2::3], strict=True):
            kinds.append("blob" if blob else "numbers and text" if number and text else "text" if text else "number")
    return kinds


class DatabaseTable(Source):
    """Rows of a query, as :func:`open_query` gives them.

    A pass that says what it sums is answered by queries, in one snapshot, and no row leaves the database. Other passes stream the rows, a
    block at a time; their order is the database's own. A missing value is NaN in a block, and treated as a NaN is.
    """

    feature_names: tuple[str, ...]

    def __init__(self, connection: Connection, columns: QueryColumns) -> None:
        self.connection, self.columns = connection, columns
        self.feature_names, self.n_features = columns.features, len(columns.features)
        self.target, self.weight = columns.target, columns.weight
        self.batch_rows = chunk_rows(self.n_features)
        self._classes: NDArray[Any] | None = None
        self._known: QueryClasses | None = None

    @property
    def origin(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The connection, the query and what is read from it as labels and weights."""
        return "query", id(self.connection.raw), self.connection.name, self.target, self.weight

    @property
    def known(self) -> QueryClasses:
        """The classes and their rows, asked for once."""
        if self._known is None:
            self._known = take_classes(self.connection, self.columns)
        return self._known

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows, which is known where the rows have labels."""
        return None if self.target is None else self.known.n_rows

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels."""
        if self.target is None:
            return None
        self._require_labels()
        return self.known.classes if self._classes is None else self._classes

    def _require_labels(self) -> None:
        if self.known.unlabelled:
            raise InputError(
                f"Input y contains NaN or null: column {self.target!r} misses the label in {number_of_rows(self.known.unlabelled)}. Leave "
                f"them out: … WHERE {sql.quoted(str(self.target), self.connection.dialect)} IS NOT NULL."
            )

    def with_classes(self, classes: Any) -> Self:
        """Return the same rows with their labels coded by the `classes` announced."""
        if self.target is None:
            raise InputError(f"classes={classes!r} needs a target; name its column: open_table(connection, query, target='y').")
        known = check_classes(classes)
        encode(self.known.classes, known, code_table(known))
        table = copy.copy(self)
        table._classes = known
        return table

    def only(self, columns: Any) -> Self:
        """Return the same rows with some of their columns, by number."""
        chosen = [int(j) for j in columns]
        table = copy.copy(self)
        features = tuple(self.feature_names[j] for j in chosen)
        table.columns = replace(self.columns, features=features)
        table.feature_names, table.n_features = features, len(features)
        return table

    def without_labels(self) -> Self:
        """Return the rows alone: neither labels nor weights are read."""
        table = copy.copy(self)
        table.columns = replace(self.columns, target=None, weight=None)
        table.target = table.weight = table._classes = table._known = None
        return table

    def settled(self, key: str | None = None) -> Source:
        """Return the rows in a temporary file: those of a query come in another order each time."""
        from .query_copy import copied

        return copied(self, key)

    def as_columns(self) -> DatabaseTable:
        """Return the same rows as batches of columns: text by codes, dates, numbers with gaps; those without a label are left out."""
        from .batches import DatabaseColumns

        return DatabaseColumns(self)

    def unchanged(self) -> AbstractContextManager[None]:
        """Let all queries within be of one snapshot."""
        return self.connection.snapshot()

    def require_numbers(self) -> None:
        """Raise an error that names the columns which are not numbers."""
        refuse_text(self.feature_names, as_read(self.columns.kinds))

    def sum_engine(self) -> DatabaseSums | None:
        """Return what sums the rows in the database; None for rows without labels, or of very many classes."""
        coder = self._coder()
        if coder is None or self.classes is None or len(self.known.labels) > MOST_CLASSES:
            return None
        return DatabaseSums(self.connection, self.columns, self.known, self.classes, coder)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Let the database sum what the pass says that it sums; run it over the rows where it says nothing."""
        engine = self.sum_engine() if isinstance(pass_, AskedPass) else None
        if isinstance(pass_, AskedPass) and engine is not None:
            self.require_numbers()
            try:
                found: M = pass_.ask(engine)
                return found
            except NotSummed:
                pass
        return super().reduce(pass_)

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first column with a gap, a NaN or an infinity."""
        if self.target is not None:
            GroupedQuery(self.connection, self.columns, self.known, self.known.classes).require_finite()
        super().refuse_nonfinite()

    def blocks(self) -> Iterator[Block]:
        """Stream all rows, block by block."""
        self.require_numbers()
        coder = self._coder()
        with closing(self._pieces()) as pieces:
            for batch in cut(pieces, self.batch_rows):
                yield self._block(batch, coder)

    def _pieces(self) -> Generator[Piece]:
        """Yield the rows as they are read; other rows than the first query counted are an error."""
        query = sql.written(self.columns.rows(), self.connection.dialect)
        kinds = [self.columns.kinds[name] for name in self.feature_names]
        kinds += [] if self.target is None else ["text" if self.columns.kinds[self.target] == "text" else "label"]
        kinds += [] if self.weight is None else ["number"]
        start, expected = 0, None if self.target is None else self.known.n_rows + self.known.unlabelled
        with closing(self.connection.stream(query, kinds, max(1, min(self.batch_rows, chunk_rows(len(kinds)))))) as batches:
            for batch in batches:
                yield Piece(batch, self.connection.name, start)
                start += len(batch)
        if expected is not None and start != expected:
            raise changed(self.connection)
        if not start:
            raise InputError(f"The query {short_text(self.connection.name)} returns no rows; at least one is needed.")

    def _coder(self) -> Callable[[Any], Codes] | None:
        """Return the function from a column of labels to their codes."""
        if self.target is None:
            return None
        classes = self.classes
        assert classes is not None
        if self.columns.kinds[self.target] == "text":
            by_label = {label: code for code, label in enumerate(classes.tolist())}
            return lambda values: text_codes(values, classes, by_label)
        if self.columns.kinds[self.target] == "boolean":
            return lambda values: encode(numbers(values).astype(bool), classes, None)
        table = code_table(classes)
        return lambda values: encode(_labels(values, classes), classes, table)

    def _block(self, batch: Batch, coder: Callable[[Any], Codes] | None) -> Block:
        X = np.empty((len(batch), self.n_features), order="F")
        row = 0
        for piece in batch.pieces:
            for j in range(self.n_features):
                X[row : row + len(piece), j] = with_gaps(piece.rows.column(j))
            row += len(piece)
        return Block(X, *self._labelled(batch, coder), batch.start)

    def _labelled(self, batch: Batch, coder: Callable[[Any], Codes] | None) -> tuple[Codes | None, Any]:
        """Return codes and weights of a batch."""
        p = self.n_features
        codes = None if coder is None else np.concatenate([coder(piece.rows.column(p)) for piece in batch.pieces])
        at = p + (coder is not None)
        weight = None if self.weight is None else np.concatenate([with_gaps(piece.rows.column(at)) for piece in batch.pieces])
        return codes, weight


def with_gaps(values: Any) -> NDArray[Any]:
    """Return numbers, NaN where one is missing."""
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _labels(values: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as labels of the type that the classes have."""
    if classes.dtype.kind in "iu" and str(values.type).startswith("decimal"):
        values = values.cast(str(classes.dtype))  # through a double digits could be lost
    found = numbers(values)
    return found.astype(np.int64) if classes.dtype.kind in "iu" and found.dtype.kind == "f" else found

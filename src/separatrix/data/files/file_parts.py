"""A part of a table of files: a file or some row groups of it, with the columns that its folders name, read piece by piece."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..batches import Piece
from .byte_streams import BROKEN
from .folder_columns import with_constants
from .formats import Stamp, group_sizes, read_file, unreadable
from .row_filter import RowFilter


@dataclass(frozen=True, slots=True)
class FilePart:
    """Where some rows of a table stand.

    Attributes
    ----------
    file, stamp : the file, and what tells whether it was written since
    groups : (row group, rows) of a Parquet file, or None for all of a file of another format
    constants : (column, value) that the folders of the file name
    """

    file: str
    stamp: Stamp
    groups: tuple[tuple[int, int], ...] | None = None
    constants: tuple[tuple[str, Any], ...] = ()

    @property
    def rows(self) -> int | None:
        """Number of rows, where the file says it."""
        return None if self.groups is None else sum(n for _, n in self.groups)

    def pieces(self, rows: int) -> list[FilePart]:
        """Return the part in pieces of whole row groups, of about so many rows each.

        Examples
        --------
        >>> part = FilePart("a.parquet", (0, 0), ((0, 60), (1, 60), (2, 60)))
        >>> [[g for g, _ in piece.groups] for piece in part.pieces(100)]
        [[0, 1], [2]]
        """
        if self.groups is None:
            return [self]
        found: list[list[tuple[int, int]]] = [[]]
        for group in self.groups:
            if found[-1] and sum(n for _, n in found[-1]) >= rows:
                found.append([])
            found[-1].append(group)
        return [replace(self, groups=tuple(groups)) for groups in found]


def part_of(file: str, stamp: Stamp, kind: str, schema: Any, constants: Mapping[str, Any], where: RowFilter | None) -> FilePart | None:
    """Return what is to be read of a file; None where no row can meet the conditions."""
    if where is not None and not where.admits(constants, schema):
        return None
    if kind != "parquet":
        return FilePart(file, stamp, None, tuple(constants.items()))
    try:
        sizes = group_sizes(file)
        chosen = range(len(sizes)) if where is None else where.row_groups(file, schema, constants)
    except BROKEN as error:
        raise unreadable(file, error) from error
    return FilePart(file, stamp, tuple((g, sizes[g]) for g in chosen), tuple(constants.items()))


def read_part(
    part: FilePart,
    kind: str,
    schema: Any,
    names: Sequence[str],
    where: RowFilter | None,
    rows: int,
    use_threads: bool,
    as_codes: bool = False,
) -> Generator[Piece]:
    """Yield some columns of a part in pieces of about `rows` rows, those rows alone that meet the conditions."""
    if part.groups is not None and not part.groups:
        return
    asked = list(dict.fromkeys([*names, *(where.names if where else ())]))
    constants = {name: value for name, value in part.constants if name in asked}
    types = {name: schema.field(name).type for name in asked}
    groups = None if part.groups is None else [g for g, _ in part.groups]
    stored = {name: type_ for name, type_ in types.items() if name not in constants}
    for piece in read_file(part.file, part.stamp, kind, stored, rows, use_threads, as_codes, groups):
        if constants:
            piece = replace(piece, rows=with_constants(piece.rows, constants, schema))
        if where is not None:
            piece = where.kept(piece)
            if not len(piece):
                continue
        yield piece if asked == list(names) and not constants else replace(piece, rows=piece.rows.select(list(names)))

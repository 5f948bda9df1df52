"""Columns that folders such as `year=2024/` name: a value for all rows of the files in them.

A column that stands in the files themselves is read from there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from ...errors import InputError

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What a folder is called for rows without a value in its column."""


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


def beside_stored(constants: Mapping[str, dict[str, Any]], schemas: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the columns that folders name and files do not hold; one that some files hold and others do not is an error."""
    stored = {name: [file for file in constants if name in schemas[file].names] for name in next(iter(constants.values()))}
    for name, own in stored.items():
        if 0 < len(own) < len(constants):
            other = next(file for file in constants if file not in own)
            raise InputError(
                f"The folders name the column {name!r}, which also stands in {own[0]!r}, and not in {other!r}; write it into all files, or "
                "into none."
            )
    return {file: {name: value for name, value in own.items() if not stored[name]} for file, own in constants.items()}


def _names_column(folder: str) -> bool:
    return folder.count("=") == 1 and not folder.startswith("=")


def _numbers(values: list[str | None]) -> list[Any]:
    known = [value for value in values if value is not None]
    if known and all(value.removeprefix("-").isdecimal() and len(value) < 19 for value in known):
        return [None if value is None else int(value) for value in values]
    return list(values)


def with_folders(schema: Any, constants: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return the columns of the files and those that their folders name."""
    for name in next(iter(constants.values())):
        schema = schema.append(_field(name, [each[name] for each in constants.values()]))
    return schema


def _field(name: str, values: Sequence[Any]) -> Any:
    """Return the Arrow field of a column that folders name."""
    return pa.field(name, pa.int64() if all(isinstance(value, int) or value is None for value in values) else pa.string())


def with_constants(batch: Any, constants: Mapping[str, Any], schema: Any) -> Any:
    """Return rows of a file with the columns that its folders name."""
    for name, value in constants.items():
        batch = batch.append_column(schema.field(name), pa.repeat(pa.scalar(value, schema.field(name).type), len(batch)))
    return batch

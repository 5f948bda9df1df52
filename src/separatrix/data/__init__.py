"""Rows become blocks here. Nothing above this room knows where the rows are."""

from .opening import as_rows, as_source
from .source import Block, Source, unchanged

__all__ = ["Block", "Source", "as_rows", "as_source", "unchanged"]

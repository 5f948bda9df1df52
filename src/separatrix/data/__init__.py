"""Rows become blocks here. Nothing above this room knows where the rows are."""

from .opening import as_rows, as_source
from .source import Block, Source

__all__ = ["Block", "Source", "as_rows", "as_source"]

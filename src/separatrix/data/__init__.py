"""Rows become blocks here. Nothing above this room knows where the rows are."""

from .block import Block
from .opening import as_rows, as_source
from .source import Source

__all__ = ["Block", "Source", "as_rows", "as_source"]

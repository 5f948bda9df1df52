"""A table's columns become numbers here, by a recipe that is data and not code."""

from .recipe import Recipe
from .table_prep import TablePrep

__all__ = ["Recipe", "TablePrep"]

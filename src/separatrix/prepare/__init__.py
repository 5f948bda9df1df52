"""A table's columns become numbers here, by a recipe that is data and not code. Loaded when first used: a recipe needs no scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import on_first_use

if TYPE_CHECKING:
    from .recipe import Recipe as Recipe
    from .table_prep import TablePrep as TablePrep

__all__ = ["Recipe", "TablePrep"]

__getattr__ = on_first_use(__name__, {"Recipe": "recipe", "TablePrep": "table_prep"})

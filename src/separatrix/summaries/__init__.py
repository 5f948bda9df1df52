"""Mergeable values: what closed-form models need of the rows, and nothing more. Loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import on_first_use

if TYPE_CHECKING:
    from .categories import CategoryCounts as CategoryCounts
    from .class_moments import ClassMoments as ClassMoments
    from .columns import ColumnCounts as ColumnCounts
    from .counts import Counts as Counts
    from .folds import FoldMoments as FoldMoments
    from .folds import all_but_one as all_but_one
    from .moments import Moments as Moments

_HOMES = {
    "CategoryCounts": "categories",
    "ClassMoments": "class_moments",
    "ColumnCounts": "columns",
    "Counts": "counts",
    "FoldMoments": "folds",
    "Moments": "moments",
    "all_but_one": "folds",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

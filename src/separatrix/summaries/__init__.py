"""Mergeable values: what closed-form models need of the rows, and nothing more."""

from .categories import CategoryCounts
from .class_moments import ClassMoments
from .columns import ColumnCounts
from .counts import Counts
from .folds import FoldMoments, all_but_one
from .moments import Moments

__all__ = ["CategoryCounts", "ClassMoments", "ColumnCounts", "Counts", "FoldMoments", "Moments", "all_but_one"]

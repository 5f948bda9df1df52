"""Mergeable values: what closed-form models need of the rows, and nothing more."""

from .class_moments import ClassMoments
from .counts import Counts
from .folds import FoldMoments, all_but_one
from .moments import Moments

__all__ = ["ClassMoments", "Counts", "FoldMoments", "Moments", "all_but_one"]

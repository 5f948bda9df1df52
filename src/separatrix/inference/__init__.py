"""Tests, tables and information criteria of fitted models: arrays and summaries in, numbers and tables out."""

from .box import BoxTest, box_test
from .canonical import Canonical, canonical_analysis
from .class_differences import column_tests, pair_tests
from .manova import dimension_tests, multivariate_tests
from .tables import Column, Table, Tables

__all__ = [
    "BoxTest",
    "Canonical",
    "Column",
    "Table",
    "Tables",
    "box_test",
    "canonical_analysis",
    "column_tests",
    "dimension_tests",
    "multivariate_tests",
    "pair_tests",
]

"""Tests, tables and information criteria of fitted models: arrays and summaries in, numbers and tables out. Loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import on_first_use

if TYPE_CHECKING:
    from .box import BoxTest as BoxTest
    from .box import box_test as box_test
    from .canonical import Canonical as Canonical
    from .canonical import canonical_analysis as canonical_analysis
    from .class_differences import column_tests as column_tests
    from .class_differences import pair_tests as pair_tests
    from .manova import dimension_tests as dimension_tests
    from .manova import multivariate_tests as multivariate_tests
    from .tables import Column as Column
    from .tables import Table as Table
    from .tables import Tables as Tables

_HOMES = {
    "BoxTest": "box",
    "Canonical": "canonical",
    "Column": "tables",
    "Table": "tables",
    "Tables": "tables",
    "box_test": "box",
    "canonical_analysis": "canonical",
    "column_tests": "class_differences",
    "dimension_tests": "manova",
    "multivariate_tests": "manova",
    "pair_tests": "class_differences",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)

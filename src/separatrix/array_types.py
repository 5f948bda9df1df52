"""Types of arrays, named by what the numbers are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Measurements, coefficients, scores, probabilities."""

Bools = NDArray[np.bool_]
"""Yes or no for each row, column or class."""

Codes = NDArray[np.int32]
"""Class numbers 0 … K − 1 of the rows, in the order of `classes_`; also numbers of categories and actions."""

Folds = NDArray[np.int64]
"""The number of the fold that holds each row out."""

Indices = NDArray[np.intp]
"""Positions of rows or columns, as NumPy takes and returns them."""

Ints = NDArray[np.int64]
"""Other whole numbers, such as counts."""

Parts = tuple[Floats, NDArray[np.integer], NDArray[np.integer]]
"""Sparse rows as SciPy keeps them: stored values, the column of each (indices), and where each row begins (indptr)."""

"""Weights are numbers, one per row; anything else is refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from separatrix.data.opening import check_weights
from separatrix.errors import InputError

BAD: dict[str, tuple[Any, str]] = {
    "text": (["a", "b", "c"], "sample_weight is of dtype <U1; pass one number per row"),
    "a word": ("balanced", "is of dtype <U8.*class_weight="),
    "dict": ({0: 1.0, 1: 2.0}, "is a dict that does not become numbers.*class_weight="),
    "objects": ([{}, {}, {}], "is a list that does not become numbers"),
    "dates": (np.array(["2020"] * 3, dtype="M8[Y]"), "is of dtype datetime64"),
    "complex": ([1j, 1.0, 1.0], "is of dtype complex128"),
    "ragged": ([[1], [1, 2], 3], "is a list that does not become numbers"),
    "categories": (pd.Series(["a"] * 3, dtype="category"), "is a Series that does not become numbers"),
    "generator": ((i for i in range(3)), "is a generator that does not"),
    "sparse": (sp.csr_array(np.ones((3, 1))), "is a csr_array that does not"),
    "beyond float64": ([10**400, 1, 1], "is a list that does not become numbers"),
    "sum beyond float64": (np.full(3, 1e308), "The sum of sample_weight is infinite"),
    "missing": (pl.Series([1.0, None, 1.0]), "contains NaN or infinity"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
def test_what_is_no_weight_is_refused(case: tuple[Any, str]) -> None:
    with pytest.raises(InputError, match=case[1]):
        check_weights(case[0], 3)


@pytest.mark.parametrize("weight", [[1, 2, 3], pd.Series([1, 2, 3], dtype="Int64"), pa.array([1, 2, 3]), np.array([1, 2, 3], dtype=object)])
def test_numbers_of_any_library_are_weights(weight: Any) -> None:
    found = check_weights(weight, 3)
    assert found is not None and found.tolist() == [1.0, 2.0, 3.0]

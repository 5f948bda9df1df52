from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from separatrix.errors import InputError, InputTypeError
from separatrix.selection import RareBinaryFilter


@pytest.fixture
def switches() -> pd.DataFrame:
    n = 100
    on = {"never": 0, "once": 1, "few": 5, "half": 50, "most": 96, "always": 100}
    frame = pd.DataFrame({name: (np.arange(n) < count).astype(float) for name, count in on.items()})
    return frame.assign(age=np.arange(n) / 7, five=5.0, late=(np.arange(n) >= 95).astype(float), again=(np.arange(n) < 50) * 1.0)


@pytest.mark.parametrize(
    ("selector", "kept"),
    [
        (RareBinaryFilter(5, 0.95), "few half age late again"),
        (RareBinaryFilter(0.02, 96), "few half most age late again"),
        (RareBinaryFilter(6, 95), "half age again"),
        (RareBinaryFilter(None, None), "once few half most age late again"),
        (RareBinaryFilter(None, None, drop_constant=False), "never once few half most always age five late again"),
        (RareBinaryFilter(5, drop_duplicates=True), "few half most age late"),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_rare_columns_go(switches: pd.DataFrame, selector: RareBinaryFilter, kept: str, kind: Any) -> None:
    selector.fit(kind(switches))
    assert list(switches.columns[selector.get_support()]) == kept.split()


def test_reasons(switches: pd.DataFrame) -> None:
    found = RareBinaryFilter(2, drop_duplicates=True).fit(switches)
    assert found.dropped_ == {"never": "constant", "once": "on in 1 of 100 rows", "always": "constant", "five": "constant"} | {
        "again": "equal to half"
    }
    assert found.on_[2] == 5 and np.isnan(found.on_[6])


def test_booleans_and_other_numbers() -> None:
    X = pd.DataFrame({"flag": [True] + [False] * 99, "plus": [1] + [-1] * 99})
    assert RareBinaryFilter(2).fit(X).get_feature_names_out().tolist() == ["plus"]


@pytest.mark.parametrize(
    ("selector", "error", "message"),
    [
        (RareBinaryFilter(200), InputError, "min_on=200 and max_on=0.99 leave nothing"),
        (RareBinaryFilter(1.5), InputError, "min_on=1.5 is a share .* write an int"),
        (RareBinaryFilter(-1), InputError, "min_on=-1 must not be negative"),
        (RareBinaryFilter("5"), InputTypeError, "min_on='5' must be a whole number"),
    ],
)
def test_what_cannot_be_asked(switches: pd.DataFrame, selector: RareBinaryFilter, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        selector.fit(switches)


def test_nothing_left_says_what_to_loosen(switches: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="No feature is left: RareBinaryFilter dropped all 2. Binary columns need min_on=20"):
        RareBinaryFilter(20).fit(switches[["once", "few"]])


def test_copies_among_columns_that_look_alike_are_found(rng: np.random.Generator) -> None:
    X = rng.integers(0, 3, (50, 40)).astype(float)
    X[:, 30], X[:, 7], X[:, 39] = X[:, 3], X[:, 3], X[:, 12]
    found = RareBinaryFilter(None, None, drop_duplicates=True).fit(X)
    assert found.dropped_ == {"x7": "equal to x3", "x30": "equal to x3", "x39": "equal to x12"}

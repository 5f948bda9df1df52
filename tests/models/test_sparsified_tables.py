"""Tables of a model whose coefficients were made sparse are those of the model as fitted."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import LogisticRegression

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 3)), np.arange(60) % 3


@pytest.mark.parametrize("given", [{"C": np.inf}, {"C": 0.5}, {"C": 0.5, "l1_ratio": 1.0}], ids=str)
def test_sparse_coefficients_have_the_same_tables(given: dict[str, float]) -> None:
    model = LogisticRegression(**given).fit(X, Y)  # type: ignore[arg-type]
    before = str(model.summary(X, Y)), model.aic(X, Y)
    model.sparsify()
    assert (str(model.summary(X, Y)), model.aic(X, Y)) == before

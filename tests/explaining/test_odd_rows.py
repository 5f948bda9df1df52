"""Constant, collinear, few, tiny and sparse rows: an explanation is told, or refused in a sentence; no warning of NumPy leaks."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from separatrix import (
    DecidedClassifier,
    Decision,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    contributions,
    explain,
)
from separatrix.errors import SeparatrixError

RNG = np.random.default_rng(3)
CODES = np.arange(24) % 3
PLAIN = RNG.normal(size=(24, 3)) + CODES[:, None]
FLAT, TWICE = PLAIN.copy(), PLAIN.copy()
FLAT[:, 1], TWICE[:, 1] = 0.1, 2.0 * TWICE[:, 0]
ROWS = {
    "constant": FLAT,
    "all constant": np.full((24, 3), 0.1),
    "collinear": TWICE,
    "one of each": PLAIN[:3],
    "tiny": PLAIN * 1e-160,
    "sparse": sp.csr_array(np.round(np.abs(PLAIN))),
    "frame": pd.DataFrame(PLAIN, columns=list("abc"), index=[f"row {i}" for i in range(24)]),
}
MODELS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    MixedNB(),
    LogisticRegression(C=np.inf),
    OneVsRest(LinearDiscriminantAnalysis()),
    DecidedClassifier(LogisticRegression(), Decision(reject_cost=0.1)),
    make_pipeline(StandardScaler(with_mean=False), PeerLogistic()),
    make_pipeline(OneHotEncoder(), PeerLogistic()),
]


def fitted(model: Any, rows: Any, y: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # what a fit warns of is its own business
        try:
            return model.fit(rows, y)
        except (TypeError, ValueError):
            pytest.skip("not fitted on these rows")


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m[-1] if hasattr(m, "steps") else m).__name__)
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_explanations_are_told_or_refused(model: Any, rows: Any) -> None:
    y = CODES[: rows.shape[0]]
    fitted(model, rows, y)
    calls = {
        "all rows": lambda: contributions(model, rows).shape,
        "first row": lambda: explain(model, rows, 0).html,
        "last row": lambda: explain(model, rows, -1, (rows, y)).text,
        "model": lambda: explain(model, rows).text,
        "alone": lambda: explain(model).text,
        "summary": lambda: model.summary(rows, y).text if hasattr(model, "summary") else "none",
    }
    for name, call in calls.items():
        with suppress(SeparatrixError):
            assert call(), name

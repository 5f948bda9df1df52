"""Who judges columns by the rows that picked them is told; nobody else is. Warnings are errors here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import KFold, LinearDiscriminantAnalysis, LogisticRegression, evaluate
from separatrix.errors import SelectionWarning
from separatrix.inference.selected_columns import forget_all
from separatrix.selection import (
    AnovaFilter,
    CorrelationFilter,
    MutualInformationFilter,
    RareBinaryFilter,
    StabilitySelection,
    StepwiseDiscriminant,
)

BY_LABELS = [
    CorrelationFilter(k=5),
    AnovaFilter(k=5),
    MutualInformationFilter(k=5),
    StepwiseDiscriminant(max_features=5),
    StabilitySelection(CorrelationFilter(k=5), n_subsamples=3, threshold=0.3, random_state=0),
]
PLAN = KFold(5, random_state=0)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    forget_all()
    yield
    forget_all()


@pytest.fixture
def noise(rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.standard_normal((80, 400)), rng.permutation(np.repeat([0, 1], 40))


@pytest.mark.parametrize("selector", BY_LABELS, ids=repr)
def test_selection_before_the_folds_is_told(noise: Any, selector: Any) -> None:
    X, y = noise
    picked = clone(selector).fit_transform(X, y)
    with pytest.warns(
        SelectionWarning, match=f"{type(selector).__name__} picked these .* out of 400 by the labels of these same 80"
    ) as told:
        evaluate(LinearDiscriminantAnalysis(), picked, y, plan=PLAN)
    assert told[0].filename == __file__
    with pytest.warns(SelectionWarning, match="p-values are too small"):
        LinearDiscriminantAnalysis().fit(picked, y).summary()


def test_selection_inside_the_folds_is_honest(noise: Any) -> None:
    X, y = noise
    piped = make_pipeline(CorrelationFilter(k=5), LinearDiscriminantAnalysis())
    honest = evaluate(piped, X, y, plan=PLAN)
    with pytest.warns(SelectionWarning):
        naive = evaluate(LinearDiscriminantAnalysis(), CorrelationFilter(k=5).fit_transform(X, y), y, plan=PLAN)
    assert naive.error < 0.35 < 0.38 < honest.error


def test_p_values_at_the_end_of_a_pipeline(noise: Any) -> None:
    X, y = noise
    piped = make_pipeline(AnovaFilter(k=3), StandardScaler(), LogisticRegression(C=np.inf)).fit(X, y)
    with pytest.warns(SelectionWarning, match="AnovaFilter picked these 3 columns out of 400"):
        piped[-1].summary()


def test_ordinary_use_is_left_alone(noise: Any) -> None:
    X, y = noise
    mine, theirs, own, other = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    picked = CorrelationFilter(k=5).fit(mine, own)
    evaluate(LinearDiscriminantAnalysis(), picked.transform(theirs), other, plan=PLAN)
    LinearDiscriminantAnalysis().fit(picked.transform(theirs), other).summary()
    evaluate(LinearDiscriminantAnalysis(), X[:, :5], y, plan=PLAN)
    evaluate(LinearDiscriminantAnalysis(), CorrelationFilter(k=1.0).fit_transform(X[:, :9], y), y, plan=PLAN)
    evaluate(LinearDiscriminantAnalysis(), RareBinaryFilter().fit_transform(np.column_stack([X[:, :4], np.ones(80)])), y, plan=PLAN)
    LinearDiscriminantAnalysis().fit(picked.transform(mine), own).predict(picked.transform(theirs))

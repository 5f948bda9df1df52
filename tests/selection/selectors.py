"""Every selector of this room that is fitted on rows and labels; laws run over them."""

from __future__ import annotations

from separatrix.selection import (
    AnovaFilter,
    CorrelationFilter,
    MutualInformationFilter,
    RareBinaryFilter,
    StabilitySelection,
    StepwiseDiscriminant,
)

FILTERS = [
    CorrelationFilter(),
    CorrelationFilter(max_correlation=0.9),
    AnovaFilter(),
    MutualInformationFilter(),
    MutualInformationFilter(discrete_features=True),
]
"""Filters that score columns one by one."""

SELECTORS = [*FILTERS, RareBinaryFilter(), RareBinaryFilter(drop_duplicates=True), StepwiseDiscriminant(p_enter=1.0, p_remove=1.0)]

RANDOM = [StabilitySelection(CorrelationFilter(k=1), n_subsamples=5, threshold=0.2, random_state=0)]
"""Selectors that draw rows: a row of weight 2 is not two rows to them."""

SEARCHES = {"BackwardSelection", "ForwardSelection"}
"""Selectors that ask a model: their laws are in tests/selection/test_sequential.py."""

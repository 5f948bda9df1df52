"""Every selector of this room that is fitted on rows and labels; laws run over them."""

from __future__ import annotations

from separatrix.selection import AnovaFilter, CorrelationFilter, MutualInformationFilter, RareBinaryFilter, StepwiseDiscriminant

FILTERS = [
    CorrelationFilter(),
    CorrelationFilter(max_correlation=0.9),
    AnovaFilter(),
    MutualInformationFilter(),
    MutualInformationFilter(discrete_features=True),
]
"""Filters that score columns one by one."""

SELECTORS = [*FILTERS, RareBinaryFilter(), RareBinaryFilter(drop_duplicates=True), StepwiseDiscriminant(p_enter=1.0, p_remove=1.0)]

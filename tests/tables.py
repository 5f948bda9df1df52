"""Every member of every kind. Laws run over these tables; a test holds them equal to the public registry."""

from __future__ import annotations

from separatrix import GaussianNB, LinearDiscriminantAnalysis

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(covariance="mle", shrinkage=0.2),
    LinearDiscriminantAnalysis(shrinkage="oas"),
    LinearDiscriminantAnalysis(class_weight="balanced"),
    GaussianNB(),
    GaussianNB(ddof=1, class_weight="balanced"),
]
"""One configuration of each public classifier at least."""

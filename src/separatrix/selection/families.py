"""The families of models that a comparison takes where the user names none, simplest first."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from ..data import Block, Source
from ..models import (
    AveragedPerceptron,
    BernoulliNB,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MultinomialNB,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)
from .candidates import Candidate, Point

SHRINKAGE = [0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0]
"""Most shrunk, that is simplest, first: among equals the first is taken."""
MOST_TERMS = 600
"""Most columns of a polynomial basis; a basis with more is left out."""
COSTS = {
    "shrinkage LDA": 1,
    "QDA": 1,
    "averaged perceptron": 2,
    "logistic L2": 2,
    "logistic with curves": 2,
    "linear SVM": 3,
    "kernel LDA (Nystroem)": 3,
    "polynomial LDA": 4,
    "logistic L1": 4,
}
"""Families by what their fits take; those not listed are solved from one summary."""
LANDMARKS = 100
"""Rows that stand for all in an approximated kernel."""
ROUGH = 1e-2
"""Tolerance of fits to many values that serve the choice of C alone: four digits of the objective; a held-out error has two or three."""

ROUNDS = 8
"""Steps of such fits with an L1 penalty: an objective within a hundredth; what comes after tells columns apart that predict alike."""
PASSES = 500
"""Steps of such fits with an L2 penalty: half of them are those of L-BFGS, which arrives in fewer passes where four digits do."""


def families(source: Source) -> dict[str, Candidate]:
    """Return the families that suit some rows, by name, simplest first.

    Simple is: a boundary that no column moves, then boundaries linear in the columns (fewer estimated numbers first, then penalties to
    tune), then quadratic ones, then those in other bases. Models that depend on units have their columns standardised inside each fold.

    Parameters
    ----------
    source : rows in memory

    Examples
    --------
    >>> from separatrix.data import as_rows
    >>> list(families(as_rows([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])))[:3]
    ['nearest mean', 'Bernoulli naive Bayes', 'Fisher']
    """
    binary, counts, sparse = kinds_of(source)
    scaler = StandardScaler(with_mean=not sparse)
    found = [tuned("nearest mean", scaler, NearestMean())]
    if binary:
        found.append(tuned("Bernoulli naive Bayes", BernoulliNB(), alpha=[10.0, 1.0, 0.1, 0.01]))
    elif counts:
        found.append(tuned("multinomial naive Bayes", MultinomialNB(), alpha=[10.0, 1.0, 0.1, 0.01]))
    found += [
        tuned("Fisher", FisherDiscriminant()),
        tuned("least squares", LeastSquaresClassifier()),
        tuned("LDA", LinearDiscriminantAnalysis()),
        tuned("shrinkage LDA", scaler, LinearDiscriminantAnalysis(), shrinkage=SHRINKAGE),
        tuned("logistic L1", scaler, LogisticRegression(l1_ratio=1.0), C=[0.01, 0.1, 1.0, 10.0, 100.0]),
        tuned("logistic L2", scaler, LogisticRegression(), C=[0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]),
        tuned("linear SVM", scaler, LinearSVC(), C=[0.0001, 0.001, 0.01, 0.1, 1.0, 10.0]),
        tuned("averaged perceptron", scaler, AveragedPerceptron(max_iter=100, tol=1e-3)),
        tuned("Gaussian naive Bayes", scaler, GaussianNB(), var_smoothing=[1.0, 0.1, 0.01, 1e-9]),
        tuned("QDA", QuadraticDiscriminantAnalysis(), pooling=[0.9, 0.5, 0.25, 0.1, 0.0]),
    ]
    basis = PolynomialFeatures(2, include_bias=False)
    degrees = [degree for degree in (2, 3) if comb(source.n_features + degree, degree) <= MOST_TERMS]
    if degrees:
        found.append(tuned("polynomial LDA", scaler, basis, LinearDiscriminantAnalysis(), degree=degrees, shrinkage=[0.5, 0.1, 0.01]))
    if source.n_rows is not None and source.n_rows >= 2 * LANDMARKS:
        kernel = Nystroem(n_components=LANDMARKS)
        widths = [width / source.n_features for width in (0.1, 0.5, 2.0)]
        found.append(
            tuned("kernel LDA (Nystroem)", scaler, kernel, LinearDiscriminantAnalysis(), gamma=widths, shrinkage=[0.1, 0.01, 0.001])
        )
    return {candidate.name: replace(candidate, rough=rough_fits(candidate.model), cost=COSTS.get(candidate.name, 0)) for candidate in found}


def rough_fits(model: Any) -> Point:
    """Return tolerance and rounds of rough fits under the names they have in a model, for those that minimise a loss over many passes."""
    known = model.get_params()
    if "linearsvc__tol" in known:
        return {"linearsvc__tol": ROUGH}
    if "logisticregression__tol" not in known:
        return {}
    rounds = ROUNDS if known["logisticregression__l1_ratio"] > 0.0 else PASSES
    return {"logisticregression__tol": ROUGH, "logisticregression__max_iter": rounds}


def kinds_of(source: Source) -> tuple[bool, bool, bool]:
    """Return whether all values are 0 or 1, whether all are counts (whole numbers ≥ 0), and whether the rows are sparse."""

    def look(block: Block) -> tuple[bool, bool, bool]:
        sparse = sp.issparse(block.X)
        values = block.X.data if sparse else block.X
        counts = bool((values >= 0).all() and (values == np.floor(values)).all())
        return counts and bool((values <= 1).all()), counts, sparse

    binary, counts, sparse = zip(*source.map(look), strict=True)
    return all(binary), all(counts), all(sparse)


def tuned(name: str, *steps: Any, **values: list[Any]) -> Candidate:
    """Return a candidate of one model, or of steps ending in one, with values of parameters of whichever step has them."""
    model = clone(steps[0]) if len(steps) == 1 else make_pipeline(*[clone(step) for step in steps])
    parts = [("", model)] if len(steps) == 1 else [(f"{step}__", part) for step, part in reversed(model.steps)]
    named = {next(prefix + key for prefix, part in parts if key in part.get_params(deep=False)): chosen for key, chosen in values.items()}
    return Candidate(name, model, tuple(ParameterGrid(named)) if named else (), reads_numbers=True)

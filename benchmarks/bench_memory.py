"""Memory of a fit above what was held before, for every family on tall, square, wide and sparse rows: at most 2 × X and 100 MB."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CDLL
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import separatrix as own
from benchmarks.harness import Row, publish
from benchmarks.shapes.children import in_child

TIMES, MORE = 2.0, 100e6
LIMIT = 60.0
"""Seconds of a fit."""
MODELS: dict[str, Callable[[], Any]] = {
    "nearest mean": own.NearestMean,
    "Gaussian naive Bayes": own.GaussianNB,
    "multinomial naive Bayes": own.MultinomialNB,
    "Fisher": own.FisherDiscriminant,
    "least squares": own.LeastSquaresClassifier,
    "LDA": own.LinearDiscriminantAnalysis,
    "shrunk LDA": partial(own.LinearDiscriminantAnalysis, shrinkage=0.1),
    "pooled QDA": partial(own.QuadraticDiscriminantAnalysis, pooling=0.5),
    "logistic": own.LogisticRegression,
    "logistic L1": partial(own.LogisticRegression, l1_ratio=1.0),
    "linear SVM": own.LinearSVC,
    "hinge": partial(own.LinearSVC, loss="hinge"),
    "averaged perceptron": partial(own.AveragedPerceptron, max_iter=10, tol=1e-3),
}
DENSE = {"1,000 × 1,000": (1_000, 1_000), "200 × 20,000": (200, 20_000), "100,000 × 100": (100_000, 100), "1,000,000 × 20": (1_000_000, 20)}
TEXT = "text 20,000 × 5,000, 1 % stored"
CLASSES = "50,000 × 50, K = 100"


def rows(shape: str, is_counts: bool) -> tuple[Any, Any]:
    """Return rows of a shape, and labels that their first columns tell with noise."""
    rng = np.random.default_rng(0)
    if shape == TEXT:
        X = sp.random_array((20_000, 5_000), density=0.01, format="csr", rng=rng)
        X.data = np.ceil(3.0 * X.data) if is_counts else X.data
        return X, (np.asarray(X[:, :500].sum(axis=1)).ravel() + rng.normal(size=20_000) > 2.5).astype(int)
    if shape == CLASSES:
        y = rng.integers(0, 100, 50_000)
        X = rng.normal(size=(50_000, 50)) + 2.0 * rng.normal(size=(100, 50))[y]
        return (np.floor(np.abs(X)) if is_counts else X), y
    X = rng.normal(size=DENSE[shape])
    y = (X[:, :5].sum(axis=1) + 2.0 * rng.normal(size=len(X)) > 0).astype(int)
    return (np.floor(np.abs(X, out=X), out=X) if is_counts else X), y


def held(field: str) -> int:
    """Return bytes of this process: "VmRSS", held now, or "VmHWM", the most since the peak was set back."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])


def prepared(shape: str, name: str) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Return a fit, and what reads its peak above the start as bytes; one fit has gone before, so that nothing is compiled."""
    X, y = rows(shape, name.startswith("multinomial"))
    MODELS[name]().fit(X, y)
    CDLL(None).malloc_trim(0)  # gives back what the first fit has freed, which the next one would else not be seen to take
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # sets the peak back to what is held now
    before, size = held("VmRSS"), X.data.nbytes + (X.indices.nbytes + X.indptr.nbytes if sp.issparse(X) else 0)

    def fit() -> None:  # and lets go of the model, which would be held while the next one is fitted
        MODELS[name]().fit(X, y)

    return fit, lambda _: (held("VmHWM") - before, size)


def measured(shape: str, name: str) -> Row:
    """Return the row of a family on a shape."""
    run = in_child(partial(prepared, shape, name), LIMIT)
    if run.end != "done":
        return Row(f"{name}, {shape}", "", "", run.end)
    extra, size = run.report
    asked = TIMES * size + MORE
    return Row(f"{name}, {shape}", f"{extra / 1e6:.0f} MB", "", f"{extra / size:.2f} × X", f"≤ {asked / 1e6:.0f} MB", extra <= asked)


def main() -> None:
    publish("Memory of fits", [measured(shape, name) for shape in [*DENSE, CLASSES, TEXT] for name in MODELS])


if __name__ == "__main__":
    main()

"""Pictures of families: the same rows of two classes, and the regions that a small model of the family gives them, as SVG."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from ..array_types import Floats
from ..models import LinearDiscriminantAnalysis, LogisticRegression

WIDTH, HEIGHT = 200, 140
"""Of the picture, in its own units."""
ROWS, ACROSS = 70, 101
"""Lines on which regions are looked for, and points along each."""
CLOUD = 36
"""Rows of each class."""

INSTEAD: dict[str, Any] = {
    "logistic with curves": make_pipeline(SplineTransformer(4), LogisticRegression(C=10.0)),
    "kernel": make_pipeline(PolynomialFeatures(3, include_bias=False), LinearDiscriminantAnalysis()),
    "boosting": GradientBoostingClassifier(n_estimators=40, min_samples_leaf=4, random_state=0),
    "majority": DummyClassifier(strategy="prior"),
    "other": KNeighborsClassifier(9),
}
"""Models of other packages that stand for a family in its picture."""


@cache
def rows() -> tuple[Floats, Any]:
    """Return rows in the plane: a round class, and a long one that bends around it, in units of the picture."""
    rng = np.random.default_rng(7)
    round_ = rng.normal([0.0, 0.0], [0.75, 0.6], size=(CLOUD, 2))
    along = rng.uniform(-1.0, 1.0, CLOUD)
    long = np.stack([1.75 + 0.9 * along, 1.0 - 1.3 * along + 0.5 * along**2], axis=1) + rng.normal(0.0, 0.38, size=(CLOUD, 2))
    X = np.concatenate([round_, long])
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    return (X - low) / (high - low) * [WIDTH, HEIGHT], np.repeat([0, 1], CLOUD)


def draw(name: str, model: Any = None) -> str:
    """Return the picture of a family as SVG; the page's style gives it its colours.

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> draw("nearest mean", NearestMean())[:44]
    '<svg class="picture" viewBox="0 0 200 140" r'
    """
    X, y = rows()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a picture that is not converged to the last digit is as good
        fitted = clone(INSTEAD[name] if model is None else model).fit(scaled, y)
    heights = (np.arange(ROWS) + 0.5) * HEIGHT / ROWS
    places = np.linspace(0.0, WIDTH, ACROSS)
    grid = np.stack(np.broadcast_arrays(places[None, :], heights[:, None]), axis=-1).reshape(-1, 2)
    score = _score(fitted, (grid - X.mean(axis=0)) / X.std(axis=0)).reshape(ROWS, ACROSS)
    runs = "".join(_runs(places, line, i * HEIGHT / ROWS) for i, line in enumerate(score))
    points = "".join(_point(x, y_, label) for (x, y_), label in zip(X.tolist(), y.tolist(), strict=True))
    title = f"Regions of two classes by {name}"
    return (
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><rect class="region0" width="{WIDTH}" '
        f'height="{HEIGHT}"/><path class="region1" d="{runs}"/>{points}</svg>'
    )


def _score(model: Any, Z: Floats) -> Floats:
    """Return a number above 0 where the second class is said."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(Z))
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(Z))[:, 1] - 0.5 - 1e-12
    return np.asarray(model.predict(Z)) - 0.5


def _runs(places: Floats, line: Floats, top: float) -> str:
    """Return the stretches of a line where the score is positive, as a path; ends lie where the score crosses 0."""
    inside = line > 0
    turns = np.flatnonzero(inside[1:] != inside[:-1])
    crossing = places[turns] + (places[1] - places[0]) * line[turns] / (line[turns] - line[turns + 1])
    ends = np.concatenate([[0.0] if inside[0] else [], crossing, [float(WIDTH)] if inside[-1] else []])
    high = HEIGHT / ROWS + 0.15  # a little over, so that no light shines between two lines
    return "".join(f"M{a:.1f} {top:.1f}H{b:.1f}v{high:.2f}H{a:.1f}z" for a, b in ends.reshape(-1, 2).tolist())


def _point(x: float, y: float, label: int) -> str:
    """Return a row as a mark: a disc or a diamond, so that classes differ without colours too."""
    if label == 0:
        return f'<circle class="mark0" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>'
    return f'<path class="mark1" d="M{x:.1f} {y - 3.4:.1f}l3.4 3.4l-3.4 3.4l-3.4-3.4z"/>'

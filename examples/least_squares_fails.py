"""Where least squares fails as a classifier and logistic regression does not: far rows that are right, and a class in the middle.

Least squares pays for every distance from its targets, also on the right side; and a straight line cannot be high in the middle. Run it
with `python examples/least_squares_fails.py`; `make pictures` draws it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import LeastSquaresClassifier, LogisticRegression

Floats = NDArray[np.float64]
MODELS = {"Least squares": LeastSquaresClassifier(), "Logistic regression": LogisticRegression()}


def with_far_rows(seed: int = 0) -> tuple[Floats, NDArray[Any], int]:
    """Return two classes, and the number of rows before the far ones of the second class, which are easy to tell."""
    rng = np.random.default_rng(seed)
    near = np.vstack([rng.normal([-1.0, 1.5], 0.6, (60, 2)), rng.normal([1.0, 0.0], 0.6, (60, 2))])
    far = rng.normal([8.0, -6.0], 0.5, (20, 2))
    return np.vstack([near, far]), np.repeat(["left", "right"], [60, 80]), len(near)


def in_a_line(seed: int = 0) -> tuple[Floats, NDArray[Any]]:
    """Return three classes whose means lie on one line."""
    rng = np.random.default_rng(seed)
    means = [[-4.0, -4.0], [0.0, 0.0], [4.0, 4.0]]
    return np.vstack([rng.normal(mean, 1.0, (60, 2)) for mean in means]), np.repeat(["first", "middle", "last"], 60)


def main() -> None:
    """Print what both models make of the two data sets."""
    X, y, n = with_far_rows()
    for name, model in MODELS.items():
        before = model.fit(X[:n], y[:n]).score(X[:n], y[:n])
        after = model.fit(X, y).score(X[:n], y[:n])
        print(f"{name}: {before:.1%} of the near rows right; with 20 far rows, all of them easy, {after:.1%}")
    X, y = in_a_line()
    for name, model in MODELS.items():
        found = model.fit(X, y).predict(X)
        print(f"{name}: {np.mean(found[y == 'middle'] == 'middle'):.0%} of the class in the middle found")


def pictures() -> dict[str, Any]:
    """Return the charts of both, by name."""
    from separatrix import charts
    from separatrix.charts.grammar import alt, beside, data
    from separatrix.charts.palette import QUIET
    from separatrix.explaining import decision_regions

    X, y, n = with_far_rows()
    far = []
    for name, model in MODELS.items():
        chart = charts.regions(model.fit(X, y), X, y, title=name)
        plane = decision_regions(model.fit(X[:n], y[:n]), X, y, grid=80)
        line = charts.boundaries(plane)[0]
        before = alt.Chart(data(x=line[:, 0], y=line[:, 1])).mark_line(color=QUIET, strokeDash=[6, 4]).encode(x="x:Q", y="y:Q")
        far.append(chart + before)
    Z, z = in_a_line()
    masked = [charts.regions(model.fit(Z, z), Z, z, title=name) for name, model in MODELS.items()]
    return {
        "least_squares_far_rows": beside(far, "Far rows that are right move least squares", "Dashed: the boundary without the far rows."),
        "least_squares_masking": beside(masked, "Least squares loses the class in the middle"),
    }


if __name__ == "__main__":
    main()

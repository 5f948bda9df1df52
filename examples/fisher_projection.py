"""Fisher's idea in pictures: a bad and a good line to project two classes to, and the plane of several classes.

Run it with `python examples/fisher_projection.py`; `make pictures` draws it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_wine

from separatrix import FisherDiscriminant
from separatrix.explaining import project

Floats = NDArray[np.float64]


def two_classes(seed: int = 0) -> tuple[Floats, NDArray[Any]]:
    """Return two long, narrow classes side by side: most of the variance lies along them, and says nothing."""
    rng = np.random.default_rng(seed)
    spread = np.array([[3.0, 2.6], [2.6, 3.0]])
    X = np.vstack([rng.multivariate_normal(mean, spread, 150) for mean in ([0.0, 1.1], [1.1, 0.0])])
    return X, np.repeat(["A", "B"], 150)


def main() -> None:
    """Print how far apart three directions keep the classes."""
    X, y = two_classes()
    first = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0]
    means = [X[y == label].mean(axis=0) for label in ("A", "B")]
    directions = {"largest variance": first, "difference of the means": means[1] - means[0]}
    for name, w in directions.items():
        print(f"{name}: J = {project(None, X, y, direction=w).separation:.4f}")
    print(f"Fisher's direction: J = {project(FisherDiscriminant().fit(X, y), X, y).separation:.4f}, the largest there is")


def pictures() -> dict[str, Any]:
    """Return the charts, by name."""
    from separatrix import charts
    from separatrix.charts.grammar import beside

    X, y = two_classes()
    first = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0]
    bad = charts.projection(None, X, y, direction=first, title="A bad line: the largest variance")
    good = charts.projection(FisherDiscriminant().fit(X, y), X, y, title="A good line: Fisher's")
    wine = load_wine(as_frame=True)
    names = np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]
    plane = charts.regions(
        FisherDiscriminant().fit(wine.data, names), wine.data, names, "fisher", title="Three wines, 13 columns, one plane"
    )
    return {"fisher_two_classes": beside([bad, good], "Two classes on one line"), "fisher_three_classes": plane}


if __name__ == "__main__":
    main()

"""Several classes by machines for two: where one against the rest, and one against one, contradict themselves.

Run it with `python examples/ambiguous_regions.py`; `make pictures` draws it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import LinearDiscriminantAnalysis, LinearSVC, OneVsOne, OneVsRest

Floats = NDArray[np.float64]


def three_classes(seed: int = 1) -> tuple[Floats, NDArray[Any]]:
    """Return three classes at the corners of a triangle, each longer in another direction."""
    rng = np.random.default_rng(seed)
    corners = [[0.0, 0.0], [4.4, 0.0], [2.2, 3.6]]
    spreads = [[[1.6, 0.9], [0.9, 0.7]], [[0.6, -0.7], [-0.7, 1.6]], [[1.8, 0.0], [0.0, 0.25]]]
    X = np.vstack([rng.multivariate_normal(corner, spread, 50) for corner, spread in zip(corners, spreads, strict=True)])
    return X, np.repeat(["A", "B", "C"], 50)


def models(X: Floats, y: NDArray[Any]) -> dict[str, Any]:
    """Return the three ways to make a classifier of several classes, fitted."""
    machines = {"One against the rest": OneVsRest(LinearSVC()), "One against one": OneVsOne(LinearSVC())}
    return {name: model.fit(X, y) for name, model in machines.items()} | {"One machine": LinearDiscriminantAnalysis().fit(X, y)}


def main() -> None:
    """Print how much of the plane each of them leaves ambiguous."""
    X, y = three_classes()
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    points = np.stack(np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low, high, strict=True))), axis=-1).reshape(-1, 2)
    for name, model in models(X, y).items():
        share = model.ambiguous(points).mean() if hasattr(model, "ambiguous") else 0.0
        print(f"{name}: {share:.1%} of the plane is ambiguous")


def pictures() -> dict[str, Any]:
    """Return the charts, by name."""
    from separatrix import charts
    from separatrix.charts.grammar import beside

    X, y = three_classes()
    both = [charts.regions(model, X, y, title=name) for name, model in list(models(X, y).items())[:2]]
    return {
        "ambiguous_regions": beside(both, "Where machines for two classes contradict each other", "Grey: no class, or several, claim it.")
    }


if __name__ == "__main__":
    main()

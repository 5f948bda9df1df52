"""All pictures of the README and of docs/pictures.md: `make pictures`, or `python -m examples.pictures`.

Needs `pip install 'separatrix[pictures]'`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer

from examples import ambiguous_regions, fisher_projection, least_squares_fails
from separatrix import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression, NearestMean, compare, evaluate

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
DARK = ("tour_board", "tour_curves", "fisher_three_classes")
"""Pictures of the README, which are drawn for dark pages too."""


def tour() -> dict[str, Any]:
    """Return the pictures of the README's tour, by name."""
    from separatrix.charts.grammar import beside

    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    models = [NearestMean(), GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression()]
    board = compare(X, y, models=models, random_state=0)
    found = evaluate(LinearDiscriminantAnalysis(), X, y)
    curves = beside([found.chart("roc"), found.chart("calibration")], "Held-out rows of a linear discriminant")
    return {"tour_board": board.chart(), "tour_curves": curves}


def all_pictures() -> dict[str, Any]:
    """Return every picture, by name."""
    found = tour()
    for example in (least_squares_fails, fisher_projection, ambiguous_regions):
        found |= example.pictures()
    return found


def main(folder: Path = FOLDER) -> None:
    """Write every picture as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in all_pictures().items():
        chart.save(folder / f"{name}.svg", theme="light")
        if name in DARK:
            chart.save(folder / f"{name}_dark.svg", theme="dark")
        print(f"docs/pictures/{name}.svg")


if __name__ == "__main__":
    main()

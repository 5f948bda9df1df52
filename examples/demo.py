"""Fit Separatrix's models and scikit-learn's on three small data sets and print errors and times side by side.

Run it with `make demo`. A third of the rows, drawn once by a fixed seed, is held out: the models are fitted on the
other rows, and the error is the share of held-out rows they put into the wrong class.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from sklearn import datasets, discriminant_analysis, naive_bayes
from sklearn.model_selection import train_test_split

import separatrix

SETS = {"iris": datasets.load_iris, "wine": datasets.load_wine, "breast cancer": datasets.load_breast_cancer}
PEERS = {
    "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis,
    "GaussianNB": naive_bayes.GaussianNB,
}
LAYOUT = "{:<13}  {:>14}  {:>7}  {:<26}  {:>16}  {:>16}  {:>10}  {:>12}"
HEADINGS = [
    ("", "", "", "", "held-out rows", "put wrong", "one fit", "in ms"),
    ("data set", "rows × columns", "classes", "model", "separatrix", "scikit-learn", "separatrix", "scikit-learn"),
]
SEED = 0
REPEATS = 15


def trial(model: Any, X_fit: Any, X_held: Any, y_fit: Any, y_held: Any) -> tuple[int, float]:
    """Return how many held-out rows the model gets wrong, and the median milliseconds of a fit."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(X_fit, y_fit)
        times.append(1000 * (time.perf_counter() - start))
    # The median, so that compiling or loading the kernels at the first fit does not count.
    return int((model.predict(X_held) != y_held).sum()), statistics.median(times)


def main() -> None:
    """Print the table and what it shows."""
    for words in HEADINGS:
        print(LAYOUT.format(*words))
    print("─" * len(LAYOUT.format(*HEADINGS[1])))
    same = True
    for set_name, load in SETS.items():
        X, y = load(return_X_y=True)
        parts = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=SEED)
        about = (set_name, f"{X.shape[0]} × {X.shape[1]}", len(set(y)))
        held = len(parts[3])
        for model_name, peer in PEERS.items():
            wrong, ms = zip(trial(getattr(separatrix, model_name)(), *parts), trial(peer(), *parts))
            errors = [f"{w} of {held} = {w / held:.1%}" for w in wrong]
            print(LAYOUT.format(*about, model_name, *errors, *(f"{t:.2f}" for t in ms)))
            same = same and wrong[0] == wrong[1]

    shown = "makes as many errors as scikit-learn on every set" if same else "differs from scikit-learn on some set"
    print(
        f"\nSeparatrix {shown}; next, try the example in README.md, which adds rows to a fitted model,\n"
        "takes rows away again and fits from Parquet files."
    )


if __name__ == "__main__":
    main()

"""Probe embeddings: how much of ten digits can a linear model read off the features of a network that was never trained?

The features are a fixed random map of the 1,797 digits that come with scikit-learn; with `python examples/probe.py --mnist`, of 20,000
pictures of MNIST, if its file is found in the folder named by SEPARATRIX_DATA. With a network of your own, pass what its last layer but one
gives: a tensor stays on its device.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from separatrix import probe

MNIST = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data")) / "mnist" / "mnist.npz"


def pictures(mnist: bool) -> tuple[Any, Any]:
    """Return pictures as rows of grey values, and their digits."""
    if not (mnist and MNIST.exists()):
        X, y = load_digits(return_X_y=True)
        return X / 16.0, y
    with np.load(MNIST) as file:
        return file["X_train"][:20_000] / 255.0, file["y_train"][:20_000]


def features(X: Any, size: int = 256) -> Any:
    """Return max(0, XA + b), A and b drawn once."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(X.shape[1], size)) * np.sqrt(2.0 / X.shape[1])
    return np.maximum(X @ A + 0.1 * rng.normal(size=size), 0.0).astype(np.float32)


def main(mnist: bool = False) -> None:
    """Print accuracies on test rows, the sweep of C, and what few rows of each class give."""
    X, y = pictures(mnist)
    E = features(X)
    train, held, test = np.split(np.random.default_rng(1).permutation(len(y)), [len(y) // 2, 3 * len(y) // 4])
    found = probe(E[train], y[train], E[held], y[held], E[test], y[test], few_shot=(1, 4, 16))
    print(found)


if __name__ == "__main__":
    main("--mnist" in sys.argv)

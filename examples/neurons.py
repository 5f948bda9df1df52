"""Tell from brain activity what happened: spike counts of a few neurons, and scans with far more voxels than people.

Both are generated, so that the truth is known. Run it with `python examples/neurons.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import GaussianNB, KFold, LeaveOneOut, LinearDiscriminantAnalysis, MultinomialNB, evaluate

Floats = NDArray[np.float64]
DIRECTIONS = np.array(["left", "right", "up", "down"])


def spikes(n: int, rng: np.random.Generator, neurons: int = 24) -> tuple[Floats, NDArray[np.str_]]:
    """Return spike counts of neurons that each prefer one direction of movement: Poisson with a cosine tuning curve."""
    angle = {"right": 0.0, "up": np.pi / 2, "left": np.pi, "down": 3 * np.pi / 2}
    y = rng.choice(DIRECTIONS, n)
    preferred = rng.uniform(0, 2 * np.pi, neurons)
    rate = 3.0 * np.exp(0.6 * np.cos(np.array([angle[label] for label in y])[:, None] - preferred))
    return rng.poisson(rate).astype(float), y


def scans(n: int, rng: np.random.Generator, voxels: int = 400) -> tuple[Floats, NDArray[np.str_]]:
    """Return smooth random images, a small region of which is brighter while a face is shown."""
    y = np.where(np.arange(n) % 2 == 0, "face", "house")
    noise = rng.standard_normal((n, voxels + 40))
    smooth = np.cumsum(noise, axis=1)
    X = (smooth[:, 40:] - smooth[:, :-40]) / np.sqrt(40)
    X[:, 100:160] += 0.8 * (y == "face")[:, None]
    return X, y


def main() -> None:
    """Print how well each model reads the spikes, and how much shrinking the scans need."""
    rng = np.random.default_rng(0)
    X, y = spikes(600, rng)
    print(f"{X.shape[0]} movements, {X.shape[1]} neurons, 4 directions (guessing errs in 75 %):")
    for model in (MultinomialNB(), GaussianNB(), LinearDiscriminantAnalysis()):
        found = evaluate(model, X, y, plan=KFold(10, random_state=0))
        low, high = found.interval
        print(f"    {type(model).__name__:28} {found.error:6.1%} wrong ({low:.1%} to {high:.1%})")

    X, y = scans(80, rng)
    print(f"\n{X.shape[0]} scans of {X.shape[1]:,} voxels, each left out once:")
    for shrinkage in (0.01, 0.2, 0.5, 0.9):
        found = evaluate(LinearDiscriminantAnalysis(shrinkage=shrinkage), X, y, plan=LeaveOneOut())
        loss = found.scores["log_loss"]
        print(f"    shrinkage {shrinkage:4}: {found.error:6.1%} wrong, log-loss {loss:.3f} ({found.method}, {found.seconds:.1f} s)")


if __name__ == "__main__":
    main()

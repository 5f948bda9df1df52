"""Find out from an image whether a face smiles.

The faces are drawn: an oval, two eyes and a mouth, each of another size, place and brightness, with noise. The direction that
Fisher's criterion finds is again an image: it shows where to look. Run it with `python examples/faces.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import FisherDiscriminant, Holdout, LinearDiscriminantAnalysis, NearestMean, evaluate

Floats = NDArray[np.float64]
SIDE = 24
INK = " .:-=+*#%@"


def face(smiles: bool, rng: np.random.Generator) -> Floats:
    """Return a SIDE × SIDE image of a face that smiles or frowns."""
    v, u = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    u, v = u - rng.normal(0, 0.05), v - rng.normal(0, 0.05)
    image = np.where((u / 0.8) ** 2 + (v / 0.95) ** 2 < 1, rng.uniform(0.3, 0.6), 0.0)
    for side in (-1, 1):
        image += 0.6 * np.exp(-((u - 0.35 * side) ** 2 + (v + 0.3) ** 2) / 0.01)
    bend = rng.uniform(0.1, 0.5) * (1 if smiles else -1)
    mouth = 0.45 + rng.normal(0, 0.03) - bend * (u / 0.45) ** 2 * 0.45 + bend * 0.1
    image += 0.6 * np.exp(-((v - mouth) ** 2) / 0.004) * (np.abs(u) < 0.45)
    return image + rng.normal(0, 0.08, image.shape)


def show(image: Floats) -> str:
    """Return an image as text."""
    scaled = (image - image.min()) / np.ptp(image)
    return "\n".join("    " + "".join(INK[int(s * 9.999)] * 2 for s in row) for row in scaled[::2, ::1])


def main() -> None:
    """Print a face, how well three models do on faces held out, and where the best of them looks."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(800) < 0.5, "frown", "smile")
    X = np.stack([face(label == "smile", rng).ravel() for label in y])
    print(f"A face that is a {y[0]}:\n{show(X[0].reshape(SIDE, SIDE))}\n")
    for model in (NearestMean(), LinearDiscriminantAnalysis(shrinkage="auto"), FisherDiscriminant()):
        found = evaluate(model, X, y, plan=Holdout(0.25, random_state=0))
        print(f"{type(model).__name__:28} {found.error:6.1%} of held-out faces wrong ({found.interval[0]:.1%} to {found.interval[1]:.1%})")
    weights = LinearDiscriminantAnalysis(shrinkage="auto").fit(X, y).coef_.reshape(SIDE, SIDE)
    print(f"\nWhere shrunk LDA looks, bright for a smile:\n{show(weights)}")


if __name__ == "__main__":
    main()

"""Which patients come back within a month, and what can be said about why?

The patients are generated: age, days in hospital, earlier stays, living alone, and one rare diagnosis that was always followed by a
readmission, so that the ordinary estimate of its effect is infinite. Run it with `python examples/patients.py`.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from separatrix import LogisticRegression, evaluate, explain, separation

NAMES = ["age", "days", "earlier stays", "lives alone", "rare diagnosis"]
Floats = NDArray[np.float64]


def patients(n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.str_]]:
    """Return patients and whether they came back."""
    age, days = rng.normal(65, 12, n).round(), rng.gamma(2.0, 2.5, n).round() + 1
    earlier, alone = rng.poisson(0.8, n), rng.random(n) < 0.35
    rare = rng.random(n) < 0.015
    logit = -4.2 + 0.03 * age + 0.06 * days + 0.5 * earlier + 0.6 * alone
    back = (rng.random(n) < 1 / (1 + np.exp(-logit))) | rare
    return np.column_stack([age, days, earlier, alone, rare]).astype(float), np.where(back, "back", "home")


def main() -> None:
    """Print the doctor's advice, the table of odds ratios with Firth's correction, the held-out error, and one patient."""
    import pandas as pd

    X, y = patients(600, np.random.default_rng(0))
    X = pd.DataFrame(X, columns=NAMES)
    print(separation(X, y), "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same advice as a warning
        model = LogisticRegression(firth=True).fit(X, y)
    print(model.summary())
    print(f"\n10-fold cross-validation: {evaluate(LogisticRegression(), X, y, random_state=0)}\n")
    print(explain(LogisticRegression().fit(X, y), X, 0))


if __name__ == "__main__":
    main()

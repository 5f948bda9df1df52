"""Features chosen: filters by one pass against a loop over the columns."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import f_classif, mutual_info_classif

from benchmarks.harness import Peer, Row, publish, race
from separatrix import AnovaFilter, MutualInformationFilter


def filters() -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100_000)
    X = (rng.random((100_000, 1_000)) < 0.3 + 0.2 * y[:, None] * rng.random(1_000)).astype(np.float64)
    ours = MutualInformationFilter(k=100).fit(X, y).scores_
    same = lambda scores: f"largest difference {np.abs(scores - ours).max():.0e}"  # noqa: E731
    found = race(
        "mutual information of 1,000 binary columns, 100,000 rows",
        lambda: MutualInformationFilter(k=100).fit(X, y),
        [Peer("mutual_info_classif", lambda: mutual_info_classif(X, y, discrete_features=True), same)],
        {"mutual_info_classif": 50},
        rounds=1,
    )
    found += race(
        "F of 1,000 columns, 100,000 rows",
        lambda: AnovaFilter(k=100).fit(X, y),
        [Peer("f_classif", lambda: f_classif(X, y))],
        rounds=3,
    )
    return found


def main() -> None:
    publish("Features", filters())


if __name__ == "__main__":
    main()

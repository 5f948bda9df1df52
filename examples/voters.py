"""Guess a voter's party from answers to yes-no questions, some of which were not answered.

The answers are generated: each party has its opinions, each voter strays from some. Run it with `python examples/voters.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix import BernoulliNB, KFold, evaluate

QUESTIONS = ["taxes", "schools", "army", "farms", "trade", "water", "roads", "courts", "parks", "news", "mines", "ports"]


def answers(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return answers (1 yes, 0 no, NaN none) and parties; one answer in eight is missing."""
    y = rng.choice(["blue", "green", "red"], n, p=[0.4, 0.2, 0.4])
    yes = {"blue": rng.beta(0.8, 0.8, 12), "green": rng.beta(0.8, 0.8, 12), "red": rng.beta(0.8, 0.8, 12)}
    X = (rng.random((n, 12)) < np.stack([yes[party] for party in y])).astype(float)
    X[rng.random(X.shape) < 1 / 8] = np.nan
    return X, y


def main() -> None:
    """Print the held-out error, and what one question says."""
    X, y = answers(500, np.random.default_rng(1))
    model = BernoulliNB(missing="ignore")
    found = evaluate(model, X, y, plan=KFold(10, random_state=0))
    print(f"{len(y)} voters, {len(QUESTIONS)} questions, {np.isnan(X).mean():.0%} unanswered:\n{found}\n")
    print(
        "rows: party; columns: guess\n"
        + "\n".join(f"    {c:6}" + "".join(f"{v:6g}" for v in row) for c, row in zip(found.classes, found.confusion))
    )
    model.fit(X, y)
    no, yes = model.feature_log_odds("red", "blue")
    order = np.argsort(-np.abs(yes - no))
    print("\nWhat the answers say for red against blue (log-odds of a no, of a yes):")
    for j in order[:4]:
        print(f"    {QUESTIONS[j]:8} {no[j]:+.2f}  {yes[j]:+.2f}")


if __name__ == "__main__":
    main()

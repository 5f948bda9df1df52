"""Which visitors of a shop buy, and whom is it worth writing to?

The visitors are generated: numbers, switches and text in one frame, as tables are. Run it with `python examples/customers.py`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from separatrix import Decision, KFold, MixedNB, evaluate


def visitors(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Return a frame of visitors and whether they bought."""
    buys = rng.random(n) < 0.15
    frame = pd.DataFrame(
        {
            "minutes": rng.gamma(np.where(buys, 4.0, 2.0), 2.0).round(1),
            "pages": rng.poisson(np.where(buys, 7, 4)),
            "newsletter": rng.random(n) < np.where(buys, 0.5, 0.2),
            "came from": np.where(rng.random(n) < np.where(buys, 0.5, 0.25), "search", rng.choice(["mail", "friend", "advert"], n)),
        }
    )
    frame.loc[rng.random(n) < 0.05, "minutes"] = np.nan
    return frame, pd.Series(np.where(buys, "buys", "leaves"))


def main() -> None:
    """Print the held-out scores, and the rule that earns most where a letter costs 1 and a sale brings 12."""
    X, y = visitors(2000, np.random.default_rng(0))
    print(X.head(4), "\n")
    found = evaluate(MixedNB(missing="ignore"), X, y, plan=KFold(10, random_state=0))
    print(f"Who buys? 10-fold cross-validation:\n{found}\n")
    # Rows are the truth (buys, leaves), columns what is done: write or not. A buyer not written to is a sale lost.
    costs = np.array([[1.0, 12.0], [1.0, 0.0]])
    letters = Decision(costs, actions=["write", "let be"])
    done = letters.decide(found.posteriors, found.classes)
    paid = np.mean(costs[(y != "buys").astype(int), (done == "let be").astype(int)])
    print(f"A letter costs 1, a lost sale 12: write to {np.mean(done == 'write'):.0%} of the visitors.")
    print(f"Cost per visitor {paid:.2f}; writing to all would cost 1.00, to none {12 * np.mean(y == 'buys'):.2f}.")


if __name__ == "__main__":
    main()

"""Who will leave, and why? A table as people have it: an identifier, gaps, dates, and prices written as text.

The customers are generated. Run it with `python examples/churn.py`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from separatrix import KFold, compare


def customers(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table of customers with a column that says who left."""
    contract = rng.choice(["monthly", "one year", "two years"], n, p=[0.55, 0.25, 0.2])
    months = rng.integers(1, 72, n)
    price = rng.normal(70, 25, n).clip(20)
    score = 1.2 * (contract == "monthly") - 0.04 * months + 0.02 * (price - 70)
    table = pd.DataFrame(
        {
            "customerID": [f"C-{i:05d}" for i in rng.permutation(n)],
            "contract": contract,
            "months": np.where(rng.random(n) < 0.05, np.nan, months),
            "price": [f"$ {value:,.2f}" for value in price],
            "since": pd.Timestamp("2024-06-01") - pd.to_timedelta(30 * months, "D"),
            "paid by": rng.choice(["card", "bank", "cheque"], n),
            "churn": np.where(score + rng.logistic(size=n) > -0.4, "yes", "no"),
        }
    )
    table.loc[rng.random(n) < 0.1, "paid by"] = None
    return table


def main() -> None:
    """Print what is done with the columns, which model is picked, and what it says about new customers."""
    table = customers(1000, np.random.default_rng(0))
    print(table.head(4).to_string(), "\n")
    board = compare(table, target="churn", models=["nearest mean", "LDA", "logistic L2"], plan=KFold(5), random_state=0)
    print(board.recipe, "\n")
    print(board, "\n")
    new = pd.DataFrame(
        {
            "contract": ["monthly", "weekly"],
            "months": [2, None],
            "price": ["$ 95.00", "?"],
            "since": ["2024-04-02", None],
            "paid by": "card",
        }
    )
    leaves = board.model.predict_proba(new)[:, board.model.classes_.tolist().index("yes")]
    print("A new customer by the month, and one of whom little is known, leave with probability", ", ".join(f"{p:.2f}" for p in leaves))


if __name__ == "__main__":
    main()

"""Tables as people have them, for the tests of preparation."""

from __future__ import annotations

import numpy as np
import pandas as pd


def customers(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Return a table with an identifier, gaps, numbers written as text, dates, categories, texts, a constant, and a target."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, n).round()
    plan = rng.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2])
    score = 0.05 * (age - 45) + 1.5 * (plan == "pro") + rng.logistic(size=n)
    return pd.DataFrame(
        {
            "customerID": [f"C-{i:05d}" for i in rng.permutation(n)],
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "plan": plan,
            "spent": [f"$ {x:,.2f}" if i % 20 else " " for i, x in enumerate(rng.lognormal(6, 1, n))],
            "since": pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "town": rng.choice([f"town {i}" for i in range(150)], n),
            "visits": rng.poisson(2, n),
            "country": "NO",
            "remark": rng.choice(["very late delivery", "all good so far", "asked for a refund twice", "new phone number"], n),
            "churn": np.where(score > 0.3, "yes", "no"),
        }
    )

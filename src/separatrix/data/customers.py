"""A table of customers as a company would export it, made on the spot: for the demonstration and for trying things out.

Whether a customer leaves depends on the contract, on how long they have been there, on calls to support, on satisfaction and on the price:
the log-odds are a sum over columns, so that a linear classifier is the right model, and there is noise, so that none is perfect. Beside
what is told by these columns the table has what real tables have:

===================  ================================================================================
customer_id          an identifier; says nothing
signup_date          a date; tenure_months is the time since
region, device       categories; the device says little
contract, payment    categories that matter
tenure_months        months, no gaps
age                  missing in one row of twelve, by chance
monthly_charge       a number written as text: "$ 1,049.50"
support_calls        a count
satisfaction         1 to 5, asked of few: missing more often among those who leave
newsletter           yes or no
retention_credit     a leak: what was paid to customers after they had given notice, and to no one else
churn                the labels, yes or no
===================  ================================================================================
"""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

Customers = dict[str, list[Any]]


def customers(n: int = 2_000, seed: int = 0) -> Customers:
    """Return a table of n customers by column; None where a value is missing.

    Parameters
    ----------
    n : number of rows
    seed : of the generator; the same seed gives the same table

    Examples
    --------
    >>> table = customers(1_000)
    >>> list(table)[:3], table["customer_id"][0], round(table["churn"].count("yes") / 1_000, 1)
    (['customer_id', 'signup_date', 'region'], 'C-010000', 0.3)
    """
    rng = np.random.default_rng(seed)
    contract = rng.choice(["monthly", "one year", "two years"], n, p=[0.55, 0.25, 0.2])
    payment = rng.choice(["card", "transfer", "direct debit", "invoice"], n, p=[0.35, 0.2, 0.3, 0.15])
    tenure = np.ceil(rng.gamma(1.6, 18.0, n)).clip(1, 120)
    charge = np.round(20.0 + 15.0 * rng.gamma(3.0, 1.0, n) + 1000.0 * (rng.random(n) < 0.02), 2)
    calls = rng.poisson(1.2, n)
    mood = np.clip(np.round(rng.normal(3.6 - 0.35 * calls, 1.0)), 1, 5)
    odds = (
        -0.9
        + np.select([contract == "one year", contract == "two years"], [-1.3, -2.2], 0.4)
        + np.where(payment == "invoice", 0.7, 0.0)
        - 0.03 * (tenure - 30.0)
        + 0.02 * (np.minimum(charge, 200.0) - 65.0)
        + 0.3 * (calls - 1.2)
        - 0.45 * (mood - 3.2)
    )
    leaves = rng.random(n) < 1.0 / (1.0 + np.exp(-odds))
    asked = rng.random(n) < np.where(leaves, 0.55, 0.8)
    age = np.round(rng.normal(46.0, 14.0, n)).clip(18, 90)
    today = np.datetime64("2026-03-01")
    signup = today - (tenure * 30.4).astype(int).astype("timedelta64[D]") - rng.integers(0, 30, n).astype("timedelta64[D]")
    credit = np.where(leaves & (rng.random(n) < 0.995), np.round(rng.uniform(5, 60, n), 2), 0.0)
    return {
        "customer_id": [f"C-{10_000 + i:06d}" for i in range(n)],
        "signup_date": [str(day) for day in signup],
        "region": rng.choice(["north", "south", "east", "west", "coast"], n).tolist(),
        "device": rng.choice(["phone", "laptop", "tablet"], n, p=[0.6, 0.3, 0.1]).tolist(),
        "contract": contract.tolist(),
        "payment": payment.tolist(),
        "tenure_months": tenure.astype(int).tolist(),
        "age": [int(value) if known else None for value, known in zip(age, rng.random(n) >= 1 / 12, strict=True)],
        "monthly_charge": [f"$ {value:,.2f}" for value in charge],
        "support_calls": calls.tolist(),
        "satisfaction": [int(value) if known else None for value, known in zip(mood, asked, strict=True)],
        "newsletter": rng.choice(["yes", "no"], n, p=[0.4, 0.6]).tolist(),
        "retention_credit": credit.tolist(),
        "churn": np.where(leaves, "yes", "no").tolist(),
    }


def customers_csv(n: int = 2_000, seed: int = 0) -> str:
    """Return the table as the text of a CSV file.

    Examples
    --------
    >>> customers_csv(1).splitlines()[0][:40]
    'customer_id,signup_date,region,device,co'
    """
    table = customers(n, seed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(["" if value is None else value for value in row] for row in zip(*table.values(), strict=True))
    return text.getvalue()

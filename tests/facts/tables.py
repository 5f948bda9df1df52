"""Tables with nothing to be said about them, and one planted fault for each alert."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

LABELS = np.array(["no", "yes", "maybe"])


def clean(rng: np.random.Generator, n: int = 400, n_classes: int = 2) -> pd.DataFrame:
    """Numbers, counts, switches, categories, dates in no order and gaps at random; the class depends on `x` and on chance."""
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "x": x,
            "age": rng.normal(40, 12, n).round(),
            "income": np.where(rng.random(n) < 0.2, np.nan, np.exp(rng.normal(10, 1, n)).round(2)),
            "visits": rng.poisson(2, n),
            "member": rng.random(n) < 0.3,
            "city": np.where(rng.random(n) < 0.03, None, rng.choice(["Rome", "Oslo", "Bonn", "Kyiv"], n, p=[0.4, 0.3, 0.2, 0.1])),
            "day": rng.permutation(pd.date_range("2024-01-01", periods=n, freq="7h")),
        }
    )
    frame["target"] = LABELS[np.digitize(x + rng.normal(size=n), [0.0, 0.6][: n_classes - 1])]
    return frame


Plant = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]


def _copies(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame.iloc[np.append(np.arange(len(frame)), np.arange(20))].reset_index(drop=True)


def _few(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame.assign(target=np.where(np.arange(len(frame)) < 4, "rare", frame["target"]))


def _gaps(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    gone = rng.random(len(frame)) < np.where(frame["target"] == "yes", 0.3, 0.05)
    return frame.assign(age=frame["age"].where(~gone))


YES = "yes"
PLANTED: dict[str, tuple[str, str, Plant]] = {
    "same in other units": ("SPX004", "cents", lambda f, rng: f.assign(cents=100 * f["income"] + rng.normal(0, 1, len(f)))),
    "negative": ("SPX004", "loss", lambda f, rng: f.assign(loss=3.0 - f["x"])),
    "code and name": ("SPX004", "zip", lambda f, rng: f.assign(zip=f["city"].map({"Rome": 3, "Oslo": 1, "Bonn": 7, "Kyiv": 9}))),
    "the target in words": ("SPX005", "outcome", lambda f, rng: f.assign(outcome="is " + f["target"].astype(str))),
    "number after the fact": ("SPX005", "refund", lambda f, rng: f.assign(refund=np.where(f["target"] == YES, rng.gamma(9, 1, len(f)), 0))),
    "filled in for one class": (
        "SPX005",
        "ended",
        lambda f, rng: f.assign(ended=pd.Series(rng.permutation(pd.date_range("2025", periods=len(f)))).where(f["target"] == YES)),
    ),
    "neither high nor low": ("SPX005", "odd", lambda f, rng: f.assign(odd=rng.integers(0, 9, len(f)) * 2 + (f["target"] == YES))),
    "copies": ("SPX006", "", _copies),
    "sorted by date": ("SPX007", "day", lambda f, rng: f.sort_values("day", ignore_index=True)),
    "sorted backwards": ("SPX007", "day", lambda f, rng: f.sort_values("day", ascending=False, ignore_index=True)),
    "dates as text": ("SPX007", "day", lambda f, rng: f.assign(day=np.sort(f["day"].dt.strftime("%Y-%m-%d")))),
    "four rows of a class": ("SPX008", "rare", _few),
    "one side of zero": ("SPX009", "gap", lambda f, rng: f.assign(gap=np.where(f["target"] == YES, 1, -1) * rng.random(len(f)))),
    "sum of two": ("SPX010", "x", lambda f, rng: f.assign(total=f["x"] + f["visits"])),
    "nearly a sum": ("SPX010", "x", lambda f, rng: f.assign(total=f["x"] + f["visits"] + rng.normal(0, 0.1, len(f)))),
    "gaps by class": ("SPX014", "age", _gaps),
}
"""What is done to a clean table, with the code and the subject of the alert."""

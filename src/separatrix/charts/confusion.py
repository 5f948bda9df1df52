"""The table of truth and prediction, as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from .grammar import Layers, alt, data, layered
from .palette import FIRST
from .sampling import first_drawn
from .text import distinct_plain

MOST_CLASSES = 40
WRITTEN = 12
"""Classes up to which every number is written into its cell."""


def confusion(found: Any) -> Layers:
    """Return the held-out counts: truth down, prediction across; the darker a cell, the larger its share of the row.

    Parameters
    ----------
    found : Estimate
        Of more than 40 classes, those with the most mistakes are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, evaluate
    >>> found = evaluate(LinearDiscriminantAnalysis(), *load_iris(return_X_y=True))
    >>> len(confusion(found).to_dict()["data"]["values"])
    9
    """
    counts, sure, K = found.confusion, found.confusion_intervals, len(found.classes)
    wrong = counts.sum(axis=1) + counts.sum(axis=0) - 2 * np.diag(counts)
    kept = np.sort(np.argsort(-wrong, kind="stable")[:MOST_CLASSES])
    names = distinct_plain(found.classes.tolist())
    cells = [(j, k) for j in kept for k in kept]
    rows = data(
        truth=[names[j] for j, _ in cells],
        predicted=[names[k] for _, k in cells],
        rows=np.array([counts[c] for c in cells]),
        share=np.array([sure[j, k, 1] for j, k in cells]),
        low=np.array([sure[j, k, 0] for j, k in cells]),
        high=np.array([sure[j, k, 2] for j, k in cells]),
        kind=["right" if j == k else "wrong" for j, k in cells],
    )
    order = [names[k] for k in kept]
    side = float(np.clip(320 / len(order), 14, 72))
    base = alt.Chart(rows).encode(
        x=alt.X("predicted:N", sort=order, title="predicted", axis=alt.Axis(labelAngle=0 if _is_short(order, side) else -45)),
        y=alt.Y("truth:N", sort=order, title="truth"),
    )
    tips = [alt.Tooltip("truth:N"), alt.Tooltip("predicted:N"), alt.Tooltip("rows:Q", format=",.6~g")]
    tips += [alt.Tooltip("share:Q", title="share of the truth", format=".4f")]
    tips += [alt.Tooltip("low:Q", title="95 % from", format=".4f"), alt.Tooltip("high:Q", title="to", format=".4f")]
    shade = alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 0.62]), legend=None)
    layers = [base.mark_rect(color=FIRST, stroke=FIRST, strokeWidth=0.5, strokeOpacity=0.25).encode(opacity=shade, tooltip=tips)]
    if len(order) <= WRITTEN:
        layers.append(base.mark_text(fontSize=12 if side > 40 else 9).encode(text=alt.Text("rows:Q", format=",.6~g"), tooltip=tips))
    caption = f"Held-out error {found.error:.4f} (95 % interval {found.interval[0]:.4f} to {found.interval[1]:.4f}).\n"
    held = f"{counts.sum():,.6g} of {len(found.truth):,} rows were held out. " if counts.sum() != len(found.truth) else ""
    caption += held or f"All {len(found.truth):,} rows were held out. "
    caption += first_drawn(len(order), K, "classes", "those with the most mistakes") if len(order) < K else ""
    return layered(layers, "Truth and prediction", caption, width=alt.Step(side), height=alt.Step(side))


def _is_short(names: list[str], side: float) -> bool:
    return max(map(len, names)) * 6.5 < side

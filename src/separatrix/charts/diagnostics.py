"""Rows that pull at a fit, and scores under shuffled labels."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats
from ..evaluation.permutation import PermutationTest
from ..inference.influence import Influence
from ..inference.tables import p_text
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, SECOND
from .sampling import SEED, sampled
from .text import plain

NAMED = 5
STRONGEST = 200
"""Rows of greatest influence, drawn whatever the sample."""
BINS = 40


def influence(found: Influence) -> Layers:
    """Return leverage against Pearson residual of every row; the area of a point is its Cook distance, the strongest have their numbers.

    Parameters
    ----------
    found : Influence
        Of `LogisticRegression(…).fit(X, y).influence(…)`.
    """
    n = len(found.cook)
    order = np.argsort(-found.cook, kind="stable")
    drawn = np.union1d(order[:STRONGEST], sampled(n))
    called = [str(i) if found.labels is None else plain(found.labels[int(i)], 24) for i in drawn]
    top = set(order[:NAMED].tolist())
    rows = data(
        row=drawn.tolist(),
        label=called,
        leverage=found.leverage[drawn],
        pearson=found.pearson[drawn],
        deviance=found.deviance[drawn],
        cook=found.cook[drawn],
        named=[label if i in top else "" for i, label in zip(drawn.tolist(), called, strict=True)],
    )
    x = alt.X("leverage:Q", scale=alt.Scale(zero=False))
    y = alt.Y("pearson:Q", title="Pearson residual")
    tips = [alt.Tooltip("label:N", title="row"), alt.Tooltip("cook:Q", title="Cook's distance", format=".4g")]
    tips += [alt.Tooltip(f"{name}:Q", format=".4g") for name in ("leverage", "pearson", "deviance")]
    size = alt.Size(
        "cook:Q", title="Cook's distance", scale=alt.Scale(rangeMin=8, rangeMax=400), legend=alt.Legend(tickCount=3, format="~g")
    )
    base = alt.Chart(rows).encode(x=x, y=y)
    layers = [
        alt.Chart(data(y=[0.0])).mark_rule(color=QUIET).encode(y="y:Q"),
        base.mark_point(opacity=0.55, color=FIRST).encode(size=size, tooltip=tips),
        base.mark_text(align="left", dx=9, dy=-6).encode(text="named:N"),
    ]
    said = (
        f"All {n:,} rows drawn." if len(drawn) == n else f"{len(drawn):,} of {n:,} rows drawn: the strongest, and a sample (seed {SEED})."
    )
    return layered(layers, "Influence of single rows", said + f" Named: the {min(NAMED, n)} of greatest influence.")


def permutation_null(found: PermutationTest) -> Layers:
    """Return the scores under shuffled labels as a histogram, and the observed one as a line.

    Parameters
    ----------
    found : PermutationTest
    """
    values = found.permuted[np.isfinite(found.permuted)]
    counts, edges = np.histogram(values, bins=_edges(values))
    rows = data(left=edges[:-1], right=edges[1:], count=counts, zero=np.zeros(len(counts)))
    x = alt.X("left:Q", title=found.statistic, scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("left:Q", title="from", format=".4f"),
        alt.Tooltip("right:Q", title="to", format=".4f"),
        alt.Tooltip("count:Q", format=","),
    ]
    seen = data(left=[found.observed], label=[f"observed {found.observed:.4f}"])
    layers = [
        alt.Chart(rows)
        .mark_rect(color=QUIET, opacity=0.7, stroke=None)
        .encode(x=x, x2="right:Q", y=alt.Y("zero:Q", title="permutations"), y2="count:Q", tooltip=tips),
        alt.Chart(seen).mark_rule(color=SECOND, strokeWidth=2.5).encode(x=x, tooltip=alt.Tooltip("left:Q", title="observed", format=".4f")),
    ]
    caption = f"Line: the observed {found.statistic}, {found.observed:.4f}; bars: with labels shuffled. {p_text(found.p)}.\n"
    caption += f"All {len(values):,} permutations drawn."
    return layered(layers, "Is there anything to learn?", caption, height=220)


def _edges(values: Floats) -> Floats:
    """Return bin edges; of scores that are multiples of one step, as an error is of 1/n, bins of as many of them each."""
    steps = np.unique(np.round(values, 12))
    low, high = float(values.min()), float(values.max())
    if len(steps) < 2:
        return np.array([low - 0.5, low + 0.5])
    step = float(np.diff(steps).min())
    if step * len(steps) * 4 < high - low:
        return np.linspace(low, high, BINS + 1)
    width = step * max(1, int(np.ceil((high - low) / step / BINS)))
    return np.arange(low - step / 2, high + width, width)

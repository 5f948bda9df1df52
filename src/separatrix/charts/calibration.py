"""Predicted probabilities beside observed shares."""

from __future__ import annotations

from ..decisions.calibration_table import Reliability
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET


def calibration(found: Reliability) -> Layers:
    """Return the reliability diagram: the share observed in each bin against the probability predicted, with Wilson's intervals.

    Points on the diagonal are as probable as they say; their area is the number of rows.

    Parameters
    ----------
    found : Reliability

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import reliability
    >>> p, y = np.repeat([0.2, 0.7], 50), np.concatenate([np.arange(50) < 10, np.arange(50) < 35])
    >>> len(calibration(reliability(p, y)).to_dict()["layer"])
    4
    """
    rows = data(x=found.predicted, y=found.observed, low=found.low, high=found.high, rows=found.counts)
    shares = alt.Scale(domain=[0, 1])
    x = alt.X("x:Q", title=found.about, scale=shares)
    y = alt.Y("y:Q", title="share for which it came true", scale=shares)
    tips = [alt.Tooltip(f"{field}:Q", title=title, format=form) for field, title, form in _TIPS]
    base = alt.Chart(rows).encode(x=x)
    layers = [
        alt.Chart(data(x=[0.0, 1.0], y=[0.0, 1.0])).mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y),
        base.mark_rule(color=FIRST, strokeWidth=1.5).encode(y=alt.Y("low:Q", title=y["title"], scale=shares), y2="high:Q"),
        base.mark_line(color=FIRST, strokeWidth=1, opacity=0.6).encode(y=y),
        base.mark_point(color=FIRST, opacity=1).encode(
            y=y, size=alt.Size("rows:Q", legend=None, scale=alt.Scale(rangeMin=25, rangeMax=140)), tooltip=tips
        ),
    ]
    low, high = found.error_interval
    caption = f"Calibration error {found.error:.4f} (95 % interval {low:.4f} to {high:.4f}; faultless posteriors {found.noise:.4f}).\n"
    caption += f"{len(found.counts)} bins of {found.counts.sum():,.0f} rows, all drawn, with 95 % intervals."
    return layered(layers, "Calibration", caption)


_TIPS = (
    ("x", "predicted", ".4f"),
    ("y", "observed", ".4f"),
    ("low", "95 % from", ".4f"),
    ("high", "to", ".4f"),
    ("rows", "rows", ",.6~g"),
)

"""The one file that imports matplotlib: six charts on an `ax`, for those who lay out figures with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decisions.calibration_table import Reliability
from ..decisions.curves import Curve
from ..errors import InputTypeError, MissingExtraError, short_text
from ..evaluation.learning_curve import LearningCurve
from ..explaining.regions import Regions
from ..geometry.bands import bands
from ..geometry.regions import level_lines
from .decision_regions import boundaries, codes_of, scores_of
from .palette import FIRST, QUIET, SECOND, colours
from .sampling import rows_drawn, thinned
from .text import distinct_plain, plain

MARKERS = ("o", "s", "^", "D", "P", "v", ">", "<", "_")


def _axes(ax: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError:
        raise MissingExtraError("plot() needs matplotlib: pip install matplotlib; chart() draws with altair.") from None
    if ax is None:
        return plt.subplots()[1]
    if not isinstance(ax, Axes):
        raise InputTypeError(f"ax={short_text(ax)} is no axes of matplotlib; leave it out, or pass fig, ax = plt.subplots().")
    return ax


def curve(found: Curve, ax: Any = None, **style: Any) -> Any:
    """Draw a curve with its band on axes of matplotlib, and return them."""
    ax = _axes(ax)
    at = thinned(found.x, found.y)
    own = {"color": FIRST, **style}
    label = found.name if found.area is None else f"{found.name} (area {found.area:.3f})"
    (line,) = ax.plot(found.x[at], found.y[at], **{"label": label, **own})
    ax.fill_between(found.x[at], found.low[at], found.high[at], alpha=0.2, linewidth=0, color=line.get_color())
    for name, values in (found.more or {}).items():
        ax.plot(found.x[at], values[at], "--", color=QUIET, linewidth=1, label=name)
    if found.name == "ROC":
        ax.plot([0, 1], [0, 1], ":", color=QUIET, linewidth=1)
    ax.set(xlabel=found.axes[0], ylabel=found.axes[1])
    ax.legend()
    return ax


def calibration(found: Reliability, ax: Any = None, **style: Any) -> Any:
    """Draw the reliability diagram on axes of matplotlib, and return them."""
    ax = _axes(ax)
    ends = np.abs(np.stack([found.observed - found.low, found.high - found.observed]))
    ax.plot([0, 1], [0, 1], ":", color=QUIET, linewidth=1)
    ax.errorbar(found.predicted, found.observed, yerr=ends, **{"fmt": "o-", "color": FIRST, "linewidth": 1, **style})
    ax.set(xlabel=_safe(found.about), ylabel="share for which it came true", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return ax


def confusion(found: Any, ax: Any = None, **style: Any) -> Any:
    """Draw the held-out counts on axes of matplotlib, and return them."""
    ax = _axes(ax)
    shares, names = found.confusion_intervals[..., 1], [_safe(name) for name in distinct_plain(found.classes.tolist())]
    ax.imshow(shares, **{"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, **style})
    for j, row in enumerate(found.confusion):
        for k, count in enumerate(row):
            ax.text(k, j, f"{count:g}", ha="center", va="center", color="white" if shares[j, k] > 0.5 else "black")
    ax.set(xlabel="predicted", ylabel="truth", xticks=range(len(names)), yticks=range(len(names)))
    ax.set_xticklabels(names, rotation=0 if len(names) <= 4 else 45, ha="center" if len(names) <= 4 else "right")
    ax.set_yticklabels(names)
    return ax


def learning(found: LearningCurve, ax: Any = None, **style: Any) -> Any:
    """Draw a learning curve with its band on axes of matplotlib, and return them."""
    ax = _axes(ax)
    ax.plot(found.sizes, found.scores, **{"marker": "o", "color": FIRST, "label": "held-out rows", **style})
    ax.fill_between(found.sizes, *found.intervals.T, alpha=0.2, linewidth=0, color=FIRST)
    ax.plot(found.sizes, found.training, "s--", color=SECOND, label="rows trained on")
    ax.set(xlabel="rows trained on", ylabel=_safe(found.metric))
    ax.legend()
    return ax


def regions(found: Regions, ax: Any = None, **style: Any) -> Any:
    """Draw decision regions with boundaries, margins and rows on axes of matplotlib, and return them."""
    ax = _axes(ax)
    palette = colours(len(found.classes))
    for band in bands(found.x, found.y, codes_of(found), scores_of(found)):
        ax.fill_betweenx(band.y, band.left, band.right, color=palette[band.code % len(palette)], linewidth=0, **{"alpha": 0.22, **style})
    for line in boundaries(found):
        ax.plot(*line.T, color=QUIET, linewidth=1.5)
    if found.margin is not None and found.scores is not None:
        score = found.scores[..., 1] - found.scores[..., 0]
        for level in (-found.margin, found.margin):
            for line in level_lines(found.x, found.y, score, level):
                ax.plot(*line.T, "--", color=QUIET, linewidth=1)
    if found.points is not None and found.truth is not None:
        for k, (label, name) in enumerate(zip(found.classes, distinct_plain(found.classes))):
            own = found.points[found.truth == label]
            ax.scatter(*own.T, s=16, color=palette[k], marker=MARKERS[k % len(MARKERS)], label=_safe(name))
        ax.legend(title=rows_drawn(len(found.points), found.rows_in_all), title_fontsize="small")
    ax.set(xlabel=_safe(found.axes[0]), ylabel=_safe(found.axes[1]), xlim=(found.x[0], found.x[-1]), ylim=(found.y[0], found.y[-1]))
    return ax


def _safe(name: Any) -> str:
    r"""Return a name as matplotlib draws it: a dollar would begin a formula.

    Examples
    --------
    >>> _safe("pay in $")
    'pay in \\$'
    """
    return plain(name).replace("$", r"\$")

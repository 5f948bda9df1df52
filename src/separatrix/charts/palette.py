"""Colours that people with any colour vision tell apart, on white and on dark pages alike.

The first hues are those of Okabe and Ito; the others were searched for, so that any two differ for every kind of colour vision. Each
stands out by 3 : 1 from both backgrounds, so that a chart needs one set of colours. Classes are told apart by the shape of their points and
the dashes of their lines as well.
"""

from __future__ import annotations

CLASSES = ("#0072b2", "#d55e00", "#009e73", "#962dff", "#c56fa0", "#e1004b", "#78694b", "#e83ad0")
"""Colours of the classes, in the order of `classes_`; beyond eight they repeat, with other shapes."""
FIRST, SECOND = CLASSES[0], CLASSES[1]
"""The colour of the one thing a chart shows, and of what it is set beside."""
QUIET = "#7f7f7f"
"""Reference lines, baselines, and what is only there to compare with."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left", "stroke")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4], [6, 2, 2, 2, 2, 2])
LIGHT, DARK = "#ffffff", "#1e1e1e"
"""The backgrounds that the colours are made for."""


def colours(count: int) -> list[str]:
    """Return colours for so many classes.

    Examples
    --------
    >>> colours(2)
    ['#0072b2', '#d55e00']
    """
    return [CLASSES[k % len(CLASSES)] for k in range(count)]


def shapes(count: int) -> list[str]:
    """Return shapes of points for so many classes; with nine shapes and eight colours, 72 classes differ."""
    return [SHAPES[k % len(SHAPES)] for k in range(count)]


def dashes(count: int) -> list[list[int]]:
    """Return dashes of lines for so many classes."""
    return [list(DASHES[k % len(DASHES)]) for k in range(count)]

"""Light, dark, or the colour of the text around: the part of a chart's specification that depends on the page."""

from __future__ import annotations

from typing import Any, Literal

from ..argument_types import is_among
from ..errors import one_of
from .palette import CLASSES, DARK, FIRST, LIGHT, QUIET

Theme = Literal["auto", "light", "dark"]
THEMES = ("auto", "light", "dark")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
_INK = {"auto": "currentColor", "light": "#1f2328", "dark": "#e6e6e6"}
_PAGE = {"auto": "transparent", "light": LIGHT, "dark": DARK}


def config(theme: Theme = "auto") -> dict[str, Any]:
    """Return Vega-Lite's `config` for a theme: everything in a chart that is not the colour of data.

    Parameters
    ----------
    theme : "auto", "light" or "dark"
        "auto" draws text and axes in `currentColor`, the colour of the text around the chart, on no background: it follows a page into
        dark mode without being drawn again. A PNG has no page around it, and needs one of the others.

    Examples
    --------
    >>> config("auto")["axis"]["labelColor"], config("dark")["background"]
    ('currentColor', '#1e1e1e')
    """
    if not is_among(theme, THEMES):
        raise one_of("theme", theme, THEMES)
    ink = _INK[theme]
    return {
        "background": _PAGE[theme],
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None, "continuousWidth": 360, "continuousHeight": 280},
        "title": {
            "color": ink,
            "subtitleColor": ink,
            "anchor": "start",
            "frame": "group",
            "fontSize": 14,
            "fontWeight": 600,
            "subtitleFontSize": 11,
            "subtitlePadding": 5,
            "subtitleLineHeight": 15,
            "offset": 12,
        },
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "domainColor": ink,
            "tickColor": ink,
            "gridColor": ink,
            "domainOpacity": 0.4,
            "tickOpacity": 0.4,
            "gridOpacity": 0.12,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelLimit": 220,
            "titleLimit": 360,
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 220},
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "labelLimit": 200,
            "titleLimit": 200,
            "symbolStrokeWidth": 1.8,
        },
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": QUIET},
        "line": {"color": FIRST, "strokeWidth": 2},
        "point": {"color": FIRST, "filled": True},
        "circle": {"color": FIRST},
        "bar": {"color": FIRST},
        "area": {"color": FIRST},
        "rect": {"color": FIRST},
        "range": {"category": list(CLASSES)},
    }

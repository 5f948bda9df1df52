"""The one file that imports vl-convert: a chart as SVG or PNG, without a browser and without the network."""

from __future__ import annotations

import re
from typing import Any

from ..errors import MissingExtraError

_PLACES = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
_DIGITS = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("SVG and PNG need vl-convert: pip install 'separatrix[pictures]'; .html needs nothing more.") from None
    return vl_convert


def svg(spec: dict[str, Any]) -> str:
    """Return a specification drawn as SVG, its places to a hundredth of a point."""
    found: str = _converter().vegalite_to_svg(spec, allowed_base_urls=[])
    return _PLACES.sub(lambda place: _DIGITS.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), place[0]), found)


def png(spec: dict[str, Any], scale: float = 2.0) -> bytes:
    """Return a specification drawn as PNG, `scale` pixels to a point."""
    found: bytes = _converter().vegalite_to_png(spec, scale=scale, allowed_base_urls=[])
    return found

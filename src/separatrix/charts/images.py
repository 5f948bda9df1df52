"""The one file that imports vl-convert: a chart as SVG or PNG, without a browser and without the network."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("SVG and PNG need vl-convert: pip install 'separatrix[pictures]'; .html needs nothing more.") from None
    return vl_convert


def svg(spec: dict[str, Any]) -> str:
    """Return a specification drawn as SVG."""
    found: str = _converter().vegalite_to_svg(spec, allowed_base_urls=[])
    return found


def png(spec: dict[str, Any], scale: float = 2.0) -> bytes:
    """Return a specification drawn as PNG, `scale` pixels to a point."""
    found: bytes = _converter().vegalite_to_png(spec, scale=scale, allowed_base_urls=[])
    return found

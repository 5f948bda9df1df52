"""A chart as a file: the ending says how it is written, and a failed write leaves the old file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..argument_types import check_arguments
from ..errors import InputError, did_you_mean
from ..storage.atomic import atomic_file, path_text
from .images import png, svg
from .page import page_html

ENDINGS = (".html", ".svg", ".png", ".json")


def save(spec: dict[str, Any], path: str | os.PathLike[str], theme: str, scale: float) -> None:
    """Write a specification as its path's ending says: .html, .svg, .png or .json."""
    check_arguments(save, locals())
    ending = Path(path_text(path)).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path_text(path)!r} ends in {ending!r}; use one of {', '.join(ENDINGS)}.{did_you_mean(ending, ENDINGS)}")
    if not 0.1 <= scale <= 20:
        raise InputError(f"scale={scale!r} must lie between 0.1 and 20, such as 2.")
    content = _content(spec, ending, theme, scale)
    with atomic_file(path) as file:
        file.write(content)


def _content(spec: dict[str, Any], ending: str, theme: str, scale: float) -> bytes:
    if ending == ".png":
        return png(spec, scale)
    if ending == ".svg":
        return svg(spec).encode("utf-8")
    if ending == ".html":
        return page_html(spec, theme).encode("utf-8")
    return json.dumps(spec, ensure_ascii=False, indent=1).encode("utf-8")

"""The one file that imports altair: charts that are drawn without the network, and the data they hold.

A chart of this room is a chart of Altair in every respect (`+`, `|`, `.properties(…)`), with three differences. Its data stand
in the specification as text until that is asked for, so that no limit of rows applies and nothing is checked row by row. Its colours follow
the page (`themes.py`). A notebook and a saved page draw it with the vendored bundle, not from the network. No global setting of Altair is
changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from .text import lines, plain
from .themes import Theme, config

try:
    import altair as alt
except ImportError:
    raise MissingExtraError("Charts need altair: pip install 'separatrix[charts]'") from None

__all__ = ["Chart", "Columns", "Layers", "Rows", "alt", "beside", "data", "layered", "titled"]

DIGITS = 6
"""Significant digits of numbers in a chart: a screen has four."""


class Offline:
    """What charts of this room add to those of Altair."""

    def to_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the Vega-Lite specification, in the colours of the page around it."""
        spec: dict[str, Any] = super().to_dict(*args, **kwargs)  # type: ignore[misc]
        context = kwargs.get("context") or {}
        if context.get("top_level", True) and kwargs.get("format", "vega-lite") == "vega-lite":
            _unpack(spec)
            spec["config"] = {**config("auto"), **{k: v for k, v in spec.get("config", {}).items() if k != "view"}}
        return spec

    def spec(self, theme: Theme = "auto") -> dict[str, Any]:
        """Return the Vega-Lite specification for a theme: "auto", "light" or "dark"."""
        found = self.to_dict()
        return {**found, "config": {**found["config"], **config(theme)}}

    def save(self, path: str | os.PathLike[str], *, theme: Theme = "light", scale: float = 2.0) -> None:
        """Write the chart to a file: .html (interactive, opens without the network), .svg, .png or .json.

        Parameters
        ----------
        path : its ending says the format; a failed write leaves the old file
        theme : "light", "dark", or "auto" (SVG and HTML: the colour of the text around)
        scale : pixels of a PNG for each point of the chart
        """
        from .saving import save

        save(self.spec(theme), path, theme, scale)

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        from .page import notebook_html

        spec = self.to_dict()
        return {"text/html": notebook_html(spec), "text/plain": " ".join(said(spec))}


class Chart(Offline, alt.Chart):
    """One mark."""


class Layers(Offline, alt.LayerChart):
    """Marks on top of each other."""


class Rows(Offline, alt.VConcatChart):
    """Charts below each other."""


class Columns(Offline, alt.HConcatChart):
    """Charts beside each other."""


def data(**columns: Any) -> alt.Data:
    """Return columns of equal length as the data of a chart; what is not finite becomes a gap, names become plain text.

    Examples
    --------
    >>> data(x=[1.0, float("nan")], name=["a", "b"]).values
    '[{"x":1.0,"name":"a"},{"x":null,"name":"b"}]'
    """
    names, values = list(columns), [_values(column) for column in columns.values()]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
    return alt.Data(values=json.dumps(rows, ensure_ascii=False, separators=(",", ":")), format={"type": "json"})


def _values(column: Any) -> list[Any]:
    array = np.asarray(column)
    if array.dtype.kind == "f":
        return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in array.tolist()]
    if array.dtype.kind in "biu":
        return list(array.tolist())
    return [_value(value) for value in (array.tolist() if array.dtype.kind in "US" else column)]


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float | np.number):
        return float(f"{float(value):.{DIGITS}g}") if np.isfinite(value) else None
    return plain(value)


def titled(text: str, caption: str = "") -> alt.Title:
    """Return a title with a caption below it."""
    return alt.Title(text=plain(text, 120), subtitle=lines(caption)) if caption else alt.Title(text=plain(text, 120))


def layered(layers: Sequence[alt.Chart | alt.LayerChart], title: str, caption: str = "", **properties: Any) -> Layers:
    """Return layers as one chart with a title and a caption."""
    return Layers(layer=list(layers), title=titled(title, caption), **properties)


def beside(charts: Sequence[alt.Chart | alt.LayerChart], title: str, caption: str = "") -> Columns:
    """Return charts beside each other under one title."""
    return Columns(hconcat=list(charts), title=titled(title, caption), spacing=30)


def said(spec: dict[str, Any]) -> list[str]:
    """Return title and caption of a specification, as lines of text."""
    title = spec.get("title", {})
    if isinstance(title, str):
        return [title]
    found = [title.get("text", "Chart"), *np.atleast_1d(title.get("subtitle", [])).tolist()]
    return [str(line) for line in found]


def _unpack(part: Any) -> None:
    """Turn data given as text back into rows, everywhere in a specification."""
    if isinstance(part, dict):
        own = part.get("data")
        if isinstance(own, dict) and isinstance(own.get("values"), str) and own.get("format") == {"type": "json"}:
            part["data"] = {"values": json.loads(own["values"])}
        for value in part.values():
            _unpack(value)
    elif isinstance(part, list):
        for value in part:
            _unpack(value)

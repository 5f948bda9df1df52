"""A chart as HTML that loads nothing: in the output of a notebook, and as a page of its own."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from gzip import compress
from hashlib import sha256
from html import escape
from typing import Any

from .bundle import content_hash, script
from .grammar import said
from .palette import DARK, LIGHT

OPTIONS = '{ast:true,actions:false,renderer:"svg",mode:"vega-lite",defaultStyle:false,tooltip:{disableDefaultStyle:true}}'
"""How vega-embed draws: expressions are interpreted (`ast`), so that no page has to allow `unsafe-eval`."""
STYLE = (
    "#vg-tooltip-element{position:fixed;z-index:1000;visibility:hidden;padding:6px 8px;border-radius:4px;font:12px system-ui,sans-serif;"
    "background:#333;color:#fff}#vg-tooltip-element.visible{visibility:visible}#vg-tooltip-element td.key{padding-right:8px;opacity:.75}"
    "#vg-tooltip-element h2{font-size:12px;margin:0}.vega-bind{font:12px system-ui,sans-serif;margin:4px 0}"
    ".vega-bind-name{margin-right:8px}.vega-bind input{vertical-align:middle}"
)
"""Tooltips and sliders, which vega-embed would else style from a script."""


def json_for_script(value: Any) -> str:
    r"""Return JSON that may stand inside a script element, whatever its texts hold.

    Examples
    --------
    >>> json_for_script("</script><!--")
    '"\\u003c/script\\u003e\\u003c!--"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


@cache
def _packed() -> str:
    """Return the bundle as base64 of gzip: a third of its size, which browsers unpack themselves."""
    return b64encode(compress(script().encode("utf-8"), 9, mtime=0)).decode("ascii")


def notebook_html(spec: dict[str, Any]) -> str:
    """Return a chart for the output of a notebook: self-contained, so that the saved notebook shows it again, also without the network.

    The bundle is unpacked once a page, by the first chart that needs it. Where scripts may not run (a notebook that is not trusted), title
    and caption stand in place of the chart.
    """
    text = json_for_script(spec)
    name = sha256(text.encode("utf-8")).hexdigest()[:16]
    lines = "<br>".join(map(escape, said(spec)))
    code = (
        f"(()=>{{const spec={text};const draw=()=>document.querySelectorAll('[data-separatrix=\"{name}\"]').forEach(e=>{{"
        f"if(!e.dataset.drawn){{e.dataset.drawn=1;vegaEmbed(e,spec,{OPTIONS})}}}});"
        "if(!window.separatrixVega){window.separatrixVega=(async()=>{"
        f'const bytes=Uint8Array.from(atob("{_packed()}"),c=>c.charCodeAt(0));'
        'const text=await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();'
        "const add=(kind,text)=>{const e=document.createElement(kind);e.textContent=text;document.head.append(e)};"
        'add("script",`(()=>{const define=undefined,module=undefined,exports=undefined;${text}})()`);'
        f'add("style",{json_for_script(STYLE)})}})()}}'
        "window.separatrixVega.then(draw)})()"
    )
    return f'<div data-separatrix="{name}">{lines}<br>(Drawn by a script: trust this notebook to see it.)</div><script>{code}</script>'


def page_html(spec: dict[str, Any], theme: str) -> str:
    """Return a chart as a page of its own, which opens from a file, loads nothing and allows no script but its own."""
    start = f'vegaEmbed("#chart",JSON.parse(document.getElementById("spec").textContent),{OPTIONS});'
    page = f"color-scheme:{'light dark' if theme == 'auto' else theme};" + ("" if theme == "auto" else _colours(theme))
    style = f"body{{margin:16px;{page}}}{STYLE}"
    policy = f"default-src 'none'; script-src {content_hash(script())} {content_hash(start)}; style-src {content_hash(style)}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        f"<title>{escape(said(spec)[0])}</title><style>{style}</style></head><body>"
        f'<div id="chart"></div><script type="application/json" id="spec">{json_for_script(spec)}</script>'
        f"<script>{script()}</script><script>{start}</script></body></html>\n"
    )


def _colours(theme: str) -> str:
    return f"background:{DARK};color:#e6e6e6" if theme == "dark" else f"background:{LIGHT};color:#1f2328"

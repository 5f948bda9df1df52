"""The vendored Vega bundle: one script for notebooks, the report and the studio, so that no page loads anything from outside."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files


@cache
def script() -> str:
    """Return the bundle as text: it sets `window.vegaEmbed`, `window.vegaLite` and `window.vega`.

    Embed with `ast: true`: expressions are then interpreted, and a page needs no `unsafe-eval`.

    Examples
    --------
    >>> "</script" in script()  # so that it may stand inside a script element
    False
    """
    return files(__package__).joinpath("vega.js").read_text(encoding="utf-8")


def content_hash(text: str) -> str:
    """Return the source expression by which a content security policy allows an inline script.

    Examples
    --------
    >>> content_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"

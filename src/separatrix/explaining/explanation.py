"""The base of explanations: text, HTML and the view in a notebook are all printed from the same tables."""

from __future__ import annotations

from ..inference.tables import Tables
from ..notebook import view


class Explanation:
    """An explanation whose every form comes from its tables. A subclass gives `tables`."""

    __slots__ = ()

    @property
    def tables(self) -> Tables:
        """Everything, as named tables with sentences above and below."""
        raise TypeError(f"{type(self).__name__} must define tables")

    @property
    def text(self) -> str:
        """All of it in fixed-width letters."""
        return self.tables.text

    @property
    def html(self) -> str:
        """All of it as one HTML element; names and labels are escaped."""
        return self.tables.html

    def _repr_html_(self) -> str:
        return view(self.html)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

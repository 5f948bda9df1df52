"""Categories with an order: their place in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...array_types import Floats
from ...data.columns import Column
from ..outputs import Output
from .base import Step, text_codes


@dataclass(frozen=True, slots=True)
class Ordered(Step):
    """A column of ordered categories as their numbers 0, 1, 2, …

    Attributes
    ----------
    levels : in their order
    fill : what stands in for missing and unseen ones: the median place
    indicator : whether a column says which were missing

    Examples
    --------
    >>> Ordered("size", ("S", "M", "L"), fill=1.0).encode(Column("size", np.array([0, 1]), np.array(["L", "XL"]))).tolist()
    [[2.0], [1.0]]
    """

    kind: ClassVar[str] = "ordered"
    levels: tuple[str, ...]
    fill: float = 0.0
    indicator: bool = False

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The place, and the gaps."""
        made = (Output(f"{self.column} (order)", self.column, "other"),)
        return (*made, Output(f"{self.column} missing", self.column, "missing")) if self.indicator else made

    def encode(self, column: Column) -> Floats:
        """Return the places."""
        codes, texts = text_codes(column)
        known = {level: float(place) for place, level in enumerate(self.levels)}
        found = np.array([*(known.get(text, self.fill) for text in texts), self.fill])[codes]
        made = [found, (codes < 0).astype(np.float64)] if self.indicator else [found]
        return np.stack(made, axis=1)

    @property
    def said(self) -> str:
        """What is done."""
        return f"ordered: {' < '.join(self.levels[:4])}{' < …' if len(self.levels) > 4 else ''}"

    def check(self) -> None:
        """Refuse levels that stand there twice."""
        self.require(len(set(self.levels)) == len(self.levels) > 0, "levels must be different and at least one")

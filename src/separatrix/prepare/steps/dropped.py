"""Columns that are left out, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...array_types import Floats
from ...data.columns import Column
from ..outputs import Output
from .base import Step


@dataclass(frozen=True, slots=True)
class Dropped(Step):
    """A column that is left out.

    Attributes
    ----------
    why : in a few words

    Examples
    --------
    >>> Dropped("id", "looks like an identifier").said
    'left out: looks like an identifier'
    """

    kind: ClassVar[str] = "drop"
    why: str = "asked for"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """None."""
        return ()

    def encode(self, column: Column) -> Floats:
        """Return no column."""
        return np.empty((len(column.values), 0))

    @property
    def said(self) -> str:
        """What is done."""
        return f"left out: {self.why}"

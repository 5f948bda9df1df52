"""Categories of very many levels in a fixed number of columns, by hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...data.columns import Column
from ...data.value_hash import level_hashes
from ..outputs import Output, Places
from .base import Step, text_codes


@dataclass(frozen=True, slots=True)
class Hashed(Step):
    """A column of categories, each in one of `buckets` columns by its hash: nothing is learned, and levels may share a column.

    Examples
    --------
    >>> step = Hashed("zip", 4)
    >>> len(step.outputs), step.encode(Column("zip", np.array([0, 0]), np.array(["10115"]))).width
    (4, 4)
    """

    kind: ClassVar[str] = "hash"
    buckets: int = 64

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The buckets."""
        return tuple(Output(f"{self.column} in bucket {i}", self.column, "other") for i in range(self.buckets))

    def encode(self, column: Column) -> Places:
        """Return the bucket of each row; a missing value has none."""
        codes, texts = text_codes(column)
        at = (level_hashes(texts) % np.uint64(self.buckets)).astype(np.int32)
        return Places(np.append(at, np.int32(-1))[codes], self.buckets)

    @property
    def filled_share(self) -> float:
        """Share of ones."""
        return 1.0 / self.buckets

    @property
    def said(self) -> str:
        """What is done."""
        return f"many levels in {self.buckets} buckets"

    def check(self) -> None:
        """Refuse less than one bucket."""
        self.require(1 <= self.buckets <= 100_000, "buckets must be between 1 and 100,000")

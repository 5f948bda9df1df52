"""Texts in a fixed number of columns, by the hashes of their words: nothing is learned, and any word has a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from ...data.columns import Column
from ...data.value_hash import level_hashes
from ..outputs import Output
from .base import Step, text_codes
from .words import terms_of, weights_of


@dataclass(frozen=True, slots=True)
class HashedWords(Step):
    """A column of texts, each of its words and pairs of words counted in one of `buckets` columns; each row of length 1.

    Examples
    --------
    >>> found = HashedWords("message", 8).encode(Column("message", np.array([0]), np.array(["call now, call!"])))
    >>> found.shape, float((found.power(2)).sum().round(6))
    ((1, 8), 1.0)
    """

    kind: ClassVar[str] = "text hash"
    buckets: int = 1_024

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The buckets."""
        return tuple(Output(f"{self.column}: words of bucket {i}", self.column, "other") for i in range(self.buckets))

    def encode(self, column: Column) -> sp.csr_array:
        """Return the weights; each different text is taken apart once."""
        codes, texts = text_codes(column)
        terms = sorted({term for text in texts for term in terms_of(text)})
        at = (level_hashes(terms) % np.uint64(self.buckets)).astype(int).tolist()
        weights = weights_of(texts, dict(zip(terms, at, strict=True)), np.ones(self.buckets))
        return sp.csr_array(sp.vstack([weights, sp.csr_array((1, self.buckets))], format="csr")[codes])

    @property
    def filled_share(self) -> float:
        """Share of buckets that a text has, about."""
        return min(1.0, 15.0 / self.buckets)

    @property
    def said(self) -> str:
        """What is done."""
        return f"text: words in {self.buckets:,} buckets"

    def check(self) -> None:
        """Refuse less than one bucket."""
        self.require(1 <= self.buckets <= 100_000, "buckets must be between 1 and 100,000")

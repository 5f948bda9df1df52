"""Texts: how much of each word of a vocabulary they have, so that coefficients can be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...data.columns import Column
from ..outputs import Output
from .base import Step, text_codes

WORD = re.compile(r"\w+(?:['’]\w+)?|[!?£$€%]")


@dataclass(frozen=True, slots=True)
class Words(Step):
    """A column of texts as weights of words and pairs of words (tf-idf), each row of length 1.

        weight = (1 + log count) · idf,   idf = 1 + log((1 + n)/(1 + rows with the word))

    Digits count by their number: a word of 11 digits is "<11 digits>".

    Attributes
    ----------
    vocabulary : words and pairs of them
    idf : of each

    Examples
    --------
    >>> step = Words("message", ("free", "free money"), (1.0, 2.0))
    >>> step.encode(Column("message", np.array([0]), np.array(["FREE money, free!"]))).toarray().round(3).tolist()
    [[0.646, 0.763]]
    """

    kind: ClassVar[str] = "text"
    vocabulary: tuple[str, ...]
    idf: tuple[float, ...]

    @property
    def outputs(self) -> tuple[Output, ...]:
        """A column per word."""
        return tuple(Output(f"{self.column}: {word}", self.column, "word", word) for word in self.vocabulary)

    def encode(self, column: Column) -> sp.csr_array:
        """Return the weights; each different text is taken apart once."""
        codes, texts = text_codes(column)
        place = {word: i for i, word in enumerate(self.vocabulary)}
        weights = sp.csr_array(weights_of(texts, place, np.array(self.idf)))
        empty = sp.csr_array((1, len(self.vocabulary)))
        return sp.csr_array(sp.vstack([weights, empty], format="csr")[codes])

    @property
    def filled_share(self) -> float:
        """Share of words that a text has, about."""
        return min(1.0, 15.0 / max(1, len(self.vocabulary)))

    @property
    def said(self) -> str:
        """What is done."""
        return f"text: {len(self.vocabulary):,} words and pairs, tf-idf"

    def check(self) -> None:
        """Refuse a vocabulary without its weights."""
        self.require(len(self.vocabulary) == len(self.idf), "there must be one idf for each word of the vocabulary")
        self.require(len(set(self.vocabulary)) == len(self.vocabulary), "a word stands there twice")


def terms_of(text: str) -> list[str]:
    """Return the words of a text in small letters, and the pairs of neighbours.

    Examples
    --------
    >>> terms_of("Call 08001234567 NOW!")
    ['call', '<11 digits>', 'now', '!', 'call <11 digits>', '<11 digits> now', 'now !']
    """
    words = [f"<{len(word)} digits>" if word.isdigit() and len(word) > 1 else word for word in WORD.findall(text.lower())]
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def learn_words(column: str, texts: Sequence[str], weight: Any, most: int, least: float) -> Words:
    """Return the step for texts with weights: the `most` words that at least `least` of them have, the most common first."""
    rows: Counter[str] = Counter()
    for text, w in zip(texts, weight, strict=True):
        for term in set(terms_of(text)):
            rows[term] += w
    kept = sorted((term for term, n in rows.items() if n >= least), key=lambda term: (-rows[term], term))[:most]
    total = float(np.sum(weight))
    idf = tuple(float(1.0 + np.log((1.0 + total) / (1.0 + rows[term]))) for term in sorted(kept))
    return Words(column, tuple(sorted(kept)), idf)


def weights_of(texts: Iterable[str], place: dict[str, int], idf: Any) -> Any:
    """Return weights (1 + log count) · idf of the words of texts, each row of length 1; words may share a place."""
    ends, indices, values = [0], [], []
    for text in texts:
        counts = Counter(place[term] for term in terms_of(text) if term in place)
        own = np.fromiter(counts.keys(), dtype=np.int32, count=len(counts))
        weight = (1.0 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))) * idf[own]
        order = np.argsort(own)
        length = np.sqrt((weight * weight).sum())
        indices.append(own[order])
        values.append(weight[order] / length if length > 0 else weight)
        ends.append(ends[-1] + len(own))
    stored = np.concatenate([np.empty(0), *values])
    places = np.concatenate([np.empty(0, dtype=np.int32), *indices])
    return sp.csr_array((stored, places, ends), shape=(len(ends) - 1, len(idf)))

"""Categories of many levels as shares of the classes among rows of the level, smoothed, and never from the row itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Floats
from ...data.columns import Column
from ..outputs import Output
from .base import Step, text_codes

FOLDS = 5
"""Inner folds: in training a row has the shares among the rows of the other four."""


@dataclass(frozen=True, slots=True, eq=False)
class TargetStatistics(Step):
    """A column of many levels as K − 1 columns: the share of each class but the first.

        share_k(level) = (n_k(level) + smoothing · π_k)/(n(level) + smoothing)

    with π_k the share among all rows. Unseen and missing levels have π_k.

    Attributes
    ----------
    levels : that are counted
    classes : labels as text
    smoothing : rows that the shares of all rows count for
    counts : (FOLDS, L, K) rows of each fold, level and class; empty as long as no labels were seen
    totals : (FOLDS, K) rows of each fold and class

    References
    ----------
    Micci-Barreca (2001), A preprocessing scheme for high-cardinality categorical attributes, SIGKDD Explorations 3.
    """

    kind: ClassVar[str] = "levels"
    levels: tuple[str, ...]
    classes: tuple[str, ...] = ()
    smoothing: float = 10.0
    counts: Floats = None  # type: ignore[assignment]
    totals: Floats = None  # type: ignore[assignment]

    @property
    def outputs(self) -> tuple[Output, ...]:
        """A column for each class but the first."""
        return tuple(Output(f"{self.column}: share of {label}", self.column, "other") for label in self.classes[1:])

    def counted(self, column: Column, codes: Codes, folds: NDArray[Any], weight: Floats, classes: tuple[str, ...]) -> TargetStatistics:
        """Return the step with the labels of some rows counted."""
        at, K, L = self._places(column), len(classes), len(self.levels)
        total = np.bincount(folds * K + codes, weight, minlength=FOLDS * K).reshape(FOLDS, K).astype(np.float64)
        known = at >= 0
        cell = (folds[known] * L + at[known]) * K + codes[known]
        counts = np.bincount(cell, weight[known], minlength=FOLDS * L * K).reshape(FOLDS, L, K).astype(np.float64)
        if self.counts is not None:
            counts, total = counts + self.counts, total + self.totals
        return replace(self, classes=classes, counts=counts, totals=total)

    def _places(self, column: Column) -> NDArray[Any]:
        codes, texts = text_codes(column)
        known = {level: place for place, level in enumerate(self.levels)}
        return np.array([*(known.get(text, -1) for text in texts), -1], dtype=np.intp)[codes]

    def shares(self, without: int | None = None) -> Floats:
        """Return the shares (L + 1, K) from all folds, or all but one; the last row is of all levels."""
        counts, totals = self.counts.sum(axis=0), self.totals.sum(axis=0)
        if without is not None:
            counts, totals = counts - self.counts[without], totals - self.totals[without]
        prior = totals / max(float(totals.sum()), 1e-300)
        shares = (counts + self.smoothing * prior) / (counts.sum(axis=1, keepdims=True) + self.smoothing)
        return np.vstack([shares, prior])

    def encode(self, column: Column) -> Floats:
        """Return the shares for rows that were not trained on."""
        return np.asarray(self.shares()[self._places(column), 1:])

    def encode_training(self, column: Column, folds: NDArray[Any]) -> Floats:
        """Return the shares for rows trained on: each from the folds that it is not in."""
        at, found = self._places(column), np.empty((len(folds), len(self.classes) - 1))
        for fold in range(FOLDS):
            own = folds == fold
            found[own] = self.shares(fold)[at[own], 1:]
        return found

    @property
    def said(self) -> str:
        """What is done."""
        return f"{len(self.levels):,} levels as shares of the classes, each row's from other rows"

    def check(self) -> None:
        """Refuse counts that do not fit the levels and classes."""
        self.require(self.smoothing > 0, "smoothing must be positive")
        self.require(self.counts is not None and self.totals is not None, "it has not seen labels")
        shape = (FOLDS, len(self.levels), len(self.classes))
        self.require(self.counts.shape == shape and self.totals.shape == shape[::2], f"counts must be of shape {shape}")
        self.require(bool((self.counts.sum(axis=1) <= self.totals * (1 + 1e-9)).all()), "counts must not be more than the totals")
        for what in (self.levels, self.classes):
            self.require(len(set(what)) == len(what), "levels and classes must be different from each other")

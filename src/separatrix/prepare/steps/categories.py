"""Categories: a column for each level but the reference; rare levels together; gaps and unseen levels known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...array_types import Codes
from ...data.columns import Column
from ..outputs import Output, Places
from .base import Step, text_codes


@dataclass(frozen=True, slots=True)
class Category(Step):
    """A column of categories, or a switch of two.

    A row of the reference level, or of a level that was not there in training where no levels are grouped, has zeros everywhere.

    Attributes
    ----------
    reference : the level without a column: the most common one, or a named one
    levels : those with a column of their own
    grouped : levels too rare for one; they share a column, which unseen levels have too
    missing : whether missing values have a column
    shared : levels without a column because a level of another column stands in exactly the same rows
    share : of rows that are not of the reference level

    Examples
    --------
    >>> step = Category("city", "Oslo", ("Rome",), grouped=("Bern", "Kiel"))
    >>> [output.name for output in step.outputs]
    ['city = Rome', 'city = another level']
    >>> step.encode(Column("city", np.array([0, 1, 2]), np.array(["Rome", "Oslo", "Paris"]))).at.tolist()
    [0, -1, 1]
    """

    kind: ClassVar[str] = "category"
    reference: str
    levels: tuple[str, ...]
    grouped: tuple[str, ...] = ()
    missing: bool = False
    shared: tuple[str, ...] = ()
    share: float = 0.5

    @property
    def outputs(self) -> tuple[Output, ...]:
        """A column per level, one of the grouped, one of the gaps."""
        made = [Output(f"{self.column} = {level}", self.column, "level", level) for level in self.levels]
        if self.grouped:
            made.append(Output(f"{self.column} = another level", self.column, "level", "another level"))
        return (*made, *([Output(f"{self.column} missing", self.column, "missing")] if self.missing else []))

    def encode(self, column: Column) -> Places:
        """Return the column in which each row has its 1."""
        codes, texts = self._levels(column)
        unseen = len(self.levels) if self.grouped else -1
        known = {level: place for place, level in enumerate(self.levels)} | dict.fromkeys((self.reference, *self.shared), -1)
        gap = len(self.levels) + bool(self.grouped) if self.missing else -1
        places = np.array([*(known.get(text, unseen) for text in texts), gap], dtype=np.int32)
        return Places(places[codes], len(self.levels) + bool(self.grouped) + self.missing)

    def _levels(self, column: Column) -> tuple[Codes, list[str]]:
        """Return levels and their positions; truth values are True and False where the levels were written so."""
        codes, texts = text_codes(column)
        known = {self.reference, *self.levels, *self.grouped, *self.shared}
        if column.levels is None and column.values.dtype.kind == "b" and not known & {"0", "1"}:
            words = {level.lower(): level for level in known}
            texts = [words.get({"0": "false", "1": "true"}[text], text) for text in texts]
        return codes, texts

    def unseen(self, column: Column) -> dict[str, int]:
        """Return how often each level stands there that was not there in training."""
        codes, texts = self._levels(column)
        known = {self.reference, *self.levels, *self.grouped, *self.shared}
        counts = np.bincount(codes[codes >= 0], minlength=len(texts))
        return {text: int(count) for text, count in zip(texts, counts, strict=True) if count and text not in known}

    @property
    def filled_share(self) -> float:
        """Share of ones."""
        return self.share / max(1, len(self.outputs))

    @property
    def said(self) -> str:
        """What is done."""
        n = len(self.levels) + 1 + len(self.grouped) + len(self.shared)
        what = "switch" if n == 2 else f"category of {n} level{'s' * (n != 1)}"
        rare = f", {len(self.grouped)} rare as one" if self.grouped else ""
        told = f", {', '.join(map(repr, self.shared))} told by another column" if self.shared else ""
        return f"{what}, against {self.reference!r}{rare}{told}{', gaps marked' if self.missing else ''}"

    def check(self) -> None:
        """Refuse levels that stand there twice."""
        every = [self.reference, *self.levels, *self.grouped, *self.shared]
        self.require(len(set(every)) == len(every), "a level stands there twice")
